//! The lognormal distribution: what many file sizes and latencies look like.

use super::Family;
use crate::error::{DistributionError, finite, positive};
use crate::random::standard_normal;
use crate::special::{normal_cdf, normal_density, normal_quantile, power, shifted_moment};
use libm::{exp, expm1, log};
use rand_core::Rng;

/// `offset` plus a number whose logarithm is normally distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lognormal {
    median: f64,
    spread: f64,
    offset: f64,
}

impl Lognormal {
    /// From the median (above the offset), the standard deviation of the natural logarithm, and the offset.
    ///
    /// # Errors
    /// Unless all are finite, and the median and the spread more than zero.
    pub fn new(median: f64, spread: f64, offset: f64) -> Result<Self, DistributionError> {
        positive("lognormal", "median", median)?;
        positive("lognormal", "spread", spread)?;
        finite("lognormal", "offset", offset)?;
        Ok(Self { median, spread, offset })
    }

    /// The standard normal number behind `x`; minus infinity at the offset and below.
    fn standardised(&self, x: f64) -> f64 {
        if x <= self.offset { f64::NEG_INFINITY } else { log((x - self.offset) / self.median) / self.spread }
    }
}

impl Family for Lognormal {
    fn density(&self, x: f64) -> f64 {
        if x <= self.offset {
            return 0.0;
        }
        normal_density(self.standardised(x)) / (self.spread * (x - self.offset))
    }

    fn cdf(&self, x: f64) -> f64 {
        normal_cdf(self.standardised(x))
    }

    fn quantile(&self, p: f64) -> f64 {
        self.offset + self.median * exp(self.spread * normal_quantile(p))
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let z = self.standardised(x);
        let standard = |j: u32| {
            let shift = f64::from(j) * self.spread;
            exp(shift * shift / 2.0) * normal_cdf(z - shift)
        };
        shifted_moment(k, self.offset, self.median, standard)
    }

    fn variance(&self) -> f64 {
        let square = self.spread * self.spread;
        power(self.median, 2) * exp(square) * expm1(square)
    }

    fn infimum(&self) -> f64 {
        self.offset
    }

    fn supremum(&self) -> f64 {
        f64::INFINITY
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.offset + self.median * exp(self.spread * standard_normal(random))
    }
}
