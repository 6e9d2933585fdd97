//! What driving costs: the time from the end of a call to the beginning of the next.
//!
//! Where nobody thinks or waits in between, that time is the driver's own: drawing the next call, finding its file,
//! recording the one before, and one look at the clock. The median of all such gaps hardly notices that now and then
//! somebody else has the processor in one; a mean does. So the mean is of undisturbed gaps alone: a thread counts how
//! often the processor was taken from it (getrusage(2), `ru_nivcsw`), at every 64th gap, and where that count has grown
//! all 64 are left out. What an interrupt or a hypervisor takes isn't counted by the system, and stays in. So does a
//! lock, which is the driver's own; only handing over recorded calls, where the thread has waited in it for whoever
//! takes them, is told apart as time held up.

use super::clock::nanos;
use hdrhistogram::Histogram;
use nix::sys::resource::{UsageWho, getrusage};
use std::time::{Duration, Instant};

/// Gaps up to an hour, to three digits.
const GAP_MAX_NS: u64 = 3_600_000_000_000;
const DIGITS: u8 = 3;
/// Gaps between two looks at how often the processor was taken away: a look costs some hundred nanoseconds.
const BLOCK: u64 = 64;

fn no_gaps() -> Option<Histogram<u64>> {
    // Bounds and digits are constants that fit; there is nothing to tell a caller.
    Histogram::new_with_max(GAP_MAX_NS, DIGITS).ok()
}

/// The times between calls.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    between_ns: Option<Histogram<u64>>,
    undisturbed: u64,
    undisturbed_ns: u64,
    held_up: Duration,
}

impl Gaps {
    /// What such a part of them don't exceed; `None` where there are no two calls without a rest between them.
    pub fn quantile_ns(&self, part: f64) -> Option<f64> {
        let between = self.between_ns.as_ref().filter(|between| !between.is_empty())?;
        Some(between.value_at_quantile(part) as f64)
    }

    /// The mean of those during which nobody else was given the processor; `None` where there is none.
    pub fn undisturbed_mean_ns(&self) -> Option<f64> {
        (self.undisturbed > 0).then(|| self.undisturbed_ns as f64 / self.undisturbed as f64)
    }

    /// Which part of all gaps that mean is of.
    pub fn undisturbed_share(&self) -> f64 {
        let all = self.between_ns.as_ref().map_or(0, Histogram::len);
        if all == 0 { 0.0 } else { self.undisturbed as f64 / all as f64 }
    }

    /// How long processes waited for whoever takes the recorded calls, in no gap; summed over processes.
    pub const fn held_up(&self) -> Duration {
        self.held_up
    }

    fn add(&mut self, gap_ns: u64, times: u64) {
        if self.between_ns.is_none() {
            self.between_ns = no_gaps();
        }
        if let Some(between) = &mut self.between_ns {
            between.saturating_record_n(gap_ns.min(GAP_MAX_NS), times);
        }
    }

    /// Takes another process's in.
    pub(super) fn join(&mut self, other: Self) {
        match (&mut self.between_ns, other.between_ns) {
            // Of the same bounds, so nothing can fall outside.
            (Some(mine), Some(theirs)) => drop(mine.add(theirs)),
            (mine @ None, theirs) => *mine = theirs,
            (Some(_), None) => {}
        }
        self.undisturbed += other.undisturbed;
        self.undisturbed_ns += other.undisturbed_ns;
        self.held_up += other.held_up;
    }

    /// As numbers: of the undisturbed ones how many and how long, the nanoseconds held up, and each length that occurs
    /// with how often.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let mut numbers = vec![self.undisturbed, self.undisturbed_ns, nanos(self.held_up)];
        for step in self.between_ns.iter().flat_map(Histogram::iter_recorded) {
            numbers.extend([step.value_iterated_to(), step.count_at_value()]);
        }
        numbers
    }

    /// From [`numbers`](Self::numbers); `None` where they can't be those.
    pub(super) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let ([undisturbed, undisturbed_ns, held_up], steps) = numbers.split_first_chunk::<3>()?;
        let mut gaps = Self {
            between_ns: None,
            undisturbed: *undisturbed,
            undisturbed_ns: *undisturbed_ns,
            held_up: Duration::from_nanos(*held_up),
        };
        let (steps, rest) = steps.as_chunks::<2>();
        steps.iter().for_each(|&[gap_ns, times]| gaps.add(gap_ns, times));
        rest.is_empty().then_some(gaps)
    }
}

