//! A writer that sleeps so long that it dirties pages no faster than they are written: `balance_dirty_pages` since 3.2.
//!
//! The rate that a writer is allowed is a base rate times a position ratio: 1 at the set point, 0 at the limit,
//! following a third-order curve (`pos_ratio_polynom`). The base rate is steered every 200 ms while writers are held
//! back, so that rate dirtied and rate written meet (`wb_update_dirty_ratelimit`); the written rate is estimated over
//! about four seconds (`wb_update_write_bandwidth`). Time is counted in the kernel's ticks, as there. Read off
//! mm/page-writeback.c of Linux 6.x. Leaves out real-time tasks, and that of several devices each has its share of the
//! common limit.

use super::Limits;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::whole_part;

/// Where both rates begin: 100 MiB/s in pages (`INIT_BW`).
const INITIAL_PAGES_PER_SECOND: f64 = 25_600.0;
/// How often the rates are updated, of a second (`BANDWIDTH_INTERVAL`).
const INTERVAL: f64 = 0.2;
/// Over what the write bandwidth is averaged, seconds, before it is rounded up to a power of two of ticks.
const PERIOD_S: u64 = 3;
/// The longest sleep, of a second (`MAX_PAUSE`).
const LONGEST_PAUSE: f64 = 0.2;
/// Pages from which on a sleep isn't made longer to have fewer of them (`DIRTY_POLL_THRESH`).
const ENOUGH_PAGES: f64 = 32.0;
/// Pages after which a writer asks while the limit is exceeded (`32 >> (PAGE_SHIFT - 10)`).
const ASK_WHEN_EXCEEDED: u64 = 8;

/// What is known of a process that dirties pages (of `struct task_struct`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Writer {
    /// Pages dirtied since it last asked whether it may go on.
    pub dirtied: u64,
    /// After how many it asks.
    pub ask_after: u64,
    /// The tick from which the time for its pages runs: not before its last pause ended.
    since: Option<i64>,
}

impl Writer {
    /// A process that has not dirtied anything.
    pub const fn new() -> Self {
        Self::asking_after(super::FIRST_PAGES)
    }

    /// The same, with so many pages until it asks.
    pub const fn asking_after(pages: u64) -> Self {
        Self { dirtied: 0, ask_after: pages, since: None }
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

/// What a writer that has dirtied pages is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It may go on.
    None,
    /// It sleeps, and goes on.
    Sleep(Time),
    /// It sleeps, and asks again: the limit is reached.
    AskAgain(Time),
}

/// What is dirty or being written, and how much of that may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Pages.
    pub unwritten: u64,
    /// Limits of them.
    pub limits: Limits,
}

/// The estimates of one device.
#[derive(Clone, Debug, Persist)]
pub struct Balance {
    ticks_per_second: f64,
    /// Ticks over which the bandwidth is averaged.
    period: f64,
    /// Pages per second, as last measured.
    bandwidth: f64,
    /// Smoothed.
    average: f64,
    /// What a writer may dirty at the set point, pages per second.
    rate: f64,
    last_balanced: f64,
    exceeded: bool,
    dirtied: u64,
    written: u64,
    /// The tick of the last update, and the counts then.
    updated: i64,
    dirtied_then: u64,
    written_then: u64,
}

impl Balance {
    /// A device of which nothing is known, under a kernel with so many ticks a second.
    pub fn new(ticks_per_second: u32) -> Self {
        Self::believing(ticks_per_second, INITIAL_PAGES_PER_SECOND)
    }

    /// A device that the kernel believes to write so many pages a second.
    pub fn believing(ticks_per_second: u32, pages: f64) -> Self {
        let pages = pages.max(1.0);
        let ticks = u64::from(ticks_per_second.max(1));
        Self {
            ticks_per_second: ticks as f64,
            period: (PERIOD_S * ticks).next_power_of_two() as f64,
            bandwidth: pages,
            average: pages,
            rate: pages,
            last_balanced: pages,
            exceeded: false,
            dirtied: 0,
            written: 0,
            updated: 0,
            dirtied_then: 0,
            written_then: 0,
        }
    }

    /// Pages have been written.
    pub fn wrote(&mut self, pages: u64) {
        self.written += pages;
    }

    /// Pages have become dirty.
    pub fn dirtied(&mut self, pages: u64) {
        self.dirtied += pages;
    }

    /// Whether a process has dirtied so much that it has to ask.
    pub fn must_ask(&self, writer: &Writer) -> bool {
        let least = if self.exceeded { ASK_WHEN_EXCEEDED } else { u64::MAX };
        writer.dirtied >= writer.ask_after.min(least)
    }

