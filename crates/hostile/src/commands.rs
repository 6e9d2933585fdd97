//! Whole commands with mutated files: whatever is in them, petrio ends by itself with 0, 1 or 2, says why, and leaves
//! every file that it was given as it was, and no half-written one.

use crate::mutate::mutated;
use crate::noise::Noise;
use crate::readers;
use crate::samples::{repository, seed};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Becomes the command with the memory that it may take: 4 GiB.
const LIMITED: &str = "ulimit -v 4194304; exec \"$0\" \"$@\"";
/// What takes longer is told, and ended: a long simulation was asked for, or a hang.
const PATIENCE: Duration = Duration::from_secs(10);

/// A command with a file to mutate, which lies at `input` beside the examples.
struct Tried {
    name: &'static str,
    arguments: &'static [&'static str],
    samples: fn() -> Vec<Vec<u8>>,
}

/// Traces of every format.
fn traces() -> Vec<Vec<u8>> {
    let names = std::fs::read_dir(repository().join("fuzz/seeds")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.iter().map(|name| seed(name)).collect()
}

/// Those of the reader of a name.
fn of_reader(name: &str) -> Vec<Vec<u8>> {
    readers::named(name).map(|reader| (reader.samples)()).unwrap_or_default()
}

fn scenarios() -> Vec<Vec<u8>> {
    of_reader("scenario")
}

fn specifications() -> Vec<Vec<u8>> {
    of_reader("user_specification")
}

fn numbers() -> Vec<Vec<u8>> {
    of_reader("fit_numbers")
}

fn faults() -> Vec<Vec<u8>> {
    of_reader("faults")
}

fn measurements() -> Vec<Vec<u8>> {
    of_reader("measurement")
}

fn over_times() -> Vec<Vec<u8>> {
    of_reader("over_time")
}

fn drives() -> Vec<Vec<u8>> {
    of_reader("disksim_parameters")
}

/// What lies beside the file: what examples read, and a scenario that a measurement is held against.
const BESIDE: [&str; 4] = ["traces", "requests", "users", "sequential-read.toml"];
/// That scenario, as one of iozone's tests: what of it was measured is predicted.
const READER: &str =
    "sequential-read.toml@workload.reader.file_size=\"64 KiB\",workload.reader.record=\"4 KiB\"";

const TRIED: &[Tried] = &[
    Tried { name: "init", arguments: &["init", "--from", "input", "-o", "out"], samples: traces },
    Tried { name: "run", arguments: &["run", "input", "--quiet", "--json", "out"], samples: scenarios },
    Tried { name: "check", arguments: &["check", "input"], samples: scenarios },
    Tried { name: "place", arguments: &["place", "input", "--out", "out"], samples: scenarios },
    Tried {
        name: "emulate",
        arguments: &[
            "emulate",
            "input",
            "--device",
            "all",
            "--nbd",
            "socket",
            "--until",
            "5 ms",
            "--on-time",
            "0 %",
        ],
        samples: scenarios,
    },
    Tried {
        name: "emulate --faults",
        arguments: &[
            "emulate",
            "sequential-read.toml",
            "--faults",
            "input",
            "--nbd",
            "socket",
            "--until",
            "5 ms",
            "--on-time",
            "0 %",
        ],
        samples: faults,
    },
    Tried { name: "net", arguments: &["net", "input", "--svg", "out"], samples: scenarios },
    Tried {
        name: "sweep",
        arguments: &["sweep", "input", "--vary", "seed=1,2", "--out", "out"],
        samples: scenarios,
    },
    Tried {
        name: "load",
        arguments: &["load", "input", "--limit", "20 ms", "--runs", "6", "--json", "out"],
        samples: scenarios,
    },
    Tried {
        name: "compare",
        arguments: &["compare", "input", "input@seed=2", "--json", "out"],
        samples: scenarios,
    },
    Tried {
        name: "compare measured",
        arguments: &["compare", READER, "measured:input", "--json", "out"],
        samples: measurements,
    },
    Tried {
        name: "compare measured over time",
        arguments: &[
            "compare",
            READER,
            "measured:input",
            "--requests",
            "100",
            "--replications",
            "2",
            "--interval",
            "10 s",
            "--json",
            "out",
        ],
        samples: over_times,
    },
    Tried {
        name: "calibrate --from",
        arguments: &["calibrate", "--from", "input", "--size", "1 GB", "--out", "out"],
        samples: measurements,
    },
    Tried { name: "trace info", arguments: &["trace", "info", "input"], samples: traces },
    Tried {
        name: "trace characterise",
        arguments: &["trace", "characterise", "input", "--html", "out"],
        samples: traces,
    },
    Tried {
        name: "trace convert",
        arguments: &["trace", "convert", "input", "out", "--to", "native"],
        samples: traces,
    },
    Tried {
        name: "trace sample",
        arguments: &["trace", "sample", "input", "out", "--every", "2", "--to-format", "events-csv"],
        samples: traces,
    },
    Tried { name: "users learn", arguments: &["users", "learn", "input", "--out", "out"], samples: traces },
    Tried { name: "fs describe", arguments: &["fs", "describe", "input", "--out", "out"], samples: traces },
    Tried { name: "users info", arguments: &["users", "info", "input"], samples: specifications },
    Tried {
        name: "fs create --simulated",
        arguments: &["fs", "create", "input", "--simulated"],
        samples: specifications,
    },
    Tried { name: "fit", arguments: &["fit", "input", "--json", "out"], samples: numbers },
    Tried { name: "catalogue import", arguments: &["catalogue", "import", "input"], samples: drives },
];

/// What became of one command's runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommandOutcomes {
    /// How many.
    pub runs: u64,
    /// Ended with 0.
    pub done: u64,
    /// Ended with 2.
    pub refused: u64,
    /// Ended with 1.
    pub unwritten: u64,
    /// Took more than ten seconds.
    pub slow: u64,
}

