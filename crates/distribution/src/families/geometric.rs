//! Counts without memory: how many trials until one succeeds.

use super::Family;
use super::lattice::Lattice;
use crate::error::{DistributionError, finite};
use crate::random::uniform;
use crate::special::{binomial, power, shifted_moment};
use libm::{exp, expm1, log, log1p};
use rand_core::Rng;

/// `step` times a geometrically distributed count, from 0 or from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometric {
    /// Its base is the first count.
    lattice: Lattice,
    /// The probability of one more; below 1.
    more: f64,
}

impl Geometric {
    /// From the mean of the count, whether counts begin at one rather than at zero, and what one count is.
    ///
    /// # Errors
    /// Unless both are finite, the mean is at least the first count, and the step is more than zero.
    pub fn new(mean: f64, from_one: bool, step: f64) -> Result<Self, DistributionError> {
        finite("geometric", "mean", mean)?;
        let first = if from_one { 1.0 } else { 0.0 };
        let beyond = mean - first;
        if beyond < 0.0 {
            let advice = if from_one { "; with from = 0, counts begin at zero" } else { "" };
            let problem = format!("is {mean} counts; a mean can't be below the first count, {first}{advice}");
            return Err(DistributionError::new("geometric", "mean", problem));
        }
        let lattice = Lattice::new("geometric", 0.0, step)?;
        Ok(Self { lattice: Lattice { base: first * step, ..lattice }, more: beyond / (1.0 + beyond) })
    }

    /// The `k`-th raw moment of the count from zero, by its factorial moments j! (q / (1 − q))^j.
    fn count_moment(&self, k: u32) -> f64 {
        let odds = self.more / (1.0 - self.more);
        match k {
            0 => 1.0,
            1 => odds,
            2 => odds + 2.0 * power(odds, 2),
            3 => odds + 6.0 * power(odds, 2) + 6.0 * power(odds, 3),
            _ => odds + 14.0 * power(odds, 2) + 36.0 * power(odds, 3) + 24.0 * power(odds, 4),
        }
    }
}

impl Family for Geometric {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        match self.lattice.count_of(x) {
            Some(count) if count > 0.0 => (1.0 - self.more) * exp(count * log(self.more)),
            Some(0.0) => 1.0 - self.more,
            _ => 0.0,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        let count = self.lattice.last_count(x);
        if count < 0.0 { 0.0 } else { -expm1((count + 1.0) * log(self.more)) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if p >= 1.0 {
            return self.supremum();
        }
        if self.more == 0.0 {
            return self.lattice.base;
        }
        let near = libm::ceil(log1p(-p.max(0.0)) / log(self.more) - 1.0).max(0.0);
        // The quotient may have rounded past the count.
        let reaches = |count: f64| -expm1((count + 1.0) * log(self.more)) >= p;
        let count = if near > 0.0 && reaches(near - 1.0) {
            near - 1.0
        } else if reaches(near) {
            near
        } else {
            near + 1.0
        };
        self.lattice.number(count)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let beyond = self.lattice.last_count(x) + 1.0;
        if beyond <= 0.0 {
            return 0.0;
        }
        // Without memory: above n, a count is n + 1 more than another one.
        let tail = if beyond.is_infinite() { 0.0 } else { exp(beyond * log(self.more)) };
        let above = |k: u32| {
            if tail == 0.0 {
                return 0.0;
            }
            let of_all: f64 =
                (0..=k).map(|j| binomial(k, j) * power(beyond, k - j) * self.count_moment(j)).sum();
            tail * of_all
        };
        shifted_moment(k, self.lattice.base, self.lattice.step, |j| self.count_moment(j) - above(j))
    }

    fn mean(&self) -> f64 {
        self.lattice.number(self.count_moment(1))
    }

    fn variance(&self) -> f64 {
        let step = self.lattice.step;
        step * step * self.more / ((1.0 - self.more) * (1.0 - self.more))
    }

    fn infimum(&self) -> f64 {
        self.lattice.base
    }

    fn supremum(&self) -> f64 {
        if self.more == 0.0 { self.lattice.base } else { f64::INFINITY }
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        let u = uniform(random);
        let count = if self.more == 0.0 { 0.0 } else { libm::floor(log(1.0 - u) / log(self.more)) };
        self.lattice.number(count)
    }
}
