//! What single file operations cost the device, on a real ext3 or ext4 of this machine: which requests, how long, and
//! which metadata blocks each commit logged.
//!
//! For each repetition the files are made anew, everything is written back, some quiet passes (so that timestamps
//! change, as they do on any disk), and then the operation runs alone, watched. The commonest sequence of requests is
//! reported with how often it came: others are those in which somebody else's sync(2) or the journal's own housekeeping
//! fell between.

mod error;
mod operations;

pub use error::OpsError;
pub use operations::{FileOperation, OPERATIONS};

use crate::drive::{DriveError, Spread, Workplace, run_prepared};
use crate::rig::{BlockKind, Image, LoopRig, RigParameters};
use petrio_capture::journal_trace::{Recorder, Recording, commonest, requests_text};
use petrio_models::host::file_system::JournalMode;
use petrio_units::Duration;
use petrio_workload::program::Placement;
use serde::Serialize;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// What is to be looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct OpsParameters {
    /// The file system and its device; its journal mode is set by `journals`.
    pub rig: RigParameters,
    /// Journal modes, one after the other.
    pub journals: Vec<JournalMode>,
    /// Operations.
    pub operations: Vec<FileOperation>,
    /// How often each, 1 or more.
    pub repetitions: u32,
    /// Quiet before each operation; more than a tick of the kernel's clock (10 ms at most), or timestamps stay the
    /// same.
    pub quiet: Duration,
    /// Whether each repetition's files lie elsewhere.
    pub elsewhere: bool,
}

impl Default for OpsParameters {
    /// All operations eight times in all modes, on a disk of 5 ms a request with a write cache.
    fn default() -> Self {
        let each = Duration::new(petrio_time::Time::from_millis(5));
        Self {
            rig: RigParameters { image: Image::Slow { each }, ..RigParameters::default() },
            journals: vec![JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal],
            operations: OPERATIONS.to_vec(),
            repetitions: 8,
            quiet: Duration::new(petrio_time::Time::from_millis(50)),
            elsewhere: false,
        }
    }
}

/// What an operation cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationRow {
    /// Its name.
    pub operation: &'static str,
    /// The journal mode.
    pub journal: JournalMode,
    /// The commonest sequence of requests.
    pub requests: String,
    /// How long the calls took where these were the requests, in ms: the median.
    pub time_ms: f64,
    /// Their mean.
    pub time_mean_ms: f64,
    /// The shortest of them.
    pub time_least_ms: f64,
    /// The longest of them.
    pub time_greatest_ms: f64,
    /// How many repetitions gave this sequence.
    pub commonest: usize,
    /// How many repetitions there were.
    pub repetitions: usize,
    /// Blocks written into the journal by each commit, by its own account: metadata, descriptor and commit block.
    pub blocks_logged: Vec<u64>,
    /// What each commit's blocks are, in the order of logging.
    pub logged: Vec<Vec<BlockKind>>,
}

/// One repetition.
struct Once {
    requests: String,
    milliseconds: f64,
    blocks_logged: Vec<u64>,
    logged: Vec<Vec<u64>>,
}

/// Looks at all operations in all modes. `progress` is told what comes next: how many rows are done, of how many, and
/// which.
///
/// # Errors
/// What the machine can't do, and whatever fails on the way; nothing is left behind.
pub fn measure(
    parameters: &OpsParameters,
    mut progress: impl FnMut(usize, usize, &FileOperation, JournalMode),
) -> Result<Vec<OperationRow>, OpsError> {
    let rows_all = parameters.journals.len() * parameters.operations.len();
    let mut rows = Vec::with_capacity(rows_all);
    for journal in &parameters.journals {
        let mut rig = parameters.rig.clone();
        rig.file_system.journal = (*journal).into();
        let rig = LoopRig::set_up(&rig)?;
        let directory = rig.directory().join("d");
        fs::create_dir(&directory).map_err(DriveError::file("make the directory", &directory))?;
        pass_first_journal_blocks(&directory)?;
        if parameters.rig.xfs {
            pass_first_groups(&directory)?;
        }
        let mut recorder = Recorder::start(rig.number())?;
        for operation in &parameters.operations {
            progress(rows.len(), rows_all, operation, *journal);
            rows.push(measure_one(parameters, &rig, &mut recorder, &directory, operation, *journal)?);
        }
    }
    Ok(rows)
}

