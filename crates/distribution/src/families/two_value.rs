//! One of two numbers.

use super::{Family, indicator};
use crate::error::{DistributionError, finite};
use crate::random::uniform;
use crate::special::power;
use rand_core::Rng;

/// One of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoValue {
    default: f64,
    second: f64,
    probability: f64,
}

impl TwoValue {
    /// From the usual number, the other, and how likely the other is.
    ///
    /// # Errors
    /// Unless the numbers are finite and the probability is between 0 and 1.
    pub fn new(default: f64, second: f64, probability: f64) -> Result<Self, DistributionError> {
        finite("two-value", "default", default)?;
        finite("two-value", "second", second)?;
        if !(0.0..=1.0).contains(&probability) {
            let problem = format!("is {probability}; a probability is between 0 and 1");
            return Err(DistributionError::new("two-value", "probability", problem));
        }
        Ok(Self { default, second, probability })
    }

    /// The two with their probabilities, the smaller number first.
    fn atoms(&self) -> [(f64, f64); 2] {
        let (usual, other) = ((self.default, 1.0 - self.probability), (self.second, self.probability));
        if self.default <= self.second { [usual, other] } else { [other, usual] }
    }
}

impl Family for TwoValue {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        indicator(x == self.second) * self.probability
            + indicator(x == self.default) * (1.0 - self.probability)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.moment_to(0, x)
    }

    fn quantile(&self, p: f64) -> f64 {
        let [(low, of_low), (high, of_high)] = self.atoms();
        if (p <= of_low && of_low > 0.0) || of_high == 0.0 { low } else { high }
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        self.atoms().into_iter().filter(|&(atom, _)| atom <= x).map(|(atom, p)| p * power(atom, k)).sum()
    }

    fn mean(&self) -> f64 {
        self.default + (self.second - self.default) * self.probability
    }

    fn variance(&self) -> f64 {
        let distance = self.second - self.default;
        distance * distance * self.probability * (1.0 - self.probability)
    }

    fn infimum(&self) -> f64 {
        self.quantile(0.0)
    }

    fn supremum(&self) -> f64 {
        match self.probability {
            0.0 => self.default,
            1.0 => self.second,
            _ => self.default.max(self.second),
        }
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        if uniform(random) < self.probability { self.second } else { self.default }
    }
}
