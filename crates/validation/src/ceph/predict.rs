//! Each cell of a grid, predicted: the test bed as a scenario with what the cell says set, over several seeds.

use super::measured::{CephCell, CephGridError, CephMeasured, Operation};
use crate::side_by_side::{Progress, Set, quoted, side_by_side, simulated};
use crate::verdict::{Judged, LEVEL};
use petrio_scenario::report::{Estimate, Sinks};
use serde::Serialize;

const TESTBED: &str = include_str!("testbed.toml");
/// Which places are asked for is drawn.
const SEEDS: u64 = 5;
/// How far the median of all cells' errors may be off, per cent.
pub const MEDIAN_BOUND_PERCENT: f64 = 15.0;
/// How far any cell may be off, per cent.
pub const WORST_BOUND_PERCENT: f64 = 40.0;
/// Bytes that are moved in a run of random requests; of a stream it is all of the image.
const RANDOM_BYTES: u64 = 8 << 20;
const MIB: u64 = 1 << 20;

/// A cell with what was measured and what is predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CephRow {
    /// The cell.
    pub cell: CephCell,
    /// Of each repetition, MB/s (1e6); empty before anything is measured.
    pub measured_mb_per_s: Vec<f64>,
    /// Of each seed, MB/s.
    pub predicted_mb_per_s: Vec<f64>,
    /// Of the means, per cent.
    pub error_percent: f64,
}

impl CephRow {
    /// The mean of the repetitions.
    pub fn measured(&self) -> f64 {
        mean(&self.measured_mb_per_s)
    }

    /// The mean of the seeds.
    pub fn predicted(&self) -> f64 {
        mean(&self.predicted_mb_per_s)
    }
}

fn mean(values: &[f64]) -> f64 {
    Estimate::of(values.iter().copied(), LEVEL).value
}

/// Predicts every cell. `progress` is told how many of how many are done.
///
/// # Errors
/// A run that fails.
pub fn predict(
    measured: &[CephMeasured],
    progress: &mut Progress<'_>,
) -> Result<Vec<CephRow>, CephGridError> {
    side_by_side(measured, progress, predict_cell)
}

fn predict_cell(measured: &CephMeasured) -> Result<CephRow, CephGridError> {
    let cell = &measured.cell;
    let predicted = (1..=SEEDS)
        .map(|seed| {
            let report =
                simulated(("the Ceph test bed", TESTBED), None, &set_of(cell, seed), Sinks::default())?;
            let bytes: u64 = report.ceph.iter().map(|pool| pool.read_bytes + pool.written_bytes).sum();
            Ok(bytes as f64 / report.simulated_s / 1e6)
        })
        .collect::<Result<Vec<f64>, CephGridError>>()?;
    let measured_mb_per_s = measured.mb_per_s.clone();
    let error_percent = (mean(&predicted) / mean(&measured_mb_per_s) - 1.0) * 100.0;
    Ok(CephRow { cell: cell.clone(), measured_mb_per_s, predicted_mb_per_s: predicted, error_percent })
}

/// What a cell sets.
fn set_of(cell: &CephCell, seed: u64) -> Vec<Set> {
    let CephCell { size, op, block_kib, depth, link_kbit, pool, image_id, image_mib } = cell;
    let is_read = matches!(op, Operation::Read | Operation::RandomRead);
    let is_random = matches!(op, Operation::RandomRead | Operation::RandomWrite);
    let all = if is_random { RANDOM_BYTES } else { u64::from(*image_mib) * MIB };
    let (operation, order) =
        (if is_read { "read" } else { "write" }, if is_random { "random" } else { "sequential" });
    vec![
        ("seed", seed.to_string()),
        ("network.lan.link.rate", quoted(format!("{link_kbit} kbit/s"))),
        ("ceph.rbd.size", size.to_string()),
        ("ceph.rbd.min_size", "1".to_owned()),
        ("ceph.rbd.pool", pool.to_string()),
        ("ceph.rbd.id", quoted(image_id)),
        ("ceph.rbd.image", quoted(format!("{image_mib} MiB"))),
        ("workload.w.file_size", quoted(format!("{image_mib} MiB"))),
        ("workload.w.operation", quoted(operation)),
        ("workload.w.order", quoted(order)),
        ("workload.w.record", quoted(format!("{block_kib} KiB"))),
        ("workload.w.in_flight", depth.to_string()),
        ("workload.w.amount", quoted(format!("{all} B"))),
    ]
}

/// The rows with their bounds: the median of all errors, and each cell.
pub fn judged(rows: &[CephRow]) -> Vec<Judged> {
    let mut errors: Vec<f64> = rows.iter().map(|row| row.error_percent.abs()).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let median = match errors.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => errors[count / 2],
        count => f64::midpoint(errors[count / 2 - 1], errors[count / 2]),
    };
    let worst = rows.iter().map(|row| row.error_percent).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    vec![
        Judged::percent("median error".to_owned(), median, MEDIAN_BOUND_PERCENT, None),
        Judged::percent("worst error".to_owned(), worst.unwrap_or(f64::NAN), WORST_BOUND_PERCENT, None),
    ]
}
