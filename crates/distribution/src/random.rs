//! Uniform and normal numbers from a stream of random bits.

use rand_core::Rng;

/// A number in [0, 1): the upper 53 bits, each value equally likely.
pub fn uniform(random: &mut (impl Rng + ?Sized)) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// A whole number in 0..`bound`, each equally likely but for a bias below `bound` / 2^64 (Lemire 2019, without its
/// rejection, which no result of a simulation can tell).
pub fn uniform_below(bound: u64, random: &mut (impl Rng + ?Sized)) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A draw from the standard normal distribution: the polar method (Marsaglia & Bray 1964). Its second number is thrown
/// away, so that a distribution has no state.
pub fn standard_normal(random: &mut (impl Rng + ?Sized)) -> f64 {
    loop {
        let (u, v) = (2.0 * uniform(random) - 1.0, 2.0 * uniform(random) - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * (-2.0 * libm::log(s) / s).sqrt();
        }
    }
}

/// A draw from the exponential distribution of mean 1.
pub(crate) fn standard_exponential(random: &mut (impl Rng + ?Sized)) -> f64 {
    // 1 − u is in (0, 1], so the logarithm is finite.
    -libm::log(1.0 - uniform(random))
}
