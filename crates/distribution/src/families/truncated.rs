//! A distribution between two bounds, both of which count.

use super::Family;
use crate::any::Distribution;
use crate::error::DistributionError;
use crate::random::uniform;
use crate::special::power;
use rand_core::Rng;

/// With this much inside, drawing again costs less than an inversion.
const REDRAWN_FROM: f64 = 1.0 / 32.0;

/// Less than this inside, and no digit of what remains is trustworthy.
const MASS_MIN: f64 = 1e-9;

/// What another distribution draws, provided it lies between two bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncated {
    of: Box<Distribution>,
    min: f64,
    max: f64,
    /// The probabilities of less than `min`, and of what lies between.
    below: f64,
    inside: f64,
}

impl Truncated {
    /// From a distribution and the bounds, which may be infinite.
    ///
    /// # Errors
    /// Bounds the wrong way round or no numbers, or next to nothing between them.
    pub fn new(of: Distribution, min: f64, max: f64) -> Result<Self, DistributionError> {
        let refuse = |problem: String| Err(DistributionError::new("truncated", "", problem));
        if min.is_nan() || max.is_nan() || min > max {
            return refuse("the lower bound, min, must not be above the upper one, max".to_owned());
        }
        let below = of.cdf(min) - of.mass(min);
        let inside = of.cdf(max) - below;
        if inside < MASS_MIN {
            return refuse(format!(
                "only {inside:.1e} of the distribution lies between min and max, and at least {MASS_MIN:.0e} must: move them"
            ));
        }
        Ok(Self { of: Box::new(of), min, max, below, inside })
    }
}

impl Family for Truncated {
    fn density(&self, x: f64) -> f64 {
        if x < self.min || x > self.max { 0.0 } else { self.of.density(x) / self.inside }
    }

    fn mass(&self, x: f64) -> f64 {
        if x < self.min || x > self.max { 0.0 } else { self.of.mass(x) / self.inside }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x < self.min {
            0.0
        } else if x >= self.max {
            1.0
        } else {
            ((self.of.cdf(x) - self.below) / self.inside).clamp(0.0, 1.0)
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return self.infimum();
        }
        if p >= 1.0 {
            return self.supremum();
        }
        self.of.quantile((self.below + p * self.inside).min(1.0)).clamp(self.min, self.max)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        if x < self.min {
            return 0.0;
        }
        let at_min = self.of.mass(self.min);
        let edge = if at_min > 0.0 { at_min * power(self.min, k) } else { 0.0 };
        let before = if self.min > self.of.infimum() || at_min > 0.0 {
            self.of.moment_to(k, self.min) - edge
        } else {
            0.0
        };
        (self.of.moment_to(k, x.min(self.max)) - before) / self.inside
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        (self.moment_to(2, f64::INFINITY) - mean * mean).max(0.0)
    }

    fn infimum(&self) -> f64 {
        self.of.infimum().max(self.min)
    }

    fn supremum(&self) -> f64 {
        self.of.supremum().min(self.max)
    }

    fn has_atoms(&self) -> bool {
        self.of.has_atoms()
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        if self.inside < REDRAWN_FROM {
            // 1 − u is in (0, 1], so that no draw falls before an atom at the lower bound.
            return self.quantile(1.0 - uniform(random));
        }
        loop {
            let draw = self.of.sample(random);
            if draw >= self.min && draw <= self.max {
                return draw;
            }
        }
    }
}
