//! Whether more comes than is served: a load that the System can't keep up with, however little it is over.
//!
//! What is under way is looked at after equal numbers of arrivals. Where as much is served as comes, the changes from
//! look to look add up to nothing; where a part of what comes is never served, they have a mean beyond their noise, which
//! Student's test tells. Looks at arrivals, not at completions or times, leave out what drains after the last arrival,
//! and the number that tells an overload of 2 % from none grows with its inverse square, as in any queue.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// Looks at most; beyond these every other one is forgotten.
const LOOKS: usize = 64;
/// Fewer looks tell nothing: nor do the first, in which any queue fills.
const LEAST: usize = 16;
/// A System that keeps up has so many under way now and then.
const FEW: u64 = 64;
/// Student's t: of 15 to 63 degrees of freedom a mean of nothing is beyond this once in thousands of runs.
const BEYOND_NOISE: f64 = 4.0;
/// The part of the growth that has to come in the second half.
const LATER: f64 = 0.25;

/// What was under way at one arrival.
#[derive(Clone, Copy, Persist)]
struct Look {
    arrived: u64,
    at: Time,
    under_way: u64,
}

/// Watches the number under way.
#[derive(Persist)]
pub(crate) struct Growth {
    looks: Vec<Look>,
    /// Arrivals from look to look, and the arrival of the next.
    width: u64,
    next: u64,
}

/// What comes and what is served, a second, over the second half of the arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Comes.
    pub offered: f64,
    /// Is served.
    pub served: f64,
}

impl Default for Growth {
    fn default() -> Self {
        Self { looks: Vec::new(), width: 8, next: 1 }
    }
}

impl Growth {
    /// So many have arrived until now, and so many of them are under way.
    #[inline]
    pub(crate) fn note(&mut self, arrived: u64, under_way: u64, at: Time) {
        if arrived >= self.next {
            self.look(Look { arrived, at, under_way });
        }
    }

    fn look(&mut self, look: Look) {
        self.looks.push(look);
        if self.looks.len() > LOOKS {
            let mut number = 0;
            self.looks.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.width *= 2;
        }
        self.next = look.arrived + self.width;
    }

    /// The rates, if more comes than is served.
    pub(crate) fn overload(&self) -> Option<Rates> {
        let last = self.looks.last()?;
        // What is there at the beginning is none of the growth: programs that begin together wait for each other.
        let looks = self.looks.get(1..).filter(|looks| looks.len() > LEAST)?;
        let changes: Vec<f64> =
            looks.windows(2).map(|pair| pair[1].under_way as f64 - pair[0].under_way as f64).collect();
        let count = changes.len() as f64;
        let mean = changes.iter().sum::<f64>() / count;
        let spread = changes.iter().map(|change| (change - mean) * (change - mean)).sum::<f64>();
        let error = libm::sqrt(spread / (count - 1.0) / count);
        if last.under_way < FEW || mean <= BEYOND_NOISE * error {
            return None;
        }
        let half = looks.get(looks.len() / 2)?;
        // Programs that begin one after the other are more and more at first, and then as many as they are.
        let later = last.under_way as f64 - half.under_way as f64;
        if later < LATER * mean * count {
            return None;
        }
        let seconds = (last.at - half.at).as_seconds();
        let offered = (last.arrived - half.arrived) as f64;
        let served = offered + half.under_way as f64 - last.under_way as f64;
        (seconds > 0.0 && served < offered)
            .then(|| Rates { offered: offered / seconds, served: served / seconds })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_random::{exponential, generator};
    use std::collections::VecDeque;

    /// A queue before one server that takes a unit of time for each, at which `load` arrive in that time, of so many
    /// arrivals; each arrival brings `batch` at once.
    fn queue(load: f64, arrivals: u64, batch: u64, seed: u64) -> Option<Rates> {
        let mut random = generator(seed, 0, "queue", "arrivals");
        let mut growth = Growth::default();
        let (mut now, mut free) = (0.0f64, 0.0f64);
        let mut ends: VecDeque<f64> = VecDeque::new();
        let mut arrived = 0;
        while arrived < arrivals {
            now += exponential(&mut random, batch as f64 / load);
            while ends.front().is_some_and(|end| *end <= now) {
                ends.pop_front();
            }
            for _ in 0..batch {
                free = free.max(now) + 1.0;
                ends.push_back(free);
                arrived += 1;
                growth.note(arrived, ends.len() as u64, Time::from_seconds(now));
            }
        }
        growth.overload()
    }

    #[test]
    fn an_overload_is_told_with_both_rates_and_a_load_that_is_served_never() {
        for seed in 0..40 {
            // What takes long is tried with fewer.
            let long = if seed % 8 == 0 { 100_000 } else { 2_000 };
            for (load, arrivals) in [(1.05, long), (1.1, 20_000), (1.5, 2_000), (2.0, 1_000)] {
                if arrivals == 2_000 && load < 1.1 {
                    continue;
                }
                let rates =
                    queue(load, arrivals, 1, seed).unwrap_or_else(|| panic!("{load} of {arrivals}, {seed}"));
                assert!(
                    (rates.served - 1.0).abs() < 0.02 && (rates.offered / load - 1.0).abs() < 0.15,
                    "{rates:?}"
                );
            }
            for (load, arrivals) in [(0.95, 500), (0.95, 5_000), (0.95, long), (0.5, 2_000)] {
                assert_eq!(queue(load, arrivals, 1, seed), None, "{load} of {arrivals}, {seed}");
            }
            assert_eq!(queue(0.8, 5_000, 100, seed), None, "bursts of a hundred, {seed}");
        }
    }

    #[test]
    fn many_that_begin_together_and_wait_for_each_other_are_no_overload() {
        let mut growth = Growth::default();
        // A hundred are asked for at once, and each that completes asks again.
        (1..=100).for_each(|arrived| growth.note(arrived, arrived, Time::ZERO));
        (101..=5_000).for_each(|arrived| growth.note(arrived, 100, Time::from_millis(arrived)));
        assert_eq!(growth.overload(), None);
    }

    #[test]
    fn what_comes_to_a_standstill_in_the_middle_is_told() {
        let mut growth = Growth::default();
        for arrived in 1..=20_000u64 {
            let under_way = 3 + arrived.saturating_sub(10_000) / 2;
            growth.note(arrived, under_way, Time::from_millis(arrived));
        }
        let rates = growth.overload().unwrap();
        assert!((rates.offered - 1_000.0).abs() < 1.0 && (rates.served - 500.0).abs() < 20.0, "{rates:?}");
    }
}
