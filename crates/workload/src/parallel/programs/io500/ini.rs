//! IO500's own file of settings, `io500.ini`: which of its phases run, and how much they do.
//!
//! ```text
//! [debug]
//! stonewall-time = 30
//! [ior-easy]
//! transferSize = 2m
//! blockSize = 102400m
//! ```
//!
//! Names are told apart without regard to capitals, comments begin with `#` or `;`, a setting without value is the default. Source: the
//! IO500's program (src/ini-parse.c, src/main.c and the options in src/phase_*.c of its main branch, 2025), whose defaults stand here.
//!
//! Left out, and told: what it does beside the twelve results (extended mode), find's own script and numbers of processes, and O_DIRECT.

use super::{Io500Parameters, PHASES};
use crate::parallel::programs::command_line::size;
use crate::program::ProgramError;
use petrio_time::Time;
use petrio_units::{Bytes, Duration, nearest};
use std::str::FromStr;

/// What an `io500.ini` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Io500File {
    /// The set that it describes.
    pub parameters: Io500Parameters,
    /// What of it isn't played, each with its line.
    pub remarks: Vec<String>,
}

/// Sections beside those of the phases.
const GENERAL: [&str; 6] = ["global", "debug", "ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard"];

/// Sections of the extended mode.
const EXTENDED: [&str; 8] = [
    "find-easy",
    "find-hard",
    "ior-rnd4k-easy-read",
    "mdworkbench",
    "mdworkbench-create",
    "mdworkbench-bench",
    "mdworkbench-delete",
    "timestamp",
];

/// The name in a line that begins a section.
fn section(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim_start();
    (rest.is_empty() || rest.starts_with(['#', ';'])).then(|| name.trim())
}

/// Whether a text has sections as IO500's file has them: `[global]` alone is fio's, too.
pub fn is_io500(text: &str) -> bool {
    let mut sections = text.lines().filter_map(|line| section(line.trim())).map(str::to_ascii_lowercase);
    let is_own = |name: &String| {
        let name = name.as_str();
        // "find" alone might be anybody's job.
        let known = PHASES.iter().any(|(phase, _)| *phase == name)
            || EXTENDED.contains(&name)
            || GENERAL[2..].contains(&name);
        known && name != "find" && name != "timestamp"
    };
    let fio = ["rw=", "rw =", "readwrite=", "ioengine=", "ioengine ="];
    sections.any(|name| is_own(&name))
        && !text.lines().any(|line| fio.iter().any(|word| line.trim().starts_with(word)))
}

fn refuse<T>(line: usize, problem: impl std::fmt::Display) -> Result<T, ProgramError> {
    Err(ProgramError::parameter("io500.ini", format!("line {line}: {problem}")))
}

fn is_true(line: usize, name: &str, value: &str) -> Result<bool, ProgramError> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => refuse(line, format!("{name} is TRUE or FALSE, and not \"{value}\"")),
    }
}

fn whole(line: usize, name: &str, value: &str) -> Result<u64, ProgramError> {
    value.parse().or_else(|_| refuse(line, format!("{name} is a whole number, and not \"{value}\"")))
}

/// The file as far as it was read.
struct Reading {
    parameters: Io500Parameters,
    remarks: Vec<String>,
    /// The interfaces of `[global]`, of each section, and of each phase of IOR.
    api: Option<String>,
    api_of: [Option<String>; 2],
    stonewall_seconds: u64,
}

impl Reading {
    fn remark(&mut self, line: usize, what: impl std::fmt::Display) {
        self.remarks.push(format!("line {line}: {what}"));
    }

    fn leave_out(&mut self, phase: &str) {
        if !self.parameters.left_out.iter().any(|left| left == phase) {
            self.parameters.left_out.push(phase.to_owned());
        }
    }

