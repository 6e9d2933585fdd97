//! fio's job files: what their jobs do, as patterns on files or as generators of requests to devices.
//!
//! Source: fio's HOWTO (its parameters' meanings, defaults and units). A job on files becomes
//! [`PatternParameters`], one on `/dev/…` becomes [`Synthetic`] generators that wait, as many as the job has requests in
//! flight.
//!
//! ```
//! use petrio_workload::fio::{FioFile, FioWork};
//! let file: FioFile = "[global]\nsize=64m\n[reader]\nrw=randread\nbs=16k\nnumjobs=4\n".parse()?;
//! let FioWork::Files(pattern) = &file.jobs[0].work else { panic!("it works on files") };
//! assert_eq!((pattern.record.to_string().as_str(), pattern.processes), ("16 KiB", 4));
//! # Ok::<(), petrio_workload::fio::FioError>(())
//! ```
//!
//! Left out, and told as a remark where a job asks for it: accesses of several sizes in one job on files (the mean size
//! is taken), several requests in flight from one process on files, rates on files, skewed distributions, offsets,
//! delays. A job that can't be meant (two ways to sync, no size) is refused.

mod distribution;
mod ini;
mod job;
mod options;
mod values;

use crate::program::PatternParameters;
use crate::synthetic::Synthetic;
use miette::Diagnostic;
use petrio_time::Time;
use std::str::FromStr;
use thiserror::Error;

/// A job file.
#[derive(Clone, Debug, PartialEq)]
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
    /// The group of jobs that run side by side: a `stonewall` begins the next.
    pub group: u32,
    /// What it does.
    pub work: FioWork,
    /// For how long it runs at most.
    pub runtime: Option<Time>,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq)]
pub enum FioWork {
    /// Processes go through files.
    Files(PatternParameters),
    /// Requests go to a device.
    Device(Synthetic),
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

/// The longest text: a job file is written by a person.
const TEXT_BYTES_MAX: usize = 1 << 20;

impl FromStr for FioFile {
    type Err = FioError;

    fn from_str(text: &str) -> Result<Self, FioError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(FioError::at(1, format!("the job file is longer than {TEXT_BYTES_MAX} bytes")));
        }
        let mut remarks = Vec::new();
        let mut jobs = Vec::new();
        let mut group = 0;
        for section in ini::sections(text)? {
            jobs.push(job::job(section, &mut group, &mut remarks)?);
        }
        if jobs.is_empty() {
            let help = "a job begins with its name in brackets, [job1], and has a size and what it does (rw=randread)";
            return Err(FioError::at(1, "there is no job in it").with_help(help));
        }
        remarks.sort_by_key(|remark| remark.line);
        remarks.dedup();
        Ok(Self { jobs, remarks })
    }
}

/// Whether a text looks like a job file: sections, and an option that fio's jobs have, its word without the quotation
/// marks that TOML needs.
pub fn is_job_file(text: &str) -> bool {
    let known = ["rw=", "readwrite=", "bs=", "ioengine=", "iodepth=", "numjobs=", "filename="];
    let lines = || text.lines().map(|line| line.trim().replace(' ', ""));
    let is_bare =
        |value: &str| value.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '/');
    let is_option = |line: &str| known.iter().any(|key| line.strip_prefix(key).is_some_and(is_bare));
    lines().any(|line| line.starts_with('[') && line.ends_with(']')) && lines().any(|line| is_option(&line))
}

#[cfg(test)]
mod tests;
