//! The numbers below a bound, each once, in an order that looks random: without a table of them.
//!
//! fio remembers the blocks that it has visited in a bit map (or steps with a linear-feedback shift register), iozone
//! shuffles a table of all record numbers. A million files of a terabyte leave no room for either. Here the order is a
//! formula: a bijection on `k`-bit numbers of a few multiplications by odd numbers and shifts, whose results beyond the
//! bound are put through it again until they are below ("cycle walking", Black and Rogaway, "Ciphers with Arbitrary
//! Finite Domains", CT-RSA 2002). With the smallest `k` that will do, that takes fewer than two rounds on average.
//!
//! It is a shuffle for workloads and no cipher: not every order of the numbers is possible.

use petrio_persist::Persist;
use petrio_random::finish;

/// An order of the numbers below a bound, chosen by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) struct Permutation {
    bound: u64,
    mask: u64,
    shift: u32,
    rounds: [Round; 3],
}

/// x ↦ (x + `add`) · `multiply`, then the upper half onto the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
struct Round {
    add: u64,
    /// Odd, so that the multiplication can be undone.
    multiply: u64,
}

impl Permutation {
    /// The order of the numbers below `bound` (at least 1) that belongs to `key`.
    pub(crate) fn new(bound: u64, key: u64) -> Self {
        let bits = (u64::BITS - bound.saturating_sub(1).leading_zeros()).max(1);
        let mut state = key;
        let mut draw = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            finish(state)
        };
        let rounds = [(); 3].map(|()| Round { add: draw(), multiply: draw() | 1 });
        Self { bound, mask: u64::MAX >> (u64::BITS - bits), shift: bits.div_ceil(2), rounds }
    }

    /// The number at `place`, which is below the bound.
    #[inline]
    pub(crate) fn at(&self, place: u64) -> u64 {
        debug_assert!(place < self.bound);
        let mut x = place;
        loop {
            for round in &self.rounds {
                x = x.wrapping_add(round.add).wrapping_mul(round.multiply) & self.mask;
                x ^= x >> self.shift;
            }
            // The walk returns to `place`, which is below the bound, at the latest.
            if x < self.bound {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for bound in (1..=300).chain([1_000, 4_096, 4_097, 65_535, 131_071]) {
            for key in [0, 1, u64::MAX] {
                let permutation = Permutation::new(bound, key);
                let mut seen = vec![false; bound as usize];
                for place in 0..bound {
                    let at = permutation.at(place) as usize;
                    assert!(!std::mem::replace(&mut seen[at], true), "{at} twice below {bound}");
                }
            }
        }
    }

    #[test]
    fn the_largest_bounds_are_kept() {
        for bound in [u64::MAX, u64::MAX - 1, (1 << 63) + 1, 1 << 63] {
            let permutation = Permutation::new(bound, 7);
            assert!([0, 1, bound / 2, bound - 1].iter().all(|&place| permutation.at(place) < bound));
        }
    }

    #[test]
    fn a_place_is_equally_likely_to_hold_any_number() {
        // Chi-square over keys, for a place at the beginning, in the middle and at the end.
        const BOUND: u64 = 100;
        const KEYS: u64 = 50_000;
        for place in [0, 1, 50, 99] {
            let mut counts = [0u32; BOUND as usize];
            for key in 0..KEYS {
                counts[Permutation::new(BOUND, finish(key)).at(place) as usize] += 1;
            }
            let expected = KEYS as f64 / BOUND as f64;
            let chi_square: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
            // 99.99 % quantile of chi-square with 99 degrees of freedom: 158.7 (four places, one key sequence).
            assert!(chi_square < 158.7, "place {place}: {chi_square}");
        }
    }

    #[test]
    fn neighbours_are_as_far_apart_as_two_random_numbers() {
        // |a − b| of two uniform numbers below n has mean n / 3 and standard deviation n / √18.
        const BOUND: u64 = 100_003;
        let permutation = Permutation::new(BOUND, 5);
        let distance = |step: u64| {
            let sum: u64 = (step..BOUND).map(|i| permutation.at(i).abs_diff(permutation.at(i - step))).sum();
            sum as f64 / (BOUND - step) as f64 / BOUND as f64
        };
        for step in [1, 2, 3, 64, 4_096] {
            let mean = distance(step);
            // Five standard deviations of the mean, where the distances were independent.
            assert!(
                (mean - 1.0 / 3.0).abs() < 5.0 * 0.2357 / (BOUND as f64).sqrt() * 2.0,
                "step {step}: {mean}"
            );
        }
    }
}
