//! Response times of a small NFS server, beside those of a real one: users are processes on one host, each with a connection of its own, who
//! speak NFS themselves and keep nothing in memory.
//!
//! ```text
//!   DIR/*.csv ─ measured ─▶ cells ─ predict (the test bed as a scenario) ─▶ rows ─▶ judged
//! ```

mod measured;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use measured::{Calls, MeasuredTimes, NfsCell, read_times};

use crate::side_by_side::{NotSimulated, Progress, Set, quoted, side_by_side, simulated};
use crate::verdict::Judged;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::Sinks;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How far the median of all cells' errors may be off, and any cell, per cent.
pub const MEDIAN_BOUND_PERCENT: f64 = 3.0;
/// See above.
pub const WORST_BOUND_PERCENT: f64 = 8.0;

/// A scenario is a page of text.
const SCENARIO_BYTES_MAX: u64 = 1 << 20;

const TESTBED: &str = include_str!("testbed.toml");

/// Why a grid can't be predicted.
#[derive(Debug, thiserror::Error)]
pub enum NfsGridError {
    /// A file or the folder can't be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A row makes no sense.
    #[error("{}, line {line}: {what}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// No file is a grid.
    #[error("{} has no grid: a CSV file with the columns {columns}", path.display())]
    NoGrid {
        /// The folder.
        path: PathBuf,
        /// What a grid has.
        columns: String,
    },
    /// The test bed can't be run with what a row says set.
    #[error(transparent)]
    Simulated(#[from] NotSimulated),
}

/// A cell with what was measured and what is predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NfsTimeRow {
    /// The file that it was read from, without its extension.
    pub grid: String,
    /// What is done.
    pub op: String,
    /// Bytes of a call.
    pub block_bytes: u64,
    /// Users.
    pub users: u32,
    /// Rate of the links, Mbit/s.
    pub link_mbit: f64,
    /// The mean response time of each repetition, milliseconds.
    pub measured_means_ms: Vec<f64>,
    /// What the prediction is held against: the median call's response time, of all repetitions the median, milliseconds; the mean call's
    /// where the table has no medians. Calls that something else on the measured machine held up move the mean, and not the median.
    pub measured_ms: f64,
    /// The same that is predicted, milliseconds.
    pub predicted_ms: f64,
    /// How far that is off, per cent.
    pub error_percent: f64,
    /// The mean response time that is predicted, milliseconds.
    pub predicted_mean_ms: f64,
    /// How far that is off the median of the repetitions' means, per cent.
    pub mean_error_percent: f64,
}

/// Predicts every cell. `progress` is told how many of how many are done.
///
/// # Errors
/// A test bed that can't be read, a run that fails.
pub fn predict_times(
    (inputs, dir): (&Inputs, &Path),
    measured: &[MeasuredTimes],
    progress: &mut Progress<'_>,
) -> Result<Vec<NfsTimeRow>, NfsGridError> {
    let (name, text) = testbed(inputs, dir)?;
    side_by_side(measured, progress, |times| {
        let cell = &times.cell;
        let report = simulated((&name, &text), Some(dir), &set_of(cell), Sinks::default())?;
        let latency = report.served.latency;
        let predicted_mean_ms = latency.as_ref().map_or(f64::NAN, |latency| latency.mean_ms.value);
        let predicted_p50_ms = latency.as_ref().map_or(f64::NAN, |latency| latency.p50_ms.value);
        let has_medians = times.median_ms.len() == times.mean_ms.len();
        let mean_ms = median(&times.mean_ms);
        let (measured_ms, predicted_ms) = match has_medians {
            true => (median(&times.median_ms), predicted_p50_ms),
            false => (mean_ms, predicted_mean_ms),
        };
        Ok(NfsTimeRow {
            grid: cell.grid.clone(),
            op: cell.calls.word(),
            block_bytes: cell.block_bytes,
            users: cell.users,
            link_mbit: cell.link_kbit as f64 / 1e3,
            measured_means_ms: times.mean_ms.clone(),
            measured_ms,
            predicted_ms,
            error_percent: (predicted_ms / measured_ms - 1.0) * 100.0,
            predicted_mean_ms,
            mean_error_percent: (predicted_mean_ms / mean_ms - 1.0) * 100.0,
        })
    })
}

/// The scenario of a test bed: the one that stands beside the grids, or the one that is known.
fn testbed(inputs: &Inputs, dir: &Path) -> Result<(String, String), NfsGridError> {
    let path = dir.join("testbed.toml");
    if !path.is_file() {
        return Ok(("the NFS test bed".to_owned(), TESTBED.to_owned()));
    }
    let unreadable = |cause| NfsGridError::Read { path: path.clone(), cause };
    let bytes = inputs.read(&path, SCENARIO_BYTES_MAX).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, error)))?;
    Ok((path.display().to_string(), text))
}

/// What a cell sets.
fn set_of(cell: &NfsCell) -> Vec<Set> {
    let Calls { writes, random, stable } = cell.calls;
    let mut set = vec![
        ("network.lan.link.rate", quoted(format!("{} kbit/s", cell.link_kbit))),
        ("workload.w.operation", quoted(if writes { "write" } else { "read" })),
        ("workload.w.order", quoted(if random { "random" } else { "sequential" })),
        ("workload.w.record", quoted(format!("{} B", cell.block_bytes))),
        ("workload.w.processes", cell.users.to_string()),
    ];
    if stable {
        set.push(("workload.w.sync", "true".to_owned()));
    }
    set
}

/// The middle value; the mean of both where there are two.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.get(middle.wrapping_sub(1)), sorted.get(middle)) {
        (Some(below), Some(above)) if sorted.len().is_multiple_of(2) => f64::midpoint(*below, *above),
        (_, Some(only)) => *only,
        _ => f64::NAN,
    }
}

/// How the rows are judged.
pub fn judge_times(rows: &[NfsTimeRow]) -> Vec<Judged> {
    let errors: Vec<f64> = rows.iter().map(|row| row.error_percent.abs()).collect();
    let worst = rows.iter().max_by(|a, b| a.error_percent.abs().total_cmp(&b.error_percent.abs()));
    let Some(worst) = worst else { return Vec::new() };
    let words = format!(
        "response times: worst error ({}, {} B, {} users, {} Mbit/s)",
        worst.op, worst.block_bytes, worst.users, worst.link_mbit
    );
    let middle = median(&errors);
    vec![
        Judged::percent("response times: median error".to_owned(), middle, MEDIAN_BOUND_PERCENT, None),
        Judged::percent(words, worst.error_percent, WORST_BOUND_PERCENT, None),
    ]
}
