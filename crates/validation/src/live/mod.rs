//! Real programs and real kernels on storage that doesn't exist, beside petrio's own model of the same.
//!
//! | part | simulated | beside it |
//! | --- | --- | --- |
//! | [`requests`] | a micro-benchmark on one disk | the same program on the disk emulated |
//! | operations ([`crate::ops`]) | ext3, ext4 and XFS on a disk that turns | this machine's kernel on the disk emulated |
//! | [`programs`] | dd, SQLite, tar and fio, also as iozone does, executed | the same on this machine's ext3 on the disk emulated |
//! | [`jobs`] | a parallel program of BT-IO's pattern, recorded and replayed, and executed | the same on this machine's ext3 on the disk emulated |
//! | [`arrays`] | md at levels 5 and 6 | a stock kernel's in a guest, on drives emulated: what members are asked for |
//! | [`cuts`] | what flushes make durable | what survives of writers on a real ext3 when the power of an emulated disk goes |
//!
//! Devices are emulated by a petrio of its own ([`bed`]), whose lateness is told; what was measured on one that was late is void.

pub mod arrays;
pub mod bed;
pub mod cuts;
mod direct;
pub mod jobs;
pub mod programs;
pub mod requests;
mod spans;
pub mod survivors;

use crate::ops::{
    OpsComparison, OpsDisk, OpsFamily, OpsValidation, OpsValidationError, disk_text, validate_ops, word,
};
use crate::verdict::Judged;
use petrio_units::Bytes;
use serde::Serialize;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use thiserror::Error;

/// The disk of all parts: 7200 rpm, a queue, a write cache.
pub const DRIVE: &str = "sata-750gb-7200";

/// By how much times of operations may differ.
const OPERATION_PERCENT: f64 = 10.0;
/// Times below this are no drive's.
const LEAST_MS: f64 = 1.0;

