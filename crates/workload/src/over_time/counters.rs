//! Counters that only grow, seen at moments: what lies between two of them is an interval.

use super::Gathered;
use super::interval::{Interval, Requests};
use crate::measurement::MeasurementError;

/// The counters of a disk as node_exporter calls them, in the order of [`Counters`]; times in seconds, sizes in bytes.
/// Source: node_exporter 1.5, collector/diskstats_linux.go, of the kernel's Documentation/admin-guide/iostats.rst.
pub(super) const NAMES: [&str; 10] = [
    "node_disk_reads_completed_total",
    "node_disk_read_bytes_total",
    "node_disk_read_time_seconds_total",
    "node_disk_writes_completed_total",
    "node_disk_written_bytes_total",
    "node_disk_write_time_seconds_total",
    "node_disk_io_time_seconds_total",
    "node_disk_io_time_weighted_seconds_total",
    "node_disk_discards_completed_total",
    "node_disk_flush_requests_total",
];

/// Values of the counters; nothing of those that weren't told.
pub(super) type Counters = [Option<f64>; NAMES.len()];

/// What a disk had counted at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Seconds.
    pub(super) at: f64,
    pub(super) counters: Counters,
    pub(super) line: usize,
}

/// Which counter a name is.
pub(super) fn number(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

/// Makes intervals of what a disk had counted.
pub(super) fn intervals(found: &mut Gathered, name: &str, seen: &[Seen]) -> Result<(), MeasurementError> {
    if let Some(first) = seen.first() {
        let lacks = |place: usize| seen.iter().all(|seen| seen.counters[place].is_none());
        if let Some(place) = [0, 3].into_iter().find(|place| lacks(*place)) {
            return Err(MeasurementError::at(first.line, format!("of {name} there is no {}", NAMES[place]))
                .with_help("reads and writes are needed, their bytes and their times: all that begins with node_disk_"));
        }
    }
    for pair in seen.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let length = after.at - before.at;
        if length <= 0.0 {
            found.gone_back += 1;
            continue;
        }
        let grown: [Option<f64>; NAMES.len()] =
            std::array::from_fn(|place| Some(after.counters[place]? - before.counters[place]?));
        if grown.iter().flatten().any(|grown| *grown < 0.0) {
            found.remark(format!(
                "{name}: its counters begin again before line {}, as after a restart; that interval is left out",
                after.line
            ));
            continue;
        }
        let of = |place: usize| grown[place].map(|grown| grown / length);
        let requests = |first: usize| {
            let count = grown[first].unwrap_or(0.0);
            Requests {
                per_s: count / length,
                bytes_per_s: of(first + 1).unwrap_or(0.0),
                await_s: grown[first + 2].filter(|_| count > 0.0).map(|time| time / count),
            }
        };
        found.besides.0 += of(8).unwrap_or(0.0) + of(9).unwrap_or(0.0);
        let interval = Interval {
            end_s: Some(after.at),
            length_s: Some(length),
            reads: requests(0),
            writes: requests(3),
            busy: of(6).map(|busy| busy.min(1.0)),
            in_flight: of(7),
            ..Interval::default()
        };
        found.add(after.line, name, interval)?;
    }
    Ok(())
}