    /// Writing back begins; `idle` says that nothing was being written (`wb_bandwidth_estimate_start`).
    pub fn begin_pass(&mut self, idle: bool, now: Time) {
        let tick = self.tick(now);
        if idle && (tick - self.updated) as f64 > self.ticks_per_second {
            self.begin_interval(tick);
        }
    }

    /// A pass of writing back has been sent off: the bandwidth is estimated from time to time (`do_writepages`).
    pub fn end_pass(&mut self, now: Time) {
        let tick = self.tick(now);
        if self.is_due(tick) {
            let written = (self.written - self.written_then) as f64;
            self.follow_bandwidth(written, (tick - self.updated) as f64);
            self.begin_interval(tick);
        }
    }

    /// Pages that a pass writes of one file before it turns to the next: what the device writes in half a second, of an
    /// eighth of the host's limit at most, in multiples of `least` (`writeback_chunk_size`).
    pub fn pass(&self, limit: u64, least: u64) -> u64 {
        let least = least.max(1);
        whole_part(self.average / 2.0).min(limit / 8) / least * least + least
    }

    /// What a writer does that asks whether it may go on. `device` is the position of the one device where a limit of
    /// its own holds strictly (`BDI_CAP_STRICTLIMIT`); the host's counts otherwise.
    pub fn ask(&mut self, writer: &mut Writer, host: Position, device: Option<Position>, now: Time) -> Pause {
        let tick = self.tick(now);
        let Position { unwritten, limits } = device.unwrap_or(host);
        if unwritten <= limits.free_run() {
            writer.since = Some(tick);
            writer.dirtied = 0;
            writer.ask_after = poll_interval(unwritten, limits.limit);
            return Pause::None;
        }
        self.exceeded = unwritten > limits.limit;
        let ratio = self.ratio(host, device);
        if self.is_due(tick) {
            let set_point = match device {
                Some(device) => device.limits.free_run(),
                None => host.limits.set_point(),
            };
            self.update(tick, ratio, unwritten >= set_point);
        }
        let allowed = (self.rate * ratio).floor();
        let longest = self.longest_pause(unwritten);
        let (least, ask_after) = self.shortest_pause(longest, allowed);
        if allowed < 1.0 {
            (writer.since, writer.ask_after) = (Some(tick + whole_ticks(longest)), ask_after);
            return Pause::AskAgain(self.span(longest));
        }
        let period = (self.ticks_per_second * writer.dirtied as f64 / allowed).floor();
        // The time that it has been running since is not slept again.
        let pause = period - writer.since.map_or(0, |since| tick - since) as f64;
        if pause < least {
            if pause < -self.ticks_per_second {
                (writer.since, writer.dirtied) = (Some(tick), 0);
            } else if period > 0.0 {
                writer.since = Some(writer.since.unwrap_or(0) + whole_ticks(period));
                writer.dirtied = 0;
            } else if writer.ask_after <= writer.dirtied {
                writer.ask_after += writer.dirtied;
            }
            return Pause::None;
        }
        // What is cut off a long pause is made up for later, as far as once its length.
        let (from, pause) = match pause > longest {
            true => (tick + whole_ticks((pause - longest).min(longest)), longest),
            false => (tick, pause),
        };
        *writer = Writer { dirtied: 0, ask_after, since: Some(from + whole_ticks(pause)) };
        Pause::Sleep(self.span(pause))
    }

    /// Whether it is time to follow what has changed.
    fn is_due(&self, tick: i64) -> bool {
        (tick - self.updated) as f64 > INTERVAL * self.ticks_per_second
    }

    /// Counts from here on.
    fn begin_interval(&mut self, tick: i64) {
        (self.updated, self.dirtied_then, self.written_then) = (tick, self.dirtied, self.written);
    }

    fn tick(&self, now: Time) -> i64 {
        whole_ticks(now.as_seconds() * self.ticks_per_second)
    }

    fn span(&self, ticks: f64) -> Time {
        Time::from_seconds(ticks / self.ticks_per_second)
    }

    /// From 2 far below the set point over 1 at it to 0 at the limit (`wb_position_ratio`).
    fn ratio(&self, host: Position, device: Option<Position>) -> f64 {
        let common = polynomial(host.limits.set_point(), host.unwritten, host.limits.limit);
        match device {
            Some(Position { unwritten, limits }) => {
                common.min(polynomial(limits.free_run(), unwritten, limits.limit))
            }
            None => {
                // The line of a device that has the whole limit to itself: eight seconds of writing beyond the set
                // point.
                let span = 8.0 * self.average;
                let beyond = host.unwritten as f64 - host.limits.set_point() as f64;
                common * if beyond < 0.75 * span { (span - beyond) / span } else { 0.25 }
            }
        }
    }

