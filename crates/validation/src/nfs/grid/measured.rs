//! Measured response times: CSV files whose rows are a run each.

use super::NfsGridError;
use petrio_files::inputs::Inputs;
use petrio_units::numbers::nearest_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A grid is a file of some thousand lines.
const GRID_BYTES_MAX: u64 = 64 << 20;

/// The columns that a grid has at least.
const COLUMNS: [&str; 5] = ["users", "block_bytes", "op", "link_mbit", "resp_mean_ms"];

/// The most users whose processes are run.
const MOST_USERS: u32 = 10_000;

/// What is done in calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Calls {
    /// They write.
    pub writes: bool,
    /// At random places.
    pub random: bool,
    /// What they write is to be durable when they return.
    pub stable: bool,
}

impl Calls {
    /// Of a word such as `read_seq`, `write_rand_unstable` or `write_seq_filesync`.
    fn of(word: &str) -> Option<Self> {
        let mut parts = word.split('_');
        let writes = match parts.next()? {
            "read" => false,
            "write" => true,
            _ => return None,
        };
        let random = match parts.next()? {
            "seq" => false,
            "rand" => true,
            _ => return None,
        };
        let stable = match (writes, parts.next()) {
            (_, None) | (true, Some("unstable")) => false,
            (true, Some("filesync")) => true,
            _ => return None,
        };
        parts.next().is_none().then_some(Self { writes, random, stable })
    }

    /// As a row has it.
    pub fn word(self) -> String {
        let order = if self.random { "rand" } else { "seq" };
        match (self.writes, self.stable) {
            (false, _) => format!("read_{order}"),
            (true, false) => format!("write_{order}_unstable"),
            (true, true) => format!("write_{order}_filesync"),
        }
    }
}

/// What is the same in all repetitions of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NfsCell {
    /// The file that it was read from, without its extension.
    pub grid: String,
    /// Rate of the links, kbit/s.
    pub link_kbit: u64,
    /// What is done.
    pub calls: Calls,
    /// Bytes of a call.
    pub block_bytes: u64,
    /// Users: processes on one host.
    pub users: u32,
}

/// The repetitions of a run: of each the mean response time of a call, milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredTimes {
    /// What they have in common.
    pub cell: NfsCell,
    /// Of each.
    pub mean_ms: Vec<f64>,
    /// Of each the median, where the table has it.
    pub median_ms: Vec<f64>,
}

#[derive(Deserialize)]
struct Row {
    users: u32,
    block_bytes: u64,
    op: String,
    link_mbit: f64,
    resp_mean_ms: f64,
    #[serde(default)]
    resp_p50_ms: Option<f64>,
    #[serde(default)]
    err: Option<u64>,
}

/// Reads every grid of a folder; files without a grid's columns are passed over, and named.
///
/// # Errors
/// A folder or a file that can't be read, a row that makes no sense, no grid at all.
pub fn read_times(inputs: &Inputs, dir: &Path) -> Result<(Vec<MeasuredTimes>, Vec<PathBuf>), NfsGridError> {
    let unreadable = |path: &Path, cause| NfsGridError::Read { path: path.to_path_buf(), cause };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|cause| unreadable(dir, cause))? {
        let path = entry.map_err(|cause| unreadable(dir, cause))?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut cells, mut left_out) = (BTreeMap::new(), Vec::new());
    for path in paths {
        let bytes = inputs.read(&path, GRID_BYTES_MAX).map_err(|cause| unreadable(&path, cause))?;
        if !read_grid(&path, &bytes, &mut cells)? {
            left_out.push(path);
        }
    }
    if cells.is_empty() {
        return Err(NfsGridError::NoGrid { path: dir.to_path_buf(), columns: COLUMNS.join(", ") });
    }
    Ok((cells.into_values().collect(), left_out))
}

/// Reads a grid; whether it is one.
pub(super) fn read_grid(
    path: &Path,
    bytes: &[u8],
    cells: &mut BTreeMap<NfsCell, MeasuredTimes>,
) -> Result<bool, NfsGridError> {
    let grid = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let wrong = |line: u64, what: String| NfsGridError::Row { path: path.to_path_buf(), line, what };
    let headers = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if COLUMNS.iter().any(|column| headers.iter().all(|header| header != *column)) {
        return Ok(false);
    }
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            wrong(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let row: Row = record.deserialize(Some(&headers)).map_err(|error| wrong(line, error.to_string()))?;
        if row.err.is_some_and(|errors| errors > 0) {
            continue;
        }
        let cell = cell(&grid, &row).map_err(|what| wrong(line, what))?;
        let times = cells.entry(cell.clone()).or_insert_with(|| MeasuredTimes {
            cell,
            mean_ms: Vec::new(),
            median_ms: Vec::new(),
        });
        times.mean_ms.push(row.resp_mean_ms);
        times.median_ms.extend(row.resp_p50_ms);
    }
    Ok(true)
}

fn cell(grid: &str, row: &Row) -> Result<NfsCell, String> {
    let positive = |value: f64, what: &str| match value.is_finite() && value > 0.0 {
        true => Ok(value),
        false => Err(format!("{what} is {value}, and must be a number above zero")),
    };
    let known = "read_seq, read_rand, write_seq_unstable, write_seq_filesync and the like";
    let calls =
        Calls::of(&row.op).ok_or_else(|| format!("\"{}\" is no operation; known are {known}", row.op))?;
    if row.users == 0 || row.users > MOST_USERS {
        return Err(format!("users is {}, and must lie between 1 and {MOST_USERS}", row.users));
    }
    if row.block_bytes == 0 || row.block_bytes > 1 << 20 {
        return Err(format!("block_bytes is {}, and must lie between 1 and 1048576", row.block_bytes));
    }
    positive(row.resp_mean_ms, "resp_mean_ms")?;
    let link_kbit = nearest_whole(positive(row.link_mbit, "link_mbit")? * 1e3).max(1);
    Ok(NfsCell { grid: grid.to_owned(), link_kbit, calls, block_bytes: row.block_bytes, users: row.users })
}
