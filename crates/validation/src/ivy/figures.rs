//! The columns of Ivy's tables (§6.1), and whether two of them differ.

use petrio_kernel::statistics;
use petrio_models::cluster::replication::ReplicationStatistics;
use serde::Serialize;

/// A row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct IvyFigures {
    /// Mean distance that an arm moves, in cylinders, over all requests of all disks.
    pub seek_cylinders: f64,
    /// Mean queue that an arriving request sees.
    pub queue: f64,
    /// As an arriving read sees it.
    pub read_queue: f64,
    /// As an arriving write sees it.
    pub write_queue: f64,
    /// Turnaround of reads, mean and standard deviation in milliseconds.
    pub read: (f64, f64),
    /// Of writes.
    pub write: (f64, f64),
    /// Of both.
    pub overall: (f64, f64),
}

impl IvyFigures {
    /// From what was counted.
    pub fn of(tally: &ReplicationStatistics) -> Self {
        let pair = |moments: statistics::Tally| (moments.mean(), moments.deviation());
        Self {
            seek_cylinders: tally.seek_cylinders.mean(),
            queue: tally.read_queue.join(tally.write_queue).mean(),
            read_queue: tally.read_queue.mean(),
            write_queue: tally.write_queue.mean(),
            read: pair(tally.read_turnaround),
            write: pair(tally.write_turnaround),
            overall: pair(tally.read_turnaround.join(tally.write_turnaround)),
        }
    }
}

impl IvyFigures {
    /// The columns of the paper's tables after the number of copies.
    pub fn columns(&self) -> [f64; 10] {
        [
            self.seek_cylinders,
            self.queue,
            self.read_queue,
            self.write_queue,
            self.read.0,
            self.read.1,
            self.write.0,
            self.write.1,
            self.overall.0,
            self.overall.1,
        ]
    }
}

/// By how much something takes less time than it did, per cent.
pub(super) fn reduction(of: f64, to: f64) -> f64 {
    (1.0 - to / of) * 100.0
}

/// The quantile of the normal distribution for two-sided 95 %: of the tens of thousands of requests that each mean is
/// of, Student's t differs from it in the fourth digit.
const TWO_SIDED_95: f64 = 1.959_964;

/// Whether two means differ at 95 % (Welch's t), as the paper checks each of its own against one copy.
pub fn differ(a: statistics::Tally, b: statistics::Tally) -> bool {
    let variance = |moments: statistics::Tally| {
        let deviation = moments.deviation();
        deviation * deviation / moments.count().max(1) as f64
    };
    let error = libm::sqrt(variance(a) + variance(b));
    error > 0.0 && (a.mean() - b.mean()).abs() / error > TWO_SIDED_95
}
