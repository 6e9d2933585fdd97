//! What single file operations cost the device: which requests, and how long, predicted beside a real kernel's.
//!
//! The same scripts run in simulation and, where the machine allows it, on a real file system on a loop device whose
//! requests take as long. Nothing here knows what an operation should cost: the requests are those that the net sends
//! to its device.

pub use crate::ops_site::{OpsDisk, OpsFamily};

use crate::live::bed::{Bed, BedError, Emulated};
use crate::ops_site::agree;
pub(crate) use crate::ops_site::disk_text;
use crate::verdict::Judged;
use petrio_capture::journal_trace::{Access, BlockAccess, JournalArea, commonest, requests_text};
use petrio_colours::{Direction, FileOp, Purpose, Request};
use petrio_kernel::Time;
use petrio_live::ops::{FileOperation, OPERATIONS, OperationRow, OpsError, OpsParameters, measure};
use petrio_live::rig::{Facilities, Image, RigParameters};
use petrio_models::host::file_system::{Family, FileSystemParameters, FormatError, JournalMode, Volume};
use petrio_models::host::kernel_profile::JournalGeneration;
use petrio_models::host::xfs::XfsParameters;
use petrio_scenario::build::System;
use petrio_scenario::report::{DeviceSink, ReportError, RequestSink, Sinks, Visit};
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Problems, load_text};
use petrio_units::{Bytes, Duration};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// How often an operation is simulated on a drive that turns: where it stands when it is asked is chance, and the mean of so many is
/// known to 2 % of a turn.
const TURNS: u32 = 128;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct OpsValidation {
    /// The file system.
    pub family: OpsFamily,
    /// Journal modes, one after the other; of XFS, which has but one, only the first is looked at.
    pub journals: Vec<JournalMode>,
    /// Size of the volume.
    pub size: Bytes,
    /// Size of its journal; XFS has the one that mkfs.xfs makes.
    pub journal_size: Bytes,
    /// The kernel whose behaviour is predicted, by its name in the catalogue.
    pub kernel: String,
    /// The machine that it runs on, by its name in the catalogue or a file.
    pub machine: String,
    /// The disk that it lies on.
    pub disk: OpsDisk,
    /// How often each operation is carried out on the real kernel; 0 for not at all.
    pub repetitions: u32,
}

impl Default for OpsValidation {
    /// ext3 of 64 MiB with a journal of 16 MiB in all three modes, on a disk of 5 ms a request, under Linux 6.18.
    fn default() -> Self {
        Self {
            family: OpsFamily::Ext3,
            journals: vec![JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal],
            size: OpsFamily::Ext3.usual_size(),
            journal_size: Bytes::from_mib(16),
            kernel: "linux-6.18".to_owned(),
            machine: "epyc-9005-2vcpu".to_owned(),
            disk: OpsDisk::Constant(Duration::new(Time::from_millis(5))),
            repetitions: 8,
        }
    }
}

impl OpsValidation {
    fn journals(&self) -> &[JournalMode] {
        match self.family {
            OpsFamily::Ext3 | OpsFamily::Ext4 => &self.journals,
            OpsFamily::Xfs => &self.journals[..self.journals.len().min(1)],
        }
    }
}

/// An operation in a journal mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedOperation {
    /// The operation.
    pub operation: &'static str,
    /// The journal mode.
    pub journal: JournalMode,
    /// The requests predicted: `W4D W16J F W4J F`, sizes in KiB; D outside the journal, J inside, F a flush, R a read.
    pub requests: String,
    /// The time predicted, in ms; the mean where a drive's platters stand by chance.
    pub time_ms: f64,
    /// What the kernel of this machine did, where it could be watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredRow>,
}

/// What a real kernel did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredRow {
    /// The commonest requests.
    pub requests: String,
    /// The time with these, in ms: the median, or the mean of a drive that turns.
    pub time_ms: f64,
    /// How many repetitions gave these requests.
    pub commonest: usize,
    /// Repetitions.
    pub repetitions: usize,
    /// Whether the prediction names the same requests.
    pub agrees: bool,
}

/// All rows, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpsComparison {
    /// A row for each operation and mode.
    pub rows: Vec<ComparedOperation>,
    /// Why nothing was measured, where nothing was.
    pub not_measured: Option<String>,
}

