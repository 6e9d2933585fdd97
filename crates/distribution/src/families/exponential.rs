//! The exponential distribution, shifted.

use super::{Family, indicator};
use crate::error::{DistributionError, finite, not_negative};
use crate::random::uniform;
use crate::special::{gamma_p, power, shifted_moment};
use libm::{exp, expm1, log1p, tgamma};
use rand_core::Rng;

/// `base` plus an exponentially distributed number. With a mean of zero it is its base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    base: f64,
    mean: f64,
}

impl Exponential {
    /// From the smallest number and the mean of what is added: the mean of the whole is `base + mean`.
    ///
    /// # Errors
    /// Unless both are finite and the mean isn't negative.
    pub fn new(base: f64, mean: f64) -> Result<Self, DistributionError> {
        finite("exponential", "base", base)?;
        not_negative("exponential", "mean", mean)?;
        Ok(Self { base, mean })
    }

    fn is_constant(&self) -> bool {
        self.mean == 0.0
    }
}

impl Family for Exponential {
    fn density(&self, x: f64) -> f64 {
        if self.is_constant() {
            return self.mass(x);
        }
        if x < self.base { 0.0 } else { exp(-(x - self.base) / self.mean) / self.mean }
    }

    fn mass(&self, x: f64) -> f64 {
        indicator(self.is_constant() && x == self.base)
    }

    fn cdf(&self, x: f64) -> f64 {
        if self.is_constant() || x < self.base {
            return indicator(x >= self.base);
        }
        -expm1(-(x - self.base) / self.mean)
    }

    fn quantile(&self, p: f64) -> f64 {
        if self.is_constant() { self.base } else { self.base - self.mean * log1p(-p.clamp(0.0, 1.0)) }
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        if self.is_constant() {
            return if x >= self.base { power(self.base, k) } else { 0.0 };
        }
        let y = ((x - self.base) / self.mean).max(0.0);
        let standard = |j: u32| tgamma(f64::from(j + 1)) * gamma_p(f64::from(j + 1), y);
        shifted_moment(k, self.base, self.mean, standard)
    }

    fn mean(&self) -> f64 {
        self.base + self.mean
    }

    fn variance(&self) -> f64 {
        self.mean * self.mean
    }

    fn infimum(&self) -> f64 {
        self.base
    }

    fn supremum(&self) -> f64 {
        if self.is_constant() { self.base } else { f64::INFINITY }
    }

    fn has_atoms(&self) -> bool {
        self.is_constant()
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        // 1 − u is in (0, 1], so the logarithm is finite.
        self.base - self.mean * libm::log(1.0 - uniform(random))
    }
}
