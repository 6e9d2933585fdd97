//! Measured cells: a row of the CSV files each.

use super::error::MdError;
use super::predict::Members;
use petrio_files::inputs::Inputs;
use petrio_persist::Persist;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;

/// No file of cells is larger.
const CELLS_BYTES_MAX: u64 = 64 << 20;

/// How an array was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// All members were there.
    Clean,
    /// One had failed.
    Degraded,
}

/// A workload on an array, and what its members were asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Persist)]
pub struct Cell {
    /// 1, 5, 6 or 10.
    pub level: u32,
    /// Left-symmetric, or how copies lie, with their number: `near-2`.
    #[serde(default)]
    pub layout: String,
    /// Members, with one that has failed.
    pub members: usize,
    /// KiB of a unit; none at level 1.
    #[serde(default)]
    pub chunk_kib: Option<u64>,
    /// None, or internal.
    #[serde(default)]
    pub bitmap: String,
    /// Rows of the stripe cache, at levels 5 and 6.
    #[serde(default)]
    pub stripe_cache_pages_per_member: Option<u32>,
    /// Clean or degraded.
    pub state: State,
    /// Which member has failed.
    #[serde(default)]
    pub failed_member: Option<usize>,
    /// The workload.
    pub operation: String,
    /// Bytes of each of its requests.
    pub request_bytes: u64,
    /// How many.
    pub request_count: u64,
    /// Where random offsets begin.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Bytes over which they spread.
    #[serde(default)]
    pub region_bytes: Option<u64>,
    /// Which of several of the same.
    #[serde(default)]
    pub repetition: Option<u32>,
    /// Bytes that may be dirty, where they are bounded.
    #[serde(default)]
    pub vm_dirty_bytes: Option<u64>,
    /// The pace of each member.
    #[serde(default)]
    pub member_pace_bytes_per_s: Option<u64>,
    /// The same in requests.
    #[serde(default)]
    pub member_pace_requests_per_s: Option<u64>,
    /// How long it took.
    pub elapsed_guest_s: f64,
    /// What members were asked for, the first first.
    #[serde(flatten)]
    pub measured: Measured,
}

/// What members were asked for, as a cell has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Persist)]
pub struct Measured {
    /// Reads of each member.
    #[serde(deserialize_with = "numbers")]
    pub member_read_requests: Vec<u64>,
    /// Bytes read of each.
    #[serde(deserialize_with = "numbers")]
    pub member_read_bytes: Vec<u64>,
    /// Writes of each.
    #[serde(deserialize_with = "numbers")]
    pub member_write_requests: Vec<u64>,
    /// Bytes written to each.
    #[serde(deserialize_with = "numbers")]
    pub member_write_bytes: Vec<u64>,
}

fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parsed = text.split_whitespace().map(str::parse).collect::<Result<_, _>>();
    parsed.map_err(serde::de::Error::custom)
}

impl Cell {
    /// Bytes that the workload moves.
    pub fn bytes(&self) -> u64 {
        self.request_bytes.saturating_mul(self.request_count)
    }

    /// Whether it goes past the page cache.
    pub fn is_direct(&self) -> bool {
        self.operation.starts_with("direct")
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.operation.contains("write")
    }

    /// Whether its offsets are random.
    pub fn is_random(&self) -> bool {
        self.operation.contains("random")
    }

    /// Where its random requests begin, in requests, as the cells' program draws them.
    pub fn places(&self) -> Vec<u64> {
        let among = (self.region_bytes.unwrap_or(self.request_bytes) / self.request_bytes).max(1);
        let mut random = self.seed.unwrap_or(0);
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % among
        };
        (0..self.request_count).map(|_| next()).collect()
    }

    /// What members were asked for.
    pub fn members_measured(&self) -> Members {
        let Measured { member_read_requests, member_read_bytes, member_write_requests, member_write_bytes } =
            self.measured.clone();
        Members {
            read_requests: member_read_requests,
            read_bytes: member_read_bytes,
            write_requests: member_write_requests,
            write_bytes: member_write_bytes,
        }
    }

    /// What tells it apart from others, in words.
    pub fn words(&self) -> String {
        let unit = self.chunk_kib.map_or(String::new(), |unit| format!(" of {unit} KiB"));
        let rows = self.stripe_cache_pages_per_member.map_or(String::new(), |rows| format!(", {rows} rows"));
        let state = if self.state == State::Degraded { ", degraded" } else { "" };
        let dirty = self.vm_dirty_bytes.map_or(String::new(), |_| ", throttled".to_owned());
        let Self { level, layout, members, operation, request_bytes, .. } = self;
        format!(
            "level {level} {layout} on {members}{unit}{rows}{state}{dirty}: {operation} of {request_bytes} B"
        )
    }
}

/// Reads all cells of a folder's CSV files.
///
/// # Errors
/// [`MdError`]: a folder or a file that can't be read, a row that makes no sense, no cells at all.
pub fn read_cells(inputs: &Inputs, dir: &Path) -> Result<Vec<Cell>, MdError> {
    let unreadable = |cause| MdError::Read { path: dir.to_path_buf(), cause };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cells = Vec::new();
    for path in paths {
        let bytes = inputs
            .read(&path, CELLS_BYTES_MAX)
            .map_err(|cause| MdError::Read { path: path.clone(), cause })?;
        cells.extend(cells_of(&path, &bytes)?);
    }
    if cells.is_empty() {
        return Err(MdError::NoCells { path: dir.to_path_buf() });
    }
    Ok(cells)
}

/// The cells of one file; none where it is of another form.
pub(super) fn cells_of(path: &Path, bytes: &[u8]) -> Result<Vec<Cell>, MdError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let row_error = |line: u64, what: String| MdError::Row { path: path.to_path_buf(), line, what };
    let headers = reader.headers().map_err(|error| row_error(1, error.to_string()))?.clone();
    if !["level", "members", "operation", "member_read_bytes"]
        .iter()
        .all(|column| headers.iter().any(|one| one == *column))
    {
        return Ok(Vec::new());
    }
    let mut cells = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            row_error(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell: Cell =
            record.deserialize(Some(&headers)).map_err(|error| row_error(line, error.to_string()))?;
        check(&cell).map_err(|what| row_error(line, what))?;
        cells.push(cell);
    }
    Ok(cells)
}

/// What makes no sense of a cell.
fn check(cell: &Cell) -> Result<(), String> {
    let measured = &cell.measured;
    let lists = [
        &measured.member_read_requests,
        &measured.member_read_bytes,
        &measured.member_write_requests,
        &measured.member_write_bytes,
    ];
    if lists.iter().any(|list| list.len() != cell.members) {
        return Err(format!("figures for each of {} members are wanted", cell.members));
    }
    if !matches!(cell.level, 1 | 5 | 6 | 10) {
        return Err(format!("level {} isn't measured so; levels are 1, 5, 6 and 10", cell.level));
    }
    if cell.request_bytes == 0 || !cell.request_bytes.is_multiple_of(4_096) || cell.bytes() > 1 << 32 {
        return Err("requests are of multiples of 4096 bytes, and 4 GiB at most are moved".to_owned());
    }
    if cell.is_random()
        && (cell.seed.is_none() || cell.region_bytes.is_none_or(|bytes| bytes < cell.request_bytes))
    {
        return Err("random offsets have a seed and a region".to_owned());
    }
    if cell.failed_member.is_some_and(|member| member >= cell.members) {
        return Err("the member that failed is none of them".to_owned());
    }
    Ok(())
}
