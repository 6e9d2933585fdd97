//! Which transfers of a segment a rank makes, and in which order.
//!
//! ```text
//!  in their order         its own block, from its beginning
//!  -z, a file a rank      its own block, shuffled: the same in each segment
//!  -z, one file for all   transfers of all blocks, each drawn for some rank, shuffled: the same in each segment
//! ```
//!
//! Source: IOR 4.0, src/ior.c, GetOffsetArrayRandom. A file that all share gives one rank more transfers than another, and each
//! pass and repetition goes by the same draw. Of files of their own the first pass shuffles all alike (the seed is the time), and
//! those after it each rank's in its own way (the same seed, and the rank's number).

use super::options::IorOptions;
use crate::permutation::Permutation;
use petrio_distribution::standard_normal;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_random::{Generator, uniform_below};
use petrio_units::numbers::{as_index, nearest_whole};

/// Up to so many transfers are drawn one by one; how many a rank has of more comes from the normal distribution.
const DRAWN_SINGLY: u64 = 1 << 16;

/// A rank's transfers of a segment.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Order {
    /// Without one they are in their order.
    shuffle: Option<Permutation>,
    /// Where the shuffled ones of this rank begin.
    first: u64,
    count: u64,
}

impl Order {
    pub(super) const fn sequential(per_block: u64) -> Self {
        Self { shuffle: None, first: 0, count: per_block }
    }

    /// How many of a segment are this rank's.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Which one comes at `place`, which is less than the count: as a number of the block, or of all blocks.
    pub(super) fn at(&self, place: u64) -> u64 {
        self.shuffle.map_or(place, |shuffle| shuffle.at(self.first + place))
    }
}

/// What is drawn at random for a rank (-z).
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Shuffle {
    key: u64,
    /// Its transfers of a file that all share.
    of_all: Option<Order>,
}

impl Shuffle {
    /// For a rank of so many; `random` gives all of them the same.
    pub(super) fn new(options: &IorOptions, (rank, ranks): (u32, u32), random: &mut Generator) -> Self {
        let key = uniform_below(random, u64::MAX);
        let of_all = (!options.file_per_process).then(|| {
            let all = options.per_block().saturating_mul(ranks.into());
            let counts = counts(all, ranks, random);
            let (before, from) = counts.split_at_checked(rank as usize).unwrap_or_default();
            let shuffle = Some(Permutation::new(all, finish(key)));
            Order { shuffle, first: before.iter().sum(), count: from.first().copied().unwrap_or_default() }
        });
        Self { key, of_all }
    }

    /// The order of who accesses the data of the rank at `place`; whether that is in the first pass of all.
    pub(super) fn order(&self, options: &IorOptions, place: u32, is_first: bool) -> Order {
        self.of_all.unwrap_or_else(|| {
            let of_rank = if is_first && !options.is_seeded { 0 } else { u64::from(place) + 1 };
            let count = options.per_block();
            let key = finish(self.key ^ of_rank);
            Order { shuffle: Some(Permutation::new(count, key)), first: 0, count }
        })
    }
}

/// How many of `all` transfers each rank has, where each is as likely every rank's.
fn counts(all: u64, ranks: u32, random: &mut Generator) -> Vec<u64> {
    if all <= DRAWN_SINGLY {
        let mut counts = vec![0; ranks as usize];
        for _ in 0..all {
            let rank = as_index(uniform_below(random, ranks.into()));
            counts[rank] += 1;
        }
        return counts;
    }
    // One rank after the other has its binomial share of what is left.
    let mut left = all;
    (0..ranks)
        .map(|rank| {
            let share = 1.0 / f64::from(ranks - rank);
            let mean = left as f64 * share;
            let drawn = mean + (mean * (1.0 - share)).sqrt() * standard_normal(random);
            let count = if rank + 1 == ranks { left } else { nearest_whole(drawn).min(left) };
            left -= count;
            count
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_transfer_of_a_shared_segment_is_some_ranks_once(ranks in 1_u32..40, per_block in 2_u64..60, seed: u64) {
            let options = IorOptions { block: per_block * 8, transfer: 8, ..IorOptions::default() };
            let order = |rank: u32| {
                let mut random = petrio_random::generator(seed, 0, "ior", "test");
                Shuffle::new(&options, (rank, ranks), &mut random).order(&options, rank, true)
            };
            let orders: Vec<Order> = (0..ranks).map(order).collect();
            let mut seen: Vec<u64> =
                orders.iter().flat_map(|order| (0..order.count()).map(|place| order.at(place))).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..per_block * u64::from(ranks)));
        }
    }

    #[test]
    fn ranks_have_binomial_shares_however_many_transfers_there_are() {
        for all in [DRAWN_SINGLY, DRAWN_SINGLY + 1, 1 << 34] {
            let ranks = 1_000;
            let mut random = petrio_random::generator(7, 0, "ior", "test");
            let counts = counts(all, ranks, &mut random);
            assert_eq!(counts.iter().sum::<u64>(), all);
            let mean = all as f64 / f64::from(ranks);
            let variance =
                counts.iter().map(|&count| (count as f64 - mean).powi(2)).sum::<f64>() / f64::from(ranks);
            // The variance of a thousand shares lies within four standard deviations, 4 √(2 / 1000), of what it should be.
            let ratio = variance / (mean * (1.0 - 1.0 / f64::from(ranks)));
            assert!((ratio - 1.0).abs() < 0.18, "{all}: {ratio}");
        }
    }
}
