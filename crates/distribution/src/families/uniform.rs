//! Every number between two is equally likely.

use super::{Family, indicator};
use crate::error::{DistributionError, finite};
use crate::random::uniform;
use crate::special::power;
use rand_core::Rng;

/// Every number from `min` to `max` (not drawn itself) is equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    min: f64,
    max: f64,
}

impl Uniform {
    /// Between two numbers.
    ///
    /// # Errors
    /// Unless both are finite and the first is less than the second.
    pub fn new(min: f64, max: f64) -> Result<Self, DistributionError> {
        finite("uniform", "min", min)?;
        finite("uniform", "max", max)?;
        if min >= max {
            let problem = "the smallest of a uniform distribution, min, must be less than its largest, max";
            return Err(DistributionError::new("uniform", "", problem));
        }
        Ok(Self { min, max })
    }
}

impl Family for Uniform {
    fn density(&self, x: f64) -> f64 {
        // Both ends belong to it: a sample's least and greatest values lie on them.
        indicator((self.min..=self.max).contains(&x)) / (self.max - self.min)
    }

    fn cdf(&self, x: f64) -> f64 {
        ((x - self.min) / (self.max - self.min)).clamp(0.0, 1.0)
    }

    fn quantile(&self, p: f64) -> f64 {
        (self.min + (self.max - self.min) * p).min(self.max)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let x = x.clamp(self.min, self.max);
        (power(x, k + 1) - power(self.min, k + 1)) / (f64::from(k + 1) * (self.max - self.min))
    }

    fn mean(&self) -> f64 {
        f64::midpoint(self.min, self.max)
    }

    fn variance(&self) -> f64 {
        (self.max - self.min) * (self.max - self.min) / 12.0
    }

    fn infimum(&self) -> f64 {
        self.min
    }

    fn supremum(&self) -> f64 {
        self.max
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.min + (self.max - self.min) * uniform(random)
    }
}