/// A journal's first indirect block lies behind its first twelve blocks; a commit across it is split. That happens once
/// in a round of the journal and would show in whichever operation comes first.
fn pass_first_journal_blocks(directory: &Path) -> Result<(), DriveError> {
    let path = directory.join("first");
    let write = || {
        let mut file = File::create(&path)?;
        for _ in 0..6 {
            file.write_all(&[1; 4096])?;
            file.sync_all()?;
        }
        fs::remove_file(&path)
    };
    write().map_err(DriveError::file("write", &path))
}

/// XFS puts each new directory into the next of its four groups, and reads what it has of a group (AGI, AGF, the roots of their
/// trees) when it first needs it, once a mount.
fn pass_first_groups(directory: &Path) -> Result<(), DriveError> {
    for number in 0..8 {
        let path = directory.join(format!("group{number}"));
        fs::create_dir(&path).map_err(DriveError::file("make the directory", &path))?;
        fs::remove_dir(&path).map_err(DriveError::file("remove", &path))?;
    }
    Ok(())
}

fn measure_one(
    parameters: &OpsParameters,
    rig: &LoopRig,
    recorder: &mut Recorder,
    directory: &Path,
    operation: &FileOperation,
    journal: JournalMode,
) -> Result<OperationRow, OpsError> {
    let mut all = Vec::with_capacity(parameters.repetitions as usize);
    let mut logged = Vec::new();
    for repetition in 0..parameters.repetitions.max(1) {
        let workplace = Workplace::itself(directory)?;
        let once = measure_once(parameters, rig, recorder, &workplace, operation, repetition)?;
        // What the blocks are is asked while the files are there; most often the first repetition is one of the
        // commonest.
        if all.iter().all(|before: &Once| before.requests != once.requests) {
            rig.sync()?;
            let kinds = once.logged.iter().map(|blocks| rig.kinds(blocks)).collect::<Result<_, _>>()?;
            logged.push((once.requests.clone(), kinds));
        }
        all.push(once);
        drop(workplace);
        rig.sync()?;
    }
    let sequences = all.iter().map(|once| once.requests.clone());
    let (requests, count) = commonest(sequences).unwrap_or_default();
    let mut like_it = all.iter().filter(|once| once.requests == requests).peekable();
    let blocks_logged = like_it.peek().map(|once| once.blocks_logged.clone()).unwrap_or_default();
    let times: Vec<f64> = like_it.map(|once| once.milliseconds).collect();
    let time_mean_ms = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let times = Spread::of(times).unwrap_or_default();
    let logged = logged.into_iter().find(|(of, _)| *of == requests).map(|(_, kinds)| kinds);
    Ok(OperationRow {
        operation: operation.name,
        journal,
        requests,
        time_ms: times.median,
        time_mean_ms,
        time_least_ms: times.least,
        time_greatest_ms: times.greatest,
        commonest: count,
        repetitions: all.len(),
        blocks_logged,
        logged: logged.unwrap_or_default(),
    })
}

fn measure_once(
    parameters: &OpsParameters,
    rig: &LoopRig,
    recorder: &mut Recorder,
    workplace: &Workplace,
    operation: &FileOperation,
    repetition: u32,
) -> Result<Once, OpsError> {
    let script = match parameters.elsewhere {
        true => operation.script_elsewhere(repetition),
        false => operation.script(repetition),
    };
    let prepared = script.prepare(&Placement::new("ops")).map_err(DriveError::from)?;
    workplace.prepare(&prepared.files)?;
    rig.sync()?;
    if operation.is_cold {
        rig.drop_pages()?;
    }
    std::thread::sleep(std::time::Duration::from_secs_f64(parameters.quiet.as_seconds()));
    recorder.take()?;
    recorder.mark(BEGIN);
    let measured = run_prepared(workplace, prepared)?;
    recorder.mark(END);
    let recording: Recording = recorder.take()?.between(BEGIN, END);
    Ok(Once {
        requests: requests_text(recording.issued(), rig.journal()),
        milliseconds: measured.time().as_secs_f64() * 1e3,
        blocks_logged: recording.commits().map(|commit| commit.blocks_logged).collect(),
        logged: rig.blocks_logged(recording.issued())?,
    })
}

/// The marks around an operation.
const BEGIN: &str = "begin";
const END: &str = "end";
