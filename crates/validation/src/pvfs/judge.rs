//! What a predicted grid comes to: the errors of its cells, and whether what was faster is predicted to be.

use super::predict::GridRow;
use super::regimes::{Regimes, in_range};
use crate::verdict::Judged;
use serde::Serialize;

/// How far the median of all cells' errors may be off, per cent.
pub const MEDIAN_BOUND_PERCENT: f64 = 10.0;
/// How far any cell may be off, per cent.
pub const WORST_BOUND_PERCENT: f64 = 25.0;
/// Cells whose rates differ by more than this are in an order, per cent.
pub const ORDERING_PERCENT: f64 = 10.0;

/// A grid, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridJudgement {
    /// Its name.
    pub grid: String,
    /// Cells.
    pub cells: usize,
    /// The median of their errors, without signs, per cent.
    pub median_error_percent: f64,
    /// The largest, with its sign, per cent.
    pub worst_error_percent: f64,
    /// Cells that are off by more than they may.
    pub beyond: usize,
    /// Orderings that hold, and all that were measured: of cells whose means differ by so much, and whose repetitions
    /// don't overlap.
    pub orderings: (usize, usize),
    /// Cells whose means differ by so much, but whose repetitions overlap.
    pub undecided: usize,
    /// The orderings that don't hold: which was measured to be faster, and than which.
    pub broken: Vec<(String, String)>,
    /// Repetitions that lie in the range of their cell's seeds, of how many.
    pub in_range: (usize, usize),
    /// Cells that are predicted to have two regimes, with them.
    pub regimes: Vec<(String, Regimes)>,
}

impl GridJudgement {
    /// Of the repetitions of cells with two regimes, the share that is slow: predicted and measured, per cent; none where there are no such
    /// cells.
    pub fn slow_percent(&self) -> Option<(f64, f64)> {
        let mean = |of: fn(&Regimes) -> f64| {
            self.regimes.iter().map(|(_, regimes)| of(regimes)).sum::<f64>() / self.regimes.len() as f64
        };
        let shares = (mean(|one| one.slow_predicted_percent), mean(|one| one.slow_measured_percent));
        (!self.regimes.is_empty()).then_some(shares)
    }

    /// As rows with bounds.
    pub fn judged(&self) -> Vec<Judged> {
        let of = |what: &str| format!("{}: {what}", self.grid);
        let broken = self.orderings.1 - self.orderings.0;
        vec![
            Judged::percent(of("median error"), self.median_error_percent, MEDIAN_BOUND_PERCENT, None),
            Judged::percent(of("worst error"), self.worst_error_percent, WORST_BOUND_PERCENT, None),
            Judged::count(of("orderings that don't hold"), broken as f64, 0.0),
        ]
    }
}

/// A cell in words: "write 64 KiB, 4 clients, 4 servers".
pub(super) fn words(row: &GridRow) -> String {
    let cell = &row.cell;
    let flush = if row.with_flush { " with the flush" } else { "" };
    format!(
        "{} {} KiB, {} clients, {} servers, {} Mbit/s{flush}",
        cell.moves.word(),
        cell.block_kib,
        cell.clients,
        cell.servers,
        cell.link_kbit as f64 / 1e3
    )
}

/// Judges the rows of each grid.
pub fn judge(rows: &[GridRow]) -> Vec<GridJudgement> {
    let mut grids: Vec<&str> = rows.iter().map(|row| row.cell.grid.as_str()).collect();
    grids.dedup();
    grids.into_iter().map(|grid| judge_grid(grid, rows)).collect()
}

fn judge_grid(grid: &str, rows: &[GridRow]) -> GridJudgement {
    let rows: Vec<&GridRow> = rows.iter().filter(|row| row.cell.grid == grid).collect();
    let mut errors: Vec<f64> = rows.iter().map(|row| row.error_percent.abs()).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let median = match errors.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => errors[count / 2],
        count => (errors[count / 2 - 1] + errors[count / 2]) / 2.0,
    };
    let worst = rows.iter().map(|row| row.error_percent).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (mut held, mut all, mut undecided, mut broken) = (0, 0, 0, Vec::new());
    for (number, a) in rows.iter().enumerate() {
        for b in &rows[number + 1..] {
            let (faster, slower) = if a.measured() > b.measured() { (a, b) } else { (b, a) };
            if a.with_flush != b.with_flush
                || faster.measured() <= slower.measured() * (1.0 + ORDERING_PERCENT / 100.0)
            {
                continue;
            }
            // What the repetitions themselves don't agree on isn't an order.
            if faster.least() <= slower.most() {
                undecided += 1;
                continue;
            }
            all += 1;
            if faster.predicted() > slower.predicted() {
                held += 1;
            } else {
                broken.push((words(faster), words(slower)));
            }
        }
    }
    GridJudgement {
        grid: grid.to_owned(),
        cells: rows.len(),
        median_error_percent: median,
        worst_error_percent: worst.unwrap_or(f64::NAN),
        beyond: errors.iter().filter(|&&error| error > WORST_BOUND_PERCENT).count(),
        orderings: (held, all),
        undecided,
        broken,
        in_range: rows
            .iter()
            .map(|row| in_range(row))
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1)),
        regimes: rows.iter().filter_map(|row| Some((words(row), Regimes::of(row)?))).collect(),
    }
}
