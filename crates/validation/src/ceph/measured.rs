//! Measured grids of Ceph: CSV files whose rows are a repetition each.

use crate::side_by_side::NotSimulated;
use petrio_files::inputs::Inputs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A grid is a file of some thousand lines.
const GRID_BYTES_MAX: u64 = 64 << 20;
/// The grid that ships with the project.
const SHIPPED: &str = include_str!("grid.csv");
/// The columns that a grid has.
const COLUMNS: [&str; 9] =
    ["size", "op", "block_kib", "depth", "link_mbit", "pool", "image_id", "image_mib", "mb_s"];

/// What is asked of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Reads anywhere.
    RandomRead,
    /// Writes anywhere, over what is there.
    RandomWrite,
    /// Reads from front to back.
    Read,
    /// Writes from front to back, over what is there.
    Write,
}

impl Operation {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::RandomRead => "random read",
            Self::RandomWrite => "random write",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What is the same in all repetitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CephCell {
    /// Copies.
    pub size: u32,
    /// What is asked.
    pub op: Operation,
    /// Bytes of a request, KiB.
    pub block_kib: u32,
    /// Requests at once.
    pub depth: u32,
    /// Rate of each link, kbit/s.
    pub link_kbit: u32,
    /// The pool's number and the image's, by which its objects lie where they do.
    pub pool: u32,
    /// The image's number.
    pub image_id: String,
    /// Size of the image, MiB.
    pub image_mib: u32,
}

/// The repetitions of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CephMeasured {
    /// What they have in common.
    pub cell: CephCell,
    /// Of each, MB/s (1e6).
    pub mb_per_s: Vec<f64>,
}

/// Why a grid can't be predicted.
#[derive(Debug, thiserror::Error)]
pub enum CephGridError {
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

#[derive(Deserialize)]
struct Row {
    size: u32,
    op: Operation,
    block_kib: u32,
    depth: u32,
    link_mbit: f64,
    pool: u32,
    image_id: String,
    image_mib: u32,
    mb_s: f64,
}

/// The grid that ships with the project.
///
/// # Errors
/// A row of it makes no sense.
pub fn shipped() -> Result<Vec<CephMeasured>, CephGridError> {
    let mut cells = BTreeMap::new();
    read_grid(Path::new("grid.csv"), SHIPPED.as_bytes(), &mut cells)?;
    Ok(cells.into_values().collect())
}

/// Reads every grid of a folder; other CSV files are left out.
///
/// # Errors
/// [`CephGridError`]: a folder or a file that can't be read, a row that makes no sense, no grid at all.
pub fn read_grids(inputs: &Inputs, dir: &Path) -> Result<Vec<CephMeasured>, CephGridError> {
    let unreadable = |cause| CephGridError::Read { path: dir.to_path_buf(), cause };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cells = BTreeMap::new();
    for path in paths {
        let bytes = inputs
            .read(&path, GRID_BYTES_MAX)
            .map_err(|cause| CephGridError::Read { path: path.clone(), cause })?;
        read_grid(&path, &bytes, &mut cells)?;
    }
    if cells.is_empty() {
        return Err(CephGridError::NoGrid { path: dir.to_path_buf(), columns: COLUMNS.join(", ") });
    }
    Ok(cells.into_values().collect())
}

/// Reads a grid; a file without its columns has none.
pub(super) fn read_grid(
    path: &Path,
    bytes: &[u8],
    cells: &mut BTreeMap<CephCell, CephMeasured>,
) -> Result<(), CephGridError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(bytes);
    let row_error = |line: u64, what: String| CephGridError::Row { path: path.to_path_buf(), line, what };
    let headers = reader.headers().map_err(|error| row_error(1, error.to_string()))?.clone();
    if COLUMNS.iter().any(|column| headers.iter().all(|header| header != *column)) {
        return Ok(());
    }
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            row_error(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let row: Row =
            record.deserialize(Some(&headers)).map_err(|error| row_error(line, error.to_string()))?;
        let cell = cell(&row).map_err(|what| row_error(line, what))?;
        let measured =
            cells.entry(cell.clone()).or_insert_with(|| CephMeasured { cell, mb_per_s: Vec::new() });
        measured.mb_per_s.push(row.mb_s);
    }
    Ok(())
}

fn cell(row: &Row) -> Result<CephCell, String> {
    for (value, what) in
        [(row.size, "size"), (row.block_kib, "block_kib"), (row.depth, "depth"), (row.image_mib, "image_mib")]
    {
        if value == 0 || value > 1 << 20 {
            return Err(format!("{what} is {value}, and must lie between 1 and {}", 1 << 20));
        }
    }
    for (value, what) in [(row.link_mbit, "link_mbit"), (row.mb_s, "mb_s")] {
        if !(value.is_finite() && value > 0.0 && value < 1e6) {
            return Err(format!("{what} is {value}, and must be a number above zero, below a million"));
        }
    }
    Ok(CephCell {
        size: row.size,
        op: row.op,
        block_kib: row.block_kib,
        depth: row.depth,
        link_kbit: petrio_units::numbers::as_number(petrio_units::numbers::nearest_whole(
            row.link_mbit * 1e3,
        )),
        pool: row.pool,
        image_id: row.image_id.clone(),
        image_mib: row.image_mib,
    })
}
