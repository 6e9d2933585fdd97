//! How full a place is, and has been: the counters that are always on.

use crate::Time;
use crate::adjacency::{Adjacency, Condition};
use petrio_persist::Persist;
use serde::Serialize;

/// A place's counters in a marking, and whom they concern as far as that is one transition, which it is for most
/// places. One line of 64 bytes: in a net of thousands of parts each other one mostly comes from main memory.
#[derive(Clone, Debug, Persist)]
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
    /// Needs at least so many ready tokens: the first of those who do. Where there is none, nothing reaches its
    /// threshold.
    #[persist(keep)]
    pub(crate) first: Condition,
    /// More than `first` is concerned by ready tokens; the adjacency says who.
    #[persist(keep)]
    pub(crate) concerns_others: bool,
    /// Somebody needs fewer than so many tokens in the place; the adjacency says who.
    #[persist(keep)]
    pub(crate) limited: bool,
    /// The place is no station, so that a delayed token which matures is ready.
    #[persist(keep)]
    pub(crate) plain: bool,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            ready: 0,
            total: 0,
            maximum: 0,
            observed: false,
            arrivals: 0,
            departures: 0,
            area: 0,
            since: 0,
            first: Condition { transition: 0, threshold: u32::MAX },
            concerns_others: false,
            limited: false,
            plain: true,
        }
    }
}

/// How many tokens a place has after a change, and whom that concerns.
#[derive(Clone, Copy)]
pub(crate) struct Changed {
    pub(crate) ready: u32,
    pub(crate) total: u32,
    pub(crate) first: Condition,
    pub(crate) concerns_others: bool,
    pub(crate) limited: bool,
}

impl Level {
    /// Says whom its tokens concern.
    pub(crate) fn concern(&mut self, adjacency: &Adjacency, plain: bool) {
        if let Some(first) = adjacency.ready.first() {
            self.first = *first;
        }
        self.concerns_others = adjacency.ready.len() > 1 || !adjacency.particular.is_empty();
        self.limited = !adjacency.below.is_empty();
        self.plain = plain;
    }

    /// How many tokens there are after a change, and whom that concerns.
    #[inline]
    pub(crate) fn changed(&self) -> Changed {
        Changed {
            ready: self.ready,
            total: self.total,
            first: self.first,
            concerns_others: self.concerns_others,
            limited: self.limited,
        }
    }

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

    /// Ready tokens leave.
    #[inline]
    pub(crate) fn leave_ready(&mut self, now: u64, tokens: u32) -> Changed {
        self.leave(now, tokens);
        self.ready -= tokens;
        self.changed()
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
