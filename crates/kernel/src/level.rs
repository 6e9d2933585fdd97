//! How full a place is, and has been: the counters that are always on.

use crate::Time;
use serde::Serialize;

/// A place's counters in a marking. One cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Level {
    /// Tokens that can be taken.
    pub(crate) ready: u32,
    /// All tokens: ready, delayed, waiting and in service.
    pub(crate) total: u32,
    pub(crate) maximum: u32,
    /// Somebody observes the arrivals.
    pub(crate) observed: bool,
    pub(crate) arrivals: u64,
    pub(crate) departures: u64,
    /// Time integral of `total`, token-picoseconds.
    area: u128,
    since: u64,
}

impl Level {
    #[inline]
    fn integrate(&mut self, now: u64) {
        self.area += u128::from(self.total) * u128::from(now - self.since);
        self.since = now;
    }

    #[inline]
    pub(crate) fn enter(&mut self, now: u64) {
        self.integrate(now);
        self.total += 1;
        self.arrivals += 1;
        self.maximum = self.maximum.max(self.total);
    }

    #[inline]
    pub(crate) fn leave(&mut self, now: u64, tokens: u32) {
        self.integrate(now);
        self.total -= tokens;
        self.departures += u64::from(tokens);
    }

    /// Ready tokens leave; returns how many are left, ready and in all.
    #[inline]
    pub(crate) fn leave_ready(&mut self, now: u64, tokens: u32) -> (u32, u32) {
        self.leave(now, tokens);
        self.ready -= tokens;
        (self.ready, self.total)
    }

    /// Sets the number of tokens where a scheduler has merged or split some.
    pub(crate) fn recount(&mut self, now: u64, total: u32) {
        self.integrate(now);
        self.total = total;
        self.maximum = self.maximum.max(total);
    }

    pub(crate) fn statistics(&self, now: u64, from: u64) -> PlaceStatistics {
        let mut level = self.clone();
        level.integrate(now);
        let span = now - from;
        PlaceStatistics {
            tokens: self.total,
            maximum: self.maximum,
            arrivals: self.arrivals,
            departures: self.departures,
            mean: if span == 0 { f64::from(self.total) } else { level.area as f64 / span as f64 },
            area_token_seconds: level.area as f64 / 1e12,
            span: Time::from_picos(span),
        }
    }

    pub(crate) fn reset(&mut self, now: u64) {
        self.area = 0;
        self.since = now;
        self.arrivals = 0;
        self.departures = 0;
        self.maximum = self.total;
    }
}

/// What a place's counters say about a span of model time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaceStatistics {
    /// Tokens now.
    pub tokens: u32,
    /// Most tokens at once.
    pub maximum: u32,
    /// Tokens that came in.
    pub arrivals: u64,
    /// Tokens that went out.
    pub departures: u64,
    /// Time-weighted mean number of tokens.
    pub mean: f64,
    /// Time integral of the number of tokens, token-seconds.
    pub area_token_seconds: f64,
    /// The span that these figures describe.
    pub span: Time,
}

impl PlaceStatistics {
    /// Mean sojourn time by Little's law: mean number over arrival rate. `None` without departures.
    pub fn mean_sojourn(&self) -> Option<Time> {
        (self.departures > 0).then(|| Time::from_seconds(self.area_token_seconds / self.departures as f64))
    }
}
