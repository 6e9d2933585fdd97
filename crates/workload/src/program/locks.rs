//! Locks on ranges of files among the processes of a job: who has to wait for whom, in the order of asking.

use petrio_colours::FileId;
use petrio_persist::Persist;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A lock that somebody has or waits for.
#[derive(Debug, Persist)]
pub(super) struct Lock {
    file: FileId,
    rank: u32,
    range: Range<u64>,
    /// Who waits for it.
    then: Vec<u32>,
}

/// All locks of a job, in the order of asking.
#[derive(Debug, Default)]
pub(super) struct Locks(pub(super) Mutex<Vec<Lock>>);

impl Locks {
    /// A rank asks for a range, of which it has no other in this file; for whom it has to wait.
    pub(super) fn ask(&self, file: FileId, rank: u32, range: Range<u64>) -> Vec<u32> {
        // Whoever panicked had no lock half written.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overlaps = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let before = all.iter_mut().filter(|lock| lock.file == file && overlaps(&lock.range));
        let before = before.map(|lock| {
            lock.then.push(rank);
            lock.rank
        });
        let before = before.collect();
        all.push(Lock { file, rank, range, then: Vec::new() });
        before
    }

    /// A rank needs its range no more; who waits for that.
    pub(super) fn free(&self, file: FileId, rank: u32) -> Vec<u32> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.iter().position(|lock| lock.file == file && lock.rank == rank);
        own.map_or_else(Vec::new, |own| all.remove(own).then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_bytes_of_others_waits_for_each_of_them_and_nobody_else() {
        let locks = Locks::default();
        let (one, two) = (FileId(1), FileId(2));
        assert_eq!(locks.ask(one, 0, 0..10), Vec::<u32>::new());
        assert_eq!(locks.ask(one, 1, 10..20), Vec::<u32>::new());
        assert_eq!(locks.ask(two, 2, 0..100), Vec::<u32>::new());
        assert_eq!(locks.ask(one, 3, 5..15), [0, 1]);
        // Who waits already comes first.
        assert_eq!(locks.ask(one, 4, 9..10), [0, 3]);
        assert_eq!(locks.free(one, 0), [3, 4]);
        assert_eq!((locks.free(one, 1), locks.free(two, 2)), (vec![3], Vec::new()));
        assert_eq!((locks.free(one, 3), locks.free(one, 4)), (vec![4], Vec::new()));
        assert_eq!(locks.ask(one, 5, 0..100), Vec::<u32>::new());
    }
}
