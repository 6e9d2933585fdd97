//! Rabenseifner's reductions of long vectors: each rank combines a part of the vector (recursive halving), then the parts are
//! brought together at all ranks, or at the root, which is rank 0.

use super::blocks::Blocks;
use super::fold::Folded;
use super::{Exchange, Group, both, receive, send};
use std::ops::Range;

/// The parts that a rank still works on after so many halvings.
fn own(rank: u32, ranks: u32, halvings: u32) -> Range<u32> {
    (0..halvings).fold(0..ranks, |parts, level| half(parts, rank, level))
}

/// The half of the parts that a rank keeps at a level; its partner keeps the other.
const fn half(parts: Range<u32>, rank: u32, level: u32) -> Range<u32> {
    let middle = (parts.start + parts.end) / 2;
    if rank & (1 << level) == 0 { parts.start..middle } else { middle..parts.end }
}

/// A round of the reduce-scatter: the half that the partner keeps goes to it.
fn scatter(folded: Folded, rank: u32, level: u32, blocks: Blocks) -> Exchange {
    let partner = rank ^ (1 << level);
    let theirs = half(own(rank, folded.ranks, level), partner, level);
    let other = folded.unfolded(partner);
    both(other, blocks.length(theirs), other)
}

/// Reduce-scatter and allgather.
pub(super) fn all_reduce(group: Group, round: u32, bytes: u64) -> Exchange {
    let folded = Folded::of(group, true);
    let levels = folded.ranks.ilog2();
    if round == 0 || round == 2 * levels + 1 {
        return folded.hand(group, bytes, round > 0);
    }
    let Some(rank) = folded.rank else { return Exchange::default() };
    let blocks = Blocks { bytes, parts: folded.ranks };
    let step = round - 1;
    if step < levels {
        return scatter(folded, rank, step, blocks);
    }
    let level = 2 * levels - 1 - step;
    let other = folded.unfolded(rank ^ (1 << level));
    both(other, blocks.length(own(rank, folded.ranks, level + 1)), other)
}

/// Reduce-scatter and a gather at rank 0.
pub(super) fn reduce(group: Group, round: u32, bytes: u64) -> Exchange {
    // The root must go on, so the even one of each pair does.
    let folded = Folded::of(group, false);
    let levels = folded.ranks.ilog2();
    if round == 0 {
        return folded.hand(group, bytes, false);
    }
    let Some(rank) = folded.rank else { return Exchange::default() };
    let blocks = Blocks { bytes, parts: folded.ranks };
    let step = round - 1;
    if step < levels {
        return scatter(folded, rank, step, blocks);
    }
    let level = 2 * levels - 1 - step;
    // Those that have handed on what they had at a higher level are done.
    if rank >> (level + 1) != 0 {
        return Exchange::default();
    }
    let other = folded.unfolded(rank ^ (1 << level));
    if rank & (1 << level) == 0 {
        receive(other)
    } else {
        send(other, blocks.length(own(rank, folded.ranks, level + 1)))
    }
}
