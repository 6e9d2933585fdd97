//! How predicted cells are judged.

use super::cell::{Cell, State};
use super::predict::{Members, Predicted};
use crate::verdict::Judged;
use serde::Serialize;

/// Of a hundred direct cells so many may differ in bytes, and in requests.
const BYTES_PERCENT: f64 = 2.0;
/// See [`BYTES_PERCENT`].
const REQUESTS_PERCENT: f64 = 5.0;
/// Requests of a member that may be more or fewer.
const REQUESTS: f64 = 2.0;
/// By how many percentage points amplifications of buffered cells may differ.
const POINTS: f64 = 2.0;
/// What may be read of what is written where it is a sample, per cent.
const SAMPLE_PERCENT: f64 = 40.0;
/// By how much times of direct sequential cells may differ, per cent.
const TIME_PERCENT: f64 = 10.0;

/// Why requests of degraded sequential reads differ, and by how many they do between boots of the kernel that was measured (docs/raid.md).
const CUT: &str = "which rows md's thread looks at last depends on how members' answers come in: boots of one kernel are 8 apart";
/// See [`CUT`].
const CUT_REQUESTS: f64 = 8.0;

/// Why those of full stripes on mirrors do: of each request, members got one to four in boots of one kernel.
const JOINED: &str = "where the program's pages lie together, two units are one request within the members' segments: boots of one \
                      kernel are 3 a write apart";
/// See [`JOINED`].
const JOINED_A_REQUEST: f64 = 3.0;

/// A cell beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MdRow {
    /// As it was measured.
    #[serde(flatten)]
    pub cell: Cell,
    /// As it is predicted.
    pub predicted: Predicted,
    /// Whether each member's bytes are as measured.
    pub same_bytes: bool,
    /// Most requests by which a member differs.
    pub requests_apart: u64,
    /// Bytes that members read for each that the workload moves, percentage points above the measured.
    pub read_points: f64,
    /// The same of writes.
    pub write_points: f64,
    /// Predicted time over the measured, less one, per cent.
    pub time_percent: f64,
}

impl MdRow {
    pub(super) fn of(cell: Cell, predicted: Predicted) -> Self {
        let measured = cell.members_measured();
        let points = |ours: &[u64], theirs: &[u64]| {
            let sum = |list: &[u64]| list.iter().sum::<u64>() as f64;
            (sum(ours) - sum(theirs)) / cell.bytes().max(1) as f64 * 100.0
        };
        let apart = |ours: &[u64], theirs: &[u64]| {
            ours.iter().zip(theirs).map(|(ours, theirs)| ours.abs_diff(*theirs)).max().unwrap_or(0)
        };
        let Members { read_requests, read_bytes, write_requests, write_bytes } = &predicted.members;
        Self {
            same_bytes: *read_bytes == measured.read_bytes && *write_bytes == measured.write_bytes,
            requests_apart: apart(read_requests, &measured.read_requests)
                .max(apart(write_requests, &measured.write_requests)),
            read_points: points(read_bytes, &measured.read_bytes),
            write_points: points(write_bytes, &measured.write_bytes),
            time_percent: (predicted.seconds / cell.elapsed_guest_s - 1.0) * 100.0,
            predicted,
            cell,
        }
    }

    /// Whether what is read depends on how write-back and md's thread interleave: one large fsync and a cache of two stripes.
    pub fn is_sample(&self) -> bool {
        let rows = self.cell.stripe_cache_pages_per_member.map(u64::from);
        let stripes = rows.zip(self.cell.chunk_kib).is_some_and(|(rows, unit)| rows * 4 <= 2 * unit);
        !self.cell.is_direct() && self.cell.vm_dirty_bytes.is_none() && stripes
    }

    /// Bytes that members read for those that the workload writes, as predicted, per cent.
    fn read_percent(&self) -> f64 {
        let read: u64 = self.predicted.members.read_bytes.iter().sum();
        read as f64 / self.cell.bytes().max(1) as f64 * 100.0
    }
}

/// What rows come to.
pub fn judge(rows: &[MdRow]) -> Vec<Judged> {
    let direct: Vec<&MdRow> = rows.iter().filter(|row| row.cell.is_direct()).collect();
    let mut judged = Vec::new();
    if !direct.is_empty() {
        let all = direct.len();
        let share = |count: usize| count as f64 / all as f64 * 100.0;
        let bytes = direct.iter().filter(|row| !row.same_bytes).count();
        let figures = |count: usize, most: f64| format!("{count} of {all} direct cells, at most {most} %");
        judged.push(Judged::at_most(
            "bytes of members differ".to_owned(),
            figures(bytes, BYTES_PERCENT),
            (share(bytes), BYTES_PERCENT),
            None,
        ));
        let differ = direct.iter().filter(|row| row.requests_apart > 0).count();
        judged.push(Judged::at_most(
            "requests of members differ".to_owned(),
            figures(differ, REQUESTS_PERCENT),
            (share(differ), REQUESTS_PERCENT),
            None,
        ));
    }
    for row in direct {
        if row.requests_apart as f64 > REQUESTS {
            let is_cut = row.cell.state == State::Degraded && !row.cell.is_random() && !row.cell.writes();
            let figures = format!("a member's requests are {} apart, at most {REQUESTS}", row.requests_apart);
            let known = match row.cell.level {
                10 if row.cell.writes() => Some((row.cell.request_count as f64 * JOINED_A_REQUEST, JOINED)),
                _ => is_cut.then_some((CUT_REQUESTS, CUT)),
            };
            judged.push(Judged::at_most(
                row.cell.words(),
                figures,
                (row.requests_apart as f64, REQUESTS),
                known,
            ));
        }
        if !row.cell.is_random() {
            judged.push(Judged::percent(
                format!("{}: time", row.cell.words()),
                row.time_percent,
                TIME_PERCENT,
                None,
            ));
        }
    }
    judged.extend(rows.iter().filter(|row| !row.cell.is_direct()).map(judge_buffered));
    judged
}

/// A cell of buffered writes, by its amplifications.
fn judge_buffered(row: &MdRow) -> Judged {
    let what = row.cell.words();
    if row.is_sample() {
        let read = row.read_percent();
        let figures = format!("{read:.1} % are read, some and at most {SAMPLE_PERCENT} %");
        let is_so = read > 0.0 && read < SAMPLE_PERCENT;
        return Judged::at_most(what, figures, (f64::from(u8::from(!is_so)), 0.0), None);
    }
    let worst =
        if row.read_points.abs() > row.write_points.abs() { row.read_points } else { row.write_points };
    let figures = format!(
        "{:+.2} points of reads, {:+.2} of writes, at most {POINTS}",
        row.read_points, row.write_points
    );
    Judged::at_most(what, figures, (worst.abs(), POINTS), None)
}

/// What rows come to whose times mean nothing: each direct one by its bytes and requests, each other by its amplifications.
pub fn judge_counts(rows: &[MdRow]) -> Vec<Judged> {
    let judged = |row: &MdRow| match row.cell.is_direct() {
        true => {
            let MdRow { same_bytes, requests_apart, .. } = row;
            let bytes = if *same_bytes { "the same bytes" } else { "other bytes" };
            let figures =
                format!("{bytes}, a member's requests are {requests_apart} apart, at most {REQUESTS}");
            let off = if *same_bytes { *requests_apart as f64 } else { f64::INFINITY };
            Judged::at_most(row.cell.words(), figures, (off, REQUESTS), None)
        }
        false => judge_buffered(row),
    };
    rows.iter().map(judged).collect()
}
