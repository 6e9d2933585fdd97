//! The Pareto distribution: a tail that falls as a power, with as many moments as its shape allows.

use super::Family;
use crate::error::{DistributionError, positive};
use crate::random::uniform;
use crate::special::power;
use libm::{log, pow};
use rand_core::Rng;

/// Numbers from `minimum` on; the probability of more than x is (minimum / x)^shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    shape: f64,
    minimum: f64,
}

impl Pareto {
    /// From the shape and the smallest number.
    ///
    /// # Errors
    /// Unless both are finite and more than zero.
    pub fn new(shape: f64, minimum: f64) -> Result<Self, DistributionError> {
        positive("pareto", "shape", shape)?;
        positive("pareto", "minimum", minimum)?;
        Ok(Self { shape, minimum })
    }
}

impl Family for Pareto {
    fn density(&self, x: f64) -> f64 {
        if x < self.minimum { 0.0 } else { self.shape / x * pow(self.minimum / x, self.shape) }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= self.minimum { 0.0 } else { 1.0 - pow(self.minimum / x, self.shape) }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.minimum * pow(1.0 - p.clamp(0.0, 1.0), -1.0 / self.shape)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        if x <= self.minimum {
            return 0.0;
        }
        let beyond = self.shape - f64::from(k);
        let front = self.shape * power(self.minimum, k);
        if beyond == 0.0 {
            return front * log(x / self.minimum);
        }
        front * (1.0 - pow(self.minimum / x, beyond)) / beyond
    }

    fn variance(&self) -> f64 {
        if self.shape <= 2.0 {
            return f64::INFINITY;
        }
        let below = self.shape - 1.0;
        power(self.minimum, 2) * self.shape / (below * below * (self.shape - 2.0))
    }

    fn infimum(&self) -> f64 {
        self.minimum
    }

    fn supremum(&self) -> f64 {
        f64::INFINITY
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        // 1 − u is in (0, 1].
        self.minimum * pow(1.0 - uniform(random), -1.0 / self.shape)
    }
}
