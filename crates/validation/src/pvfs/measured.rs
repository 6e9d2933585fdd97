//! Measured grids: CSV files whose rows are a run each.

use super::error::PvfsGridError;
use petrio_files::inputs::Inputs;
use petrio_units::numbers::nearest_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A grid is a file of some thousand lines.
const GRID_BYTES_MAX: u64 = 64 << 20;

/// The columns that a grid has at least.
const COLUMNS: [&str; 8] =
    ["servers", "clients", "block_kib", "op", "link_mbit", "storage", "bytes_per_client", "agg_mb_s"];

/// Which way data move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moves {
    /// From the servers.
    Read,
    /// To the servers.
    Write,
}

impl Moves {
    /// As a workload calls it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What is the same in all repetitions of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Cell {
    /// The file that it was read from, without its extension.
    pub grid: String,
    /// What the servers' files lie on.
    pub storage: String,
    /// Rate of the links, kbit/s.
    pub link_kbit: u64,
    /// The rate that the servers' disks are limited to, kB/s; 0 where they aren't.
    pub disk_kb_s: u64,
    /// Servers.
    pub servers: u32,
    /// Clients.
    pub clients: u32,
    /// Bytes that a call moves, KiB.
    pub block_kib: u64,
    /// Which way.
    pub moves: Moves,
    /// Bytes that each client moves.
    pub bytes_per_client: u64,
}

/// The repetitions of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What they have in common.
    pub cell: Cell,
    /// Of each, all clients' bytes by the time until the last client had ended, in MB/s (1e6).
    pub mb_per_s: Vec<f64>,
    /// The same with what was flushed behind, where that was measured and makes a difference.
    pub with_flush_mb_per_s: Vec<f64>,
}

/// A file that is no grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Which.
    pub path: PathBuf,
    /// The first column that it hasn't.
    pub lacks: &'static str,
}

#[derive(Deserialize)]
struct Row {
    servers: u32,
    clients: u32,
    block_kib: f64,
    op: Moves,
    link_mbit: f64,
    storage: String,
    #[serde(default)]
    disk_mb_s: Option<f64>,
    bytes_per_client: u64,
    agg_mb_s: f64,
    #[serde(default)]
    agg_incl_flush_mb_s: Option<f64>,
    #[serde(default)]
    err: Option<u64>,
}

/// Reads every grid of a folder.
///
/// # Errors
/// [`PvfsGridError`]: a folder or a file that can't be read, a row that makes no sense, no grid at all.
pub fn read_grids(inputs: &Inputs, dir: &Path) -> Result<(Vec<Measured>, Vec<LeftOut>), PvfsGridError> {
    let unreadable = |cause| PvfsGridError::Read { path: dir.to_path_buf(), cause };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut cells, mut left_out) = (BTreeMap::new(), Vec::new());
    for path in paths {
        let bytes = inputs
            .read(&path, GRID_BYTES_MAX)
            .map_err(|cause| PvfsGridError::Read { path: path.clone(), cause })?;
        if let Some(lacks) = read_grid(&path, &bytes, &mut cells)? {
            left_out.push(LeftOut { path, lacks });
        }
    }
    if cells.is_empty() {
        return Err(PvfsGridError::NoGrid { path: dir.to_path_buf(), columns: COLUMNS.join(", ") });
    }
    Ok((cells.into_values().collect(), left_out))
}

/// Reads a grid; of a file that is none, the first column that it lacks.
pub(super) fn read_grid(
    path: &Path,
    bytes: &[u8],
    cells: &mut BTreeMap<Cell, Measured>,
) -> Result<Option<&'static str>, PvfsGridError> {
    let grid = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let row_error = |line: u64, what: String| PvfsGridError::Row { path: path.to_path_buf(), line, what };
    let headers = reader.headers().map_err(|error| row_error(1, error.to_string()))?.clone();
    if let Some(lacks) = COLUMNS.into_iter().find(|&column| headers.iter().all(|header| header != column)) {
        return Ok(Some(lacks));
    }
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            row_error(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let row: Row =
            record.deserialize(Some(&headers)).map_err(|error| row_error(line, error.to_string()))?;
        if row.err.is_some_and(|errors| errors > 0) {
            continue;
        }
        let (cell, flushed) = cell(&grid, &row).map_err(|what| row_error(line, what))?;
        let measured = cells.entry(cell.clone()).or_insert_with(|| Measured {
            cell,
            mb_per_s: Vec::new(),
            with_flush_mb_per_s: Vec::new(),
        });
        measured.mb_per_s.push(row.agg_mb_s);
        measured.with_flush_mb_per_s.extend(flushed);
    }
    Ok(None)
}

/// A row's cell, and its rate with what was flushed, where that differs.
fn cell(grid: &str, row: &Row) -> Result<(Cell, Option<f64>), String> {
    let positive = |value: f64, what: &str| match value.is_finite() && value > 0.0 {
        true => Ok(value),
        false => Err(format!("{what} is {value}, and must be a number above zero")),
    };
    for (count, what) in [(row.servers, "servers"), (row.clients, "clients")] {
        if count == 0 || count > 100_000 {
            return Err(format!("{what} is {count}, and must lie between 1 and 100000"));
        }
    }
    let kib = positive(row.block_kib, "block_kib")?;
    if row.bytes_per_client == 0 {
        return Err("bytes_per_client is 0, so nothing was moved".to_owned());
    }
    let rate = positive(row.agg_mb_s, "agg_mb_s")?;
    let disk = row.disk_mb_s.unwrap_or(0.0);
    if !(disk.is_finite() && disk >= 0.0) {
        return Err(format!("disk_mb_s is {disk}, and must be a rate, or 0 for none"));
    }
    // As much as the last digits of what is written.
    let flushed = row.agg_incl_flush_mb_s.filter(|flushed| *flushed > 0.0 && rate / flushed > 1.01);
    let cell = Cell {
        grid: grid.to_owned(),
        storage: row.storage.clone(),
        link_kbit: nearest_whole(positive(row.link_mbit, "link_mbit")? * 1e3),
        disk_kb_s: nearest_whole(disk * 1e3),
        servers: row.servers,
        clients: row.clients,
        block_kib: nearest_whole(kib).max(1),
        moves: row.op,
        bytes_per_client: row.bytes_per_client,
    };
    Ok((cell, flushed))
}