    #[expect(clippy::too_many_lines, reason = "a list: one arm for each key")]
    fn set(&mut self, line: usize, section: &str, (name, value): (&str, &str)) -> Result<(), ProgramError> {
        let bytes = |value: &str| size(name, value).or_else(|error| refuse(line, error)).map(Bytes);
        match (section, name) {
            // Where things lie, and what is printed.
            (
                "global",
                "datadir"
                | "timestamp-datadir"
                | "resultdir"
                | "timestamp-resultdir"
                | "verbosity"
                | "scc"
                | "datapackettype"
                | "io-buffers-on-gpu",
            )
            | (_, "verbosity") => {}
            ("global", "api") => self.api = Some(value.to_owned()),
            ("global", "drop-caches" | "drop-caches-cmd") => {
                if name == "drop-caches" && is_true(line, name, value)? {
                    self.remark(
                        line,
                        "drop-caches isn't followed: what memory holds stays there between the phases",
                    );
                }
            }
            ("debug", "stonewall-time") => self.stonewall_seconds = whole(line, name, value)?,
            ("debug", "pause-dir") => {}
            ("ior-easy", "transfersize") => self.parameters.ior_easy_transfer = bytes(value)?,
            ("ior-easy", "blocksize") => self.parameters.ior_easy_block = bytes(value)?,
            ("ior-easy", "fileperproc") => {
                self.parameters.ior_easy_file_per_process = is_true(line, name, value)?;
            }
            ("ior-easy", "uniquedir") => {
                if is_true(line, name, value)? {
                    self.remark(line, "uniqueDir isn't followed: the files lie in one directory");
                }
            }
            ("ior-hard", "segmentcount") => self.parameters.ior_hard_segments = whole(line, name, value)?,
            ("ior-hard" | "ior-hard-write" | "ior-hard-read", "collective") => {
                self.parameters.ior_hard_collective |= is_true(line, name, value)?;
            }
            ("ior-easy" | "ior-easy-write" | "ior-easy-read", "api") => {
                self.api_of[0] = Some(value.to_owned());
            }
            ("ior-hard" | "ior-hard-write" | "ior-hard-read", "api") => {
                self.api_of[1] = Some(value.to_owned());
            }
            ("mdtest-easy", "n") => self.parameters.mdtest_easy_files = whole(line, name, value)?,
            ("mdtest-hard", "n") => self.parameters.mdtest_hard_files = whole(line, name, value)?,
            ("mdtest-hard", "files-per-dir") => {
                self.remark(line, "files-per-dir isn't followed: all files lie in one directory");
            }
            (section, "api") if section.starts_with("mdtest") => {
                if !value.to_ascii_uppercase().starts_with("POSIX") {
                    self.remark(line, format_args!("{section} is played by POSIX calls, not by {value}"));
                }
            }
            (section, "run") => {
                if !is_true(line, name, value)? {
                    let of = |phase: &str| {
                        phase == section || GENERAL.contains(&section) && phase.starts_with(section)
                    };
                    PHASES.iter().filter(|(phase, _)| of(phase)).for_each(|(phase, _)| self.leave_out(phase));
                }
            }
            ("find", _) => {
                self.remark(line, format_args!("find's {name} isn't followed: each rank looks at its part"));
            }
            (section, name) => {
                let known = [
                    "API",
                    "run",
                    "n",
                    "transferSize",
                    "blockSize",
                    "filePerProc",
                    "segmentCount",
                    "collective",
                ];
                let near =
                    nearest(name, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                return refuse(line, format!("[{section}] has no setting \"{name}\"{near}"));
            }
        }
        Ok(())
    }

    /// What a phase needs is made, or it isn't run either: the program would stop there.
    fn finish(mut self) -> Result<Io500File, ProgramError> {
        for (phase, needs) in PHASES {
            let is_out = |phase: &str| self.parameters.left_out.iter().any(|left| left == phase);
            if let Some(needs) = needs.filter(|needs| is_out(needs) && !is_out(phase)) {
                self.remarks.push(format!("{phase} isn't run, as {needs} isn't"));
                self.leave_out(phase);
            }
        }
        let general = self.api.take();
        let [easy, hard] = &mut self.api_of;
        let chosen = [(easy, "ior-easy"), (hard, "ior-hard")].map(|(own, section)| {
            let text = own.take().or_else(|| general.clone()).unwrap_or_else(|| "POSIX".to_owned());
            (text, section)
        });
        let mut apis = Vec::new();
        for (text, section) in chosen {
            // Their options (--posix.odirect, --mpiio.…) stand behind the name.
            let name = text.split_whitespace().next().unwrap_or("POSIX").to_ascii_uppercase();
            if text.contains("odirect") {
                self.remarks
                    .push(format!("[{section}] isn't played with O_DIRECT: the page cache takes part"));
            }
            if !matches!(name.as_str(), "POSIX" | "MPIIO") {
                self.remarks.push(format!("[{section}] is played by POSIX calls, not by {name}"));
            }
            apis.push(if name == "MPIIO" { name } else { "POSIX".to_owned() });
        }
        let parameters = &mut self.parameters;
        if let (Some(hard), Some(easy)) = (apis.pop(), apis.pop()) {
            (parameters.ior_easy_api, parameters.ior_hard_api) = (easy, hard);
        }
        if parameters.ior_hard_collective && parameters.ior_hard_api != "MPIIO" {
            parameters.ior_hard_collective = false;
            self.remarks.push("collective says nothing where the interface isn't MPIIO".to_owned());
        }
        let stonewall = Time::from_whole_seconds(self.stonewall_seconds.min(1 << 24));
        parameters.stonewall = (stonewall > Time::ZERO).then(|| Duration::new(stonewall));
        Ok(Io500File { parameters: self.parameters, remarks: self.remarks })
    }
}

impl FromStr for Io500File {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let mut reading = Reading {
            // Amounts that no machine reaches within the time.
            parameters: Io500Parameters {
                ior_easy_block: Bytes::from_mib(9_920_000),
                ior_hard_segments: 10_000_000,
                mdtest_easy_files: 1_000_000,
                mdtest_hard_files: 1_000_000,
                ..Io500Parameters::default()
            },
            remarks: Vec::new(),
            api: None,
            api_of: [None, None],
            stonewall_seconds: 300,
        };
        let mut under: Option<String> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = section(line) {
                let name = name.to_ascii_lowercase();
                let phases = PHASES.map(|(phase, _)| phase);
                let known = || phases.into_iter().chain(GENERAL).chain(EXTENDED);
                if !known().any(|known| known == name) {
                    let near = nearest(&name, known()).map(|near| format!("; did you mean [{near}]?"));
                    return refuse(
                        number,
                        format!("there is no section [{name}]{}", near.unwrap_or_default()),
                    );
                }
                under = Some(name);
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                return refuse(number, format!("\"{line}\" is neither a section nor a setting"));
            };
            let Some(section) = &under else { return refuse(number, "a setting stands before all sections") };
            let value = value.split(['#', ';']).next().unwrap_or_default().trim();
            if value.is_empty() {
                continue;
            }
            let name = name.trim().to_ascii_lowercase();
            if EXTENDED.contains(&section.as_str()) {
                if name == "run" && is_true(number, "run", value)? {
                    reading.remark(
                        number,
                        format_args!("[{section}] is of the extended mode, which isn't played"),
                    );
                }
                continue;
            }
            reading.set(number, section, (&name, value))?;
        }
        reading.finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn settings_become_phases_and_what_isnt_played_is_told() {
        let text = "[global]\ndatadir = ./datafiles ; here\napi = POSIX --posix.odirect\n\n[debug]\nstonewall-time = 30\n\
            [ior-easy]\ntransferSize = 1m\nblockSize = 1024m # each\nfilePerProc = FALSE\n[ior-hard]\nAPI = MPIIO\nsegmentCount = 95\n\
            collective = TRUE\n[mdtest-easy]\nn = 500\n[mdtest-hard-write]\nrun = FALSE\n[FIND]\nnproc = 4\n[find-easy]\nrun = TRUE\n";
        assert!(is_io500(text));
        let file: Io500File = text.parse().unwrap();
        let set = &file.parameters;
        assert_eq!((set.ior_easy_block, set.ior_easy_transfer), (Bytes::from_mib(1024), Bytes::from_mib(1)));
        assert_eq!(
            (set.ior_hard_segments, set.mdtest_easy_files, set.mdtest_hard_files),
            (95, 500, 1_000_000)
        );
        assert_eq!(set.stonewall.unwrap().time(), Time::from_whole_seconds(30));
        assert!(!set.ior_easy_file_per_process && set.ior_hard_collective);
        assert_eq!((&set.ior_easy_api[..], &set.ior_hard_api[..]), ("POSIX", "MPIIO"));
        let hard = ["mdtest-hard-write", "mdtest-hard-stat", "mdtest-hard-read", "mdtest-hard-delete"];
        assert_eq!(set.left_out, hard);
        let told = file.remarks.join("\n");
        for words in ["O_DIRECT", "find's nproc", "extended mode", "mdtest-hard-stat isn't run"] {
            assert!(told.contains(words), "{words}: {told}");
        }
        assert!(set.plan(&[0, 0, 1, 1]).is_ok());
    }

