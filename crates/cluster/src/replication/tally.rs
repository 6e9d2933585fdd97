//! What replication came to, in the terms of Ivy's tables (§6.1).

use petrio_kernel::{Time, statistics};
use petrio_persist::Persist;

/// What a disk has done to make copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct CopyMoves {
    /// Requests.
    pub requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// What was seen so far.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
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
    /// Copies that were made after the beginning. A file of which nothing lies on a disk yet has none to make.
    pub copies_made: u64,
    /// Copies that were begun and came to nothing: their file was changed or deleted meanwhile, or a disk failed.
    pub copies_abandoned: u64,
    /// What each disk has read and written to make copies, those that were abandoned too.
    pub copy_moves: Vec<CopyMoves>,
    /// Copies that were given up for want of space.
    pub evicted: u64,
    /// Bytes written to logs, by transactions.
    pub log_bytes: u64,
    /// Requests for which too few copies were left to vote.
    pub outvoted: u64,
    /// Writes that waited for an earlier one of the same file.
    pub waited: u64,
    /// Reads that one copy couldn't do and another did.
    pub reads_elsewhere: u64,
    /// Copies that were given up because their disk couldn't write what the others did.
    pub lost: u64,
    /// Reads (or parts of reads) that a storage node had in its memory, and their bytes.
    pub remembered: u64,
    /// See [`remembered`](Self::remembered).
    pub remembered_bytes: u64,
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
            copies_abandoned: self.copies_abandoned + other.copies_abandoned,
            copy_moves: join_moves(&self.copy_moves, &other.copy_moves),
            evicted: self.evicted + other.evicted,
            log_bytes: self.log_bytes + other.log_bytes,
            outvoted: self.outvoted + other.outvoted,
            waited: self.waited + other.waited,
            reads_elsewhere: self.reads_elsewhere + other.reads_elsewhere,
            lost: self.lost + other.lost,
            remembered: self.remembered + other.remembered,
            remembered_bytes: self.remembered_bytes + other.remembered_bytes,
        }
    }

    /// Bytes read and written to make copies, by all disks.
    pub fn copy_bytes(&self) -> u64 {
        self.copy_moves.iter().map(|moves| moves.read_bytes + moves.written_bytes).sum()
    }

    pub(super) fn moved(&mut self, disk: usize, is_read: bool, bytes: u64) {
        if self.copy_moves.len() <= disk {
            self.copy_moves.resize(disk + 1, CopyMoves::default());
        }
        let moves = &mut self.copy_moves[disk];
        moves.requests += 1;
        let side = if is_read { &mut moves.read_bytes } else { &mut moves.written_bytes };
        *side += bytes;
    }

    pub(super) fn turned_around(&mut self, is_write: bool, time: Time) {
        let moments = if is_write { &mut self.write_turnaround } else { &mut self.read_turnaround };
        moments.record(time.as_millis());
    }
}

/// By disk; a run that has moved less may name fewer.
fn join_moves(one: &[CopyMoves], other: &[CopyMoves]) -> Vec<CopyMoves> {
    let of = |moves: &[CopyMoves], disk: usize| moves.get(disk).copied().unwrap_or_default();
    (0..one.len().max(other.len()))
        .map(|disk| {
            let (one, other) = (of(one, disk), of(other, disk));
            CopyMoves {
                requests: one.requests + other.requests,
                read_bytes: one.read_bytes + other.read_bytes,
                written_bytes: one.written_bytes + other.written_bytes,
            }
        })
        .collect()
}
