//! The rate of the device at its best, from which bfq tells how much a process may get in a turn.
//!
//! After bfq_update_peak_rate, bfq_update_rate_reset and bfq_calc_max_budget of block/bfq-iosched.c of Linux 6.18. Until a
//! rate is known, a budget of 16,384 blocks holds. Where the kernel counts all that is dispatched in a second and takes
//! it if three quarters of it lay in order, here only the time is counted in which the device serves one request in order
//! after the other: what the kernel finds where a stream has the device to itself for a while, and what it is after.

use super::{SEEKER_IDLE, Time};
use petrio_persist::Persist;
use petrio_units::numbers::whole_part;

/// Fewer dispatches than this tell no rate (BFQ_RATE_MIN_SAMPLES), nor does a shorter span (BFQ_RATE_MIN_INTERVAL).
const LEAST_SAMPLES: u64 = 32;
const LEAST_SPAN: Time = Time::from_millis(300);
/// The reference devices' rates, without and with an arm, in blocks a microsecond (ref_rate).
pub(super) const REFERENCE: [f64; 2] = [33_000.0 / 65_536.0, 14_000.0 / 65_536.0];
/// What is assumed of a device at first, of the reference device's rate.
const ASSUMED: f64 = 2.0 / 3.0;

/// The estimate, and what is counted for the next one.
#[derive(Clone, Debug, Persist)]
pub(super) struct PeakRate {
    /// Blocks a microsecond.
    rate: f64,
    samples: u64,
    blocks: u64,
    span: Time,
    /// The last request: when it was dispatched, its blocks and its end; and when one was last complete.
    dispatched: Time,
    last: u32,
    end: u64,
    completed: Time,
}

impl PeakRate {
    /// What is assumed of a device before anything was seen.
    pub(super) fn new(rotational: bool) -> Self {
        Self {
            rate: ASSUMED * REFERENCE[usize::from(rotational)],
            samples: 0,
            blocks: 0,
            span: Time::ZERO,
            dispatched: Time::ZERO,
            last: 0,
            end: 0,
            completed: Time::ZERO,
        }
    }

    /// What is known, in blocks a microsecond; never zero.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// What is dispatched in a time at this rate (bfq_calc_max_budget).
    pub(super) fn budget(&self, time: Time) -> u64 {
        whole_part(self.rate * time.as_seconds() * 1e6)
    }

    /// A request of so many blocks from `address` on is dispatched while so many are in the device; `far` says whether a
    /// way is a seek. Whether the estimate is another.
    pub(super) fn dispatch(
        &mut self,
        (address, blocks): (u64, u32),
        in_driver: u32,
        far: impl Fn(u64) -> bool,
        now: Time,
    ) -> bool {
        // While the last one was served, this one waited or was about to come.
        let follows = in_driver > 0 || now < self.completed + SEEKER_IDLE;
        if follows && self.last > 0 && !far(self.end.abs_diff(address)) {
            self.samples += 1;
            self.blocks += u64::from(self.last);
            self.span += now - self.dispatched;
        }
        (self.dispatched, self.last, self.end) = (now, blocks, address + u64::from(blocks));
        if self.samples < LEAST_SAMPLES || self.span < LEAST_SPAN {
            return false;
        }
        let rate = self.blocks as f64 / (self.span.as_seconds() * 1e6);
        // As where all lay in order: half of it is new.
        self.rate += (rate - self.rate) / 2.0;
        (self.samples, self.blocks, self.span) = (0, 0, Time::ZERO);
        true
    }

    /// A request is done.
    pub(super) fn complete(&mut self, now: Time) {
        self.completed = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many requests of 256 blocks, each so long after the one before and so far from its end.
    fn after(count: u64, gap: Time, stride: u64) -> PeakRate {
        let mut rate = PeakRate::new(true);
        for number in 0..count {
            let now = Time::from_picos(number * gap.as_picos());
            rate.dispatch((number * stride, 256), 1, |way| way > 800, now);
            rate.complete(now);
        }
        rate
    }

    #[test]
    fn a_stream_tells_the_rate_within_some_seconds() {
        // 256 blocks a millisecond are 131 MB/s: 32,000 blocks in an eighth of a second.
        let timeout = Time::from_millis(125);
        let known = after(5_000, Time::from_millis(1), 256).budget(timeout);
        assert!(known.abs_diff(32_000) < 400, "{known}");
        let assumed = PeakRate::new(true).budget(timeout);
        assert!(assumed.abs_diff(17_800) < 100, "{assumed}");
    }

    #[test]
    fn seeks_never_make_a_device_slower() {
        let timeout = Time::from_millis(125);
        let known = after(3_000, Time::from_millis(8), 1 << 20).budget(timeout);
        assert_eq!(known, PeakRate::new(true).budget(timeout));
    }
}