/// What became of all.
#[derive(Clone, Debug, Default)]
pub struct CommandsOutcome {
    /// By command.
    pub rows: BTreeMap<&'static str, CommandOutcomes>,
    /// Promises that were broken, each with the command and the number.
    pub wrong: Vec<String>,
    /// What took more than ten seconds.
    pub slow: Vec<String>,
}

/// Runs so many commands from one number on.
///
/// # Errors
/// A folder that can't be made, a program that can't be started.
pub fn round(petrio: &Path, from: u64, inputs: u64) -> io::Result<CommandsOutcome> {
    let petrio = petrio.canonicalize()?;
    let mut outcome = CommandsOutcome::default();
    let samples: Vec<Vec<Vec<u8>>> = TRIED.iter().map(|tried| (tried.samples)()).collect();
    for number in from..from + inputs {
        let position = usize::try_from(number % TRIED.len() as u64).unwrap_or_default();
        let (tried, samples) = (&TRIED[position], &samples[position]);
        let mut noise = Noise::new(tried.name, number);
        let sample: &Vec<u8> = noise.any(samples);
        let bytes = mutated(sample, samples, &mut noise);
        let folder = tempfile::tempdir()?;
        for beside in BESIDE {
            std::os::unix::fs::symlink(
                repository().join("examples").join(beside),
                folder.path().join(beside),
            )?;
        }
        std::fs::write(folder.path().join("input"), &bytes)?;
        let (ended, said) = run(&petrio, tried.arguments, folder.path())?;
        let row = outcome.rows.entry(tried.name).or_default();
        row.runs += 1;
        let mut wrong = |what: String| outcome.wrong.push(format!("{} {number}: {what}", tried.name));
        match ended.map(|status| status.code()) {
            Some(Some(0)) => row.done += 1,
            Some(Some(1)) => row.unwritten += 1,
            Some(Some(2)) => row.refused += 1,
            Some(_) => wrong(format!("ended badly: {said}")),
            None => {
                row.slow += 1;
                outcome.slow.push(format!("{} {number}", tried.name));
                continue;
            }
        }
        let mut wrong = |what: String| outcome.wrong.push(format!("{} {number}: {what}", tried.name));
        if said.contains("panicked at") || said.contains("bug of petrio") {
            wrong(said.clone());
        }
        if ended.is_some_and(|status| !status.success()) && said.trim().is_empty() {
            wrong("refused without a word".to_owned());
        }
        if std::fs::read(folder.path().join("input"))? != bytes {
            wrong("its input was changed".to_owned());
        }
        for entry in std::fs::read_dir(folder.path())? {
            let name = entry?.file_name();
            if !["input", "out"].iter().chain(&BESIDE).any(|known| name == *known) {
                wrong(format!("left {}", name.to_string_lossy()));
            }
        }
    }
    Ok(outcome)
}

/// Runs one command; how it ended (none where it had to be ended), and what it said on standard error.
fn run(petrio: &Path, arguments: &[&str], folder: &Path) -> io::Result<(Option<ExitStatus>, String)> {
    let mut child = Command::new("sh")
        .args(["-c", LIMITED])
        .arg(petrio)
        .args(arguments)
        .current_dir(folder)
        .env("PETRIO_STATE", folder.with_extension("state"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let talk = child.stderr.take();
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(talk) = talk {
            let _ = talk.take(1 << 20).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let began = Instant::now();
    let ended = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if began.elapsed() > PATIENCE => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let _ = std::fs::remove_dir_all(folder.with_extension("state"));
    Ok((ended, said.join().unwrap_or_default()))
}
