//! fio's job files and command lines: what their jobs do, as accesses to files or disks.
//!
//! Source: fio's HOWTO (its parameters' meanings, defaults and units). Each job becomes [`AccessParameters`], on files or, where
//! its `filename` lies below `/dev/`, on disks, and says after which others it runs.
//!
//! ```
//! use petrio_workload::fio::{FioFile, FioWork};
//! let file: FioFile = "[global]\nsize=64m\n[reader]\nrw=randread\nbs=16k\nnumjobs=4\n".parse()?;
//! let FioWork::Files(accesses) = &file.jobs[0].work else { panic!("it works on files") };
//! assert_eq!((accesses.bounds().0, accesses.processes), (16_384, 4));
//! # Ok::<(), petrio_workload::fio::FioError>(())
//! ```
//!
//! A job that can't be played is left out with a remark where others can; where none can, the file is refused. What only
//! checks, tunes or writes about a run is accepted. Options that change the load and aren't taken are told as remarks.

mod arithmetic;
mod command_line;
mod direction;
mod distribution;
mod engine;
mod ini;
mod job;
mod known;
mod loose;
mod network;
mod options;
mod pace;
mod sizes;
mod target;
mod until;
mod values;

pub use command_line::is_command_line;
pub use network::FioWire;
pub use target::{MEMORY_READ, MEMORY_WRITTEN, NOTHING};

use crate::parallel::programs::StreamParameters;
use crate::program::AccessParameters;
use ini::Section;
use miette::Diagnostic;
use std::collections::BTreeMap;
use std::str::FromStr;
use thiserror::Error;

/// A job file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioFile {
    /// Its jobs, in order.
    pub jobs: Vec<FioJob>,
    /// What of it is not taken, or taken otherwise than fio would.
    pub remarks: Vec<FioRemark>,
}

/// One job.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Its section's name.
    pub name: String,
    /// The section's line, from 1.
    pub line: u32,
    /// The jobs of the file that must be over before it begins, by their positions (`stonewall`, `wait_for`).
    pub after: Vec<usize>,
    /// What it does.
    pub work: FioWork,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq)]
pub enum FioWork {
    /// Processes access files.
    Files(Box<AccessParameters>),
    /// Processes access disks.
    Device {
        /// How.
        parameters: Box<AccessParameters>,
        /// The disks' names.
        devices: Vec<String>,
    },
    /// Two jobs of the file are the ends of a stream of messages between two hosts.
    Messages {
        /// Which.
        parameters: Box<StreamParameters>,
        /// How many senders there are, each with a receiver.
        pairs: u32,
        /// What carries them.
        wire: FioWire,
    },
}

impl FioWork {
    /// How files or disks are accessed; none of messages.
    pub const fn accesses(&self) -> Option<&AccessParameters> {
        match self {
            Self::Files(parameters) | Self::Device { parameters, .. } => Some(parameters),
            Self::Messages { .. } => None,
        }
    }
}

/// Something to know of what was made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FioRemark {
    /// The line that it is about, from 1.
    pub line: u32,
    /// What it is.
    pub text: String,
}

/// A job file that can't be read, or can't be meant.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("line {line}: {problem}")]
pub struct FioError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

