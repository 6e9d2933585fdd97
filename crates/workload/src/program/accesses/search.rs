//! The depth at which accesses take no longer than they may: fio's `latency_target`.
//!
//! Source: fio's io_u.c (3.33: `lat_target_init`, `lat_target_check`, `lat_target_success`, `__lat_target_failed`): from one in flight on it is
//! doubled as long as so many of the accesses of a window are in time, and halved towards the last that were where they aren't. Left out: fio
//! counts from anew where the search is over; here the search counts, too. Accesses that are still in flight when the depth is lowered lower
//! it no further.

use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::{Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long accesses may take; as many are in flight as that allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct LatencyTarget {
    /// From submission to completion.
    #[persist(keep)]
    pub latency: Duration,
    /// So long each depth is tried.
    #[persist(keep)]
    pub window: Duration,
    /// So many of the accesses have to be in time; left out, all.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    #[persist(keep)]
    pub share: Fraction,
    /// Whether it goes on at the depth that was found.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    pub keeps_on: bool,
}

const fn all() -> Fraction {
    Fraction::ONE
}

fn is_all(share: &Fraction) -> bool {
    *share == Fraction::ONE
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// The depth has become another: what is in flight is waited for first.
    Lower,
    /// Nothing more is to be found.
    Done,
}

/// Successes in a row at a depth next to one that failed, before the latter is tried once more.
const STABLE: u32 = 3;

#[derive(Clone, Debug, Persist)]
pub(super) struct DepthSearch {
    target: LatencyTarget,
    most: u32,
    depth: u32,
    low: u32,
    high: u32,
    stable: u32,
    begun: Option<Time>,
    done: u64,
    late: u64,
    lowers: bool,
    is_last: bool,
}

impl DepthSearch {
    pub(super) const fn new(target: LatencyTarget, most: u32) -> Self {
        Self {
            target,
            most,
            depth: 1,
            low: 1,
            high: most,
            stable: 0,
            begun: None,
            done: 0,
            late: 0,
            lowers: false,
            is_last: false,
        }
    }

    /// How many may be in flight.
    pub(super) const fn depth(&self) -> u32 {
        self.depth
    }

    /// An access is over.
    pub(super) fn completed(&mut self, took: Time) {
        self.done += 1;
        if self.lowers || took <= self.target.latency.time() {
            return;
        }
        self.late += 1;
        self.lowers = is_all(&self.target.share);
    }

    /// Looks at the window, where it is over.
    pub(super) fn check(&mut self, now: Time) -> Found {
        let begun = *self.begun.get_or_insert(now);
        if self.lowers {
            return self.failed(now);
        }
        if self.done == 0 || now.saturating_sub(begun) < self.target.window.time() {
            return Found::Nothing;
        }
        let in_time = (self.done - self.late) as f64 / self.done as f64;
        if in_time < self.target.share.get() { self.failed(now) } else { self.succeeded(now) }
    }

    fn anew(&mut self, now: Time) {
        (self.begun, self.done, self.late, self.lowers) = (Some(now), 0, 0, false);
    }

    fn failed(&mut self, now: Time) -> Found {
        let gives_up = self.depth == 1 && is_all(&self.target.share);
        if self.depth > 1 {
            self.high = self.depth;
            if self.depth == self.low {
                self.low -= 1;
            }
            self.depth = ((self.depth + self.low) / 2).max(1);
            self.stable = 0;
        }
        self.anew(now);
        if gives_up { Found::Done } else { Found::Lower }
    }

    fn succeeded(&mut self, now: Time) -> Found {
        let before = self.depth;
        self.low = self.depth;
        if self.depth + 1 == self.high {
            self.stable += 1;
            if self.stable >= STABLE {
                (self.high, self.stable) = (self.high + 1, 0);
            }
        }
        let next =
            if self.high == self.most { self.depth.saturating_mul(2) } else { (self.depth + self.high) / 2 };
        self.depth = next.min(self.most);
        self.anew(now);
        if self.target.keeps_on || self.depth != before {
            return Found::Nothing;
        }
        // One more window at the depth that was found.
        if std::mem::replace(&mut self.is_last, true) { Found::Done } else { Found::Lower }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The depths that are tried where an access takes so long for each that is in flight, until the search ends.
    fn tried(target_ms: u64, each_ms: u64, most: u32, share: f64) -> Vec<u32> {
        let target = LatencyTarget {
            latency: Time::from_millis(target_ms).into(),
            window: Time::from_millis(100).into(),
            share: Fraction::new(share).unwrap(),
            keeps_on: false,
        };
        let (mut search, mut now, mut found) = (DepthSearch::new(target, most), Time::ZERO, vec![1]);
        for _ in 0..10_000 {
            let took = Time::from_millis(each_ms * u64::from(search.depth()));
            search.completed(took);
            now = now.saturating_add(Time::from_millis(each_ms));
            let result = search.check(now);
            if found.last() != Some(&search.depth()) {
                found.push(search.depth());
            }
            if result == Found::Done {
                return found;
            }
        }
        panic!("it never ends: {found:?}");
    }

    #[test]
    fn the_deepest_that_is_in_time_is_found() {
        for share in [1.0, 0.9] {
            // A server that takes 1 ms for each: 20 are in time.
            let found = tried(20, 1, 128, share);
            assert_eq!(found[..6], [1, 2, 4, 8, 16, 32]);
            assert_eq!(*found.last().unwrap(), 20, "{found:?}");
            // All that there may be are in time.
            assert_eq!(tried(1000, 1, 64, share), [1, 2, 4, 8, 16, 32, 64]);
        }
        // Not even one is.
        assert_eq!(tried(1, 2, 64, 1.0), [1]);
    }

    #[test]
    fn more_time_allows_no_fewer() {
        let found = |target| *tried(target, 1, 256, 1.0).last().unwrap();
        let depths: Vec<u32> = [2, 5, 9, 17, 40, 100, 300].map(found).to_vec();
        assert!(depths.is_sorted(), "{depths:?}");
    }
}
