//! What it costs a program to be recorded, executed or served by an emulated drive: each beside the plain figure, measured in the same
//! run by petrio itself in a process of its own (`inside`), with what it aims at.

mod inside;
mod nbd;

pub use inside::called;

use crate::aim::AimedFigure;
use inside::{BLOCK, BLOCKS, MARK, WORD};
use petrio_files::temporary::TemporaryFolder;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Calls that are recorded.
const RECORDED: u64 = 200_000;
/// Calls that are executed, less those of a shorter run: what starting costs isn't a call's.
const EXECUTED: (u64, u64) = (220_000, 20_000);
/// Steps that are computed: some tenths of a second.
const STEPS: u64 = 400_000_000;
/// Requests to the emulated drive: some seconds of it.
const REQUESTS: u64 = 300;
/// Of so many turns the best counts: others at work make any turn longer, and none shorter.
const TURNS: usize = 3;

/// A drive of 7200 turns a minute, and a host and a file system on it.
const SCENARIO: &str = include_str!("scenario.toml");

/// Measures all of it by this petrio; `say` is told what is measured next.
///
/// # Errors
/// No temporary folder can be made.
pub fn measure(petrio: &Path, say: &mut dyn FnMut(&str)) -> io::Result<Vec<AimedFigure>> {
    let folder = TemporaryFolder::new()?;
    let bench = Bench { petrio, folder: folder.path() };
    std::fs::write(bench.folder.join("file"), vec![7; BLOCK * usize::try_from(BLOCKS).unwrap_or(0)])?;
    std::fs::write(bench.folder.join("scenario.toml"), SCENARIO)?;
    let rows: [(&str, &'static str, f64, bool, Measure<'_>); 6] = [
        ("recording a library's call, over the plain one", "µs", 1.0, false, &|| {
            bench.recorded("library", &[])
        }),
        ("recording a call that is trapped, over the plain one", "µs", 10.0, false, &|| {
            bench.recorded("calls", &[])
        }),
        ("recording a call from outside, over the plain one", "µs", 10.0, false, &|| {
            bench.recorded("library", &["--outside"])
        }),
        ("executed calls of one process (preads of 4 KiB, cached)", "a second", 100_000.0, true, &|| {
            bench.executed()
        }),
        ("computing while executed, times the plain one", "×", 2.0, false, &|| bench.computed()),
        ("lateness of emulated completions, the median", "µs", 50.0, false, &|| bench.emulated()),
    ];
    let told =
        |(what, unit, aim, at_least, measure): (&'static str, &'static str, f64, bool, Measure<'_>)| {
            say(what);
            let (measured, plain, why) = match measure() {
                Ok((measured, plain)) => (Some(measured), Some(plain), None),
                Err(why) => (None, None, Some(why)),
            };
            AimedFigure { what, measured, plain, aim, unit, at_least, why }
        };
    Ok(rows.into_iter().map(told).collect())
}

/// The figure and the one beside it; or why there is none.
type Measured = Result<(f64, f64), String>;
type Measure<'a> = &'a dyn Fn() -> Measured;

struct Bench<'a> {
    petrio: &'a Path,
    folder: &'a Path,
}

