//! What the programs of one run have in common while they are made, and what those of one job know of each other while
//! they run.

use super::accesses::Flows;
use super::locks::Locks;
use super::measured::{Measured, MeasuredPhase, PhaseName, Word};
use petrio_colours::FileId;
use petrio_persist::{Damage, Inside, Reader, Writer};
use petrio_time::Time;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What the programs of one run have in common while they are made.
#[derive(Debug)]
pub struct Common {
    /// From here on no workload has files; what is taken of it is added.
    pub spare: u32,
    boards: BTreeMap<u32, Arc<Board>>,
    /// The groups whose processes share what they issue.
    pub(crate) flows: Flows,
}

impl Common {
    /// Nothing yet, with files of nobody from this number on.
    pub fn new(spare: u32) -> Self {
        Self { spare, boards: BTreeMap::new(), flows: Flows::default() }
    }

    /// The board of the job whose first process has this number: one for all of its programs, whichever of them are made
    /// first.
    pub(crate) fn board(&mut self, first_process: u32) -> Arc<Board> {
        Arc::clone(self.boards.entry(first_process).or_default())
    }

    /// The boards of all jobs, each by the number of its first process.
    pub fn into_boards(self) -> BTreeMap<u32, Arc<Board>> {
        self.boards
    }
}

/// What a number on a board is: of a file, in a word, and of which rank or time.
pub(crate) type Topic = (FileId, Cow<'static, str>, u64);

/// Numbers that the processes of a job tell each other. That the words with them are on their way, and for how long, is
/// simulated as messages or as accesses to a file, which carry no contents; the contents are here.
#[derive(Debug, Default)]
pub struct Board {
    numbers: Mutex<BTreeMap<Topic, u64>>,
    measured: Measured,
    locks: Locks,
}

impl Inside for Board {
    fn save(&self, to: &mut Writer<'_>) {
        self.numbers.save(to);
        self.measured.0.save(to);
        self.locks.0.save(to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.numbers.restore(from)?;
        self.measured.0.restore(from)?;
        self.locks.0.restore(from)
    }
}

impl Board {
    fn with<T>(&self, change: impl FnOnce(&mut BTreeMap<Topic, u64>) -> T) -> T {
        // Whoever panicked had no number half written.
        change(&mut self.numbers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A process of the job says of a phase what it has come to.
    pub(crate) fn measure(&self, process: u32, phase: PhaseName, word: Word, now: Time) {
        self.measured.hear(process, phase, word, now);
    }

    /// The phases that the job has measured so far, in their order.
    pub fn phases(&self) -> Vec<MeasuredPhase> {
        self.measured.all()
    }

    /// A rank wants a range of a file for itself, until it [frees](Self::free) it; for whom it has to wait, of each of whom it
    /// gets a message then.
    pub(crate) fn lock(&self, file: FileId, rank: u32, range: Range<u64>) -> Vec<u32> {
        self.locks.ask(file, rank, range)
    }

    /// A rank has done with its range; whom it tells.
    pub(crate) fn free(&self, file: FileId, rank: u32) -> Vec<u32> {
        self.locks.free(file, rank)
    }

    /// The number on it.
    pub(crate) fn get(&self, topic: &Topic) -> Option<u64> {
        self.with(|numbers| numbers.get(topic).copied())
    }

    /// Writes a number in place of what was there.
    pub(crate) fn put(&self, topic: Topic, number: u64) {
        self.with(|numbers| numbers.insert(topic, number));
    }

    /// The number of whoever comes first, for all.
    pub(crate) fn agree(&self, topic: Topic, number: u64) -> u64 {
        self.with(|numbers| *numbers.entry(topic).or_insert(number))
    }

    /// Raises a number to this one, if it is less.
    pub(crate) fn raise(&self, topic: Topic, number: u64) {
        self.with(|numbers| {
            let there = numbers.entry(topic).or_default();
            *there = number.max(*there);
        });
    }

    /// Adds to a number, which was zero at first; what it was before.
    pub(crate) fn add(&self, topic: Topic, number: u64) -> u64 {
        self.with(|numbers| {
            let there = numbers.entry(topic).or_default();
            std::mem::replace(there, there.saturating_add(number))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_one_for_a_job_and_its_numbers_are_what_was_told_last() {
        let mut common = Common::new(7);
        let (first, again, other) = (common.board(0), common.board(0), common.board(4));
        let topic = || (FileId(1), "transfers".into(), 2);
        assert_eq!(first.get(&topic()), None);
        first.raise(topic(), 5);
        again.raise(topic(), 3);
        assert_eq!((again.get(&topic()), other.get(&topic())), (Some(5), None));
        assert_eq!((again.add(topic(), 4), first.add(topic(), 1), other.add(topic(), 1)), (5, 9, 0));
        first.put(topic(), 1);
        assert_eq!(
            (again.get(&topic()), again.agree(topic(), 8), other.agree((FileId(2), "".into(), 0), 8)),
            (Some(1), 1, 8)
        );
    }
}
