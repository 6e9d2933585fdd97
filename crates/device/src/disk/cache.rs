//! The segments of a drive's buffer: what is kept, found and given up.
//!
//! A segment holds one run of consecutive blocks. Reads look for their first block; a write takes a segment for itself
//! and clears others that it makes stale. Among segments the one unused for longest is given up first.

use super::parameters::{CacheParameters, WriteSegments};
use petrio_persist::Persist;

/// The segments.
#[derive(Clone, Debug, Persist)]
pub(super) struct Cache {
    segments: Vec<Segment>,
    clock: u64,
}

/// A run of consecutive blocks in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Persist)]
pub(super) struct Segment {
    /// First block held.
    pub(super) start: u64,
    /// One past the last block held; equal to `start` when empty.
    pub(super) end: u64,
    /// Whether its data came from a write.
    pub(super) written: bool,
    /// When it was last taken, in commands.
    used: u64,
}

impl Segment {
    /// Whether it holds nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    fn holds_read(&self, block: u64) -> bool {
        !self.written && self.start < block && block < self.end
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        self.start < end && start < self.end
    }

    /// Grows to `end`, giving up blocks at its front beyond its size.
    pub(super) fn grow(&mut self, end: u64, size: u64) {
        self.end = self.end.max(end);
        self.start = self.start.max(self.end.saturating_sub(size));
    }

    /// Gives everything up, and goes on from its end.
    pub(super) fn forget(&mut self) {
        self.start = self.end;
    }

    /// Gives everything up.
    pub(super) fn clear(&mut self) {
        self.end = self.start;
    }
}

/// The number of a segment.
pub(super) type SegmentIndex = usize;

impl Cache {
    /// Empty segments, as many as the parameters say, but at least one to pass data through.
    pub(super) fn new(parameters: &CacheParameters) -> Self {
        Self { segments: vec![Segment::default(); parameters.segments.max(1) as usize], clock: 0 }
    }

    /// A segment.
    pub(super) fn segment(&self, index: SegmentIndex) -> &Segment {
        &self.segments[index]
    }

    /// A segment, to change.
    pub(super) fn segment_mut(&mut self, index: SegmentIndex) -> &mut Segment {
        &mut self.segments[index]
    }

    /// The segments that reads may use: all, or all but the first where that is set aside for writes.
    fn first_for_reads(&self, rule: WriteSegments) -> usize {
        usize::from(rule == WriteSegments::One && self.segments.len() > 1)
    }

    /// The segment that holds the first block of a read, and most of it.
    pub(super) fn find(&self, parameters: &CacheParameters, start: u64, end: u64) -> Option<SegmentIndex> {
        let first = self.first_for_reads(parameters.write_segments);
        let holds = |segment: &Segment| {
            start >= segment.start
                && start < segment.end
                && (parameters.read_hits_on_written || !segment.written)
        };
        let mut best: Option<(SegmentIndex, u64)> = None;
        for (index, segment) in self.segments.iter().enumerate().skip(first) {
            if holds(segment) {
                let held = segment.end.min(end);
                if best.is_none_or(|(_, most)| held > most) {
                    best = Some((index, held));
                }
            }
        }
        best.map(|(index, _)| index)
    }

    /// Whether a read at `start` goes on where an earlier one, or what was read behind it, has ended.
    pub(super) fn continues_read(&self, start: u64) -> bool {
        let ends_there = |segment: &Segment| !segment.written && segment.end == start && start > 0;
        self.segments.iter().any(|segment| ends_there(segment) || segment.holds_read(start))
    }

    /// Takes a segment for a read that found nothing: an empty one, or the one unused for longest.
    pub(super) fn take_for_read(&mut self, parameters: &CacheParameters, start: u64) -> SegmentIndex {
        let first = self.first_for_reads(parameters.write_segments);
        let index = self.coldest(first..self.segments.len());
        self.segments[index] = Segment { start, end: start, written: false, used: 0 };
        self.touch(index);
        index
    }

    /// Takes a segment for a write of `start..end`, preferably one that it makes stale; all others that it makes stale
    /// are cleared, and those near by where the drive does that.
    pub(super) fn take_for_write(
        &mut self,
        parameters: &CacheParameters,
        start: u64,
        end: u64,
    ) -> SegmentIndex {
        let index = self.would_take_for_write(parameters, start, end);
        let near = if parameters.writes_clear_near { parameters.segment_size.get() } else { 0 };
        for segment in &mut self.segments {
            if segment.overlaps(start.saturating_sub(near), end.saturating_add(near)) {
                segment.clear();
            }
        }
        let size = parameters.segment_size.get();
        self.segments[index] =
            Segment { start: start.max(end.saturating_sub(size)), end, written: true, used: 0 };
        self.touch(index);
        index
    }

    /// Marks a segment as used just now.
    pub(super) fn touch(&mut self, index: SegmentIndex) {
        self.clock += 1;
        self.segments[index].used = self.clock;
    }

    /// Whether a segment was the last one used.
    pub(super) fn is_hottest(&self, index: SegmentIndex) -> bool {
        self.segments[index].used == self.clock
    }

    /// The segment that a write of `start..end` would take.
    pub(super) fn would_take_for_write(
        &self,
        parameters: &CacheParameters,
        start: u64,
        end: u64,
    ) -> SegmentIndex {
        match parameters.write_segments {
            WriteSegments::One => 0,
            WriteSegments::Any => (0..self.segments.len())
                .find(|&index| self.segments[index].overlaps(start, end))
                .unwrap_or_else(|| self.coldest(0..self.segments.len())),
        }
    }

    /// An empty segment if there is one, else the one unused for longest.
    fn coldest(&self, range: std::ops::Range<usize>) -> SegmentIndex {
        let first = range.start;
        range
            .min_by_key(|&index| (!self.segments[index].is_empty(), self.segments[index].used))
            .unwrap_or(first)
    }
}
