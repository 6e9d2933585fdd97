//! What a station counts: waiting, service, and how busy it was.

use crate::Time;
use petrio_persist::Persist;
use serde::Serialize;

/// A station's counters in a marking.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Tracker {
    /// `None` for infinitely many.
    servers: Option<u32>,
    waiting: u32,
    serving: u32,
    since: u64,
    from: u64,
    waiting_area: u128,
    serving_area: u128,
    /// Time integral of the servers at work, and of whether any is.
    busy_area: u128,
    occupied: u128,
    arrivals: u64,
    started: u64,
    completions: u64,
    wait_sum: u128,
    service_sum: u128,
    /// Sum of sojourn times of completed tokens, from their own time stamps: independent of the areas, so that
    /// Little's law is a check and not an identity.
    sojourn_sum: u128,
}

impl Tracker {
    /// Of a station with so many servers, or with infinitely many.
    pub(super) fn new(servers: Option<u32>) -> Self {
        Self {
            servers,
            waiting: 0,
            serving: 0,
            since: 0,
            from: 0,
            waiting_area: 0,
            serving_area: 0,
            busy_area: 0,
            occupied: 0,
            arrivals: 0,
            started: 0,
            completions: 0,
            wait_sum: 0,
            service_sum: 0,
            sojourn_sum: 0,
        }
    }

    fn integrate(&mut self, now: u64) {
        if now == self.since {
            // A token that leaves lets another one in at the same time.
            return;
        }
        let span = u128::from(now - self.since);
        self.waiting_area += u128::from(self.waiting) * span;
        self.serving_area += u128::from(self.serving) * span;
        // Where tokens share the servers, there may be more of these in service than servers.
        self.busy_area +=
            u128::from(self.servers.map_or(self.serving, |servers| servers.min(self.serving))) * span;
        if self.serving > 0 {
            self.occupied += span;
        }
        self.since = now;
    }

    pub(super) fn arrive(&mut self, now: u64) {
        self.integrate(now);
        self.waiting += 1;
        self.arrivals += 1;
    }

    /// A token that arrived at `queued` enters service.
    pub(super) fn start(&mut self, now: u64, queued: u64) {
        self.resume(now, queued);
        self.started += 1;
    }

    /// A token that was preempted at `queued` enters service again: it waits more, but starts no second time.
    pub(super) fn resume(&mut self, now: u64, queued: u64) {
        self.integrate(now);
        self.waiting -= 1;
        self.serving += 1;
        self.wait_sum += u128::from(now - queued.max(self.from));
    }

    /// A token in service since `started` goes back to waiting.
    pub(super) fn preempt(&mut self, now: u64, started: u64) {
        self.integrate(now);
        self.serving -= 1;
        self.waiting += 1;
        self.service_sum += u128::from(now - started.max(self.from));
    }

    /// A token in service since `started` leaves.
    pub(super) fn complete(&mut self, now: u64, started: u64) {
        self.integrate(now);
        self.serving -= 1;
        self.completions += 1;
        self.service_sum += u128::from(now - started.max(self.from));
    }

    /// The sojourn of a token that has left.
    pub(super) fn sojourn(&mut self, now: u64, arrived: u64) {
        self.sojourn_sum += u128::from(now - arrived.max(self.from));
    }

    pub(crate) fn statistics(&self, now: u64) -> StationStatistics {
        let mut tracker = self.clone();
        tracker.integrate(now);
        let span = (now - self.from).max(1) as f64;
        // Where a scheduler orders the line, single waits aren't known; Little's law gives their mean.
        let wait_sum = if self.wait_sum == 0 { tracker.waiting_area } else { self.wait_sum };
        let mean = |sum: u128, count: u64| {
            let mean = sum.checked_div(u128::from(count)).unwrap_or(0);
            Time::from_picos(u64::try_from(mean).unwrap_or(u64::MAX))
        };
        let mean_busy = tracker.busy_area as f64 / span;
        StationStatistics {
            servers: self.servers,
            arrivals: self.arrivals,
            completions: self.completions,
            waiting: self.waiting,
            serving: self.serving,
            mean_waiting: tracker.waiting_area as f64 / span,
            mean_serving: tracker.serving_area as f64 / span,
            mean_busy,
            utilisation: match self.servers {
                Some(servers) => mean_busy / f64::from(servers),
                None => tracker.occupied as f64 / span,
            },
            mean_wait: mean(wait_sum, self.started),
            mean_service: mean(self.service_sum, self.completions),
            mean_sojourn: mean(self.sojourn_sum, self.completions),
            span: Time::from_picos(now - self.from),
        }
    }

    pub(crate) fn reset(&mut self, now: u64) {
        let (waiting, serving) = (self.waiting, self.serving);
        *self = Self { waiting, serving, since: now, from: now, ..Self::new(self.servers) };
    }
}

/// What a station's counters say about a span of model time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StationStatistics {
    /// Servers; `None` for infinitely many.
    pub servers: Option<u32>,
    /// Tokens that came.
    pub arrivals: u64,
    /// Tokens served.
    pub completions: u64,
    /// Tokens waiting now.
    pub waiting: u32,
    /// Tokens in service now.
    pub serving: u32,
    /// Time-weighted mean number waiting.
    pub mean_waiting: f64,
    /// Time-weighted mean number in service.
    pub mean_serving: f64,
    /// Time-weighted mean number of servers at work. Tokens that share servers may be more than these.
    pub mean_busy: f64,
    /// Share of the time that a server works, the mean of all; of infinitely many, that with at least one token in
    /// service.
    pub utilisation: f64,
    /// Mean time waited: from arrival to the start of service, and while preempted.
    pub mean_wait: Time,
    /// Mean time in service.
    pub mean_service: Time,
    /// Mean time from arrival to completion, from the tokens' own time stamps.
    pub mean_sojourn: Time,
    /// The span that these figures describe.
    pub span: Time,
}
