//! The Weibull distribution: the exponential one stretched (shape below 1) or gathered (above).

use super::Family;
use crate::error::{DistributionError, finite, positive};
use crate::random::standard_exponential;
use crate::special::{gamma_p, power, shifted_moment};
use libm::{exp, expm1, log1p, pow, tgamma};
use rand_core::Rng;

/// `offset` plus `scale` times an exponential number to the power of 1/`shape`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weibull {
    shape: f64,
    scale: f64,
    offset: f64,
}

impl Weibull {
    /// From shape, scale and offset.
    ///
    /// # Errors
    /// Unless all are finite, and the shape and the scale more than zero.
    pub fn new(shape: f64, scale: f64, offset: f64) -> Result<Self, DistributionError> {
        positive("weibull", "shape", shape)?;
        positive("weibull", "scale", scale)?;
        finite("weibull", "offset", offset)?;
        Ok(Self { shape, scale, offset })
    }

    fn hazard(&self, x: f64) -> f64 {
        pow(((x - self.offset) / self.scale).max(0.0), self.shape)
    }
}

impl Family for Weibull {
    fn density(&self, x: f64) -> f64 {
        if x < self.offset {
            return 0.0;
        }
        let y = (x - self.offset) / self.scale;
        self.shape / self.scale * pow(y, self.shape - 1.0) * exp(-pow(y, self.shape))
    }

    fn cdf(&self, x: f64) -> f64 {
        -expm1(-self.hazard(x))
    }

    fn quantile(&self, p: f64) -> f64 {
        self.offset + self.scale * pow(-log1p(-p.clamp(0.0, 1.0)), 1.0 / self.shape)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let hazard = self.hazard(x);
        let standard = |j: u32| {
            let shape = 1.0 + f64::from(j) / self.shape;
            tgamma(shape) * gamma_p(shape, hazard)
        };
        shifted_moment(k, self.offset, self.scale, standard)
    }

    fn variance(&self) -> f64 {
        let first = tgamma(1.0 + 1.0 / self.shape);
        power(self.scale, 2) * (tgamma(1.0 + 2.0 / self.shape) - first * first)
    }

    fn infimum(&self) -> f64 {
        self.offset
    }

    fn supremum(&self) -> f64 {
        f64::INFINITY
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.offset + self.scale * pow(standard_exponential(random), 1.0 / self.shape)
    }
}