/// A part of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A micro-benchmark on one disk.
    Requests,
    /// Operations on ext3, ext4 and XFS.
    Operations,
    /// Programs executed.
    Programs,
    /// Parallel programs recorded and executed.
    Jobs,
    /// Arrays of a guest's md.
    Arrays,
    /// Power cuts.
    Cuts,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Requests, Self::Operations, Self::Programs, Self::Jobs, Self::Arrays, Self::Cuts];
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveQuestion {
    /// Which parts.
    pub parts: Vec<Part>,
    /// How often each operation is carried out on the real kernel.
    pub repetitions: u32,
    /// Requests of the micro-benchmark.
    pub requests: u32,
    /// Writers that are cut off.
    pub writers: u32,
    /// Where random numbers begin.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LiveRows {
    /// The micro-benchmark.
    pub requests: Vec<requests::RequestsRow>,
    /// Operations of each file system.
    pub operations: Vec<FileSystemRows>,
    /// Programs executed.
    pub programs: Vec<programs::ProgramRow>,
    /// Parallel programs.
    pub jobs: Vec<jobs::JobRow>,
    /// Arrays in a guest.
    pub arrays: Vec<crate::md::MdRow>,
    /// Power cuts.
    pub cuts: Vec<cuts::CutRow>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// Operations on one file system.
#[derive(Clone, Debug, Serialize)]
pub struct FileSystemRows {
    /// Which.
    pub file_system: &'static str,
    /// Each operation in each journal mode.
    pub rows: Vec<crate::ops::ComparedOperation>,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum LiveError {
    /// Of the micro-benchmark.
    #[error(transparent)]
    Requests(#[from] requests::RequestsError),
    /// Of operations.
    #[error(transparent)]
    Operations(#[from] Box<OpsValidationError>),
    /// Of programs.
    #[error(transparent)]
    Programs(#[from] programs::ProgramsError),
    /// Of arrays.
    #[error(transparent)]
    Arrays(#[from] arrays::ArraysError),
    /// Of power cuts.
    #[error(transparent)]
    Cuts(#[from] cuts::CutError),
}

/// Who follows a comparison, which takes an hour if all parts are asked for.
pub trait Follows {
    /// What comes next.
    fn comes(&mut self, what: &str);
    /// A part is done, or one file system of the operations: its rows are the last ones there.
    fn done(&mut self, part: Part, rows: &LiveRows);
}

/// Compares; who follows is told what comes next, and each part when it is done.
///
/// # Errors
/// As of [`LiveError`]; what this machine doesn't allow is none, and is told in the answer.
pub fn compare(
    question: &LiveQuestion,
    follower: &mut impl Follows,
) -> Result<(LiveRows, Vec<Judged>), LiveError> {
    let (mut rows, mut judged) = (LiveRows::default(), Vec::new());
    // Before other programs, where that is allowed; what is started from here is, too.
    let _ = rustix::process::setpriority_process(None, -20);
    if let Some(why) = cuts::why_not() {
        rows.left_out.push(format!("nothing can be emulated: {why}"));
        return Ok((rows, judged));
    }
    let asked = |part: Part| question.parts.contains(&part);
    if asked(Part::Requests) {
        follower.comes("requests on one disk");
        rows.requests = requests::compare(DRIVE, question.requests, question.seed)?;
        judged.extend(rows.requests.iter().map(requests::RequestsRow::judged));
        follower.done(Part::Requests, &rows);
    }
    if asked(Part::Operations) {
        for family in [OpsFamily::Ext3, OpsFamily::Ext4, OpsFamily::Xfs] {
            let name = family.name();
            let operations = OpsValidation {
                family,
                size: family.usual_size(),
                disk: OpsDisk::Drive(DRIVE.to_owned()),
                repetitions: question.repetitions,
                ..OpsValidation::default()
            };
            let found = validate_ops(&operations, |what| follower.comes(&format!("{name}: {what}")))
                .map_err(Box::new)?;
            judged.extend(judged_operations(name, &found));
            rows.left_out.extend(found.not_measured.map(|why| format!("{name}: {why}")));
            rows.operations.push(FileSystemRows { file_system: name, rows: found.rows });
            follower.done(Part::Operations, &rows);
        }
    }
    if asked(Part::Programs) {
        let (found, left_out) = programs::compare(DRIVE, |what| follower.comes(what))?;
        rows.programs = found;
        rows.left_out.extend(left_out);
        judged.extend(rows.programs.iter().map(programs::ProgramRow::judged));
        follower.done(Part::Programs, &rows);
    }
    if asked(Part::Jobs) {
        match jobs::why_not() {
            Some(why) => rows.left_out.push(format!("parallel programs: {why}")),
            None => {
                rows.jobs = jobs::compare(DRIVE, |what| follower.comes(what))?;
                judged.extend(rows.jobs.iter().flat_map(jobs::JobRow::judged));
                follower.done(Part::Jobs, &rows);
            }
        }
    }
    if asked(Part::Arrays) {
        match arrays::why_not() {
            Some(why) => rows.left_out.push(format!("arrays in a guest: {why}")),
            None => {
                follower.comes("arrays in a guest");
                rows.arrays = arrays::compare(DRIVE)?;
                judged.extend(arrays::judged(&rows.arrays));
                follower.done(Part::Arrays, &rows);
            }
        }
    }
    if asked(Part::Cuts) {
        rows.cuts = cuts::cut_all(question.writers, question.seed, |what| follower.comes(what))?;
        judged.extend(rows.cuts.iter().map(cuts::CutRow::judged));
        follower.done(Part::Cuts, &rows);
    }
    Ok((rows, judged))
}

/// A part `d` of so many bytes at the beginning of a drive of the catalogue.
fn disk(drive: &str, size: Bytes) -> String {
    format!("title = \"a disk\"\n{}\n", disk_text(&OpsDisk::Drive(drive.to_owned()), size))
}

/// Makes an ext3 in an image.
fn make_ext3(image: &Path) -> io::Result<()> {
    program("mkfs.ext3", &["-q".as_ref(), "-F".as_ref(), image.as_os_str()], &[0])
}

/// Runs a program whose output nobody reads.
fn program(name: &str, arguments: &[&OsStr], fine: &[i32]) -> io::Result<()> {
    let output = Command::new(name).args(arguments).stdin(Stdio::null()).output()?;
    match output.status.code() {
        Some(code) if fine.contains(&code) => Ok(()),
        _ => Err(io::Error::other(format!(
            "{name} ends with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

/// How often something is measured at most whose emulated disk is late.
const TRIES: usize = 4;
/// Which share of the requests may be late (as `petrio emulate` has it).
const LATE: f64 = 0.01;

/// Measures something again where its emulated disk was late; of all the tries that on which it was least. `late` tells how many requests
/// were, and of how many.
fn on_time<T, E>(mut measure: impl FnMut() -> Result<T, E>, late: impl Fn(&T) -> (u64, u64)) -> Result<T, E> {
    let share = |measured: &T| late(measured).0 as f64 / late(measured).1.max(1) as f64;
    let mut best = measure()?;
    for _ in 1..TRIES {
        if share(&best) <= LATE {
            break;
        }
        let next = measure()?;
        if share(&next) < share(&best) {
            best = next;
        }
    }
    Ok(best)
}

/// What is said of times that were taken on a disk that was late.
fn void(on_time: bool) -> &'static str {
    if on_time { "" } else { "; void: the emulated disk was late; run it again with nothing beside" }
}

/// Operations by their requests and, where a drive's are more than a moment, by their times.
fn judged_operations(name: &str, found: &OpsComparison) -> Vec<Judged> {
    let times = found.rows.iter().filter_map(|row| {
        let measured = row.measured.as_ref().filter(|measured| measured.agrees)?;
        (measured.time_ms >= LEAST_MS).then(|| {
            let predicted = row.time_ms;
            let what = format!(
                "{name}, {}, {}: {predicted:.1} ms predicted, {:.1} ms measured",
                word(row.journal),
                row.operation,
                measured.time_ms
            );
            Judged::percent(what, (predicted / measured.time_ms - 1.0) * 100.0, OPERATION_PERCENT, None)
        })
    });
    found.judged().into_iter().chain(times).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_late_is_measured_again_and_the_least_late_of_all_tries_stands() {
        let measured = |late: &[u64]| {
            let mut tries = late.iter().copied();
            let best = on_time(|| tries.next().ok_or("too many tries"), |late| (*late, 100));
            (best, tries.len())
        };
        assert_eq!(measured(&[1, 0]), (Ok(1), 1), "on time at once");
        assert_eq!(measured(&[5, 7, 0, 0]), (Ok(0), 1));
        assert_eq!(measured(&[5, 4, 7, 6, 0]), (Ok(4), 1), "four tries, all late");
        assert_eq!(measured(&[5]).0.unwrap_err(), "too many tries");
        assert_eq!(on_time(|| Ok::<_, ()>(0), |_| (0, 0)), Ok(0), "nothing was asked for");
    }
}
