//! What replication came to, in the terms of Ivy's tables (§6.1).

use petrio_kernel::{Time, statistics};

/// What was seen so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicationStatistics {
    /// Turnaround of reads in milliseconds: from entering replication (the disk's queue, where messages cost nothing)
    /// to the data.
    pub read_turnaround: statistics::Tally,
    /// Turnaround of writes in milliseconds, as [`WriteReturns`](super::WriteReturns) has it.
    pub write_turnaround: statistics::Tally,
    /// Requests before it in its disk, as an arriving read sees them.
    pub read_queue: statistics::Tally,
    /// As an arriving write sees them, one for each copy that it goes to.
    pub write_queue: statistics::Tally,
    /// How far the arm moves for each request, in cylinders; only of disks that show their arms and serve in order of
    /// arrival.
    pub seek_cylinders: statistics::Tally,
    /// Times that copies of a file were given up.
    pub cut_backs: u64,
    /// Copies that were made after the beginning.
    pub copies_made: u64,
    /// Bytes read and written to make copies.
    pub copy_bytes: u64,
    /// Copies that were given up for want of space.
    pub evicted: u64,
}

impl ReplicationStatistics {
    /// What two runs came to together.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self {
            read_turnaround: self.read_turnaround.join(other.read_turnaround),
            write_turnaround: self.write_turnaround.join(other.write_turnaround),
            read_queue: self.read_queue.join(other.read_queue),
            write_queue: self.write_queue.join(other.write_queue),
            seek_cylinders: self.seek_cylinders.join(other.seek_cylinders),
            cut_backs: self.cut_backs + other.cut_backs,
            copies_made: self.copies_made + other.copies_made,
            copy_bytes: self.copy_bytes + other.copy_bytes,
            evicted: self.evicted + other.evicted,
        }
    }

    pub(super) fn turned_around(&mut self, is_write: bool, time: Time) {
        let moments = if is_write { &mut self.write_turnaround } else { &mut self.read_turnaround };
        moments.record(time.as_millis());
    }
}
