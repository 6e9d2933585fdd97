//! Random distributions: density, mean, variance, and draws that are the same on every machine.
//!
//! Five are DiskSim's (Reference Manual, CMU-PDL-08-101, §4.3 "Synthetic workloads"; `disksim_synthio.c`), the sixth a
//! constant. Numbers here have no unit; [`crate::synthetic`] gives them one.

mod poisson;
mod random;

pub(crate) use random::below;
pub use random::uniform;

use rand_core::Rng;
use std::f64::consts::TAU;

/// A distribution of one random number.
///
/// ```
/// use petrio_workload::distribution::Distribution;
/// use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
/// let service = Distribution::Exponential { base: 1.0, mean: 4.0 };
/// assert_eq!((service.mean(), service.variance()), (5.0, 16.0));
/// let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
/// assert!(service.sample(&mut random) >= 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant(f64),
    /// Every number between two is equally likely.
    Uniform {
        /// The smallest.
        min: f64,
        /// The largest (not drawn itself).
        max: f64,
    },
    /// The normal distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        standard_deviation: f64,
    },
    /// `base` plus an exponentially distributed number.
    Exponential {
        /// The smallest number.
        base: f64,
        /// The mean of what is added: the mean of the whole is `base + mean`.
        mean: f64,
    },
    /// `base` plus `step` times a Poisson-distributed count.
    Poisson {
        /// The smallest number.
        base: f64,
        /// The mean of the count.
        mean: f64,
        /// What one count adds; 1 in DiskSim.
        step: f64,
    },
    /// One of two numbers.
    TwoValue {
        /// The usual one.
        default: f64,
        /// The other.
        second: f64,
        /// How likely the other is.
        probability: f64,
    },
}

impl Distribution {
    /// A draw.
    pub fn sample(&self, random: &mut impl Rng) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Uniform { min, max } => min + (max - min) * uniform(random),
            Self::Normal { mean, standard_deviation } => mean + standard_deviation * standard_normal(random),
            // 1 − u is in (0, 1], so the logarithm is finite.
            Self::Exponential { base, mean } => base - mean * libm::log(1.0 - uniform(random)),
            Self::Poisson { base, mean, step } => base + step * poisson::sample(mean, random),
            Self::TwoValue { default, second, probability } => {
                if uniform(random) < probability {
                    second
                } else {
                    default
                }
            }
        }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Uniform { min, max } => f64::midpoint(min, max),
            Self::Normal { mean, .. } => mean,
            Self::Exponential { base, mean } => base + mean,
            Self::Poisson { base, mean, step } => base + step * mean,
            Self::TwoValue { default, second, probability } => default + (second - default) * probability,
        }
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        match *self {
            Self::Constant(_) => 0.0,
            Self::Uniform { min, max } => (max - min) * (max - min) / 12.0,
            Self::Normal { standard_deviation, .. } => standard_deviation * standard_deviation,
            Self::Exponential { mean, .. } => mean * mean,
            Self::Poisson { mean, step, .. } => step * step * mean,
            Self::TwoValue { default, second, probability } => {
                (second - default) * (second - default) * probability * (1.0 - probability)
            }
        }
    }

    /// The probability density at `x`; for a discrete distribution (constant, Poisson, two-value) the probability of `x`.
    pub fn density(&self, x: f64) -> f64 {
        let indicator = |condition: bool| f64::from(u8::from(condition));
        match *self {
            Self::Constant(value) => indicator(x == value),
            Self::Uniform { min, max } => indicator((min..max).contains(&x)) / (max - min),
            Self::Normal { mean, standard_deviation } => {
                let z = (x - mean) / standard_deviation;
                libm::exp(-z * z / 2.0) / (standard_deviation * TAU.sqrt())
            }
            Self::Exponential { base, .. } if x < base => 0.0,
            Self::Exponential { base, mean } => libm::exp(-(x - base) / mean) / mean,
            Self::Poisson { base, mean, step } => poisson::probability((x - base) / step, mean),
            Self::TwoValue { default, second, probability } => {
                indicator(x == second) * probability + indicator(x == default) * (1.0 - probability)
            }
        }
    }

    /// The largest number that it can draw; infinite where there is none. Says whether a draw can ever be accepted.
    pub(crate) fn supremum(&self) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Uniform { max, .. } => max,
            Self::Normal { mean, standard_deviation: 0.0 } => mean,
            Self::Exponential { base, mean: 0.0 } | Self::Poisson { base, mean: 0.0, .. } => base,
            Self::Normal { .. } | Self::Exponential { .. } | Self::Poisson { .. } => f64::INFINITY,
            Self::TwoValue { default, second, probability } => match probability {
                0.0 => default,
                1.0 => second,
                _ => default.max(second),
            },
        }
    }
}

