//! Uniform numbers from a stream of random bits.

use rand_core::Rng;

/// A number in [0, 1): the upper 53 bits, each value equally likely.
pub fn uniform(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// A whole number in 0..`bound`, each equally likely but for a bias below `bound` / 2^64 (Lemire 2019, without its
/// rejection, which no result of a simulation can tell).
pub(crate) fn below(bound: u64, random: &mut impl Rng) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}