    #[test]
    fn a_minimal_file_is_the_set_of_the_rules() {
        let file: Io500File = "[global]\ndatadir = ./datafiles\n".parse().unwrap();
        assert_eq!(file.parameters.stonewall.unwrap().time(), Time::from_whole_seconds(300));
        assert!(file.parameters.left_out.is_empty() && file.remarks.is_empty());
        assert_eq!(file.parameters.ior_easy_block.get(), 9_920_000 << 20);
    }

    #[test]
    fn mistakes_are_refused_with_their_line() {
        for (text, words) in [
            ("[ior-esy]\n", "line 1: there is no section [ior-esy]; did you mean [ior-easy]?"),
            ("[ior-easy]\nblocksize = many\n", "line 2"),
            ("[ior-easy]\nrun = maybe\n", "line 2: run is TRUE or FALSE"),
            ("[ior-hard]\nsegments = 4\n", "line 2: [ior-hard] has no setting \"segments\""),
            ("datadir = x\n", "line 1: a setting stands before all sections"),
        ] {
            let problem = text.parse::<Io500File>().unwrap_err().to_string();
            assert!(problem.contains(words), "{problem}");
        }
        assert!(!is_io500("[global]\nrw=read\n[find]\nsize=1g\n") && !is_io500("[global]\ndatadir = x\n"));
    }

    #[test]
    fn phases_that_are_left_out_are_not_run_and_need_nothing() {
        let set =
            Io500Parameters { left_out: vec!["ior-easy-write".to_owned()], ..Io500Parameters::default() };
        let problem = set.plan(&[0]).err().unwrap().to_string();
        assert!(problem.contains("ior-easy-read needs what ior-easy-write makes"), "{problem}");
        let set = Io500Parameters { left_out: vec!["ior-esy".to_owned()], ..Io500Parameters::default() };
        assert!(set.plan(&[0]).err().unwrap().to_string().contains("there is no phase"));
    }
}
