//! fsync beside a writer: how many there are and how long each takes, predicted beside a real kernel's.
//!
//! One process writes a file in calls of 1 MiB without end, another appends 4 KiB to a file of its own and calls fsync, again
//! and again, on a disk that takes the same time for every request of up to 1 MiB, one after the other. What was measured
//! stands in a table, a row for each file system, write cache and dirty limit; each row is played in simulation. The loop device takes
//! 128 requests of up to 1,280 KiB at a time and has them served in their order, flushes with them; the disk behind it (FUSE) makes two
//! of such a request.

use crate::paced::{self, PlayError, TableError, disk_and_host, rows};
use crate::verdict::Judged;
use petrio_colours::{FileOp, Operation, Request};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_scenario::report::{ReportError, RequestSink, Sinks};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The table's file in its folder.
pub const TABLE: &str = "fsync-beside-a-writer.csv";

/// By what factor number and median of the fsyncs may differ.
pub const FACTOR: f64 = 1.5;
/// By how much the writer's rate may differ, per cent.
pub const RATE_PERCENT: f64 = 10.0;

/// Why the median of a row tells nothing.
const BETWEEN: &str = "half of the fsyncs came before write-back began and took 20 ms, half after and took 2 s: where the median falls is a \
                       matter of how fast the writer fills memory, 0.8 to 1.9 us a page as that was used before or not";

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MeasuredSyncs {
    /// `ext3`, `ext4`; others are left out.
    pub fs: String,
    /// `wb`: a write cache, with flushes; `wt`: none.
    pub cache: String,
    /// Time of a request, µs.
    pub us_a_request: u64,
    /// Dirty limit of the host.
    pub dirty_bytes: u64,
    /// Where the flusher begins.
    pub dirty_background_bytes: u64,
    /// How long it was measured, s.
    pub seconds: u64,
    /// The writer's rate, MiB/s.
    pub writer_mib_s: f64,
    /// Calls of fsync that began in that time.
    pub fsyncs: usize,
    /// Their median, s.
    pub fsync_median_s: f64,
    /// The longest, s.
    pub fsync_max_s: f64,
}

/// A row beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SyncsRow {
    /// The file system.
    pub fs: String,
    /// `wb` or `wt`.
    pub cache: String,
    /// Dirty limit, MiB.
    pub dirty_limit_mib: u64,
    /// Calls of fsync: measured, predicted.
    pub fsyncs: (usize, usize),
    /// Their median, s: measured, predicted.
    pub median_s: (f64, f64),
    /// The longest, s: measured, predicted.
    pub longest_s: (f64, f64),
    /// The writer's rate, MiB/s: measured, predicted.
    pub writer_mib_s: (f64, f64),
    /// The first of the predicted ones, s.
    pub first_s: Vec<f64>,
}

impl SyncsRow {
    /// Whether it lies within its bounds: number, median, rate.
    pub fn judged(&self) -> [Judged; 3] {
        let Self { fs, cache, dirty_limit_mib, fsyncs, median_s, writer_mib_s, .. } = self;
        let what = |of: &str| format!("{fs}, {cache}, dirty limit {dirty_limit_mib} MiB: {of}");
        let factor = |what: String, (measured, predicted): (f64, f64), known| {
            let figures = format!("{predicted:.3} predicted, {measured:.3} measured, factor {FACTOR}");
            let factor = (predicted / measured).max(measured / predicted);
            Judged::at_most(what, figures, (factor, FACTOR), known)
        };
        let between = (fs.as_str(), cache.as_str(), *dirty_limit_mib) == ("ext4", "wb", 1_600);
        let known = between.then_some((60.0, BETWEEN));
        let (measured, predicted) = *writer_mib_s;
        let rate = (predicted / measured - 1.0) * 100.0;
        [
            factor(what("fsyncs"), (fsyncs.0 as f64, fsyncs.1 as f64), None),
            factor(what("median of fsync, s"), *median_s, known),
            Judged::percent(what("the writer's rate"), rate, RATE_PERCENT, None),
        ]
    }
}

/// The rows of a folder's table that can be played, and how many can't: of file systems that aren't modelled.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub fn measured(inputs: &Inputs, folder: &Path) -> Result<(Vec<MeasuredSyncs>, usize), TableError> {
    let rows: Vec<MeasuredSyncs> = rows(inputs, &folder.join(TABLE))?;
    let all = rows.len();
    let known: Vec<MeasuredSyncs> =
        rows.into_iter().filter(|row| matches!(row.fs.as_str(), "ext3" | "ext4")).collect();
    let left_out = all - known.len();
    Ok((known, left_out))
}

/// Plays a row.
///
/// # Errors
/// A row with figures that make no scenario; a run that fails.
pub fn play(row: &MeasuredSyncs) -> Result<SyncsRow, PlayError> {
    let seen = Arc::new(Mutex::new(Seen { until: Time::from_whole_seconds(row.seconds), ..Seen::default() }));
    let mut sinks = Sinks::default();
    sinks.push::<FileOp>(Watch(Arc::clone(&seen)));
    paced::run("syncs", &scenario(row), sinks)?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut sorted = seen.fsyncs_s.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    let longest = sorted.last().copied().unwrap_or(f64::NAN);
    Ok(SyncsRow {
        fs: row.fs.clone(),
        cache: row.cache.clone(),
        dirty_limit_mib: row.dirty_bytes >> 20,
        fsyncs: (row.fsyncs, sorted.len()),
        median_s: (row.fsync_median_s, median),
        longest_s: (row.fsync_max_s, longest),
        writer_mib_s: (row.writer_mib_s, seen.written as f64 / f64::from(1 << 20) / row.seconds as f64),
        first_s: seen.fsyncs_s.iter().take(25).copied().collect(),
    })
}

/// What was seen of a run.
#[derive(Default)]
struct Seen {
    until: Time,
    fsyncs_s: Vec<f64>,
    written: u64,
}

struct Watch(Arc<Mutex<Seen>>);

impl RequestSink<FileOp> for Watch {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match op.operation {
            Operation::Fsync if op.issued() < seen.until => {
                seen.fsyncs_s.push((at - op.issued()).as_seconds());
            }
            Operation::Write if at <= seen.until => seen.written += op.length,
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// The measurement as a scenario. What was measured ended with the last fsync that began in time.
fn scenario(row: &MeasuredSyncs) -> String {
    let MeasuredSyncs { fs, us_a_request, dirty_bytes, dirty_background_bytes, seconds, .. } = row;
    let machine = disk_and_host(33_554_432, &format!("{us_a_request} us"), row.cache == "wb");
    let end = seconds + seconds * 3 / 4;
    format!(
        r#"
title = "fsync beside a writer"
{machine}
dirty_limit = "{dirty_bytes} B"
dirty_background = "{dirty_background_bytes} B"
[fs.f]
type = "{fs}"
scheduler = "none"
queue_depth = 128
on = "d"
[workload.writer]
kind = "files"
on = "f"
operation = "write"
record = "1 MiB"
file_size = "12 GiB"
[workload.syncs]
kind = "script"
on = "f"
script = "create a; repeat 1000000 {{ append a 4 KiB; fsync a }}"
[measure]
stop = {{ time = "{end} s" }}
"#
    )
}
