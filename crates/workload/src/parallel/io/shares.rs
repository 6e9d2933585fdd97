//! Whose which bytes of a file are in one access: what each rank of a program means, without a list of it.

use super::datatype::Pieces;
use super::view::View;
use petrio_persist::Persist;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// What the ranks mean of a file in one access of all. Bytes that a rank means are numbered from 0 in the order of the file.
pub(in crate::parallel) trait Shares: Send + Sync {
    /// How many bytes the rank means.
    fn bytes(&self, rank: u32) -> u64;

    /// How many of them lie before `offset`.
    fn before(&self, rank: u32, offset: u64) -> u64;

    /// Where its byte number `index` lies, and how many follow it without a gap, itself included.
    fn run(&self, rank: u32, index: u64) -> (u64, u64);

    /// Pieces of it that lie in part or whole in this range.
    fn pieces(&self, rank: u32, range: Range<u64>) -> u64;

    /// From the first to one past the last byte that the rank means; `None` where it means none.
    fn span(&self, rank: u32) -> Option<Range<u64>> {
        let last = self.bytes(rank).checked_sub(1)?;
        Some(self.run(rank, 0).0..self.run(rank, last).0 + 1)
    }

    /// From the first to one past the last byte of `range` that the rank means.
    fn span_within(&self, rank: u32, range: &Range<u64>) -> Option<Range<u64>> {
        let (first, end) = (self.before(rank, range.start), self.before(rank, range.end));
        (first < end).then(|| self.run(rank, first).0..self.run(rank, end - 1).0 + 1)
    }

    /// A range of the file of which each byte is some rank's, and which holds all that any rank means.
    fn covered(&self) -> Option<Range<u64>> {
        None
    }
}

/// Of either kind.
#[derive(Persist)]
pub(in crate::parallel) enum AnyShares {
    View(ViewShares),
    Segments(Segments),
}

impl Deref for AnyShares {
    type Target = dyn Shares;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::View(shares) => shares,
            Self::Segments(shares) => shares,
        }
    }
}

/// What each rank sees through its view, from one of the bytes that it sees on.
#[derive(Persist)]
pub(in crate::parallel) struct ViewShares {
    #[persist(shared)]
    pub(in crate::parallel) views: Arc<[View]>,
    /// How often the ranks have gone through their views before.
    pub(in crate::parallel) times: u64,
    /// What the views together show each time, where that has no gap.
    pub(in crate::parallel) covered: Option<Range<u64>>,
}

impl ViewShares {
    /// The first and one past the last byte that the rank sees and means.
    fn seen(&self, rank: u32) -> Range<u64> {
        let size = self.views[rank as usize].datatype().size();
        self.times * size..(self.times + 1) * size
    }
}

impl Shares for ViewShares {
    fn bytes(&self, rank: u32) -> u64 {
        self.views[rank as usize].datatype().size()
    }

    fn before(&self, rank: u32, offset: u64) -> u64 {
        let seen = self.seen(rank);
        self.views[rank as usize].before(offset).clamp(seen.start, seen.end) - seen.start
    }

    fn run(&self, rank: u32, index: u64) -> (u64, u64) {
        let seen = self.seen(rank);
        let (at, left) = self.views[rank as usize].run(seen.start + index);
        (at, left.min(seen.end - seen.start - index))
    }

    fn pieces(&self, rank: u32, range: Range<u64>) -> u64 {
        let Some(span) = self.span(rank) else { return 0 };
        let (start, end) = (range.start.max(span.start), range.end.min(span.end));
        if start >= end {
            return 0;
        }
        let view = &self.views[rank as usize];
        let (Pieces { begun, .. }, Pieces { ended, .. }) = (view.pieces_at(end), view.pieces_at(start));
        begun - ended
    }

    fn covered(&self) -> Option<Range<u64>> {
        let range = self.covered.as_ref()?;
        let length = range.end - range.start;
        Some(range.start + self.times * length..range.start + (self.times + 1) * length)
    }
}

/// A piece a rank, one after the other: the rank that comes at `slot` means the bytes from `start` + `slot` · `stride` on.
#[derive(Persist)]
pub(in crate::parallel) struct Segments {
    pub(in crate::parallel) start: u64,
    pub(in crate::parallel) stride: u64,
    pub(in crate::parallel) length: u64,
    pub(in crate::parallel) ranks: u32,
    /// The rank whose piece another takes: they are shifted by so many ranks.
    pub(in crate::parallel) shift: u32,
}

impl Segments {
    fn at(&self, rank: u32) -> Range<u64> {
        let slot = (u64::from(rank) + u64::from(self.shift)) % u64::from(self.ranks);
        let start = self.start + slot * self.stride;
        start..start + self.length
    }
}

impl Shares for Segments {
    fn bytes(&self, _: u32) -> u64 {
        self.length
    }

    fn before(&self, rank: u32, offset: u64) -> u64 {
        offset.saturating_sub(self.at(rank).start).min(self.length)
    }

    fn run(&self, rank: u32, index: u64) -> (u64, u64) {
        (self.at(rank).start + index, self.length.saturating_sub(index))
    }

    fn pieces(&self, rank: u32, range: Range<u64>) -> u64 {
        let own = self.at(rank);
        u64::from(own.start.max(range.start) < own.end.min(range.end))
    }

    fn covered(&self) -> Option<Range<u64>> {
        let all = self.length * u64::from(self.ranks);
        (self.stride == self.length).then_some(self.start..self.start + all)
    }
}

/// The contiguous pieces of one rank, from the first to the last.
#[derive(Persist)]
pub(in crate::parallel) struct Runs {
    shares: Arc<AnyShares>,
    rank: u32,
    index: u64,
    bytes: u64,
}

impl Runs {
    pub(in crate::parallel) fn of(shares: Arc<AnyShares>, rank: u32) -> Self {
        let bytes = shares.bytes(rank);
        Self { shares, rank, index: 0, bytes }
    }

    /// One past the last byte.
    pub(in crate::parallel) fn end(&self) -> u64 {
        self.shares.span(self.rank).map_or(0, |span| span.end)
    }
}

impl Iterator for Runs {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        if self.index >= self.bytes {
            return None;
        }
        let (start, length) = self.shares.run(self.rank, self.index);
        self.index += length;
        let mut run = start..start + length;
        // Pieces that touch are one (ROMIO: ADIOI_Optimize_flattened).
        while self.index < self.bytes {
            let (start, length) = self.shares.run(self.rank, self.index);
            if start != run.end {
                break;
            }
            run.end += length;
            self.index += length;
        }
        Some(run)
    }
}
