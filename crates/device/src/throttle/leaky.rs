//! The accounts of limits that are leaky buckets: what each request counts, how long the next has to wait, and who waits.
//!
//! Where a limit is on reads and writes together they wait in one line, first come, first served; else in a line each. (QEMU lets
//! reads and writes that wait for one limit take turns.)

use super::Verdict;
use super::bucket::{Allowance, Bucket, Credit};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Of {
    /// Requests, or as many as a request counts.
    Requests,
    /// Bytes.
    Bytes,
}

/// Which requests it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Among {
    /// All.
    All,
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

impl Among {
    fn counts(self, direction: Direction) -> bool {
        match self {
            Self::All => true,
            Self::Reads => direction == Direction::Read,
            Self::Writes => direction != Direction::Read,
        }
    }
}

/// How much a request counts.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub(crate) enum Counting {
    /// One, or its bytes by so many, where there are more (QEMU's `iops-size`; parts of one count, too).
    Parts(Option<u64>),
    /// Its pieces of so many bytes. `merged`: what goes on where another ended fills up that one's last piece; `whole`: of data, each
    /// piece counts as if it were whole.
    Pieces { bytes: u64, merged: bool, whole: bool },
}

/// Streams of requests that are told apart.
const STREAMS: usize = 32;

/// A stream of requests that are in order: where it ended, and how much of a piece it has filled.
#[derive(Clone, Copy, Debug, Persist)]
struct Stream {
    ended: u64,
    direction: Direction,
    filled: u64,
}

/// A limit and what was used of it.
#[derive(Clone, Copy, Debug, Persist)]
struct Meter {
    of: Of,
    among: Among,
    bucket: Bucket,
    has_burst: bool,
}

/// What a request counts: as requests, and as bytes.
type Counts = (f64, f64);

/// The accounts of all limits.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Leaky {
    meters: Vec<Meter>,
    counting: Counting,
    streams: Vec<Stream>,
    oldest: usize,
    /// Whether reads and writes wait in one line.
    together: bool,
    /// Whether flushes pass by.
    flushes_pass: bool,
    lines: [VecDeque<(Direction, Counts)>; 2],
}

impl Leaky {
    /// Those of some limits, of each of which a part of what it lets pass at once is used, 0 to 1.
    pub(crate) fn new(limits: &[(Of, Among, Allowance)], counting: Counting, used: f64) -> Self {
        let meter = |&(of, among, allowance): &(Of, Among, Allowance)| Meter {
            of,
            among,
            bucket: Bucket::new(allowance, if allowance.burst.is_some() { used } else { 0.0 }),
            has_burst: allowance.burst.is_some(),
        };
        Self {
            meters: limits.iter().map(meter).collect(),
            counting,
            streams: Vec::new(),
            oldest: 0,
            together: limits.iter().any(|&(_, among, _)| among == Among::All),
            flushes_pass: true,
            lines: [VecDeque::new(), VecDeque::new()],
        }
    }

    /// The bursts that there are: the number of each, and what it counts.
    pub(crate) fn bursts(&self) -> Vec<(usize, Of)> {
        let meters = self.meters.iter().enumerate();
        meters.filter(|(_, meter)| meter.has_burst).map(|(number, meter)| (number, meter.of)).collect()
    }

    /// What is left of a burst.
    pub(crate) fn credit(&self, number: usize, now: Time) -> Option<Credit> {
        self.meters.get(number).map(|meter| meter.bucket.credit(now))
    }

    /// What a request counts, after those that came before.
    fn count(&mut self, request: &BlockRequest) -> Counts {
        let bytes = request.bytes();
        match self.counting {
            Counting::Parts(None) => (1.0, bytes as f64),
            Counting::Parts(Some(part)) => ((bytes as f64 / part.max(1) as f64).max(1.0), bytes as f64),
            Counting::Pieces { bytes: piece, merged, whole } => {
                let filled = if merged { self.follow(request, piece) } else { 0 };
                let pieces = (filled + bytes).div_ceil(piece).max(1) - u64::from(filled > 0);
                let counted = if whole { pieces * piece } else { bytes };
                (pieces as f64, counted as f64)
            }
        }
    }

    /// How much of a piece was filled by the stream that a request goes on with.
    fn follow(&mut self, request: &BlockRequest, piece: u64) -> u64 {
        let goes_on =
            |stream: &Stream| stream.ended == request.address && stream.direction == request.direction;
        let known = self.streams.iter().position(goes_on);
        let filled = known.map_or(0, |slot| self.streams[slot].filled);
        let now = match (filled + request.bytes()) % piece {
            0 => piece,
            part => part,
        };
        // A piece that is full is filled no further.
        let stream = Stream { ended: request.end(), direction: request.direction, filled: now % piece };
        match known {
            Some(slot) => self.streams[slot] = stream,
            None if self.streams.len() < STREAMS => self.streams.push(stream),
            None => {
                self.streams[self.oldest] = stream;
                self.oldest = (self.oldest + 1) % STREAMS;
            }
        }
        filled
    }

