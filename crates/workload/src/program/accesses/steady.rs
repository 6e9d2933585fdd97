//! When a load has become steady: fio's `steadystate`.
//!
//! Source: fio's steadystate.c (3.33): each interval gives a value, the last of them are looked at together, and it is over when none is
//! farther from their mean than may be, or when the line through them (least squares) is no steeper.

use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What has to stay the same, and how nearly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct SteadyState {
    /// Of what.
    pub of: SteadyFigure,
    /// The line through the last values is no steeper, from one to the next; left out, none of them is farther from their mean.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    pub slope: bool,
    /// Than this: per cent of their mean, or with `absolute` accesses or bytes a second, or nanoseconds.
    pub limit: f64,
    /// Whether the limit is no part of the mean.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    pub absolute: bool,
    /// How long values go back.
    #[persist(keep)]
    pub window: Duration,
    /// From when on they are looked at.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    #[persist(keep)]
    pub ramp: Duration,
    /// How long each goes.
    #[persist(keep)]
    pub interval: Duration,
    /// Whether all processes together are looked at, and end together (fio's `group_reporting`).
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    pub together: bool,
}

/// What may be steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum SteadyFigure {
    /// Accesses a second.
    Accesses,
    /// Bytes a second.
    Bytes,
    /// The mean latency.
    Latency,
}

/// Values are no more than this.
pub(super) const VALUES_MAX: u64 = 1 << 20;

impl SteadyState {
    /// How many values are looked at.
    pub(super) fn values(&self) -> u64 {
        self.window.time().as_picos() / self.interval.time().as_picos().max(1)
    }
}

/// Looks at what has been done.
#[derive(Clone, Debug, Persist)]
pub(super) struct Steadiness {
    wanted: SteadyState,
    values: VecDeque<f64>,
    /// When the interval ends, and what has been in it.
    until: Option<Time>,
    accesses: u64,
    bytes: u64,
    latency: Time,
    is_steady: bool,
}

impl Steadiness {
    pub(super) const fn new(wanted: SteadyState) -> Self {
        Self {
            wanted,
            values: VecDeque::new(),
            until: None,
            accesses: 0,
            bytes: 0,
            latency: Time::ZERO,
            is_steady: false,
        }
    }

    /// Whether it was found to be steady.
    pub(super) const fn is_steady(&self) -> bool {
        self.is_steady
    }

    /// The load begins.
    pub(super) fn begin(&mut self, now: Time) {
        let first = now.saturating_add(self.wanted.ramp.time()).saturating_add(self.wanted.interval.time());
        self.until.get_or_insert(first);
    }

    /// An access is over.
    pub(super) fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        let Some(until) = self.until else { return };
        let interval = self.wanted.interval.time();
        let mut until = until;
        while now >= until && !self.is_steady {
            self.close();
            until = until.saturating_add(interval);
            self.until = Some(until);
        }
        // Before the ramp is over nothing counts.
        if now.saturating_add(interval) >= until {
            self.accesses += 1;
            self.bytes += bytes;
            self.latency = self.latency.saturating_add(took);
        }
    }

    fn close(&mut self) {
        let seconds = self.wanted.interval.time().as_seconds();
        let value = match self.wanted.of {
            SteadyFigure::Accesses => self.accesses as f64 / seconds,
            SteadyFigure::Bytes => self.bytes as f64 / seconds,
            SteadyFigure::Latency => self.latency.as_seconds() * 1e9 / self.accesses.max(1) as f64,
        };
        (self.accesses, self.bytes, self.latency) = (0, 0, Time::ZERO);
        self.values.push_back(value);
        let count = self.wanted.values();
        if self.values.len() as u64 > count {
            self.values.pop_front();
        }
        if self.values.len() as u64 == count {
            self.is_steady = self.criterion().abs() < self.wanted.limit;
        }
    }

    /// What is held against the limit.
    fn criterion(&self) -> f64 {
        let count = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        let found = if self.wanted.slope {
            let middle = (count - 1.0) / 2.0;
            let places = || (0..self.values.len()).map(|place| place as f64 - middle);
            let along: f64 = places().zip(&self.values).map(|(place, value)| place * value).sum();
            along / places().map(|place| place * place).sum::<f64>()
        } else {
            self.values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max)
        };
        if self.wanted.absolute { found } else { 100.0 * found / mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(slope: bool, limit: f64) -> SteadyState {
        let seconds = |seconds| Duration::from(Time::from_whole_seconds(seconds));
        SteadyState {
            of: SteadyFigure::Accesses,
            slope,
            limit,
            absolute: false,
            window: seconds(5),
            ramp: seconds(2),
            interval: seconds(1),
            together: false,
        }
    }

    /// The second in which a load is found steady that does so many accesses in each.
    fn steady_in(wanted: SteadyState, rate: impl Fn(u64) -> u64) -> Option<u64> {
        let mut steadiness = Steadiness::new(wanted);
        steadiness.begin(Time::ZERO);
        for second in 0..200 {
            let count = rate(second);
            for number in 0..count {
                let at = Time::from_micros(second * 1_000_000 + number * 1_000_000 / count);
                steadiness.completed(4096, Time::from_micros(10), at);
                if steadiness.is_steady() {
                    return Some(second);
                }
            }
        }
        None
    }

    #[test]
    fn an_even_load_is_steady_when_the_window_behind_the_ramp_is_full() {
        for slope in [false, true] {
            assert_eq!(steady_in(wanted(slope, 1.0), |_| 100), Some(7), "slope {slope}");
        }
    }

    #[test]
    fn a_load_that_settles_is_steady_later_the_nearer_it_has_to_be() {
        let settles = |second: u64| 1000 + 4000 / (second + 1);
        for slope in [false, true] {
            let found: Vec<_> =
                [50.0, 10.0, 2.0, 0.5].map(|limit| steady_in(wanted(slope, limit), settles)).to_vec();
            assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?}");
            assert!(found[0] < found[3], "{found:?}");
        }
        // What goes up and down never has all values near the mean, though its line is level.
        let swings = |second: u64| if second.is_multiple_of(2) { 500 } else { 1500 };
        assert_eq!(steady_in(wanted(false, 10.0), swings), None);
        assert!(steady_in(wanted(true, 10.0), swings).is_some());
    }
}
