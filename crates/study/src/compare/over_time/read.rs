//! What was measured over time, of all files together: a device that is in several has the intervals of all of them.

use crate::compare::Question;
use crate::compare::error::CompareError;
use crate::compare::measured::makes_sense;
use crate::compare::note::{Note, NoteClaim};
use petrio_workload::measurement::{BYTES_MAX, Format as Jobs};
use petrio_workload::over_time::{DeviceOverTime, Format, OverTime};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverTimeSource {
    /// The file.
    pub file: PathBuf,
    /// Whose output it is.
    pub format: Format,
    /// How many devices it has.
    pub devices: usize,
    /// How many intervals of all of them.
    pub intervals: usize,
}

pub(super) fn refused(text: &str, why: &str, help: &str) -> CompareError {
    CompareError::Input { text: text.to_owned(), why: why.to_owned(), help: Some(help.to_owned()) }
}

fn bytes(question: &Question, path: &Path) -> Result<Vec<u8>, CompareError> {
    question
        .files
        .read(path, BYTES_MAX)
        .map_err(|source| CompareError::File { path: path.to_owned(), source })
}

/// Whether what was measured is something over time, and not jobs or tests as wholes.
///
/// # Errors
/// A measurement that can't be read; some of both sorts.
pub fn is_over_time(question: &Question) -> Result<bool, CompareError> {
    let mut kinds = Vec::new();
    for input in question.inputs.iter().filter(|input| input.measured) {
        let bytes = bytes(question, &input.file)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        // fio's JSON with a note around it may have anything in it.
        let is = Jobs::of(text).is_none() && Format::of(text).is_some();
        kinds.push((is, &input.file));
    }
    let over_time = kinds.iter().find(|(is, _)| *is);
    match (over_time, kinds.iter().find(|(is, _)| !*is)) {
        (Some(_), Some((_, other))) => Err(refused(
            &other.display().to_string(),
            "it is of jobs or tests as wholes, and another measurement is over time",
            "hold each against the scenario in a command of its own",
        )),
        (over_time, _) => Ok(over_time.is_some()),
    }
}

/// What is asked must have a meaning here.
pub(super) fn check(question: &Question) -> Result<(), CompareError> {
    makes_sense(question)?;
    if question.from.is_some() {
        return Err(refused(
            "--from",
            "each load is run on a disk alone, which is in no state that a run was put aside in",
            "leave it out",
        ));
    }
    Ok(())
}

/// Reads all measurements of a question.
pub(super) fn read(
    question: &Question,
    notes: &mut Vec<Note>,
) -> Result<(Vec<DeviceOverTime>, Vec<OverTimeSource>), CompareError> {
    let mut devices: Vec<DeviceOverTime> = Vec::new();
    let mut sources = Vec::new();
    for input in question.inputs.iter().filter(|input| input.measured) {
        let path = &input.file;
        let measured = OverTime::read(&bytes(question, path)?, question.over_time.interval_s)
            .map_err(|error| CompareError::Measurement { path: path.clone(), error })?;
        let name = petrio_files::shown::path(path).to_string();
        let told = measured.remarks.iter().map(|remark| format!("{name}: {remark}"));
        notes.extend(told.map(|text| NoteClaim::Measured.says(text)));
        sources.push(OverTimeSource {
            file: path.clone(),
            format: measured.format,
            devices: measured.devices.len(),
            intervals: measured.devices.iter().map(|device| device.intervals.len()).sum(),
        });
        for mut device in measured.devices {
            match devices.iter_mut().find(|known| known.name == device.name) {
                Some(known) => known.intervals.append(&mut device.intervals),
                None => devices.push(device),
            }
        }
    }
    Ok((devices, sources))
}