impl OpsComparison {
    /// The rows that could be measured: the requests of each are those of the real kernel, or not.
    pub fn judged(&self) -> Vec<Judged> {
        let judged = |row: &ComparedOperation| {
            let measured = row.measured.as_ref()?;
            let what = format!(
                "{}, {}: {} predicted, {} measured; sequences that differ",
                row.operation,
                word(row.journal),
                row.requests,
                measured.requests
            );
            Some(Judged::count(what, u32::from(!measured.agrees).into(), 0.0))
        };
        self.rows.iter().filter_map(judged).collect()
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum OpsValidationError {
    /// The question doesn't make a scenario: an unknown kernel, a volume too small.
    #[error("{0}")]
    Scenario(Box<Problems>),
    /// The volume can't be made.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The simulated run failed.
    #[error(transparent)]
    Run(Box<RunFailure>),
    /// The real run failed.
    #[error(transparent)]
    Real(#[from] OpsError),
    /// The drive can't be emulated.
    #[error(transparent)]
    Bed(#[from] BedError),
}

/// Predicts all operations, and measures them where this machine allows it. `progress` is told what comes next.
///
/// # Errors
/// As of [`OpsValidationError`]; a machine that doesn't allow measuring is none.
pub fn validate_ops(
    question: &OpsValidation,
    mut progress: impl FnMut(&str),
) -> Result<OpsComparison, OpsValidationError> {
    let mut rows = Vec::new();
    for &journal in question.journals() {
        for operation in OPERATIONS {
            progress(&format!("simulating {} in {} mode", operation.name, word(journal)));
            rows.push(predict(question, &operation, journal)?);
        }
    }
    let (measured, not_measured) = measured(question, &mut progress)?;
    for row in &mut rows {
        let found =
            measured.iter().find(|found| found.operation == row.operation && found.journal == row.journal);
        row.measured = found.map(|found| MeasuredRow {
            requests: found.requests.clone(),
            time_ms: match question.disk {
                OpsDisk::Constant(_) => found.time_ms,
                OpsDisk::Drive(_) => found.time_mean_ms,
            },
            commonest: found.commonest,
            repetitions: found.repetitions,
            agrees: agree(question.family, &row.requests, &found.requests),
        });
    }
    Ok(OpsComparison { rows, not_measured })
}

/// The mount option's word.
pub fn word(journal: JournalMode) -> &'static str {
    match journal {
        JournalMode::Ordered => "ordered",
        JournalMode::WriteBack => "write-back",
        JournalMode::Journal => "journal",
    }
}

fn measured(
    question: &OpsValidation,
    progress: &mut impl FnMut(&str),
) -> Result<(Vec<OperationRow>, Option<String>), OpsValidationError> {
    if question.repetitions == 0 {
        return Ok((Vec::new(), Some("it was asked not to".to_owned())));
    }
    let facilities = Facilities::probe();
    let file_system = match question.family {
        OpsFamily::Ext3 => &facilities.ext3,
        OpsFamily::Ext4 => &facilities.ext4,
        OpsFamily::Xfs => &facilities.xfs,
    };
    for needed in [file_system, &facilities.tracing, &facilities.slow_disk] {
        if let Some(reason) = needed.reason() {
            return Ok((Vec::new(), Some(reason.to_owned())));
        }
    }
    let (image, bed) = match &question.disk {
        OpsDisk::Constant(each) => (Image::Slow { each: *each }, None),
        OpsDisk::Drive(_) => {
            let bed = Bed::start(
                &disk_text(&question.disk, question.size),
                ("d", question.size.get()),
                |_| Ok(()),
            )?;
            (Image::Served { file: bed.file().to_owned(), image: bed.image().to_owned() }, Some(bed))
        }
    };
    let parameters = OpsParameters {
        rig: RigParameters {
            file_system: file_system_of(question, JournalMode::Ordered),
            xfs: question.family == OpsFamily::Xfs,
            size: question.size,
            image,
            ..RigParameters::default()
        },
        journals: question.journals().to_vec(),
        repetitions: question.repetitions,
        quiet: match &question.disk {
            OpsDisk::Constant(_) => OpsParameters::default().quiet,
            // A drive takes its time over what is in its cache.
            OpsDisk::Drive(_) => Duration::new(Time::from_millis(500)),
        },
        elsewhere: matches!(question.disk, OpsDisk::Drive(_)),
        ..OpsParameters::default()
    };
    let rows = measure(&parameters, |_, _, operation, journal| {
        progress(&format!("measuring {} in {} mode", operation.name, word(journal)));
    })?;
    let emulated = bed.map(Bed::end).transpose()?;
    let late = emulated.filter(|emulated| !emulated.valid).map(|emulated| {
        let Emulated { requests, mean_target_us, mean_actual_us, .. } = emulated;
        format!(
            "the emulated drive was too late: its {requests} requests took {mean_actual_us:.0} us instead of {mean_target_us:.0} us at the \
             mean; nothing else may run beside it"
        )
    });
    Ok((rows, late))
}

fn file_system_of(question: &OpsValidation, journal: JournalMode) -> FileSystemParameters {
    FileSystemParameters {
        journal: journal.into(),
        journal_size: Some(question.journal_size),
        ..FileSystemParameters::of(question.family.ext().unwrap_or(Family::Ext4))
    }
}

/// One operation in simulation.
fn predict(
    question: &OpsValidation,
    operation: &FileOperation,
    journal: JournalMode,
) -> Result<ComparedOperation, OpsValidationError> {
    let blocks = question.size.get() / 4096;
    let area = match question.family {
        OpsFamily::Xfs => XfsParameters::default().geometry(blocks)?.log,
        OpsFamily::Ext3 | OpsFamily::Ext4 => {
            let parameters = file_system_of(question, journal).under(JournalGeneration::Jbd2);
            Volume::format(&parameters, blocks)?.journal()
        }
    };
    let area = JournalArea::new([(area.start * 8, area.end * 8)]);
    let repetitions = match question.disk {
        OpsDisk::Constant(_) => 1,
        OpsDisk::Drive(_) => TURNS,
    };
    let played = (0..repetitions).map(|repetition| {
        let seen = play(operation.name, &scenario(question, operation, journal, repetition))?;
        let requests = requests_text(&seen.requests(), &area);
        Ok((requests, (seen.end - seen.begin.unwrap_or_default()).as_millis()))
    });
    let played = played.collect::<Result<Vec<_>, OpsValidationError>>()?;
    let (requests, _) = commonest(played.iter().map(|(requests, _)| requests.clone())).unwrap_or_default();
    let times = played.iter().filter(|(of, _)| *of == requests).map(|(_, milliseconds)| *milliseconds);
    let time_ms = times.clone().sum::<f64>() / times.count().max(1) as f64;
    Ok(ComparedOperation { operation: operation.name, journal, requests, time_ms, measured: None })
}

/// A scenario, run.
fn play(name: &str, text: &str) -> Result<Seen, OpsValidationError> {
    let loaded = load_text(name, text, None, &[])
        .map_err(|problems| OpsValidationError::Scenario(Box::new(problems)))?;
    let system = System::build(&loaded).map_err(|error| OpsValidationError::Run(Box::new(error)))?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut sinks = Sinks::default();
    sinks.push::<FileOp>(Watch(Arc::clone(&seen)));
    sinks.push_device_log(Watch(Arc::clone(&seen)));
    simulate(&loaded, &system, sinks).map_err(|error| OpsValidationError::Run(Box::new(error)))?;
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *seen))
}

/// What was seen of a run: when the operation began and ended, and what reached the device.
#[derive(Default)]
struct Seen {
    begin: Option<Time>,
    end: Time,
    arrived: Vec<(Time, BlockAccess)>,
}

impl Seen {
    /// What reached the device while the operation lasted.
    fn requests(&self) -> Vec<BlockAccess> {
        let begin = self.begin.unwrap_or_default();
        let within = |(at, _): &&(Time, BlockAccess)| (begin..=self.end).contains(at);
        self.arrived.iter().filter(within).map(|(_, access)| *access).collect()
    }
}

struct Watch(Arc<Mutex<Seen>>);

impl RequestSink<FileOp> for Watch {
    fn completed(&mut self, request: &FileOp, at: Time) -> Result<(), ReportError> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.begin.get_or_insert(request.issued());
        seen.end = at;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

impl DeviceSink for Watch {
    fn visited(&mut self, Visit { request, arrived, .. }: &Visit) -> Result<(), ReportError> {
        let access = BlockAccess {
            access: match request.direction {
                Direction::Read => Access::Read,
                Direction::Write => Access::Write,
                Direction::Flush => Access::Flush,
                Direction::Discard => Access::Discard,
            },
            flush_before: request.flush_before,
            force_unit_access: request.force_unit_access,
            synchronous: request.synchronous,
            // jbd2 calls its log metadata (JBD2_JOURNAL_REQ_FLAGS).
            metadata: [Purpose::Metadata, Purpose::Journal]
                .into_iter()
                .any(|purpose| request.purposes.has(purpose)),
            read_ahead: false,
            sector: request.address,
            sectors: u64::from(request.blocks),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).arrived.push((*arrived, access));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// The scenario of an operation: as on the real file system, something was written and committed before, and some quiet
/// has passed.
fn scenario(
    question: &OpsValidation,
    operation: &FileOperation,
    journal: JournalMode,
    repetition: u32,
) -> String {
    let script = match question.disk {
        OpsDisk::Constant(_) => operation.script(repetition).script,
        OpsDisk::Drive(_) => operation.script_elsewhere(repetition).script,
    };
    let (mut declared, mut rest) = (String::new(), script.as_str());
    while let Some((first, behind)) = rest.split_once("; ").filter(|(first, _)| first.starts_with("file ")) {
        declared.push_str(first);
        declared.push_str("; ");
        rest = behind;
    }
    // A cold cache still knows where the file's blocks are: a read past the cache finds out.
    let (declared, before) = if operation.is_cold {
        (declared.replace(" cached", ""), "read a 960 KiB 4 KiB direct; ")
    } else {
        (declared, "")
    };
    let OpsValidation { family, size, journal_size, kernel, machine, disk, .. } = question;
    let of_journal = match family.ext() {
        Some(_) => format!("journal = \"{}\"\njournal_size = \"{journal_size}\"", word(journal)),
        // As the real one is mounted here.
        None => "access_times = \"never\"".to_owned(),
    };
    let family = family.name();
    // A minute is a whole number of turns, after which a drive would stand where it stood.
    let quiet = match disk {
        OpsDisk::Constant(_) => "think 60 s",
        OpsDisk::Drive(_) => "think 60 s; think about 1 s",
    };
    let disk = disk_text(disk, *size);
    format!(
        r#"
title = "{name}"
seed = {seed}
{disk}
[host.h]
machine = "{machine}"
kernel = "{kernel}"
[fs.f]
type = "{family}"
{of_journal}
scheduler = "none"
on = "d"
[workload.w]
kind = "script"
on = "f"
script = """
{declared}phase preparation
create first; append first 24 KiB; fsync first; unlink first; {before}sync; {quiet}
phase measured
{rest}
"""
"#,
        name = operation.name,
        seed = repetition + 1,
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn row(operation: &str, journal: JournalMode) -> ComparedOperation {
        predict(&OpsValidation::default(), &FileOperation::find(operation).unwrap(), journal).unwrap()
    }

    /// Observed on Linux 6.18 with barriers, a journal of 16 MiB and a disk of 5 ms a request: 26.5, 31.8, 10.6 and
    /// 32.0 ms.
    #[test]
    fn appends_and_overwrites_cost_what_a_kernel_was_seen_to_pay() {
        let cases = [
            ("append4k_fsync", JournalMode::Ordered, "W4D W16J F W4J F", 26.5),
            ("append4k_fsync", JournalMode::Journal, "W20J F W4J F W4D F", 31.8),
            ("overwrite4k_fdatasync", JournalMode::Ordered, "W4D F", 10.6),
            ("overwrite4k_fdatasync", JournalMode::Journal, "W12J F W4J F W4D F", 32.0),
        ];
        for (operation, journal, requests, time_ms) in cases {
            let row = row(operation, journal);
            assert_eq!(row.requests, requests, "{operation}");
            assert!((row.time_ms / time_ms - 1.0).abs() < 0.1, "{operation}: {} ms", row.time_ms);
        }
    }

    #[test]
    fn xfs_has_its_log_where_the_real_one_has_it() {
        let question = OpsValidation {
            family: OpsFamily::Xfs,
            size: OpsFamily::Xfs.usual_size(),
            ..OpsValidation::default()
        };
        let operation = FileOperation::find("append4k_fsync").unwrap();
        assert_eq!(predict(&question, &operation, JournalMode::Ordered).unwrap().requests, "W4D F W1.5J F");
        assert_eq!(question.journals().len(), 1);
    }

    #[test]
    fn a_cold_read_costs_its_window_and_a_random_one_its_page() {
        assert_eq!(row("coldseqread4k", JournalMode::Ordered).requests, "R16D");
        assert_eq!(row("coldrandread4k", JournalMode::Ordered).requests, "R4D");
    }
}