impl Bench<'_> {
    /// Runs petrio in the folder; what it printed, and the seconds that it took.
    fn run(&self, words: &[&str]) -> Result<(String, f64), String> {
        let began = Instant::now();
        let done = Command::new(self.petrio)
            .args(words)
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let (took, out) = (began.elapsed().as_secs_f64(), String::from_utf8_lossy(&done.stdout).into_owned());
        // A run that was late is one all the same: its figure says so.
        if done.status.success() || out.contains(MARK) || out.contains("late_median_us") {
            return Ok((out, took));
        }
        let talk = String::from_utf8_lossy(&done.stderr);
        let first = talk.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed");
        Err(format!("petrio {}: {first}", words.first().unwrap_or(&"")))
    }

    /// The same, and what the process inside told.
    fn told(&self, words: &[&str]) -> Result<f64, String> {
        let (out, _) = self.run(words)?;
        let told = out.lines().find_map(|line| line.strip_prefix(MARK)?.trim().parse().ok());
        told.ok_or_else(|| "the process inside told nothing".to_owned())
    }

    fn best(&self, mut turn: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
        (0..TURNS).try_fold(f64::INFINITY, |best, _| Ok(turn()?.min(best)))
    }

    fn inside<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        [&[self.petrio.to_str().unwrap_or("petrio"), WORD], words].concat()
    }

    fn recorded(&self, how: &str, more: &[&str]) -> Measured {
        let count = RECORDED.to_string();
        let words = [WORD, how, "file", &count];
        let plain = self.best(|| self.told(&words))?;
        let inside = self.inside(&words[1..]);
        let around = [&["record", "--force", "--out", "recording"], more, &["--"]].concat();
        let recorded = self.best(|| self.told(&[&around[..], &inside].concat()))?;
        let calls = RECORDED as f64;
        Ok((1e6 * (recorded - plain) / calls, 1e6 * plain / calls))
    }

    fn exec(&self, words: &[&str]) -> Result<f64, String> {
        let around = ["exec", "scenario.toml", "-q", "--"];
        let took = || self.run(&[&around[..], &self.inside(words)].concat()).map(|(_, took)| took);
        self.best(took)
    }

    fn executed(&self) -> Measured {
        let (long, short) = (EXECUTED.0.to_string(), EXECUTED.1.to_string());
        let calls = (EXECUTED.0 - EXECUTED.1) as f64;
        let took = self.exec(&["library", "file", &long])? - self.exec(&["library", "file", &short])?;
        let plain = self.best(|| self.told(&[WORD, "library", "file", &long]))?;
        Ok((calls / took.max(1e-9), EXECUTED.0 as f64 / plain.max(1e-9)))
    }

    fn computed(&self) -> Measured {
        let steps = STEPS.to_string();
        let plain = self.best(|| self.told(&[WORD, "compute", &steps]))?;
        let took = self.exec(&["compute", &steps])? - self.exec(&["compute", "0"])?;
        Ok((took / plain.max(1e-9), 1.0))
    }

    /// A client in a process of its own reads from a drive that is emulated.
    fn emulated(&self) -> Measured {
        let count = REQUESTS.to_string();
        let inside = self.inside(&["nbd", "drive.sock", &count]);
        let around = ["emulate", "scenario.toml", "--device", "d", "--nbd", "drive.sock", "--json", "--"];
        let (out, _) = self.run(&[&around[..], &inside].concat())?;
        let figure = |name: &str| -> Option<f64> {
            let (_, rest) = out.split_once(&format!("\"{name}\":"))?;
            rest.split([',', '}', '\n']).next()?.trim().parse().ok()
        };
        let wanted = figure("requests").is_some_and(|requests| requests >= REQUESTS as f64);
        match (figure("late_median_us"), figure("mean_target_us")) {
            (Some(late), Some(target)) if wanted => Ok((late, target)),
            _ => Err("the client was not served".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aim_is_kept_or_missed_and_what_was_not_measured_says_why() {
        let mut row = AimedFigure {
            what: "calls",
            measured: Some(120_000.0),
            plain: Some(2e6),
            aim: 1e5,
            unit: "a second",
            at_least: true,
            why: None,
        };
        assert_eq!(row.cells()[1..], ["120000 a second", "2000000 a second", "≥ 100000 a second", "kept"]);
        row.at_least = false;
        assert_eq!(row.cells()[4], "missed");
        (row.measured, row.why) = (None, Some("no overlays".to_owned()));
        assert_eq!((row.cells()[1].as_str(), row.cells()[4].as_str()), ("–", "not measured: no overlays"));
    }
}
