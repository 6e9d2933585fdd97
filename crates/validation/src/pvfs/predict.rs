//! Each cell of a grid, predicted: the test bed as a scenario with what the cell says set, over several seeds.

use super::error::PvfsGridError;
use super::measured::{Cell, Measured, Moves};
use crate::side_by_side::{Progress, Set, quoted, side_by_side, simulated};
use crate::verdict::LEVEL;
use petrio_files::inputs::Inputs;
use petrio_random::finish;
use petrio_scenario::report::{Estimate, Sinks};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Runs of a cell: the orders of servers and the times of single messages differ between them, as between the
/// repetitions of a real one.
pub(super) const SEEDS: u64 = 24;
/// A scenario is a page of text.
const SCENARIO_BYTES_MAX: u64 = 1 << 20;

const TESTBED: &str = include_str!("testbed.toml");
const TMPFS: &str = include_str!("storage-tmpfs.toml");
const EXT3: &str = include_str!("storage-ext3.toml");

/// A cell with what was measured and what is predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridRow {
    /// The cell.
    pub cell: Cell,
    /// Whether what was flushed behind the calls counts.
    pub with_flush: bool,
    /// Of each repetition, MB/s (1e6).
    pub measured_mb_per_s: Vec<f64>,
    /// Of each seed, MB/s.
    pub predicted_mb_per_s: Vec<f64>,
    /// Of the means, per cent.
    pub error_percent: f64,
}

impl GridRow {
    /// The mean of the repetitions.
    pub fn measured(&self) -> f64 {
        mean(&self.measured_mb_per_s)
    }

