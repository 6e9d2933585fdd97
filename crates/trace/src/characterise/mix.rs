//! Reads beside writes: how many, how many bytes, and of which sizes.
//!
//! A compact trace has only the reads that missed the cache. What else was moved stands in the totals of its close
//! events, and is counted here as *unrecorded*: its bytes and calls count, its sizes aren't known.

use super::distribution::{Distribution, ValueTally};
use super::transfer::{ByWay, Transfer};
use serde::Serialize;

/// No bytes, and every power of two up to 2⁶⁴.
const CLASSES: usize = 66;

#[derive(Debug)]
struct Side {
    sizes: ValueTally,
    bytes: u64,
    by_size: [(u64, u64); CLASSES],
    unrecorded: u64,
    unrecorded_bytes: u64,
}

impl Default for Side {
    fn default() -> Self {
        Self {
            sizes: ValueTally::new(),
            bytes: 0,
            by_size: [(0, 0); CLASSES],
            unrecorded: 0,
            unrecorded_bytes: 0,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Mixes {
    sides: ByWay<Side>,
}

impl Mixes {
    #[inline]
    pub(super) fn add(&mut self, transfer: &Transfer) {
        let side = self.sides.of(transfer.way);
        side.sizes.add(transfer.length);
        side.bytes = side.bytes.saturating_add(transfer.length);
        let cell = &mut side.by_size[size_class(transfer.length)];
        cell.0 += 1;
        cell.1 = cell.1.saturating_add(transfer.length);
    }

    /// What totals say beyond what is recorded: calls and bytes.
    pub(super) fn add_unrecorded(&mut self, beyond: &ByWay<(u64, u64)>) {
        for (side, (calls, bytes)) in
            [(&mut self.sides.read, beyond.read), (&mut self.sides.write, beyond.write)]
        {
            side.unrecorded = side.unrecorded.saturating_add(calls);
            side.unrecorded_bytes = side.unrecorded_bytes.saturating_add(bytes);
        }
    }

    pub(super) fn finish(&self) -> Mix {
        let (read, write) = (&self.sides.read, &self.sides.write);
        let classes = (0..CLASSES).filter(|class| read.by_size[*class].0 + write.by_size[*class].0 > 0);
        Mix {
            reads: read.finish(),
            writes: write.finish(),
            by_size: classes
                .map(|class| SizeClass {
                    bytes_at_most: class_limit(class),
                    reads: read.by_size[class].0,
                    writes: write.by_size[class].0,
                    bytes_read: read.by_size[class].1,
                    bytes_written: write.by_size[class].1,
                })
                .collect(),
        }
    }
}

impl Side {
    fn finish(&self) -> MixSide {
        let sizes_bytes = self.sizes.finish(1.0);
        MixSide {
            requests: sizes_bytes.as_ref().map_or(0, |sizes| sizes.count),
            bytes: self.bytes,
            unrecorded_requests: self.unrecorded,
            unrecorded_bytes: self.unrecorded_bytes,
            sizes_bytes,
        }
    }
}

/// 0 for no bytes, then n for more than 2ⁿ⁻² and at most 2ⁿ⁻¹.
#[inline]
const fn size_class(length: u64) -> usize {
    match length {
        0 => 0,
        _ => (65 - (length - 1).leading_zeros()) as usize,
    }
}

const fn class_limit(class: usize) -> u64 {
    match class {
        0 => 0,
        65.. => u64::MAX,
        _ => 1 << (class - 1),
    }
}

/// Reads beside writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mix {
    /// Reads.
    pub reads: MixSide,
    /// Writes.
    pub writes: MixSide,
    /// By size, in powers of two; empty sizes are left out.
    pub by_size: Vec<SizeClass>,
}

impl Mix {
    /// Requests recorded, both ways.
    pub const fn requests(&self) -> u64 {
        self.reads.requests + self.writes.requests
    }

    /// Bytes moved, both ways, with those that only totals tell of.
    pub const fn bytes(&self) -> u64 {
        self.reads.all_bytes().saturating_add(self.writes.all_bytes())
    }
}

/// Reads, or writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixSide {
    /// Requests in the trace.
    pub requests: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Requests that only the totals of closes tell of: those that a compact trace leaves out.
    pub unrecorded_requests: u64,
    /// Bytes that only the totals of closes tell of.
    pub unrecorded_bytes: u64,
    /// Sizes of the requests in the trace.
    pub sizes_bytes: Option<Distribution>,
}

impl MixSide {
    /// Bytes moved, with those that only totals tell of.
    pub const fn all_bytes(&self) -> u64 {
        self.bytes.saturating_add(self.unrecorded_bytes)
    }
}

/// Requests of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeClass {
    /// More than half of this, and at most this.
    pub bytes_at_most: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::transfer::Way;
    use super::*;
    use petrio_time::Time;

    #[test]
    fn a_size_lies_in_the_class_of_the_power_of_two_at_or_above_it() {
        for (length, limit) in
            [(0, 0), (1, 1), (2, 2), (3, 4), (4096, 4096), (4097, 8192), (1 << 63, 1 << 63)]
        {
            assert_eq!(class_limit(size_class(length)), limit, "{length}");
        }
        assert_eq!(size_class(u64::MAX), 65);
    }

    #[test]
    fn reads_and_writes_are_counted_apart_and_unrecorded_ones_beside() {
        let mut mixes = Mixes::default();
        for (way, length) in [(Way::Read, 4096), (Way::Read, 4096), (Way::Write, 100)] {
            let (time, process, subject, offset) = (Time::ZERO, 1, Some(0), None);
            mixes.add(&Transfer { time, process, subject, way, offset, length });
        }
        mixes.add_unrecorded(&ByWay { read: (7, 7_000), write: (0, 0) });
        let mix = mixes.finish();
        assert_eq!((mix.reads.requests, mix.reads.bytes, mix.reads.unrecorded_bytes), (2, 8192, 7_000));
        assert_eq!((mix.requests(), mix.bytes()), (3, 8192 + 100 + 7_000));
        assert_eq!(mix.by_size.iter().map(|class| class.bytes_at_most).collect::<Vec<_>>(), [128, 4096]);
        assert_eq!(mix.writes.sizes_bytes.unwrap().mean, 100.0);
    }
}
