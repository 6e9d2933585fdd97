//! Whether streams are random, mixed or large sequential: the classes of the dissertation's table 4.
//!
//! The dissertation names three classes (pure random I/O 0.00028 %, mix of random and sequential I/O 2.047 %, large
//! block size sequential I/O 97.952 % of a shared PVFS installation) and doesn't define them. This is a reading of it:
//!
//! - A *stream* is what one process does with one file from its open to its close (or with one device, in a trace of block requests).
//! - A request *continues* the stream if it begins where the one before ended.
//! - *Random*: at most 5 % of the requests after the first continue.
//! - *Sequential*: at least 95 % do. It is *large* if its mean request is at least 64 KiB, the default strip of PVFS 2, and *small*
//!   otherwise, a class for which the table has no row (programs on PVFS have "a very large I/O buffer").
//! - *Mixed*: everything between.
//! - A stream of one request that isn't large says nothing of order and stands apart, as *single*.
//! - *Unknown*: a stream of which not every request is recorded (a compact trace leaves out reads that hit), or without offsets.
//!
//! Shares are given by streams, by requests and by bytes; of the bytes, those that only totals tell of count.
//!
//! Source: the dissertation, §3.3.2, table 4.

use serde::Serialize;

/// At most so much of a random stream continues.
const RANDOM_CONTINUES_MAX: f64 = 0.05;
/// At least so much of a sequential stream continues.
const SEQUENTIAL_CONTINUES_MIN: f64 = 0.95;
/// Mean request of a large sequential stream; bytes.
const LARGE_REQUEST_BYTES: u64 = 64 << 10;

/// How a stream moves through its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamClass {
    /// Hardly a request continues the one before.
    Random,
    /// Some do.
    Mixed,
    /// Nearly all do, with large requests.
    LargeSequential,
    /// Nearly all do, with small requests.
    SmallSequential,
    /// One small request.
    Single,
    /// Not all its requests or offsets are in the trace.
    Unknown,
}

impl StreamClass {
    /// All of them, the three of the table first.
    pub const ALL: [Self; 6] = [
        Self::Random,
        Self::Mixed,
        Self::LargeSequential,
        Self::SmallSequential,
        Self::Single,
        Self::Unknown,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Mixed => "mixed",
            Self::LargeSequential => "large sequential",
            Self::SmallSequential => "small sequential",
            Self::Single => "single request",
            Self::Unknown => "unknown",
        }
    }
}

/// A stream that is over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamSummary {
    pub(super) requests: u64,
    pub(super) continuing: u64,
    pub(super) bytes: u64,
    /// Requests and bytes that only totals tell of.
    pub(super) unrecorded_requests: u64,
    pub(super) unrecorded_bytes: u64,
    pub(super) without_offset: bool,
}

