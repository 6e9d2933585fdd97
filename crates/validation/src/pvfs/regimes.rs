//! Cells that have two regimes: clients that fall into step, or don't, so that a run is fast or slow and seldom between.
//!
//! Where all rates of a cell, predicted and measured, leave a gap, those below it are the slow regime. How often each comes is predicted
//! by the seeds and was measured by the repetitions; three of these say little, so that their share is told and the aim is of all cells
//! together.

use super::predict::GridRow;
use serde::Serialize;

/// A gap between rates that parts regimes, of their mean.
const GAP: f64 = 0.12;
/// How far a repetition may lie outside of the range of the seeds: what single runs of one machine differ by, as its description says.
const SPREAD: f64 = 0.02;

/// The two regimes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Regimes {
    /// What parts them, MB/s.
    pub at_mb_per_s: f64,
    /// How many of a hundred runs are predicted to be slow.
    pub slow_predicted_percent: f64,
    /// How many of a hundred repetitions were.
    pub slow_measured_percent: f64,
}

impl Regimes {
    /// Those of a cell, if it has two: a gap with at least a tenth of the seeds on each side of it.
    pub fn of(row: &GridRow) -> Option<Self> {
        let (predicted, measured) = (&row.predicted_mb_per_s, &row.measured_mb_per_s);
        let mut rates = predicted.clone();
        rates.sort_unstable_by(f64::total_cmp);
        let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
        let fewest = (rates.len() / 10).max(1);
        let gaps = rates.windows(2).enumerate().filter(|(below, _)| {
            let slow = below + 1;
            slow >= fewest && rates.len() - slow >= fewest
        });
        let (_, pair) = gaps.max_by(|(_, a), (_, b)| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
        let at = f64::midpoint(pair[0], pair[1]);
        let slow = |rates: &[f64]| {
            100.0 * rates.iter().filter(|rate| **rate < at).count() as f64 / rates.len().max(1) as f64
        };
        (pair[1] - pair[0] > GAP * mean).then(|| Self {
            at_mb_per_s: at,
            slow_predicted_percent: slow(predicted),
            slow_measured_percent: slow(measured),
        })
    }
}

/// How many repetitions of a cell lie in the range of its seeds, of how many.
pub fn in_range(row: &GridRow) -> (usize, usize) {
    let least = row.predicted_mb_per_s.iter().copied().fold(f64::INFINITY, f64::min) * (1.0 - SPREAD);
    let most = row.predicted_mb_per_s.iter().copied().fold(0.0, f64::max) * (1.0 + SPREAD);
    let inside = row.measured_mb_per_s.iter().filter(|rate| (least..=most).contains(*rate)).count();
    (inside, row.measured_mb_per_s.len())
}
