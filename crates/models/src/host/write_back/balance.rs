//! A writer that sleeps so long that it dirties pages no faster than they are written: `balance_dirty_pages` since 3.2.
//!
//! The rate that a writer is allowed is a base rate times a position ratio: 1 at the set point halfway between where writers
//! run freely and the limit, 0 at the limit, following a third-order curve (`pos_ratio_polynom`). The base rate is steered
//! every 200 ms so that rate dirtied and rate written meet (`wb_update_dirty_ratelimit`); the written rate is estimated over
//! three seconds (`wb_update_write_bandwidth`). Read off mm/page-writeback.c of Linux 6.x.

use super::Limits;
use petrio_kernel::Time;

/// Where both rates begin: 100 MiB/s in pages (`INIT_BW`).
const INITIAL_PAGES_PER_SECOND: f64 = 25_600.0;
/// How often the rates are updated (`BANDWIDTH_INTERVAL`).
const INTERVAL: Time = Time::from_millis(200);
/// Over what the write bandwidth is averaged, seconds.
const PERIOD_S: f64 = 3.0;
/// The longest sleep (`MAX_PAUSE`).
const LONGEST_PAUSE: Time = Time::from_millis(200);
/// How long a sleep should be at least, so that not every page costs one (`wb_min_pause`).
const SHORTEST_PAUSE: Time = Time::from_millis(10);

/// What a writer that has dirtied pages is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// How long it sleeps.
    pub sleep: Time,
    /// After how many more pages it asks again.
    pub ask_after: u64,
}

/// The estimates of one device.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Pages per second, as last measured.
    bandwidth: f64,
    /// Smoothed.
    average: f64,
    /// What a writer may dirty at the set point, pages per second.
    rate: f64,
    last_balanced: f64,
    dirtied: u64,
    written: u64,
    updated: Time,
    dirtied_then: u64,
    written_then: u64,
}

impl Default for Balance {
    fn default() -> Self {
        Self {
            bandwidth: INITIAL_PAGES_PER_SECOND,
            average: INITIAL_PAGES_PER_SECOND,
            rate: INITIAL_PAGES_PER_SECOND,
            last_balanced: INITIAL_PAGES_PER_SECOND,
            dirtied: 0,
            written: 0,
            updated: Time::ZERO,
            dirtied_then: 0,
            written_then: 0,
        }
    }
}

impl Balance {
    /// Pages have been written.
    pub fn wrote(&mut self, pages: u64) {
        self.written += pages;
    }

    /// Pages have become dirty.
    pub fn dirtied(&mut self, pages: u64) {
        self.dirtied += pages;
    }

    /// What a writer does that has dirtied `pages` since it last asked; `dirty` counts pages under write-back, too.
    pub fn pause(&mut self, pages: u64, dirty: u64, limits: Limits, now: Time) -> Pause {
        let free_run = limits.free_run();
        if dirty <= free_run {
            self.update(dirty, limits, now);
            return Pause { sleep: Time::ZERO, ask_after: poll_interval(dirty, limits.limit) };
        }
        self.update(dirty, limits, now);
        let allowed = self.rate * position_ratio(dirty as f64, limits);
        let ask_after = ((self.rate * SHORTEST_PAUSE.as_seconds()) as u64).max(1);
        if allowed < 1.0 {
            return Pause { sleep: LONGEST_PAUSE, ask_after };
        }
        let sleep = Time::from_seconds(pages as f64 / allowed).min(LONGEST_PAUSE);
        Pause { sleep, ask_after }
    }

    /// Follows the rates, at most every 200 ms.
    fn update(&mut self, dirty: u64, limits: Limits, now: Time) {
        let elapsed = now - self.updated;
        if elapsed < INTERVAL {
            return;
        }
        let seconds = elapsed.as_seconds();
        let dirty_rate = (self.dirtied - self.dirtied_then) as f64 / seconds;
        let written = (self.written - self.written_then) as f64;
        (self.updated, self.dirtied_then, self.written_then) = (now, self.dirtied, self.written);
        // After a second of silence the past says nothing.
        if seconds > 1.0 && written == 0.0 {
            return;
        }
        self.follow_bandwidth(written, seconds);
        self.follow_rate(dirty as f64, dirty_rate, limits);
    }

