//! The chance of a loss, of as many paths as it takes.

use crate::course::Memo;
use crate::path::{Told, path};
use crate::store::Store;
use petrio_random::generator;
use rayon::prelude::*;

/// Paths that one thread runs with one memory of what it met.
const TOGETHER: u64 = 256;
/// Paths of the first round; each later one has as many as all before it.
const FIRST: u64 = 2_048;
/// Two-sided 95 % of a normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// How long it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Until half the interval is this part of the chance.
    pub relative: f64,
    /// Paths at most.
    pub paths: u64,
}

/// A chance with its interval at 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chance {
    /// From 0 to 1.
    pub chance: f64,
    /// Half the interval.
    pub half_width: f64,
}

/// For how long one more failure would lose data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exposure {
    /// On average, seconds of the whole time.
    pub mean: f64,
    /// The longest time without a break that one in twenty such times has, seconds.
    pub longest_in_twenty: f64,
}

/// What is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The chance that data are lost.
    pub loss: Chance,
    /// That of them because more failed than is outlived.
    pub failed: Chance,
    /// And because a sector couldn't be read that nothing else had.
    pub sectors: Chance,
    /// Drives that fail, on average.
    pub failures: f64,
    /// How long it hung by a thread.
    pub exposure: Exposure,
    /// How many paths that is the mean of.
    pub paths: u64,
}

/// The chance that a store loses data within so many seconds. The same seed gives the same paths, whatever the store is: two stores that are
/// held against each other meet the same fates as far as they are alike.
pub fn estimate(
    store: &Store,
    seconds: f64,
    seed: u64,
    precision: Precision,
    is_wanted: &(dyn Fn() -> bool + Sync),
) -> Estimate {
    let mut all: Vec<Told> = Vec::new();
    loop {
        let from = all.len() as u64;
        let more = from.max(FIRST).min(precision.paths.saturating_sub(from));
        let groups = more.div_ceil(TOGETHER);
        let told: Vec<Vec<Told>> = (0..groups)
            .into_par_iter()
            .map(|group| {
                let mut memo = Memo::default();
                let numbers = from + group * TOGETHER..from + (group * TOGETHER + TOGETHER).min(more);
                let wanted = numbers.take_while(|_| is_wanted());
                wanted
                    .map(|number| {
                        path(store, seconds, &mut generator(seed, number, "loss", "path"), &mut memo)
                    })
                    .collect()
            })
            .collect();
        all.extend(told.into_iter().flatten());
        let found = summed(&all);
        let close =
            found.loss.half_width <= precision.relative * found.loss.chance && found.loss.chance > 0.0;
        if more == 0 || close || all.len() as u64 >= precision.paths || !is_wanted() {
            return found;
        }
    }
}

fn summed(all: &[Told]) -> Estimate {
    let mean = |of: &dyn Fn(&Told) -> f64| {
        // As a loss is there once or not at all, no mean is beyond 1, however its paths were weighed.
        let count = all.len().max(1) as f64;
        let mean = all.iter().map(of).sum::<f64>() / count;
        let squares = all.iter().map(|told| (of(told) - mean) * (of(told) - mean)).sum::<f64>();
        let deviation = libm::sqrt(squares / (count - 1.0).max(1.0));
        (mean, NORMAL * deviation / libm::sqrt(count))
    };
    let chance = |of: &dyn Fn(&Told) -> f64| {
        let (mean, half_width) = mean(of);
        Chance { chance: mean.clamp(0.0, 1.0), half_width }
    };
    Estimate {
        loss: chance(&|told| told.failed + told.sectors),
        failed: chance(&|told| told.failed),
        sectors: chance(&|told| told.sectors),
        failures: mean(&|told| told.failures).0,
        exposure: Exposure { mean: mean(&|told| told.exposed).0, longest_in_twenty: longest(all) },
        paths: all.len() as u64,
    }
}

/// The longest exposure that one path in twenty has or exceeds, each by its weight.
fn longest(all: &[Told]) -> f64 {
    let mut by_length: Vec<(f64, f64)> = all.iter().map(|told| (told.longest, told.weight)).collect();
    by_length.sort_by(|one, other| other.0.total_cmp(&one.0));
    let enough = all.len() as f64 / 20.0;
    let mut sum = 0.0;
    for (length, weight) in by_length {
        sum += weight;
        if sum >= enough {
            return length;
        }
    }
    0.0
}