/// A draw from the standard normal distribution: the polar method (Marsaglia & Bray 1964). Its second number is thrown away,
/// so that a distribution has no state.
fn standard_normal(random: &mut impl Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * uniform(random) - 1.0, 2.0 * uniform(random) - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * (-2.0 * libm::log(s) / s).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    const ALL: [Distribution; 9] = [
        Distribution::Constant(3.0),
        Distribution::Uniform { min: -2.0, max: 7.0 },
        Distribution::Normal { mean: 4.0, standard_deviation: 3.0 },
        Distribution::Exponential { base: 1.0, mean: 8.0 },
        Distribution::Poisson { base: 2.0, mean: 3.5, step: 1.0 },
        Distribution::Poisson { base: 0.0, mean: 40.0, step: 0.5 },
        Distribution::Poisson { base: 0.0, mean: 2_500.0, step: 1.0 },
        Distribution::TwoValue { default: 1.0, second: 10.0, probability: 0.3 },
        Distribution::Exponential { base: 5.0, mean: 0.0 },
    ];

    #[test]
    fn sample_moments_lie_in_their_confidence_intervals() {
        const DRAWS: usize = 200_000;
        for (seed, distribution) in ALL.iter().enumerate() {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed as u64);
            let draws: Vec<f64> = (0..DRAWS).map(|_| distribution.sample(&mut random)).collect();
            let mean = draws.iter().sum::<f64>() / DRAWS as f64;
            let central = |power: i32| {
                draws.iter().map(|x| (x - distribution.mean()).powi(power)).sum::<f64>() / DRAWS as f64
            };
            // 4.4 standard errors: one false alarm in 10^5; the seed is fixed.
            let error_of_mean = (distribution.variance() / DRAWS as f64).sqrt();
            assert!(
                (mean - distribution.mean()).abs() <= 4.4 * error_of_mean,
                "{distribution:?}: mean {mean}"
            );
            let variance = central(2);
            let error_of_variance = ((central(4) - variance * variance) / DRAWS as f64).sqrt();
            assert!(
                (variance - distribution.variance()).abs() <= 4.4 * error_of_variance + 1e-9,
                "{distribution:?}: variance {variance}"
            );
        }
    }

    #[test]
    fn draws_fall_as_the_density_says() {
        // Probability of an interval by the density (Simpson's rule) against the share of draws in it.
        const DRAWS: u32 = 100_000;
        let continuous = [ALL[1], ALL[2], ALL[3]];
        for distribution in continuous {
            let (low, high) = (distribution.mean() - 1.0, distribution.mean() + 2.0);
            let width = (high - low) / 200.0;
            let probability: f64 = (0..200)
                .map(|i| {
                    let a = low + f64::from(i) * width;
                    let (fa, fm, fb) = (
                        distribution.density(a),
                        distribution.density(a + width / 2.0),
                        distribution.density(a + width),
                    );
                    (fa + 4.0 * fm + fb) * width / 6.0
                })
                .sum();
            let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
            let inside =
                (0..DRAWS).filter(|_| (low..high).contains(&distribution.sample(&mut random))).count();
            let share = inside as f64 / f64::from(DRAWS);
            let error = (probability * (1.0 - probability) / f64::from(DRAWS)).sqrt();
            assert!((share - probability).abs() < 4.4 * error, "{distribution:?}: {share} and {probability}");
        }
    }

    #[test]
    fn poisson_counts_fall_as_their_probabilities_say_on_both_sides_of_the_change_of_method() {
        const DRAWS: u32 = 200_000;
        for mean in [0.5, 9.5, 10.5, 300.0] {
            let distribution = Distribution::Poisson { base: 0.0, mean, step: 1.0 };
            let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
            let mut counts = std::collections::BTreeMap::<u64, u32>::new();
            for _ in 0..DRAWS {
                *counts.entry(distribution.sample(&mut random) as u64).or_default() += 1;
            }
            // Chi-square over the counts that are expected at least 20 times.
            let (mut chi_square, mut cells) = (0.0, 0_u32);
            for (&count, &seen) in &counts {
                let expected = distribution.density(count as f64) * f64::from(DRAWS);
                if expected >= 20.0 {
                    chi_square += (f64::from(seen) - expected) * (f64::from(seen) - expected) / expected;
                    cells += 1;
                }
            }
            // Mean `cells`, variance 2 · `cells`; 4.4 standard deviations.
            let bound = f64::from(cells) + 4.4 * (2.0 * f64::from(cells)).sqrt();
            assert!(chi_square < bound, "mean {mean}: {chi_square} over {cells} cells");
        }
    }

    #[test]
    fn the_same_stream_gives_the_same_draws_everywhere() {
        // Pinned: a changed algorithm or a platform's own logarithm shows here.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(42);
        let bits: Vec<u64> =
            ALL[1..8].iter().map(|distribution| distribution.sample(&mut random).to_bits()).collect();
        assert_eq!(bits, PINNED);
    }

    const PINNED: [u64; 7] = [
        4617685653397020839,
        4618417014836715794,
        4620747130068251942,
        4616189618054758400,
        4628011567076605952,
        4657845715584679936,
        4621819117588971520,
    ];
}