    fn follow_bandwidth(&mut self, written: f64, seconds: f64) {
        let old = self.bandwidth;
        let now = if seconds > PERIOD_S {
            written / seconds
        } else {
            (written + old * (PERIOD_S - seconds)) / PERIOD_S
        };
        // Smoothed only where the estimate comes back from a deviation.
        if self.average > old && old >= now {
            self.average -= (self.average - old) / 8.0;
        }
        if self.average < old && old <= now {
            self.average += (old - self.average) / 8.0;
        }
        self.bandwidth = now.max(1.0);
        self.average = self.average.max(1.0);
    }

    fn follow_rate(&mut self, dirty: f64, dirty_rate: f64, limits: Limits) {
        let task_rate = self.rate * position_ratio(dirty, limits) + 1.0;
        let balanced = (task_rate * self.average / dirty_rate.max(1.0)).min(self.average);
        let set_point = set_point(limits);
        let step = if dirty < set_point {
            let target = self.last_balanced.min(balanced).min(task_rate);
            (target - self.rate).max(0.0)
        } else {
            let target = self.last_balanced.max(balanced).max(task_rate);
            (self.rate - target).max(0.0)
        };
        // Small deviations are followed slowly: each doubling of the rate against the step halves it again.
        let shift = (self.rate / (2.0 * step + 1.0)) as u64;
        let step = if shift < 64 { (step / (1u64 << shift.min(63)) as f64 / 8.0).ceil() } else { 0.0 };
        self.rate = if self.rate < balanced { self.rate + step } else { self.rate - step }.max(1.0);
        self.last_balanced = balanced;
    }
}

fn set_point(limits: Limits) -> f64 {
    limits.free_run().midpoint(limits.limit) as f64
}

/// From 2 far below the set point over 1 at it to 0 at the limit.
fn position_ratio(dirty: f64, limits: Limits) -> f64 {
    let limit = limits.limit as f64;
    if dirty >= limit {
        return 0.0;
    }
    let set_point = set_point(limits);
    let x = (set_point - dirty) / (limit - set_point).max(1.0);
    (1.0 + x * x * x).clamp(0.0, 2.0)
}

/// How many pages a writer may dirty unseen: the square root of the room, as a power of two (`dirty_poll_interval`).
fn poll_interval(dirty: u64, limit: u64) -> u64 {
    match limit.saturating_sub(dirty).checked_ilog2() {
        Some(order) => 1 << (order / 2),
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { background: 16_384, limit: 32_768 };

    #[test]
    fn the_position_ratio_is_one_at_the_set_point_and_nothing_at_the_limit() {
        assert_eq!(position_ratio(28_672.0, LIMITS), 1.0);
        assert_eq!(position_ratio(32_768.0, LIMITS), 0.0);
        assert_eq!(position_ratio(24_576.0, LIMITS), 2.0);
    }

    #[test]
    fn nobody_sleeps_below_the_free_run() {
        let mut balance = Balance::default();
        let pause = balance.pause(1_000, 24_576, LIMITS, Time::from_millis(1));
        assert_eq!(pause.sleep, Time::ZERO);
        // √8192 rounded down to a power of two.
        assert_eq!(pause.ask_after, 64);
    }

    /// A writer that could dirty a page in a microsecond meets a device of 12,800 pages a second.
    #[test]
    fn a_fast_writer_settles_at_the_speed_of_the_device() {
        let mut balance = Balance::default();
        let (mut now, mut dirty, mut since, mut written) = (0.0_f64, 0.0_f64, 0_u64, 0.0_f64);
        let mut ask_after = 32;
        let (mut dirtied, mut at_ten) = (0_u64, 0);
        while now < 20.0 {
            now += 1e-6;
            dirty += 1.0;
            dirtied += 1;
            since += 1;
            balance.dirtied(1);
            if since >= ask_after {
                let drained = (12_800.0 * now - written).min(dirty).max(0.0);
                written += drained;
                dirty -= drained;
                balance.wrote(drained as u64);
                let at = Time::from_seconds(now);
                let pause = balance.pause(since, dirty as u64, LIMITS, at);
                now += pause.sleep.as_seconds();
                (since, ask_after) = (0, pause.ask_after);
            }
            if now < 10.0 {
                at_ten = dirtied;
            }
        }
        let rate = (dirtied - at_ten) as f64 / 10.0;
        assert!((rate / 12_800.0 - 1.0).abs() < 0.05, "{rate} pages a second");
        assert!(dirty > LIMITS.free_run() as f64 && dirty <= LIMITS.limit as f64, "{dirty} dirty");
    }
}
