//! What is known of a file and its copies.

use super::history::History;
use super::slots::Slots;
use super::votes::Votes;
use petrio_host::Ranges;
use petrio_kernel::Time;
use petrio_persist::Persist;
use smallvec::SmallVec;

/// A file and its copies.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct FileState {
    pub(super) history: History,
    /// The slots that have a copy.
    pub(super) slots: Slots,
    pub(super) master: u32,
    /// Changes with each update: a copy made of an older version is none.
    pub(super) version: u64,
    /// Which of all files that ever were this is: one that is made anew under the same number is another.
    pub(super) which: u64,
    /// How many copies there are to be, and from when on.
    pub(super) wanted: Option<(u32, Time)>,
    /// A plan token is on its way.
    pub(super) is_planned: bool,
    /// A copy is being made.
    pub(super) is_copied: bool,
    /// Where it lies on the disk.
    pub(super) lies: Ranges,
    /// What copies don't have as it was last written.
    pub(super) behind: SmallVec<[(u32, Ranges); 1]>,
    /// In which order its blocks were voted on.
    pub(super) voted: Votes,
    /// The votes of the copies that it was given; those that are lost since still count against a quorum.
    pub(super) votes: u32,
}

impl FileState {
    pub(super) fn copies(&self) -> u32 {
        self.slots.count()
    }

    /// All copies but the master go, which has so many votes.
    pub(super) fn keep_master(&mut self, votes: u32) {
        self.slots = Slots::only(self.master);
        self.behind.clear();
        self.votes = votes;
    }

    /// Bytes of all copies but the first.
    pub(super) fn extra_bytes(&self) -> u64 {
        u64::from(self.copies().saturating_sub(1)) * self.history.size
    }

    /// The number of copies that it is to have; a token for it is needed where none is on its way.
    pub(super) fn plan(&mut self, number: u32, after: Time, now: Time) -> Option<Time> {
        let due = now.saturating_add(after);
        self.wanted = Some((number, due));
        (!std::mem::replace(&mut self.is_planned, true)).then_some(after)
    }
}
