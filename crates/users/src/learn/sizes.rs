//! How long accesses are before they are cut.
//!
//! What a trace shows is what was left of an access at the end of its file, or where enough had been accessed. Such a
//! length says only that the access would have been at least so long; taken as it is, and cut again when the users
//! work, accesses would become shorter and shorter. The distribution behind such values is estimated as that of
//! lifetimes of which some were broken off (E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete
//! observations", JASA 53, 1958).

use petrio_distribution::{Draw, Observed};
use petrio_units::Measurable;
use petrio_units::numbers::{as_index, nearest_whole};

/// Quantiles of the estimate, of which the learned distribution is made.
const QUANTILES: usize = 8_192;

/// Lengths of accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    /// Those that were cut are below zero.
    seen: Observed,
}

impl Sizes {
    /// An access moved so many bytes, and would perhaps have moved more.
    pub(super) fn add(&mut self, bytes: u64, is_cut: bool) {
        let bytes = bytes as f64;
        self.seen.add(if is_cut { -bytes } else { bytes });
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.seen.join(&other.seen);
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Their distribution, as if nothing had been cut.
    pub(super) fn values<Q: Measurable>(&self) -> Draw<Q> {
        let mut sorted: Vec<f64> = self.seen.kept().to_vec();
        // Of equal lengths, those that weren't cut come first.
        sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(b.total_cmp(a)));
        let mut estimate = Observed::default();
        let (mut remains, mut given) = (1.0, 0);
        let mut give = |length: f64, remains: f64| {
            let until = as_index(nearest_whole((1.0 - remains) * QUANTILES as f64));
            (given..until).for_each(|_| estimate.add(length));
            given = given.max(until);
        };
        let n = sorted.len();
        for (at, length) in sorted.iter().enumerate().filter(|(_, length)| **length > 0.0) {
            remains *= 1.0 - 1.0 / (n - at) as f64;
            give(*length, remains);
        }
        // Where the longest was cut, nobody knows how long it would have been.
        if let Some(longest) = sorted.last() {
            give(longest.abs(), 0.0);
        }
        estimate.values()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_distribution::{Distribution, Exponential};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn cut_accesses_are_as_long_as_they_would_have_been() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let law = Distribution::from(Exponential::new(0.0, 1_000.0).unwrap());
        let mut sizes = Sizes::default();
        for _ in 0..40_000 {
            let (drawn, room) = (law.sample(&mut random).ceil(), law.sample(&mut random).ceil());
            sizes.add(drawn.min(room) as u64, room <= drawn);
        }
        let found: Draw<f64> = sizes.values();
        let found = found.distribution().unwrap();
        assert!((found.mean() / 1_000.0 - 1.0).abs() < 0.04, "{}", found.mean());
        assert!((found.quantile(0.5) / 693.0 - 1.0).abs() < 0.05, "{}", found.quantile(0.5));
    }

    #[test]
    fn without_cuts_lengths_are_as_they_were_and_all_cut_ones_as_the_longest() {
        let mut sizes = Sizes::default();
        [10, 20, 20, 40].into_iter().for_each(|bytes| sizes.add(bytes, false));
        let found: Draw<f64> = sizes.values();
        let found = found.distribution().unwrap();
        assert_eq!((found.mass(10.0), found.mass(20.0), found.mass(40.0)), (0.25, 0.5, 0.25));
        let mut cut = Sizes::default();
        [10, 4_096, 300].into_iter().for_each(|bytes| cut.add(bytes, true));
        assert_eq!(cut.values::<f64>().distribution().unwrap().mean(), 4_096.0);
    }
}
