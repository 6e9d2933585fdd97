//! Whether a run was on time.

use crate::record::Fact;
use hdrhistogram::Histogram;
use petrio_time::Time;
use petrio_units::{Duration, Fraction};
use serde::Serialize;

/// How far a completion may be from its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a part of the time that the request was to take.
    pub relative: Fraction,
    /// Or so much, where that is more.
    pub absolute: Duration,
    /// Of which share of the requests.
    pub share: Fraction,
}

impl Default for Tolerance {
    /// 5 % or 100 µs, of 99 % of the requests: what Memulator kept within 2 % was of disks alone (Griffin and others 2002, §4).
    fn default() -> Self {
        Self {
            relative: Fraction::part(5, 100),
            absolute: Duration::new(Time::from_micros(100)),
            share: Fraction::part(99, 100),
        }
    }
}

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Judgement {
    /// Requests that came back at a time of the model's.
    pub requests: u64,
    /// Of these, by what they were asked for.
    pub reads: u64,
    /// Writes, zeros among them.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Discards.
    pub discards: u64,
    /// Those that came back with an error, as the model or the faults would have it.
    pub failed: u64,
    /// Requests that came while there was no power, or were under way when it was cut or when the emulation ended.
    pub without_power: u64,
    /// Those that came back outside of the tolerance.
    pub late: u64,
    /// What share was to come back within it.
    pub wanted_share: f64,
    /// How long they were to take, at the mean.
    pub mean_target_us: f64,
    /// How long they took.
    pub mean_actual_us: f64,
    /// How late they came back: the median.
    pub late_median_us: f64,
    /// Of 99 of 100 at most.
    pub late_p99_us: f64,
    /// At most.
    pub late_most_us: f64,
    /// How much before its time one came back, at most: answers are begun before, as they take some.
    pub early_most_us: f64,
    /// Whether enough were on time; so it is where none came.
    pub valid: bool,
}

impl Judgement {
    /// Which share came back within the tolerance; all where none came.
    pub fn share_on_time(&self) -> f64 {
        match self.requests {
            0 => 1.0,
            requests => 1.0 - self.late as f64 / requests as f64,
        }
    }
}

/// Gathers a judgement.
pub(crate) struct Judge {
    tolerance: Tolerance,
    found: Judgement,
    target_s: f64,
    actual_s: f64,
    early: Time,
    /// Nanoseconds.
    lateness: Option<Histogram<u64>>,
}

impl Judge {
    pub(crate) fn new(tolerance: Tolerance) -> Self {
        // From a nanosecond to a quarter of an hour, in three digits.
        let lateness = Histogram::new_with_bounds(1, 1_000_000_000_000, 3).ok();
        Self {
            tolerance,
            found: Judgement::default(),
            target_s: 0.0,
            actual_s: 0.0,
            early: Time::ZERO,
            lateness,
        }
    }

    pub(crate) fn tell(&mut self, fact: &Fact) {
        use crate::device::Kind;
        let Some(target) = fact.target else {
            self.found.without_power += 1;
            return;
        };
        let kind = match fact.kind {
            Kind::Read => &mut self.found.reads,
            Kind::Write => &mut self.found.writes,
            Kind::Discard => &mut self.found.discards,
            Kind::Flush => &mut self.found.flushes,
        };
        *kind += 1;
        self.found.requests += 1;
        self.found.failed += u64::from(fact.error != 0);
        let (span, late) = (target.saturating_sub(fact.arrived), fact.actual.saturating_sub(target));
        let relative = Time::from_seconds(span.as_seconds() * self.tolerance.relative.get());
        let early = target.saturating_sub(fact.actual);
        self.early = self.early.max(early);
        self.found.late += u64::from(late.max(early) > relative.max(self.tolerance.absolute.time()));
        self.target_s += span.as_seconds();
        self.actual_s += fact.actual.saturating_sub(fact.arrived).as_seconds();
        if let Some(lateness) = &mut self.lateness {
            lateness.saturating_record(late.as_picos() / 1_000);
        }
    }

    pub(crate) fn judgement(self) -> Judgement {
        let count = self.found.requests.max(1) as f64;
        let at = |quantile: f64| {
            let value = self.lateness.as_ref().map_or(0, |lateness| lateness.value_at_quantile(quantile));
            value as f64 / 1e3
        };
        let found = Judgement {
            wanted_share: self.tolerance.share.get(),
            mean_target_us: self.target_s * 1e6 / count,
            mean_actual_us: self.actual_s * 1e6 / count,
            late_median_us: at(0.5),
            late_p99_us: at(0.99),
            late_most_us: at(1.0),
            early_most_us: self.early.as_micros(),
            ..self.found
        };
        Judgement { valid: found.share_on_time() >= found.wanted_share, ..found }
    }
}