/// Watches the gaps of one process; on the process' own thread.
pub(super) struct GapWatch {
    gaps: Gaps,
    /// The end of the call before, where nothing but the driver's own work has come since.
    since: Option<Instant>,
    /// Gaps since the last look at how often the processor was taken away, their sum, and what was seen then.
    block: (u64, u64),
    taken_away: i64,
}

/// How often the processor was taken from this thread, which was not done with it. A system that doesn't say says
/// never.
fn taken_away() -> i64 {
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.involuntary_context_switches())
}

/// How often this thread has waited for something.
pub(super) fn waits_so_far() -> i64 {
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.voluntary_context_switches())
}

impl GapWatch {
    pub(super) fn new() -> Self {
        // Its memory is taken before the first gap: with many threads that can mean to wait.
        let gaps = Gaps { between_ns: no_gaps(), ..Gaps::default() };
        Self { gaps, since: None, block: (0, 0), taken_away: taken_away() }
    }

    /// There was a call from `start` to `end`.
    pub(super) fn call(&mut self, start: Instant, end: Instant) {
        let Some(since) = self.since.replace(end) else { return };
        let gap_ns = nanos(start.duration_since(since));
        self.gaps.add(gap_ns, 1);
        self.block = (self.block.0 + 1, self.block.1 + gap_ns);
        if self.block.0 == BLOCK {
            self.close_block();
        }
    }

    /// What follows until the next call isn't the driver's work.
    pub(super) const fn rest(&mut self) {
        self.since = None;
    }

    /// Whoever takes the recorded calls has held the process up.
    pub(super) fn held_up(&mut self, time: Duration) {
        self.gaps.held_up += time;
        self.rest();
    }

    fn close_block(&mut self) {
        let (gaps, sum) = std::mem::take(&mut self.block);
        let before = std::mem::replace(&mut self.taken_away, taken_away());
        if before == self.taken_away {
            self.gaps.undisturbed += gaps;
            self.gaps.undisturbed_ns += sum;
        } else {
            // Perhaps since the last call.
            self.rest();
        }
    }

    pub(super) fn finish(mut self) -> Gaps {
        self.close_block();
        self.gaps
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn gaps_are_between_calls_without_a_rest_and_survive_being_numbers() {
        let mut watch = GapWatch::new();
        let begin = Instant::now();
        let at = |ns: u64| begin + Duration::from_nanos(ns);
        watch.call(at(0), at(100));
        watch.call(at(300), at(400));
        watch.call(at(500), at(600));
        watch.rest();
        watch.call(at(100_000), at(100_100));
        watch.call(at(100_400), at(100_500));
        watch.held_up(Duration::from_micros(7));
        watch.call(at(200_000), at(200_100));
        let gaps = watch.finish();
        assert_eq!((gaps.quantile_ns(0.5), gaps.quantile_ns(0.99)), (Some(200.0), Some(300.0)));
        if gaps.undisturbed > 0 {
            assert_eq!((gaps.undisturbed_mean_ns(), gaps.undisturbed_share()), (Some(200.0), 1.0));
        }
        let mut twice = Gaps::from_numbers(&gaps.numbers()).unwrap();
        assert_eq!(twice.numbers(), gaps.numbers());
        twice.join(gaps);
        assert_eq!((twice.quantile_ns(0.5), twice.held_up()), (Some(200.0), Duration::from_micros(14)));
        assert!(Gaps::from_numbers(&[1, 2]).is_none() && Gaps::from_numbers(&[1, 2, 3, 4]).is_none());
        assert_eq!(Gaps::default().quantile_ns(0.5), None);
    }
}
