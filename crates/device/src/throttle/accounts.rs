//! The accounts of a throttled direction: slices, what was used of them, and how long the next request must wait.
//!
//! Source: block/blk-throttle.c of Linux 6.18 (tg_dispatch_time, tg_within_bps_limit, tg_within_iops_limit,
//! throtl_trim_slice). Time is counted in timer ticks, and everything is rounded as it is there. In a slice the whole
//! of its allowance may be used at once, so a burst at the beginning of each slice is what a throttled device shows; a
//! slice that is still running when a request arrives is made longer, and what is used up is forgotten slice by slice.

use super::Verdict;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::in_proportion;
use std::collections::VecDeque;

/// Timer ticks.
pub(super) type Ticks = u64;

/// What a direction is allowed.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Limits {
    /// Bytes a second.
    pub(super) bytes: Option<u64>,
    /// Requests a second.
    pub(super) requests: Option<u32>,
    /// Ticks a second, at least ten.
    pub(super) ticks_per_second: u64,
}

/// The accounts of one direction.
#[derive(Clone, Debug, Persist)]
pub(super) struct Accounts {
    limits: Limits,
    /// Ticks in a slice (HZ/10).
    slice: Ticks,
    slice_start: Ticks,
    slice_end: Ticks,
    bytes_used: u64,
    requests_used: u64,
    /// The bytes of each request that waits.
    line: VecDeque<u64>,
    /// The bytes of the first that waits are charged already.
    first_charged: bool,
}