    /// The slowest repetition.
    pub fn least(&self) -> f64 {
        self.measured_mb_per_s.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The fastest repetition.
    pub fn most(&self) -> f64 {
        self.measured_mb_per_s.iter().copied().fold(0.0, f64::max)
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
/// A test bed that isn't known or can't be read, a run that fails.
pub fn predict(
    (inputs, dir): (&Inputs, &Path),
    measured: &[Measured],
    progress: &mut Progress<'_>,
) -> Result<Vec<GridRow>, PvfsGridError> {
    let wanted: Vec<(&Measured, bool)> = measured
        .iter()
        .flat_map(|cell| {
            let flushed = !cell.with_flush_mb_per_s.is_empty();
            std::iter::once((cell, false)).chain(flushed.then_some((cell, true)))
        })
        .collect();
    side_by_side(&wanted, progress, |&(measured, with_flush)| {
        predict_cell((inputs, dir), measured, with_flush)
    })
}

fn predict_cell(
    (inputs, dir): (&Inputs, &Path),
    measured: &Measured,
    with_flush: bool,
) -> Result<GridRow, PvfsGridError> {
    let cell = &measured.cell;
    let (name, text) = scenario_of(inputs, dir, &cell.storage)?;
    let predicted = seeds_of(cell)
        .map(|seed| {
            let set = set_of(cell, seed, with_flush);
            let report = simulated((&name, &text), Some(dir), &set, Sinks::default())?;
            let bytes = cell.bytes_per_client as f64 * f64::from(cell.clients);
            Ok(bytes / report.simulated_s / 1e6)
        })
        .collect::<Result<Vec<f64>, PvfsGridError>>()?;
    let measured_mb_per_s =
        if with_flush { &measured.with_flush_mb_per_s } else { &measured.mb_per_s }.clone();
    let error_percent = (mean(&predicted) / mean(&measured_mb_per_s) - 1.0) * 100.0;
    Ok(GridRow {
        cell: cell.clone(),
        with_flush,
        measured_mb_per_s,
        predicted_mb_per_s: predicted,
        error_percent,
    })
}

/// The seeds of a cell: each has its own, as the repetitions of each were runs of their own. With the same for all, the orders of servers would
/// be drawn once for all cells, and what that one draw happens to favour would be told of each of them.
fn seeds_of(cell: &Cell) -> impl Iterator<Item = u64> {
    let figures = [
        cell.servers.into(),
        cell.clients.into(),
        cell.block_kib,
        u64::from(cell.moves == Moves::Write),
        cell.link_kbit,
        cell.disk_kb_s,
        cell.bytes_per_client,
    ];
    let told = figures.iter().fold(0u64, |told, figure| finish(told.rotate_left(9) ^ figure));
    // A seed has room in what TOML calls an integer.
    let first = (told >> 24) + 1;
    first..first + SEEDS
}

/// The scenario of a test bed: one that stands beside the grids, or the one that is known.
fn scenario_of(inputs: &Inputs, dir: &Path, storage: &str) -> Result<(String, String), PvfsGridError> {
    for name in [format!("testbed-{storage}.toml"), "testbed.toml".to_owned()] {
        let path: PathBuf = dir.join(&name);
        if path.is_file() {
            let unreadable = |cause| PvfsGridError::Read { path: path.clone(), cause };
            let bytes = inputs.read(&path, SCENARIO_BYTES_MAX).map_err(unreadable)?;
            let text = String::from_utf8(bytes)
                .map_err(|error| unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, error)))?;
            return Ok((path.display().to_string(), text));
        }
    }
    // What else a name says, such as how long the queues of a switch are, trains don't know.
    let storage_text = match storage.split('-').next().unwrap_or(storage) {
        "tmpfs" => TMPFS,
        "ext3" => EXT3,
        _ => return Err(PvfsGridError::Storage { storage: storage.to_owned() }),
    };
    Ok(("the OrangeFS test bed".to_owned(), format!("{TESTBED}{storage_text}")))
}

/// What a cell sets.
fn set_of(cell: &Cell, seed: u64, with_flush: bool) -> Vec<Set> {
    let mut set = vec![
        ("seed", seed.to_string()),
        ("host.client.count", cell.clients.to_string()),
        ("host.server.count", cell.servers.to_string()),
        ("network.lan.link.rate", quoted(format!("{} kbit/s", cell.link_kbit))),
        ("workload.w.operation", quoted(cell.moves.word())),
        ("workload.w.record", quoted(format!("{} KiB", cell.block_kib))),
        ("workload.w.file_size", quoted(format!("{} B", cell.bytes_per_client))),
    ];
    if cell.disk_kb_s > 0 {
        for rate in ["host.server.throttle.limit.read_rate", "host.server.throttle.limit.write_rate"] {
            set.push((rate, quoted(format!("{} kB/s", cell.disk_kb_s))));
        }
    }
    // What lies in memory is there.
    if cell.storage.starts_with("tmpfs") && cell.moves == Moves::Read {
        set.push(("workload.w.cached", "true".to_owned()));
    }
    if cell.storage.ends_with("odirect") {
        set.push(("pvfs.work.direct", "true".to_owned()));
    }
    if with_flush {
        set.push(("workload.w.fsync", quoted("at-end")));
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_cells_have_a_seed_in_common_and_each_has_the_same_again() {
        let mut seen = BTreeSet::new();
        let mut cells = 0;
        for (servers, clients) in [(1, 1), (2, 2), (4, 2), (4, 4), (4, 8)] {
            for (block_kib, moves) in
                [(8, Moves::Read), (8, Moves::Write), (64, Moves::Read), (2048, Moves::Write)]
            {
                let cell = Cell {
                    grid: "g".to_owned(),
                    storage: "tmpfs".to_owned(),
                    link_kbit: 40_000,
                    disk_kb_s: 0,
                    servers,
                    clients,
                    block_kib,
                    moves,
                    bytes_per_client: 1 << 20,
                };
                cells += 1;
                seen.extend(seeds_of(&cell));
                assert!(seeds_of(&cell).eq(seeds_of(&cell.clone())));
                assert!(seeds_of(&cell).all(|seed| i64::try_from(seed).is_ok()));
            }
        }
        assert_eq!(seen.len() as u64, cells * SEEDS);
    }
}
