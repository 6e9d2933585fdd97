//! Always the same number.

use super::{Family, indicator};
use crate::special::power;
use rand_core::Rng;

/// Always the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub f64);

impl Family for Constant {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        indicator(x == self.0)
    }

    fn cdf(&self, x: f64) -> f64 {
        indicator(x >= self.0)
    }

    fn quantile(&self, _: f64) -> f64 {
        self.0
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        if x >= self.0 { power(self.0, k) } else { 0.0 }
    }

    fn variance(&self) -> f64 {
        0.0
    }

    fn infimum(&self) -> f64 {
        self.0
    }

    fn supremum(&self) -> f64 {
        self.0
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, _: &mut R) -> f64 {
        self.0
    }
}
