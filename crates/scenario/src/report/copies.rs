//! What a replication came to: the columns of Ivy's tables, and what copies cost.

use petrio_kernel::statistics;
use petrio_models::cluster::replication::ReplicationStatistics;
use petrio_page::numbers::{bytes, grouped, mean_number, significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A replication over the whole run (of the first replication of the run).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopiesFigures {
    /// Its name.
    pub name: String,
    /// Reads, from entering it to the data; milliseconds.
    pub read_turnaround_ms: MeanAndDeviation,
    /// Writes, from entering it to the copy (or copies) that a write waits for; milliseconds.
    pub write_turnaround_ms: MeanAndDeviation,
    /// Requests before an arriving read in its disk.
    pub read_queue: f64,
    /// Requests before an arriving write in each of its disks.
    pub write_queue: f64,
    /// Mean distance that an arm moves, in cylinders; of disks that tell.
    pub seek_cylinders: f64,
    /// Times that the copies of a file were given up for an update.
    pub cut_backs: u64,
    /// Copies made.
    pub copies_made: u64,
    /// Bytes read and written to make copies.
    pub copy_bytes: u64,
    /// Copies given up for want of space.
    pub evicted: u64,
}

/// A mean and a standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanAndDeviation {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl From<statistics::Tally> for MeanAndDeviation {
    fn from(moments: statistics::Tally) -> Self {
        Self { count: moments.count(), mean: moments.mean(), deviation: moments.deviation() }
    }
}

impl CopiesFigures {
    /// From what a replication has counted.
    pub(crate) fn of(name: &str, tally: &ReplicationStatistics) -> Self {
        Self {
            name: name.to_owned(),
            read_turnaround_ms: tally.read_turnaround.into(),
            write_turnaround_ms: tally.write_turnaround.into(),
            read_queue: tally.read_queue.mean(),
            write_queue: tally.write_queue.mean(),
            seek_cylinders: tally.seek_cylinders.mean(),
            cut_backs: tally.cut_backs,
            copies_made: tally.copies_made,
            copy_bytes: tally.copy_bytes,
            evicted: tally.evicted,
        }
    }

    /// In a sentence.
    pub(crate) fn sentence(&self) -> String {
        let side = |what: &str, turnaround: &MeanAndDeviation, queue: f64| {
            format!(
                "{what} take {} (standard deviation {}) and find {} before them",
                time(turnaround.mean),
                time(turnaround.deviation),
                mean_number(queue)
            )
        };
        let mut parts = Vec::new();
        if self.read_turnaround_ms.count > 0 {
            parts.push(side("reads", &self.read_turnaround_ms, self.read_queue));
        }
        if self.write_turnaround_ms.count > 0 {
            parts.push(side("writes", &self.write_turnaround_ms, self.write_queue));
        }
        if self.seek_cylinders > 0.0 {
            parts.push(format!("arms move {} cylinders", significant(self.seek_cylinders)));
        }
        if self.copies_made > 0 || self.cut_backs > 0 {
            parts.push(format!(
                "{} cut back, {} copies made, for which {} were moved",
                grouped(self.cut_backs),
                grouped(self.copies_made),
                bytes(self.copy_bytes)
            ));
        }
        if self.evicted > 0 {
            parts.push(format!("{} copies given up for want of space", grouped(self.evicted)));
        }
        parts.join("; ")
    }
}