    fn update(&mut self, tick: i64, ratio: f64, beyond: bool) {
        let ticks = (tick - self.updated) as f64;
        let dirty_rate = (self.dirtied - self.dirtied_then) as f64 * self.ticks_per_second / ticks;
        let written = (self.written - self.written_then) as f64;
        self.begin_interval(tick);
        self.follow_rate(ratio, dirty_rate, beyond);
        self.follow_bandwidth(written, ticks);
    }

    fn follow_bandwidth(&mut self, written: f64, ticks: f64) {
        let old = self.bandwidth;
        let rate = written * self.ticks_per_second;
        if ticks > self.period {
            self.bandwidth = (rate / ticks).max(1.0);
            self.average = self.bandwidth;
            return;
        }
        let now = (rate + old * (self.period - ticks)) / self.period;
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

    fn follow_rate(&mut self, ratio: f64, dirty_rate: f64, beyond: bool) {
        let task_rate = self.rate * ratio + 1.0;
        let balanced = (task_rate * self.average / dirty_rate.max(1.0)).min(self.average);
        let step = if beyond {
            let target = self.last_balanced.max(balanced).max(task_rate);
            (self.rate - target).max(0.0)
        } else {
            let target = self.last_balanced.min(balanced).min(task_rate);
            (target - self.rate).max(0.0)
        };
        // Small deviations are followed slowly: each doubling of the rate against the step halves it again.
        let shift = whole_part(self.rate / (2.0 * step + 1.0));
        let step = if shift < 64 { (whole_part(step) >> shift).div_ceil(8) as f64 } else { 0.0 };
        self.rate = if self.rate < balanced { self.rate + step } else { self.rate - step }.max(1.0);
        self.last_balanced = balanced;
    }

    /// Ticks; shorter where little is dirty, which the device would have written before (`wb_max_pause`).
    fn longest_pause(&self, unwritten: u64) -> f64 {
        let eighth = (1 + whole_part(self.ticks_per_second / 8.0)).next_power_of_two() as f64;
        let ticks = (unwritten as f64 / (1.0 + (self.average / eighth).floor())).floor() + 1.0;
        ticks.min((LONGEST_PAUSE * self.ticks_per_second).max(1.0))
    }

    /// Ticks that a sleep should be worth, and after how many pages the next one is (`wb_min_pause`).
    fn shortest_pause(&self, longest: f64, allowed: f64) -> (f64, u64) {
        let second = whole_part(self.ticks_per_second).next_power_of_two() as f64;
        // 10 ms, more where several writers share the bandwidth.
        let apart = f64::from(whole_part(self.average).max(1).ilog2())
            - f64::from(whole_part(self.rate).max(1).ilog2());
        let mut target = (self.ticks_per_second / 100.0).floor().max(1.0);
        target += (apart.max(0.0) * 10.0 * self.ticks_per_second / 1024.0).floor();
        target = target.min(1.0 + (longest / 2.0).floor());
        let mut pages = (self.rate * target / second).floor();
        if pages < ENOUGH_PAGES {
            target = longest;
            pages = (self.rate * target / second).floor();
            if pages > ENOUGH_PAGES {
                pages = ENOUGH_PAGES;
                target = (self.ticks_per_second * ENOUGH_PAGES / self.rate).floor();
            }
        }
        if (self.ticks_per_second * pages / (allowed + 1.0)).floor() > longest {
            target = longest;
            pages = (allowed * target / second).floor();
        }
        let least = if pages >= ENOUGH_PAGES { 1.0 + (target / 2.0).floor() } else { target };
        (least, whole_part(pages))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates: no run is so long")]
fn whole_ticks(ticks: f64) -> i64 {
    ticks as i64
}

/// 1 at the set point, 0 at the limit, at most 2 (`pos_ratio_polynom`).
fn polynomial(set_point: u64, dirty: u64, limit: u64) -> f64 {
    if dirty >= limit {
        return 0.0;
    }
    let (set_point, dirty, limit) = (set_point as f64, dirty as f64, limit as f64);
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

    const fn at(unwritten: u64) -> Position {
        Position { unwritten, limits: LIMITS }
    }

    #[test]
    fn the_position_ratio_is_one_at_the_set_point_and_nothing_at_the_limit() {
        assert_eq!(polynomial(LIMITS.set_point(), 28_672, LIMITS.limit), 1.0);
        assert_eq!(polynomial(LIMITS.set_point(), 32_768, LIMITS.limit), 0.0);
        assert_eq!(polynomial(LIMITS.set_point(), 24_576, LIMITS.limit), 2.0);
    }

    #[test]
    fn nobody_sleeps_below_the_free_run() {
        let (mut balance, mut writer) = (Balance::new(250), Writer { dirtied: 1_000, ..Writer::new() });
        assert_eq!(balance.ask(&mut writer, at(24_576), None, Time::from_millis(1)), Pause::None);
        // √8192 rounded down to a power of two.
        assert_eq!((writer.dirtied, writer.ask_after), (0, 64));
    }

    #[test]
    fn a_pass_is_half_a_second_of_writing_in_whole_chunks() {
        // 12,800 pages are twelve and a half of 1,024.
        assert_eq!(Balance::new(250).pass(1 << 20, 1_024), 13 * 1_024);
        assert_eq!(Balance::new(250).pass(32_768, 1_024), 5 * 1_024);
    }

    #[test]
    fn what_the_kernel_believes_of_a_slow_device_makes_the_first_pauses_long() {
        for (pages_per_second, pause) in
            [(INITIAL_PAGES_PER_SECOND, Pause::None), (120.0, Pause::Sleep(Time::from_millis(200)))]
        {
            let mut balance = Balance::believing(250, pages_per_second);
            let mut writer = Writer { dirtied: 320, ..Writer::new() };
            assert_eq!(balance.ask(&mut writer, at(25_000), None, Time::from_millis(1)), pause);
        }
    }

    #[test]
    fn a_writer_at_the_limit_sleeps_and_asks_again() {
        let (mut balance, mut writer) = (Balance::new(250), Writer { dirtied: 64, ..Writer::new() });
        let pause = balance.ask(&mut writer, at(40_000), None, Time::from_millis(1));
        // 40,000 pages take 1.6 s at 100 MiB/s; an eighth of that is about the longest.
        assert_eq!(pause, Pause::AskAgain(Time::from_millis(200)));
        assert_eq!(writer.dirtied, 64);
        assert!(balance.must_ask(&Writer { dirtied: 8, ..Writer::new() }));
    }

    #[test]
    fn time_spent_running_is_not_slept_again() {
        let mut balance = Balance::new(250);
        let mut writer = Writer { dirtied: 256, ask_after: 256, since: Some(0) };
        // 256 pages at 25,600 a second take 10 ms, of which 8 have gone by: less than a pause is worth.
        let position = at(LIMITS.set_point());
        assert_eq!(balance.ask(&mut writer, position, None, Time::from_millis(8)), Pause::None);
        assert_eq!(writer.since, Some(2));
    }

    /// Where a writer that could dirty a page in a microsecond comes to rest with a device of 12,800 pages a second:
    /// pages a second over the last ten of twenty seconds, and the pages that are unwritten in the mean.
    fn settled(strict: bool) -> (f64, f64) {
        let mut balance = Balance::new(250);
        let (mut now, mut dirty, mut drained_to) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut writer = Writer::new();
        let (mut dirtied, mut at_ten, mut asked, mut seen) = (0_u64, 0, 0.0, 0.0);
        while now < 20.0 {
            now += 1e-6;
            dirty += 1.0;
            dirtied += 1;
            writer.dirtied += 1;
            balance.dirtied(1);
            while balance.must_ask(&writer) {
                let drained = (12_800.0 * (now - drained_to)).floor().min(dirty);
                drained_to += drained / 12_800.0;
                dirty -= drained;
                balance.wrote(drained as u64);
                let host = Position {
                    unwritten: dirty as u64,
                    limits: Limits { background: 1 << 20, limit: 1 << 21 },
                };
                let position = at(dirty as u64);
                let (host, device) = if strict { (host, Some(position)) } else { (position, None) };
                if now > 10.0 {
                    (asked, seen) = (asked + 1.0, seen + dirty);
                }
                match balance.ask(&mut writer, host, device, Time::from_seconds(now)) {
                    Pause::None => break,
                    Pause::Sleep(span) => {
                        now += span.as_seconds();
                        break;
                    }
                    Pause::AskAgain(span) => now += span.as_seconds(),
                }
            }
            if now < 10.0 {
                at_ten = dirtied;
            }
        }
        ((dirtied - at_ten) as f64 / 10.0, seen / asked)
    }

    #[test]
    fn a_fast_writer_settles_at_the_speed_of_the_device_near_the_set_point() {
        let (rate, dirty) = settled(false);
        assert!((rate / 12_800.0 - 1.0).abs() < 0.05, "{rate} pages a second");
        assert!((dirty / LIMITS.set_point() as f64 - 1.0).abs() < 0.1, "{dirty} dirty");
    }

    #[test]
    fn a_limit_of_the_device_holds_the_writer_nearer_to_where_it_would_run_freely() {
        let (rate, dirty) = settled(true);
        assert!((rate / 12_800.0 - 1.0).abs() < 0.05, "{rate} pages a second");
        // Not at it: the base rate stops falling when it is near.
        let (_, without) = settled(false);
        assert!(dirty > LIMITS.free_run() as f64 && dirty < without, "{dirty} dirty, {without} without");
    }
}
