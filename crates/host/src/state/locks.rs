//! Locks of files: who writes one has it for himself (`i_rwsem`, before 4.7 `i_mutex`, held for the whole of a buffered
//! write, and where a file is cut off).
//!
//! It goes to those who wait in the order in which they came. Leaves out: writers who take it without waiting while
//! others are being woken, readers (a buffered read takes no lock), directories, and writes past the cache, which may
//! share it.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::collections::VecDeque;

/// The locks that are held, each with those who wait for it.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Locks {
    held: FastMap<FileId, VecDeque<u64>>,
    next_turn: u64,
}

impl Locks {
    /// Takes a file's lock; the turn to wait for, if somebody has it.
    pub(crate) fn take(&mut self, file: FileId) -> Result<(), u64> {
        let Some(waiting) = self.held.get_mut(&file) else {
            self.held.insert(file, VecDeque::new());
            return Ok(());
        };
        self.next_turn += 1;
        waiting.push_back(self.next_turn);
        Err(self.next_turn)
    }

    /// How many have a lock or wait for one.
    pub(crate) fn claims(&self) -> usize {
        self.held.values().map(|waiting| 1 + waiting.len()).sum()
    }

    /// Gives a file's lock back; the turn of him who has it now.
    pub(crate) fn give_back(&mut self, file: FileId) -> Option<u64> {
        let next = self.held.get_mut(&file)?.pop_front();
        if next.is_none() {
            self.held.remove(&file);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_goes_to_those_who_wait_in_their_order_and_is_free_after_the_last() {
        let (mut locks, file) = (Locks::default(), FileId(7));
        assert_eq!(locks.take(file), Ok(()));
        assert_eq!(locks.take(FileId(8)), Ok(()), "another file is another lock");
        assert_eq!((locks.take(file), locks.take(file)), (Err(1), Err(2)));
        assert_eq!(locks.give_back(file), Some(1));
        assert_eq!(locks.take(file), Err(3), "nobody overtakes those who wait");
        assert_eq!([(); 3].map(|()| locks.give_back(file)), [Some(2), Some(3), None]);
        assert_eq!(locks.take(file), Ok(()));
    }
}
