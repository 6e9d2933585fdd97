//! In which order votes on a file were taken. A copy that stands in for one that was lost gets its blocks late: what a
//! later vote has written there meanwhile stays.

use petrio_host::Ranges;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// The votes of a file, from the first on that is under way. Their numbers rise.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Votes(VecDeque<Vote>);

#[derive(Clone, Copy, Debug, Persist)]
struct Vote {
    number: u64,
    /// The blocks that it writes.
    first: u64,
    end: u64,
    is_over: bool,
}

impl Votes {
    /// A vote on blocks from `first` to `end` is taken.
    pub(super) fn take(&mut self, number: u64, (first, end): (u64, u64)) {
        self.0.push_back(Vote { number, first, end, is_over: false });
    }

    /// Nothing of a vote is left to be written. One of a file that was there before, under the same name, is unknown.
    pub(super) fn end(&mut self, number: u64) {
        if let Ok(at) = self.0.binary_search_by_key(&number, |vote| vote.number) {
            self.0[at].is_over = true;
        }
        while self.0.front().is_some_and(|vote| vote.is_over) {
            self.0.pop_front();
        }
    }

    /// What of a range that a vote was on no later one was on.
    pub(super) fn still_of(&self, number: u64, (first, end): (u64, u64)) -> Ranges {
        let mut still = Ranges::default();
        still.add(first, end);
        let later = self.0.partition_point(|vote| vote.number <= number);
        self.0.iter().skip(later).for_each(|vote| still.cut(vote.first, vote.end));
        still
    }
}
