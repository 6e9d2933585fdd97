//! The normal distribution.

use super::{Family, indicator};
use crate::error::{DistributionError, finite, not_negative};
use crate::random::standard_normal;
use crate::special::{normal_cdf, normal_density, normal_quantile, power, shifted_moment};
use rand_core::Rng;

/// The normal distribution. With a standard deviation of zero it is its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    mean: f64,
    standard_deviation: f64,
}

impl Normal {
    /// By mean and standard deviation.
    ///
    /// # Errors
    /// Unless both are finite and the standard deviation isn't negative.
    pub fn new(mean: f64, standard_deviation: f64) -> Result<Self, DistributionError> {
        finite("normal", "mean", mean)?;
        not_negative("normal", "standard_deviation", standard_deviation)?;
        Ok(Self { mean, standard_deviation })
    }

    fn is_constant(&self) -> bool {
        self.standard_deviation == 0.0
    }

    fn standardised(&self, x: f64) -> f64 {
        (x - self.mean) / self.standard_deviation
    }
}

/// E[Z^k; Z ≤ z] of the standard normal, by parts: −z^(k−1) φ(z) + (k − 1) E[Z^(k−2); Z ≤ z].
fn standard_moment_to(k: u32, z: f64) -> f64 {
    let edge = |k: u32| if z.is_infinite() { 0.0 } else { -power(z, k - 1) * normal_density(z) };
    match k {
        0 => normal_cdf(z),
        1 => edge(1),
        _ => edge(k) + f64::from(k - 1) * standard_moment_to(k - 2, z),
    }
}

impl Family for Normal {
    fn density(&self, x: f64) -> f64 {
        if self.is_constant() {
            return self.mass(x);
        }
        normal_density(self.standardised(x)) / self.standard_deviation
    }

    fn mass(&self, x: f64) -> f64 {
        indicator(self.is_constant() && x == self.mean)
    }

    fn cdf(&self, x: f64) -> f64 {
        if self.is_constant() { indicator(x >= self.mean) } else { normal_cdf(self.standardised(x)) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if self.is_constant() {
            return self.mean;
        }
        self.mean + self.standard_deviation * normal_quantile(p)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        if self.is_constant() {
            return if x >= self.mean { power(self.mean, k) } else { 0.0 };
        }
        let z = self.standardised(x);
        shifted_moment(k, self.mean, self.standard_deviation, |j| standard_moment_to(j, z))
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn variance(&self) -> f64 {
        self.standard_deviation * self.standard_deviation
    }

    fn infimum(&self) -> f64 {
        if self.is_constant() { self.mean } else { f64::NEG_INFINITY }
    }

    fn supremum(&self) -> f64 {
        if self.is_constant() { self.mean } else { f64::INFINITY }
    }

    fn has_atoms(&self) -> bool {
        self.is_constant()
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.mean + self.standard_deviation * standard_normal(random)
    }
}
