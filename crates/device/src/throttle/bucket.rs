//! A leaky bucket with a burst: what every limit comes to that lets more pass for a while than it does for good.
//!
//! What passes is poured into the bucket, which leaks at the lasting rate; something passes as long as the bucket isn't fuller than it
//! may be, so that a large request overdraws it and what follows waits for that. A second bucket leaks at the rate of the burst and
//! holds it to that. QEMU's throttle (util/throttle.c) is two of these for each limit, a cloud's volume with credits likewise: as many
//! credits as the bucket has room, earned as fast as it leaks.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// So little above what it may hold is what rounding leaves, in units.
const ROUNDING: f64 = 1e-6;

/// What passes: units (requests or bytes) a second for good, and for a while.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub(crate) struct Allowance {
    /// For good, units a second.
    pub(crate) rate: f64,
    /// Units that may pass beyond that.
    pub(crate) room: f64,
    /// How fast these may pass, units a second, and how many of them at once; `None`: at once.
    pub(crate) burst: Option<(f64, f64)>,
}

/// An allowance, and what was used of it.
#[derive(Clone, Copy, Debug, Persist)]
pub(crate) struct Bucket {
    allowance: Allowance,
    /// Units that haven't leaked, of it and of the burst's.
    level: f64,
    burst_level: f64,
    /// When they were looked at.
    at: Time,
    /// When something had to wait first, because all room was used.
    dry: Option<Time>,
    /// Units that have passed.
    passed: f64,
    /// What was in it when it began.
    begun_with: f64,
}

impl Bucket {
    /// Begins with a part of its room used, 0 to 1.
    pub(crate) fn new(allowance: Allowance, used: f64) -> Self {
        let level = allowance.room * used;
        Self { allowance, level, burst_level: 0.0, at: Time::ZERO, dry: None, passed: 0.0, begun_with: level }
    }

    /// Lets what was used leak until now.
    fn leak(&mut self, now: Time) {
        let seconds = now.saturating_sub(self.at).as_seconds();
        self.at = self.at.max(now);
        self.level = (self.level - self.allowance.rate * seconds).max(0.0);
        if let Some((rate, _)) = self.allowance.burst {
            self.burst_level = (self.burst_level - rate * seconds).max(0.0);
        }
    }

    /// How long the next has to wait now.
    pub(crate) fn wait(&mut self, now: Time) -> Time {
        self.leak(now);
        let extra = self.level - self.allowance.room;
        if extra > ROUNDING {
            self.dry.get_or_insert(now);
            return span(extra / self.allowance.rate);
        }
        match self.allowance.burst {
            Some((rate, at_once)) if self.burst_level - at_once > ROUNDING => {
                span((self.burst_level - at_once) / rate)
            }
            _ => Time::ZERO,
        }
    }

    /// So many units pass.
    pub(crate) fn pass(&mut self, units: f64) {
        self.level += units;
        self.passed += units;
        if self.allowance.burst.is_some() {
            self.burst_level += units;
        }
    }

    /// Units that have passed.
    #[cfg(test)]
    pub(crate) fn passed(&self) -> f64 {
        self.passed
    }

    /// How it stands at a time.
    pub(crate) fn credit(&self, now: Time) -> Credit {
        let mut then = *self;
        then.leak(now);
        let Allowance { rate, room, burst } = self.allowance;
        Credit {
            room,
            left: (room - then.level).max(0.0),
            begun_with: room - self.begun_with,
            rate,
            burst_rate: burst.map_or(f64::INFINITY, |(rate, _)| rate),
            dry: self.dry,
        }
    }
}

/// A time to wait: a picosecond longer rather than shorter.
fn span(seconds: f64) -> Time {
    Time::from_seconds(seconds) + Time::from_picos(1)
}

