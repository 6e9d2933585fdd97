//! What a run on a real directory gives.

use super::clock::nanos;
use super::gaps::Gaps;
use hdrhistogram::Histogram;
use petrio_colours::Operation;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Operations of one kind.
#[derive(Clone, Debug)]
pub struct OperationTimes {
    /// How long each took, in nanoseconds, the cost of looking at the clock taken off.
    pub latency_ns: Histogram<u64>,
    /// Their sum.
    pub total: Duration,
    /// Bytes that they moved.
    pub bytes: u64,
}

/// Latencies up to an hour, to three digits.
const LATENCY_MAX_NS: u64 = 3_600_000_000_000;
const DIGITS: u8 = 3;

impl OperationTimes {
    fn new() -> Option<Self> {
        // Bounds and digits are constants that fit; there is nothing to tell a caller.
        let latency_ns = Histogram::new_with_max(LATENCY_MAX_NS, DIGITS).ok()?;
        Some(Self { latency_ns, total: Duration::ZERO, bytes: 0 })
    }

    fn add(&mut self, took: Duration, bytes: u64) {
        self.latency_ns.saturating_record(nanos(took).min(LATENCY_MAX_NS));
        self.total += took;
        self.bytes += bytes;
    }

    fn join(&mut self, other: &Self) {
        // Of the same bounds, so nothing can fall outside.
        let _ = self.latency_ns.add(&other.latency_ns);
        self.total += other.total;
        self.bytes += other.bytes;
    }
}

/// From the first operation of a phase to the end of its last, over all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: Option<Instant>,
    end: Option<Instant>,
}

impl Span {
    /// How long it is; zero for a phase without operations.
    pub fn length(self) -> Duration {
        match (self.start, self.end) {
            (Some(start), Some(end)) => end.duration_since(start),
            _ => Duration::ZERO,
        }
    }

    pub(super) fn add(&mut self, start: Instant, end: Instant) {
        self.start = Some(self.start.map_or(start, |first| first.min(start)));
        self.end = Some(self.end.map_or(end, |last| last.max(end)));
    }

    fn join(&mut self, other: Self) {
        if let (Some(start), Some(end)) = (other.start, other.end) {
            self.add(start, end);
        }
    }

    /// Both and what lies between.
    pub fn with(mut self, other: Self) -> Self {
        self.join(other);
        self
    }
}

/// One run of a workload.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The phase that is measured.
    pub measured: Span,
    /// What comes after it: making durable, closing.
    pub closing: Span,
    /// Whether the workload counts that as its own.
    pub closing_counts: bool,
    /// Measured operations by kind, and with them those of the closing phase where that counts.
    pub operations: BTreeMap<Operation, OperationTimes>,
    /// What is taken off each operation for looking at the clock, in nanoseconds.
    pub clock_overhead_ns: f64,
    /// From the first operation that counts to the end of the last, what lies between them included, summed over
    /// processes.
    pub watched: Duration,
    /// Of that, how long a processor worked for the processes: the rest they waited, or others had it.
    pub on_processor: Duration,
    /// What driving costs: the time between two calls of a process where nobody thought or waited.
    pub gaps: Gaps,
}

impl Measured {
    /// Time inside the operations, less the part in which other work had the processor. For operations that wait for
    /// nothing it is what they cost, however busy the machine is; waiting, where there is any, is lost from it.
    pub fn processor_time_in_operations(&self) -> Duration {
        if self.watched.is_zero() {
            return self.time_in_operations();
        }
        let share = self.on_processor.as_secs_f64() / self.watched.as_secs_f64();
        self.time_in_operations().mul_f64(share.clamp(0.0, 1.0))
    }

    /// How long the workload took, by its own measure of where it ends.
    pub fn time(&self) -> Duration {
        if self.closing_counts { self.time_with_closing() } else { self.measured.length() }
    }

    /// How long it took until its data were durable and its files closed.
    pub fn time_with_closing(&self) -> Duration {
        self.measured.with(self.closing).length()
    }

    /// Time inside the operations, summed over processes; less than [`time`](Self::time) by what the processes did
    /// themselves.
    pub fn time_in_operations(&self) -> Duration {
        self.operations.values().map(|times| times.total).sum()
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.operations.values().map(|times| times.bytes).sum()
    }

    /// How many operations.
    pub fn count(&self) -> u64 {
        self.operations.values().map(|times| times.latency_ns.len()).sum()
    }

    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        let seconds = self.time().as_secs_f64();
        if seconds > 0.0 { self.bytes() as f64 / seconds } else { 0.0 }
    }

    pub(super) fn add(&mut self, operation: Operation, took: Duration, bytes: u64) {
        if let Some(times) = self.operations.get_mut(&operation) {
            times.add(took, bytes);
        } else if let Some(mut times) = OperationTimes::new() {
            times.add(took, bytes);
            self.operations.insert(operation, times);
        }
    }

    /// Takes another process's part in.
    pub(super) fn join(&mut self, other: Self) {
        self.measured.join(other.measured);
        self.closing.join(other.closing);
        self.closing_counts |= other.closing_counts;
        self.watched += other.watched;
        self.on_processor += other.on_processor;
        self.gaps.join(other.gaps);
        for (operation, times) in other.operations {
            match self.operations.get_mut(&operation) {
                Some(mine) => mine.join(&times),
                None => drop(self.operations.insert(operation, times)),
            }
        }
    }
}

/// A figure measured several times.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Spread {
    /// The middle one; between the two middle ones of an even number.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// How many.
    pub repetitions: usize,
}

impl Spread {
    /// Of these; none of none.
    ///
    /// ```
    /// use petrio_live::drive::Spread;
    /// let spread = Spread::of([3.0, 1.0, 2.0, 10.0]).unwrap();
    /// assert_eq!((spread.median, spread.least, spread.greatest), (2.5, 1.0, 10.0));
    /// assert_eq!(spread.relative(), 3.6);
    /// ```
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Some(Self { median, least, greatest, repetitions: sorted.len() })
    }

    /// From the least to the greatest, as a share of the median.
    pub fn relative(self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.greatest - self.least) / self.median }
    }
}
