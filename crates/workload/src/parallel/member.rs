//! A rank among the others: what it needs to know of them, and what it says when it does something together with them.

use super::act::{Act, Call, Direction, Sequence};
use super::collective::{Collective, Group};
use super::io::{AnyShares, Hints, Runs, Sieve, TwoPhase};
use super::mounted::Mounted;
use crate::program::{Board, Topic};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use std::sync::Arc;

/// All ranks of a program.
#[derive(Debug)]
pub(super) struct World {
    pub(super) ranks: u32,
    /// Which of them read and write for the others in collective access, in order of their file domains.
    pub(super) aggregators: Vec<u32>,
    pub(super) hints: Hints,
    pub(super) mounted: Mounted,
}

/// One of them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Member {
    #[persist(shared)]
    pub(super) world: Arc<World>,
    pub(super) rank: u32,
    /// What the ranks tell each other.
    #[persist(shared)]
    pub(super) board: Arc<Board>,
}

/// How a file comes to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Opening {
    /// It is there.
    Old,
    /// It is made.
    New,
}

impl Member {
    pub(super) fn ranks(&self) -> u32 {
        self.world.ranks
    }

    /// The same rank where the first `ranks` of them, of which it is one, are all.
    pub(super) fn among_first(&self, ranks: u32) -> Self {
        let World { aggregators, hints, mounted, .. } = &*self.world;
        let aggregators = aggregators.iter().copied().filter(|&rank| rank < ranks).collect();
        let world = World { ranks, aggregators, hints: hints.clone(), mounted: *mounted };
        Self { world: Arc::new(world), ..self.clone() }
    }

    pub(super) fn together(&self, collective: Collective) -> Act {
        let group = Group { rank: self.rank, ranks: self.ranks() };
        Act::within(collective.rounds(group))
    }

    pub(super) fn barrier(&self) -> Act {
        self.together(Collective::Barrier)
    }

    /// How far this rank is, told to all: once that is done, each finds on the board how far the first of them is. So many
    /// further sums are for what the first rank prints.
    pub(super) fn agree_on_most(&self, topic: Topic, number: u64, further: usize) -> Act {
        self.board.raise(topic, number);
        let all = self.together(Collective::AllReduce { bytes: COUNT_BYTES });
        let reduce = || self.together(Collective::Reduce { root: 0, bytes: COUNT_BYTES });
        Sequence::act(std::iter::once(all).chain(std::iter::repeat_with(reduce).take(further)))
    }

    /// MPI_File_open by all ranks. Who makes a file closes it again, so that all open it alike; a word of how that went goes to
    /// all, and all agree on how their own opening went (ROMIO 3.2, adio/common/ad_opencoll.c and ad_open.c).
    pub(super) fn open_together(&self, file: FileId, opening: Opening) -> Act {
        let mut acts = Vec::with_capacity(5);
        if opening == Opening::New {
            if self.rank == 0 {
                acts.push(Act::Call(Call::of(Operation::Create, file)));
                acts.push(Act::Call(Call::of(Operation::Close, file)));
            }
            acts.push(self.together(Collective::Broadcast { root: 0, bytes: ERROR_BYTES }));
        }
        acts.push(Act::Call(Call::of(Operation::Open, file)));
        acts.push(self.together(Collective::AllReduce { bytes: ERROR_BYTES }));
        Sequence::act(acts)
    }

    /// An access of this rank alone, at as many calls as its pieces need.
    pub(super) fn alone(&self, direction: Direction, file: FileId, runs: Runs) -> Act {
        Act::within(Sieve::new(self, direction, file, runs))
    }

    /// An access of all ranks together.
    pub(super) fn access_together(&self, direction: Direction, file: FileId, shares: Arc<AnyShares>) -> Act {
        Act::within(TwoPhase::new(self.clone(), direction, file, shares))
    }
}

/// A count of transfers or of files: a C long long.
const COUNT_BYTES: u64 = 8;

/// An MPI error code, or a count: a C int.
pub(in crate::parallel) const ERROR_BYTES: u64 = 4;
