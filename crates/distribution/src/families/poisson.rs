//! Poisson counts: by multiplication for small means (as DiskSim), by transformed rejection for large ones.
//!
//! Source of the rejection method: Hörmann, "The transformed rejection method for generating Poisson random variables"
//! (1993), algorithm PTRS, for means of 10 and more. Multiplication takes time in proportion to the mean, and
//! underflows beyond 745.

use super::Family;
use super::lattice::{Lattice, count_quantile};
use crate::error::{DistributionError, not_negative};
use crate::random::uniform;
use crate::special::{gamma_q, power, shifted_moment};
use rand_core::Rng;

/// Hörmann's method holds from here on.
const REJECTION_FROM: f64 = 10.0;

/// `base` plus `step` times a Poisson-distributed count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    lattice: Lattice,
    mean: f64,
}

impl Poisson {
    /// From the smallest number, the mean of the count, and what one count adds (1 in DiskSim).
    ///
    /// # Errors
    /// Unless all are finite, the mean isn't negative, and the step is more than zero.
    pub fn new(base: f64, mean: f64, step: f64) -> Result<Self, DistributionError> {
        not_negative("poisson", "mean", mean)?;
        Ok(Self { lattice: Lattice::new("poisson", base, step)?, mean })
    }

    fn count_cdf(&self, count: f64) -> f64 {
        if count < 0.0 {
            0.0
        } else if self.mean == 0.0 || count == f64::INFINITY {
            1.0
        } else {
            gamma_q(count + 1.0, self.mean)
        }
    }
}

/// Stirling's numbers of the second kind: a power as a sum of falling factorials.
const STIRLING: [[f64; 5]; 5] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 1.0, 0.0, 0.0],
    [0.0, 1.0, 3.0, 1.0, 0.0],
    [0.0, 1.0, 7.0, 6.0, 1.0],
];

impl Family for Poisson {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        self.lattice.count_of(x).map_or(0.0, |count| probability(count, self.mean))
    }

    fn cdf(&self, x: f64) -> f64 {
        self.count_cdf(self.lattice.last_count(x))
    }

    fn quantile(&self, p: f64) -> f64 {
        if p >= 1.0 {
            return self.supremum();
        }
        let count = count_quantile(0.0, f64::INFINITY, p, self.mean, |count| self.count_cdf(count));
        self.lattice.number(count)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let last = self.lattice.last_count(x);
        // E[N (N − 1) … (N − j + 1); N ≤ n] = mean^j P(N ≤ n − j).
        let factorial = |j: u32| power(self.mean, j) * self.count_cdf(last - f64::from(j));
        let count = |k: u32| (0..=k).map(|j| STIRLING[k as usize][j as usize] * factorial(j)).sum();
        shifted_moment(k, self.lattice.base, self.lattice.step, count)
    }

    fn mean(&self) -> f64 {
        self.lattice.number(self.mean)
    }

    fn variance(&self) -> f64 {
        self.lattice.step * self.lattice.step * self.mean
    }

    fn infimum(&self) -> f64 {
        self.lattice.base
    }

    fn supremum(&self) -> f64 {
        if self.mean == 0.0 { self.lattice.base } else { f64::INFINITY }
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        let count = if self.mean < REJECTION_FROM {
            multiplied(self.mean, random)
        } else {
            rejected(self.mean, random)
        };
        self.lattice.number(count)
    }
}

/// Knuth's method: how many uniform numbers can be multiplied before the product falls below e^−mean.
fn multiplied(mean: f64, random: &mut (impl Rng + ?Sized)) -> f64 {
    let stop = libm::exp(-mean);
    let mut product = uniform(random);
    let mut count = 0.0;
    while product > stop {
        product *= uniform(random);
        count += 1.0;
    }
    count
}

fn rejected(mean: f64, random: &mut (impl Rng + ?Sized)) -> f64 {
    let log_mean = libm::log(mean);
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let v_r = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = uniform(random) - 0.5;
        let v = uniform(random);
        let us = 0.5 - u.abs();
        let count = libm::floor((2.0 * a / us + b) * u + mean + 0.43);
        if us >= 0.07 && v <= v_r {
            return count;
        }
        if count < 0.0 || (us < 0.013 && v > us) {
            continue;
        }
        let left = libm::log(v * inverse_alpha / (a / (us * us) + b));
        if left <= count * log_mean - mean - libm::lgamma(count + 1.0) {
            return count;
        }
    }
}

/// The probability of a count; 0 for what is no count.
fn probability(count: f64, mean: f64) -> f64 {
    if count < 0.0 {
        return 0.0;
    }
    if mean == 0.0 {
        return f64::from(u8::from(count == 0.0));
    }
    libm::exp(count * libm::log(mean) - mean - libm::lgamma(count + 1.0))
}