impl FioError {
    fn at(line: u32, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What lies around a job file: files that it includes, the environment, the machine.
pub trait Surroundings {
    /// The text of a file that is included.
    ///
    /// # Errors
    /// Why it can't be read.
    fn include(&self, file: &str) -> Result<String, String>;

    /// The value of a variable (`${NAME}`).
    fn variable(&self, name: &str) -> Option<String>;

    /// What stands for `$pagesize`, `$mb_memory` and `$ncpus`.
    fn keywords(&self) -> [(&'static str, u64); 3] {
        [("$pagesize", 4096), ("$mb_memory", 2048), ("$ncpus", 2)]
    }
}

/// Nothing: no file, and no variable.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Surroundings for Nothing {
    fn include(&self, _file: &str) -> Result<String, String> {
        Err("files are not read here".to_owned())
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The longest text: a job file is written by a person.
const TEXT_BYTES_MAX: usize = 1 << 20;

impl FromStr for FioFile {
    type Err = FioError;

    fn from_str(text: &str) -> Result<Self, FioError> {
        Self::read(text, &Nothing)
    }
}

impl FioFile {
    /// Reads a job file, or a script with fio's command lines.
    ///
    /// # Errors
    /// A text that is neither, or of which no job can be played.
    pub fn read(text: &str, around: &dyn Surroundings) -> Result<Self, FioError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(FioError::at(1, format!("the job file is longer than {TEXT_BYTES_MAX} bytes")));
        }
        let is_script = is_command_line(text) && (!is_job_file(text) || begins_as_script(text));
        let (sections, mut told) = match is_script {
            true => command_line::sections(text, around)?,
            false => (ini::sections(text, around)?, Vec::new()),
        };
        if sections.is_empty() {
            let help = "a job begins with its name in brackets, [job1], and has a size and what it does (rw=randread)";
            return Err(FioError::at(1, "there is no job in it").with_help(help));
        }
        let mut keywords = Vec::new();
        for (word, value) in around.keywords() {
            let line = text.lines().position(|line| line.contains(word));
            keywords.extend(line.map(|line| FioRemark {
                line: u32::try_from(line + 1).unwrap_or(u32::MAX),
                text: format!("{word} is taken to be {value}"),
            }));
        }
        let mut file = Self::of(sections)?;
        file.remarks.append(&mut keywords);
        file.remarks.append(&mut told);
        file.remarks.sort_by_key(|remark| remark.line);
        file.remarks.dedup();
        Ok(file)
    }

    fn of(sections: Vec<Section>) -> Result<Self, FioError> {
        let mut reading = Jobs::default();
        for section in sections {
            let (name, line) = (section.name.clone(), section.line);
            if let Err(error) = reading.take(section, (&name, line)) {
                reading.leave_out(&name, error);
            }
        }
        for half in std::mem::take(&mut reading.halves) {
            reading.leave_out(&half.place().0.clone(), half.alone());
        }
        let Jobs { file, first_error, .. } = reading;
        match first_error {
            Some(error) if file.jobs.is_empty() => Err(error),
            None if file.jobs.is_empty() => Err(FioError::at(1, "its jobs only make files (create_only)")),
            _ => Ok(file),
        }
    }
}

/// A file's jobs as they are read, one after the other.
#[derive(Default)]
struct Jobs {
    file: FioFile,
    waits: Waits,
    /// Processes of this fio's jobs so far: its random numbers go by them.
    processes: u32,
    /// How large the files are that jobs have made, by their names.
    sizes: BTreeMap<String, u64>,
    /// Ends of streams whose others haven't come.
    halves: Vec<network::Half>,
    first_error: Option<FioError>,
}

impl Jobs {
    /// Takes the next section.
    fn take(&mut self, mut section: Section, (name, line): (&str, u32)) -> Result<(), FioError> {
        if section.is_first_of_call {
            self.processes = 0;
        }
        self.waits.take(&mut section);
        let after = self.waits.before(&self.file.jobs);
        let remarks = &mut self.file.remarks;
        if network::is_half(&section) {
            let half = network::half(section, remarks)?;
            if let Some(position) = self.halves.iter().position(|other| other.fits(&half)) {
                let (name, line, work) = self.halves.remove(position).joined(half, remarks);
                self.push(FioJob { name, line, after, work });
            } else {
                self.halves.push(half);
            }
            return Ok(());
        }
        let known = |name: &str| self.sizes.get(name).copied();
        let read = job::job(section, self.processes + 1, &known, remarks)?;
        if let Some(accesses) = read.work.accesses() {
            self.processes += accesses.processes;
            let size = accesses.file_bytes_max();
            for name in read.files {
                let known = self.sizes.entry(name).or_default();
                *known = size.max(*known);
            }
        }
        if read.only_makes {
            let text = format!("job \"{name}\" makes its files and does nothing with them: it isn't played");
            remarks.push(FioRemark { line, text });
            return Ok(());
        }
        self.push(FioJob { name: name.to_owned(), line, after, work: read.work });
        Ok(())
    }

    fn push(&mut self, job: FioJob) {
        self.waits.group.push(self.file.jobs.len());
        self.file.jobs.push(job);
    }

    /// A job that can't be played; others may be.
    fn leave_out(&mut self, name: &str, error: FioError) {
        let text = format!("job \"{name}\" is left out: {}", error.problem);
        self.file.remarks.push(FioRemark { line: error.line, text });
        self.first_error.get_or_insert(error);
    }
}

/// Whom jobs wait for.
#[derive(Default)]
struct Waits {
    /// The jobs since the last stonewall, and those before it.
    group: Vec<usize>,
    before: Vec<usize>,
    /// Whom the job at hand waits for by name.
    named: Option<String>,
}

impl Waits {
    /// Takes what a section says about it.
    fn take(&mut self, section: &mut Section) {
        let mut take = |names: &[&str]| {
            let found = section.entries.iter().find(|entry| names.contains(&entry.key.as_str())).cloned();
            section.entries.retain(|entry| !names.contains(&entry.key.as_str()));
            found
        };
        let walls = take(&["stonewall", "wait_for_previous"]).is_some_and(|entry| entry.value != "0");
        self.named = take(&["wait_for"]).map(|entry| entry.value);
        if walls && !self.group.is_empty() {
            self.before = std::mem::take(&mut self.group);
        }
    }

    /// The jobs before it that must be over.
    fn before(&self, jobs: &[FioJob]) -> Vec<usize> {
        let mut before = self.before.clone();
        if let Some(name) = &self.named {
            before.extend(jobs.iter().position(|job| job.name == *name));
        }
        before.sort_unstable();
        before.dedup();
        before
    }
}

/// Whether something stands before the first section that no job file has there: a script may write a job file.
fn begins_as_script(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let first = lines
        .clone()
        .find(|line| !line.is_empty() && (!line.starts_with([';', '#']) || line.starts_with("#!")));
    first.is_some_and(|line| !line.starts_with('['))
}

/// Whether a text looks like a job file: sections, and an option that fio's jobs have, its word without the quotation
/// marks that TOML needs.
pub fn is_job_file(text: &str) -> bool {
    let known = [
        "rw=",
        "readwrite=",
        "bs=",
        "blocksize=",
        "ioengine=",
        "iodepth=",
        "numjobs=",
        "filename=",
        "size=",
        "include",
        "bssplit=",
        "filesize=",
        "bsrange=",
    ];
    let lines = || text.lines().map(|line| line.trim().replace(' ', ""));
    let is_bare = |value: &str| {
        value.starts_with(|first: char| {
            first.is_ascii_alphanumeric() || matches!(first, '/' | '$' | '(' | '.' | '\\')
        })
    };
    let is_option = |line: &str| known.iter().any(|key| line.strip_prefix(key).is_some_and(is_bare));
    let is_section = |line: &str| {
        let line = line.split([';', '#']).next().unwrap_or_default();
        line.starts_with('[') && !line.starts_with("[[") && line.trim_end().ends_with(']')
    };
    lines().any(|line| is_section(&line)) && lines().any(|line| is_option(&line))
}

#[cfg(test)]
mod against_fio;
#[cfg(test)]
mod tests;
