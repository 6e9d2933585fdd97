//! Run lengths: how many bytes are read, or written, one after the other before a jump.
//!
//! A run ends where the stream jumps, turns from reading to writing or back, or is closed. In a compact trace the reads
//! that hit are missing, so a run that goes through the cache seems to end there.
//!
//! Source of the notion: M. G. Baker et al., *Measurements of a distributed file system*, SOSP 1991, §4.2 (sequential
//! runs, by number and by bytes).

use super::distribution::{Distribution, ValueTally};
use super::transfer::{ByWay, Way};
use serde::Serialize;

#[derive(Debug, Default)]
struct Lengths {
    by_number: ValueTally,
    by_bytes: ValueTally,
}

#[derive(Debug, Default)]
pub(super) struct RunLengths(ByWay<Lengths>);

impl RunLengths {
    /// A run that is over.
    #[inline]
    pub(super) fn add(&mut self, way: Way, bytes: u64) {
        if bytes > 0 {
            let lengths = self.0.of(way);
            lengths.by_number.add(bytes);
            lengths.by_bytes.add_weighted(bytes, bytes);
        }
    }

    pub(super) fn finish(&self) -> Runs {
        let of = |lengths: &Lengths| RunsOneWay {
            lengths_bytes: lengths.by_number.finish(1.0),
            weighted_lengths_bytes: lengths.by_bytes.finish(1.0),
        };
        Runs { reads: of(&self.0.read), writes: of(&self.0.write) }
    }
}

/// Runs of reads and of writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Runs {
    /// Of reads.
    pub reads: RunsOneWay,
    /// Of writes.
    pub writes: RunsOneWay,
}

/// Runs of one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunsOneWay {
    /// Bytes of a run, each run counting once.
    pub lengths_bytes: Option<Distribution>,
    /// Bytes of a run, each of its bytes counting once: half of all bytes are moved in runs of at most the median.
    pub weighted_lengths_bytes: Option<Distribution>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_long_run_has_most_bytes_and_little_weight_by_number() {
        let mut lengths = RunLengths::default();
        (0..9).for_each(|_| lengths.add(Way::Read, 4_096));
        lengths.add(Way::Read, 1 << 20);
        lengths.add(Way::Write, 0);
        let found = lengths.finish();
        assert_eq!(found.reads.lengths_bytes.unwrap().p50, 4_096.0);
        assert_eq!(found.reads.weighted_lengths_bytes.unwrap().p50, 1_048_576.0);
        assert_eq!(found.writes.lengths_bytes, None);
    }
}