/// What is left of a burst.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credit {
    /// Units that it is made of: requests or bytes.
    pub room: f64,
    /// Those that are left.
    pub left: f64,
    /// Those that there were at the beginning.
    pub begun_with: f64,
    /// What passes behind it, units a second, which is also how fast it comes back.
    pub rate: f64,
    /// What passes while there are any.
    pub burst_rate: f64,
    /// When something waited first because there were none.
    pub dry: Option<Time>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(rate: f64, room: f64, burst: Option<(f64, f64)>) -> Bucket {
        Bucket::new(Allowance { rate, room, burst }, 0.0)
    }

    /// When the last of so many units has passed that are asked for one after the other.
    fn last(bucket: &mut Bucket, count: u64) -> f64 {
        let mut now = Time::ZERO;
        for _ in 0..count {
            loop {
                match bucket.wait(now) {
                    Time::ZERO => break,
                    wait => now += wait,
                }
            }
            bucket.pass(1.0);
        }
        now.as_seconds()
    }

    #[test]
    fn a_burst_lasts_as_long_as_its_credits_less_what_comes_back() {
        // Amazon: "Burst duration = credit balance / (burst IOPS - 3 x volume size in GiB)": 5.4 million, 3000 and 100 GiB are 2,000 s.
        let mut gp2 = bucket(300.0, 5.4e6, Some((3_000.0, 0.0)));
        last(&mut gp2, 6_000_002);
        let dry = gp2.dry.map_or(0.0, Time::as_seconds);
        assert!((dry - 2_000.0).abs() < 0.01, "{dry}");
        let credit = gp2.credit(gp2.at);
        assert!(credit.left < 1.0 && (credit.rate - 300.0).abs() < 1e-9);
        assert!((gp2.passed() - 6_000_002.0).abs() < 1e-3);
    }

    #[test]
    fn behind_a_burst_the_lasting_rate_holds_exactly() {
        let mut bucket = bucket(100.0, 1_000.0, Some((1_000.0, 10.0)));
        let at_dry = last(&mut bucket, 1_200);
        let later = last(&mut bucket, 0).max(at_dry);
        let mut now = Time::from_seconds(later);
        for _ in 0..1_000 {
            while bucket.wait(now) > Time::ZERO {
                now += bucket.wait(now);
            }
            bucket.pass(1.0);
        }
        assert!((now.as_seconds() - later - 10.0).abs() < 0.02, "{}", now.as_seconds() - later);
    }

    #[test]
    fn what_passes_is_never_more_than_the_burst_and_its_start_allow() {
        for (rate, room, burst) in [(300.0, 5_000.0, 3_000.0), (10.0, 100.0, 20.0), (5.0, 7.0, 1e6)] {
            for at_once in [0.0, 3.0] {
                let mut bucket = bucket(rate, room, Some((burst, at_once)));
                for count in [1u64, 10, 1_000, 6_000] {
                    let begun = bucket.passed();
                    let from = bucket.at;
                    let mut now = from;
                    for _ in 0..count {
                        while bucket.wait(now) > Time::ZERO {
                            now += bucket.wait(now);
                        }
                        bucket.pass(1.0);
                    }
                    let span = (now - from).as_seconds();
                    let passed = bucket.passed() - begun;
                    assert!(passed <= burst * span + at_once + 2.0, "{passed} in {span} s at {burst}");
                    assert!(bucket.passed() <= rate * now.as_seconds() + room + 2.0);
                }
            }
        }
    }

    #[test]
    fn credits_come_back_at_the_lasting_rate_and_no_further_than_there_is_room() {
        let mut bucket = Bucket::new(Allowance { rate: 300.0, room: 5.4e6, burst: None }, 1.0);
        assert!(bucket.credit(Time::ZERO).left < 1e-6);
        let hour = Time::from_whole_seconds(3_600);
        assert!((bucket.credit(hour).left - 1_080_000.0).abs() < 1.0);
        bucket.pass(0.0);
        // Amazon: 5.4 million at 300 a second are full again after 18,000 s.
        assert!((bucket.credit(Time::from_whole_seconds(18_000)).left - 5.4e6).abs() < 1.0);
        assert!((bucket.credit(Time::from_whole_seconds(90_000)).left - 5.4e6).abs() < 1e-6);
    }
}