impl Accounts {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            slice: (limits.ticks_per_second / 10).max(1),
            slice_start: 0,
            slice_end: 0,
            bytes_used: 0,
            requests_used: 0,
            line: VecDeque::new(),
            first_charged: false,
        }
    }

    /// The tick that a point in time belongs to.
    fn tick(&self, time: Time) -> Ticks {
        in_proportion(time.as_picos(), self.limits.ticks_per_second, 1_000_000_000_000)
    }

    /// When a tick begins.
    fn begin(&self, tick: Ticks) -> Time {
        let picos = (u128::from(tick) * 1_000_000_000_000).div_ceil(u128::from(self.limits.ticks_per_second));
        u64::try_from(picos).map_or(Time::NEVER, Time::from_picos)
    }

    /// A request arrives: whether it may pass, and if not, and none waits before it, when to look again.
    pub(super) fn arrive(&mut self, bytes: u64, now: Time) -> Verdict {
        if self.limits.bytes.is_none() && self.limits.requests.is_none() {
            return Verdict::Pass;
        }
        if !self.line.is_empty() {
            self.line.push_back(bytes);
            return Verdict::Wait(None);
        }
        let tick = self.tick(now);
        let mut charged = false;
        match self.wait(bytes, &mut charged, tick) {
            0 => {
                self.passed(tick);
                Verdict::Pass
            }
            wait => {
                self.first_charged = charged;
                self.line.push_back(bytes);
                Verdict::Wait(Some(self.begin(tick + wait)))
            }
        }
    }

    /// The time to look again has come: how many of those that wait may pass, and when to look again.
    pub(super) fn look(&mut self, now: Time) -> (u32, Option<Time>) {
        let tick = self.tick(now);
        let mut pass = 0;
        while let Some(&bytes) = self.line.front() {
            let mut charged = self.first_charged;
            let wait = self.wait(bytes, &mut charged, tick);
            if wait > 0 {
                self.first_charged = charged;
                return (pass, Some(self.begin(tick + wait)));
            }
            self.line.pop_front();
            self.first_charged = false;
            pass += 1;
            self.passed(tick);
        }
        (pass, None)
    }

    /// Requests a second that pass when always one waits, in a span of so long after as long a beginning.
    pub(super) fn lasting_rate(&mut self, span: Time) -> f64 {
        let mut now = Time::ZERO;
        let mut passed = 0u32;
        while now < span + span {
            let next = match self.arrive(0, now) {
                Verdict::Pass => None,
                Verdict::Wait(again) => again,
            };
            if let Some(again) = next {
                now = again;
                while let (0, Some(again)) = self.look(now) {
                    now = again;
                }
            }
            passed += u32::from(now >= span && now < span + span);
        }
        f64::from(passed) / span.as_seconds()
    }

    /// Ticks until a request may pass (tg_dispatch_time). Its bytes are charged as soon as they fit.
    fn wait(&mut self, bytes: u64, charged: &mut bool, tick: Ticks) -> Ticks {
        if let Some(limit) = self.limits.bytes
            && !*charged
        {
            self.renew(tick);
            let wait = self.wait_for_bytes(bytes, limit, tick);
            self.extend(tick + wait);
            if wait > 0 {
                return wait;
            }
        }
        if !*charged {
            *charged = true;
            self.bytes_used += bytes;
        }
        let Some(limit) = self.limits.requests else { return 0 };
        self.renew(tick);
        let wait = self.wait_for_requests(limit, tick);
        self.extend(tick + wait);
        wait
    }

    fn wait_for_bytes(&self, bytes: u64, limit: u64, tick: Ticks) -> Ticks {
        let elapsed = tick - self.slice_start;
        // A slice that has just begun allows a whole one.
        let rounded = elapsed.max(1).next_multiple_of(self.slice);
        let allowed = self.allowed(limit, rounded);
        let wanted = self.bytes_used + bytes;
        if wanted <= allowed {
            return 0;
        }
        let wait = in_proportion(wanted - allowed, self.limits.ticks_per_second, limit.max(1));
        wait.max(1) + (rounded - elapsed)
    }

    fn wait_for_requests(&self, limit: u32, tick: Ticks) -> Ticks {
        let elapsed = tick - self.slice_start;
        let rounded = (elapsed + 1).next_multiple_of(self.slice);
        if self.requests_used < self.allowed(u64::from(limit), rounded) {
            return 0;
        }
        (rounded - elapsed).max(self.limits.ticks_per_second / u64::from(limit.max(1)) + 1)
    }

    /// What a limit allows in a number of ticks.
    fn allowed(&self, limit: u64, ticks: Ticks) -> u64 {
        let allowed = u128::from(limit) * u128::from(ticks) / u128::from(self.limits.ticks_per_second);
        u64::try_from(allowed).unwrap_or(u64::MAX)
    }

    /// Begins a new slice where the old one is over and nobody waits; makes it longer otherwise (tg_update_slice).
    fn renew(&mut self, tick: Ticks) {
        let over = tick < self.slice_start || tick > self.slice_end;
        if over && self.line.is_empty() {
            (self.bytes_used, self.requests_used) = (0, 0);
            (self.slice_start, self.slice_end) = (tick, tick + self.slice);
        } else {
            self.extend(tick + self.slice);
        }
    }

    fn extend(&mut self, end: Ticks) {
        if self.slice_end < end {
            self.slice_end = end.next_multiple_of(self.slice);
        }
    }

    /// A request passes: it is charged, and slices that lie behind are forgotten (throtl_trim_slice).
    fn passed(&mut self, tick: Ticks) {
        self.requests_used += 1;
        if tick < self.slice_start || tick > self.slice_end {
            return;
        }
        self.slice_end = (tick + self.slice).next_multiple_of(self.slice);
        let elapsed = (tick - self.slice_start) / self.slice * self.slice;
        if elapsed < 2 * self.slice {
            return;
        }
        // One slice is kept, because timers are late.
        let elapsed = elapsed - self.slice;
        let trim = |used: u64, limit: Option<u64>| {
            let Some(limit) = limit else { return 0 };
            match self.allowed(limit, elapsed) {
                0 => used,
                allowed => allowed.min(used),
            }
        };
        let bytes = trim(self.bytes_used, self.limits.bytes);
        let requests = trim(self.requests_used, self.limits.requests.map(u64::from));
        if bytes == 0 && requests == 0 {
            return;
        }
        self.bytes_used -= bytes;
        self.requests_used -= requests;
        self.slice_start += elapsed;
    }
}