    /// How long what counts has to wait.
    fn wait(&mut self, direction: Direction, now: Time) -> Time {
        let meters = self.meters.iter_mut().filter(|meter| meter.among.counts(direction));
        meters.map(|meter| meter.bucket.wait(now)).fold(Time::ZERO, Time::max)
    }

    /// It passes.
    fn pass(&mut self, direction: Direction, (requests, bytes): Counts) {
        for meter in self.meters.iter_mut().filter(|meter| meter.among.counts(direction)) {
            meter.bucket.pass(if meter.of == Of::Requests { requests } else { bytes });
        }
    }

    /// A request passes now, whatever there is: how long what comes next has to wait.
    pub(crate) fn pass_now(&mut self, request: &BlockRequest, now: Time) -> Time {
        let counts = self.count(request);
        self.wait(request.direction, now);
        self.pass(request.direction, counts);
        self.wait(request.direction, now)
    }
}

impl super::Keeper for Leaky {
    fn line(&self, request: &BlockRequest) -> usize {
        usize::from(!self.together && request.direction != Direction::Read)
    }

    fn arrive(&mut self, request: &BlockRequest, now: Time) -> Verdict {
        if request.direction == Direction::Flush && self.flushes_pass {
            return Verdict::Pass;
        }
        let (line, direction) = (self.line(request), request.direction);
        let counts = self.count(request);
        if !self.lines[line].is_empty() {
            self.lines[line].push_back((direction, counts));
            return Verdict::Wait(None);
        }
        match self.wait(direction, now) {
            Time::ZERO => {
                self.pass(direction, counts);
                Verdict::Pass
            }
            wait => {
                self.lines[line].push_back((direction, counts));
                Verdict::Wait(Some(now + wait))
            }
        }
    }

    fn look(&mut self, line: usize, now: Time) -> (u32, Option<Time>) {
        let mut passed = 0;
        while let Some(&(direction, counts)) = self.lines[line].front() {
            let wait = self.wait(direction, now);
            if wait > Time::ZERO {
                return (passed, Some(now + wait));
            }
            self.lines[line].pop_front();
            self.pass(direction, counts);
            passed += 1;
        }
        (passed, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counting: Counting, requests: &[(u64, u64)]) -> Counts {
        let mut leaky = Leaky::new(&[], counting, 0.0);
        let mut sum = (0.0, 0.0);
        for &(at_kib, kib) in requests {
            let request = BlockRequest {
                direction: Direction::Read,
                address: at_kib * 2,
                blocks: u32::try_from(kib * 2).unwrap_or(0),
                ..BlockRequest::default()
            };
            let (requests, bytes) = leaky.count(&request);
            sum = (sum.0 + requests, sum.1 + bytes);
        }
        sum
    }

    /// The table of Amazon's "EBS I/O characteristics and monitoring": what each load counts on SSD (256 KiB) and HDD (1 MiB).
    #[test]
    fn requests_count_as_amazons_table_counts_them() {
        let ssd = Counting::Pieces { bytes: 256 << 10, merged: true, whole: false };
        let hdd = Counting::Pieces { bytes: 1024 << 10, merged: true, whole: true };
        let in_order = |count: u64, kib: u64| (0..count).map(|n| (n * kib, kib)).collect::<Vec<_>>();
        let random = |count: u64, kib: u64| (0..count).map(|n| (n * 7_919 * kib, kib)).collect::<Vec<_>>();
        for (counting, requests, expected) in [
            (ssd, in_order(1, 1024), 4.0),
            (ssd, in_order(8, 32), 1.0),
            (ssd, random(8, 32), 8.0),
            (hdd, in_order(1, 1024), 1.0),
            (hdd, in_order(8, 128), 1.0),
            (hdd, random(8, 128), 8.0),
        ] {
            let (count, bytes) = counted(counting, &requests);
            assert!((count - expected).abs() < 1e-9, "{requests:?}: {count}");
            let kib: u64 = requests.iter().map(|&(_, kib)| kib).sum();
            let counted = if counting == hdd { expected * 1_048_576.0 } else { (kib << 10) as f64 };
            assert!((bytes - counted).abs() < 1e-9, "{requests:?}: {bytes} bytes");
        }
    }

    #[test]
    fn what_is_merged_fills_pieces_exactly_however_it_is_cut() {
        let counting = Counting::Pieces { bytes: 256 << 10, merged: true, whole: false };
        for cut in [4u64, 12, 48, 100, 256, 300, 1_000] {
            let count = 9_600 / cut;
            let requests: Vec<_> = (0..count).map(|n| (n * cut, cut)).collect();
            let (pieces, bytes) = counted(counting, &requests);
            let whole = (count * cut).div_ceil(256) as f64;
            assert!((pieces - whole).abs() < 1e-9, "cut by {cut} KiB: {pieces}, not {whole}");
            assert!((bytes - (count * cut * 1_024) as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn parts_of_a_size_count_as_qemu_counts_them() {
        // throttle_account: size / op_size where size is larger, as a fraction.
        let counting = Counting::Parts(Some(16 << 10));
        for (kib, expected) in [(4, 1.0), (16, 1.0), (24, 1.5), (64, 4.0)] {
            assert!((counted(counting, &[(0, kib)]).0 - expected).abs() < 1e-12);
        }
    }
}
