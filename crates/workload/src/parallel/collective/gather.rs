//! Allgather, and the broadcast of long messages that is a scatter and an allgather.

use super::blocks::Blocks;
use super::{Exchange, Group, both, levels, tree};
use petrio_units::numbers::as_number;

/// Recursive doubling among a power of two of ranks: all that a pair has goes both ways.
pub(super) fn doubling(group: Group, round: u32, bytes: u64) -> Exchange {
    let other = group.rank ^ (1 << round);
    both(other, bytes << round, other)
}

/// Bruck's: all that a rank has goes to the one 2^round before, or what that one lacks at the end.
pub(super) fn bruck(group: Group, round: u32, bytes: u64) -> Exchange {
    let distance = 1u32 << round;
    let blocks = u64::from(distance.min(group.ranks - distance));
    both(group.before(distance), blocks * bytes, group.after(distance))
}

/// Scatter from rank 0, then an allgather by recursive doubling or round a ring.
pub(super) fn broadcast(group: Group, round: u32, bytes: u64, by_doubling: bool) -> Exchange {
    let Group { rank, ranks } = group;
    let blocks = Blocks { bytes, parts: ranks };
    let scatters = levels(ranks);
    if round < scatters {
        let distance = 1u32 << (scatters - 1 - round);
        // Who gets a subtree's parts in this round begins it.
        let child = if rank.is_multiple_of(2 * distance) { rank.saturating_add(distance) } else { rank };
        return tree::down(group, round, |count| {
            blocks.length(child..child.saturating_add(as_number(count)).min(ranks))
        });
    }
    let step = round - scatters;
    if by_doubling {
        let start = rank >> step << step;
        let other = rank ^ (1 << step);
        return both(other, blocks.length(start..start + (1 << step)), other);
    }
    // A rank passes on what it got in the round before; at first what is its own.
    let part = group.before(step);
    both(group.after(1), blocks.length(part..part + 1), group.before(1))
}
