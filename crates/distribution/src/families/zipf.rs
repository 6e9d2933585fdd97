//! Zipf's law: ranks whose probabilities fall as a power of the rank.
//!
//! Source of the draws: Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6 (1996). They take the same time for any number of ranks, and no table.

use super::Family;
use super::lattice::{Lattice, count_quantile};
use crate::error::{DistributionError, not_negative};
use crate::random::uniform;
use crate::special::{generalised_harmonic, power};
use libm::{exp, expm1, floor, log, log1p, pow};
use petrio_units::numbers::whole_part;
use rand_core::Rng;

/// `step` times a rank from 1 to `count`, with a probability in proportion to rank^−exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    exponent: f64,
    count: u64,
    lattice: Lattice,
    /// Σ rank^−exponent.
    total: f64,
    /// The integral of x^−exponent up to 1.5, less 1, and up to count + 0.5: between them a draw begins.
    first: f64,
    last: f64,
    /// A rank so near above its place is taken without a look at the hat.
    shortcut: f64,
}

impl Zipf {
    /// From the exponent (0: all ranks alike), the number of ranks, and what one rank is.
    ///
    /// # Errors
    /// Unless the exponent is finite and not negative, there are 1 to 2⁵³ ranks, and the step is more than zero.
    pub fn new(exponent: f64, count: u64, step: f64) -> Result<Self, DistributionError> {
        not_negative("zipf", "exponent", exponent)?;
        if count == 0 || count > 1 << 53 {
            let problem = format!("is {count}; there must be a rank at least, and at most 2^53");
            return Err(DistributionError::new("zipf", "count", problem));
        }
        let total = generalised_harmonic(count, exponent);
        Ok(Self {
            exponent,
            count,
            lattice: Lattice::new("zipf", 0.0, step)?,
            total,
            first: integral(1.5, exponent) - 1.0,
            last: integral(count as f64 + 0.5, exponent),
            shortcut: 2.0 - integral_inverse(integral(2.5, exponent) - pow(2.0, -exponent), exponent),
        })
    }

    fn up_to(&self, rank: f64, exponent: f64) -> f64 {
        let rank = rank.min(self.count as f64);
        if rank < 1.0 { 0.0 } else { generalised_harmonic(whole_part(rank), exponent) }
    }
}

/// ∫ t^−exponent from 1 to x, smooth through exponent 1.
fn integral(x: f64, exponent: f64) -> f64 {
    let logarithm = log(x);
    let t = (1.0 - exponent) * logarithm;
    logarithm * if t.abs() < 1e-8 { 1.0 + t / 2.0 } else { expm1(t) / t }
}

/// The x whose [`integral`] is `y`.
fn integral_inverse(y: f64, exponent: f64) -> f64 {
    let t = (y * (1.0 - exponent)).max(-1.0);
    exp(y * if t.abs() < 1e-8 { 1.0 - t / 2.0 } else { log1p(t) / t })
}

impl Family for Zipf {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        match self.lattice.count_of(x) {
            Some(rank) if (1.0..=self.count as f64).contains(&rank) => pow(rank, -self.exponent) / self.total,
            _ => 0.0,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        let rank = self.lattice.last_count(x);
        if rank >= self.count as f64 { 1.0 } else { self.up_to(rank, self.exponent) / self.total }
    }

    fn quantile(&self, p: f64) -> f64 {
        if p >= 1.0 {
            return self.supremum();
        }
        let last = self.count as f64;
        let guess = integral_inverse(p * integral(last, self.exponent), self.exponent);
        let cdf = |rank: f64| if rank >= last { 1.0 } else { self.up_to(rank, self.exponent) / self.total };
        self.lattice.number(count_quantile(1.0, last, p, guess, cdf))
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let rank = self.lattice.last_count(x);
        power(self.lattice.step, k) * self.up_to(rank, self.exponent - f64::from(k)) / self.total
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        (self.moment_to(2, f64::INFINITY) - mean * mean).max(0.0)
    }

    fn infimum(&self) -> f64 {
        self.lattice.step
    }

    fn supremum(&self) -> f64 {
        self.lattice.number(self.count as f64)
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        loop {
            let u = self.last + uniform(random) * (self.first - self.last);
            let x = integral_inverse(u, self.exponent);
            let rank = floor(x + 0.5).clamp(1.0, self.count as f64);
            if rank - x <= self.shortcut
                || u >= integral(rank + 0.5, self.exponent) - pow(rank, -self.exponent)
            {
                return self.lattice.number(rank);
            }
        }
    }
}