impl StreamSummary {
    pub(super) fn class(&self) -> StreamClass {
        if self.without_offset || self.unrecorded_bytes > 0 {
            return StreamClass::Unknown;
        }
        let large = self.bytes / self.requests.max(1) >= LARGE_REQUEST_BYTES;
        if self.requests <= 1 {
            return if large { StreamClass::LargeSequential } else { StreamClass::Single };
        }
        let continues = self.continuing as f64 / (self.requests - 1) as f64;
        match continues {
            _ if continues <= RANDOM_CONTINUES_MAX => StreamClass::Random,
            _ if continues < SEQUENTIAL_CONTINUES_MIN => StreamClass::Mixed,
            _ if large => StreamClass::LargeSequential,
            _ => StreamClass::SmallSequential,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Classes {
    counts: [(u64, u64, u64); StreamClass::ALL.len()],
    empty: u64,
    left_open: u64,
}

impl Classes {
    pub(super) fn add(&mut self, stream: &StreamSummary, left_open: bool) {
        let requests = stream.requests + stream.unrecorded_requests;
        let bytes = stream.bytes.saturating_add(stream.unrecorded_bytes);
        if requests == 0 && bytes == 0 {
            self.empty += 1;
            return;
        }
        self.left_open += u64::from(left_open);
        let counts = &mut self.counts[stream.class() as usize];
        counts.0 += 1;
        counts.1 = counts.1.saturating_add(requests);
        counts.2 = counts.2.saturating_add(bytes);
    }

    pub(super) fn finish(&self) -> Sequentiality {
        let sum = |of: fn(&(u64, u64, u64)) -> u64| self.counts.iter().map(of).fold(0, u64::saturating_add);
        let (streams, requests, bytes) = (sum(|row| row.0), sum(|row| row.1), sum(|row| row.2));
        let part = |count: u64, of: u64| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let classes = StreamClass::ALL.into_iter().zip(&self.counts).map(|(class, row)| ClassShare {
            class,
            streams: row.0,
            requests: row.1,
            bytes: row.2,
            fraction_of_streams: part(row.0, streams),
            fraction_of_requests: part(row.1, requests),
            fraction_of_bytes: part(row.2, bytes),
        });
        Sequentiality {
            classes: classes.collect(),
            streams,
            without_data: self.empty,
            left_open: self.left_open,
        }
    }
}

/// Streams by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sequentiality {
    /// Every class, in the order of [`StreamClass::ALL`].
    pub classes: Vec<ClassShare>,
    /// Streams with data.
    pub streams: u64,
    /// Opened and closed without moving anything.
    pub without_data: u64,
    /// Streams with data that weren't closed within the trace; those of block requests never are.
    pub left_open: u64,
}

impl Sequentiality {
    /// The share of one class.
    pub fn of(&self, class: StreamClass) -> Option<&ClassShare> {
        self.classes.iter().find(|share| share.class == class)
    }
}

/// Streams of one class. A request without data (a read at the end of its file) is in no stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassShare {
    /// The class.
    pub class: StreamClass,
    /// Streams.
    pub streams: u64,
    /// Requests, with those that only totals tell of.
    pub requests: u64,
    /// Bytes, with those that only totals tell of.
    pub bytes: u64,
    /// Its fraction of all streams, 0 to 1.
    pub fraction_of_streams: f64,
    /// Its fraction of all requests, 0 to 1.
    pub fraction_of_requests: f64,
    /// Its fraction of all bytes, 0 to 1.
    pub fraction_of_bytes: f64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn stream(requests: u64, continuing: u64, bytes: u64) -> StreamSummary {
        StreamSummary { requests, continuing, bytes, ..StreamSummary::default() }
    }

    #[test]
    fn classes_are_those_of_the_reading() {
        let kib = 1 << 10;
        for (found, class) in [
            (stream(101, 0, 101 * 4 * kib), StreamClass::Random),
            (stream(101, 5, 101 * 4 * kib), StreamClass::Random),
            (stream(101, 6, 101 * 4 * kib), StreamClass::Mixed),
            (stream(101, 94, 101 * 128 * kib), StreamClass::Mixed),
            (stream(101, 95, 101 * 64 * kib), StreamClass::LargeSequential),
            (stream(101, 100, 101 * 63 * kib), StreamClass::SmallSequential),
            (stream(2, 1, 128 * kib), StreamClass::LargeSequential),
            (stream(1, 0, 64 * kib), StreamClass::LargeSequential),
            (stream(1, 0, 4 * kib), StreamClass::Single),
            (StreamSummary { unrecorded_bytes: 1, ..stream(10, 9, 1_000) }, StreamClass::Unknown),
            (StreamSummary { without_offset: true, ..stream(10, 9, 1_000) }, StreamClass::Unknown),
        ] {
            assert_eq!(found.class(), class, "{found:?}");
        }
    }

    #[test]
    fn shares_are_of_streams_with_data() {
        let mut classes = Classes::default();
        classes.add(&stream(0, 0, 0), false);
        classes.add(&stream(10, 9, 10 << 20), false);
        classes.add(&stream(30, 0, 30 << 10), true);
        let found = classes.finish();
        assert_eq!((found.streams, found.without_data, found.left_open), (2, 1, 1));
        let large = found.of(StreamClass::LargeSequential).unwrap();
        assert_eq!((large.fraction_of_streams, large.fraction_of_requests), (0.5, 0.25));
        assert!((large.fraction_of_bytes - 10_240.0 / 10_270.0).abs() < 1e-12);
    }
}
