//! Numbers of ranks that are no power of two: those beyond it hand their vector to a neighbour first, and are told the result
//! at the end. Between, recursive doubling: allreduce of short vectors.

use super::{Exchange, Group, both, receive, send};

/// Where a rank stands after the folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// Ranks that go on: a power of two.
    pub(super) ranks: u32,
    /// Ranks that don't.
    pub(super) idle: u32,
    /// Which of those that go on this is.
    pub(super) rank: Option<u32>,
    /// Which of each folded pair goes on: the odd one, or the even one.
    odd: bool,
}

impl Folded {
    /// The even one of each pair hands over to the odd one, or the other way round.
    pub(super) const fn of(group: Group, odd: bool) -> Self {
        let ranks = 1 << group.ranks.ilog2();
        let idle = group.ranks - ranks;
        let rank = if group.rank >= 2 * idle {
            Some(group.rank - idle)
        } else if (group.rank % 2 == 1) == odd {
            Some(group.rank / 2)
        } else {
            None
        };
        Self { ranks, idle, rank, odd }
    }

    /// The rank that the `folded`-th of those that go on has among all.
    pub(super) const fn unfolded(self, folded: u32) -> u32 {
        if folded < self.idle { 2 * folded + self.odd as u32 } else { folded + self.idle }
    }

    /// Handing over before (`out` is false) and the result after.
    pub(super) fn hand(self, group: Group, bytes: u64, out: bool) -> Exchange {
        if group.rank >= 2 * self.idle {
            return Exchange::default();
        }
        let other = group.rank ^ 1;
        if self.rank.is_none() == out { receive(other) } else { send(other, bytes) }
    }
}

/// Recursive doubling.
pub(super) fn all_reduce(group: Group, round: u32, bytes: u64) -> Exchange {
    let folded = Folded::of(group, true);
    let doublings = folded.ranks.ilog2();
    if round == 0 || round == doublings + 1 {
        return folded.hand(group, bytes, round > 0);
    }
    let Some(rank) = folded.rank else { return Exchange::default() };
    let other = folded.unfolded(rank ^ (1 << (round - 1)));
    both(other, bytes, other)
}
