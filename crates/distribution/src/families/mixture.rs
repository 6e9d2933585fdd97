//! Several distributions, one of which is chosen for each draw.

use super::Family;
use crate::error::{DistributionError, not_negative};
use crate::random::uniform;
use crate::special::invert;
use rand_core::Rng;

/// A weighted choice between distributions. Of [`Gamma`](super::Gamma) stages it is the multi-stage gamma distribution,
/// the phase-type exponential and the hyper-Erlang one; of any [`Distribution`](crate::Distribution)s a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture<F> {
    parts: Vec<(f64, F)>,
    /// The weights added up from the first on; the last is 1.
    cumulative: Vec<f64>,
}

impl<F: Family> Mixture<F> {
    /// From weights, which are relative (they needn't add up to 1), and parts.
    ///
    /// # Errors
    /// No part at all, a weight that is negative or not finite, or no weight above zero.
    pub fn new(parts: Vec<(f64, F)>) -> Result<Self, DistributionError> {
        let refuse = |problem: &str| Err(DistributionError::new("mixture", "", problem));
        if parts.is_empty() {
            return refuse("has no part; at least one is needed");
        }
        for (index, (weight, _)) in parts.iter().enumerate() {
            not_negative("mixture", &format!("{index}.weight"), *weight)?;
        }
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            return refuse("its weights add up to nothing; at least one must be more than zero");
        }
        // What is never chosen would only cost time, and its edges would count as the whole's.
        let parts: Vec<(f64, F)> = parts
            .into_iter()
            .filter(|(weight, _)| *weight > 0.0)
            .map(|(weight, part)| (weight / total, part))
            .collect();
        let mut cumulative: Vec<f64> = parts
            .iter()
            .scan(0.0, |sum, (weight, _)| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        if let Some(last) = cumulative.last_mut() {
            *last = 1.0;
        }
        Ok(Self { parts, cumulative })
    }

    /// One part alone.
    pub(crate) fn single(part: F) -> Self {
        Self { parts: vec![(1.0, part)], cumulative: vec![1.0] }
    }

    /// The parts with their weights, which add up to 1.
    pub fn parts(&self) -> &[(f64, F)] {
        &self.parts
    }

    fn weighted(&self, of: impl Fn(&F) -> f64) -> f64 {
        self.parts.iter().map(|(weight, part)| weight * of(part)).sum()
    }
}

impl<F: Family> Family for Mixture<F> {
    fn density(&self, x: f64) -> f64 {
        self.weighted(|part| part.density(x))
    }

    fn mass(&self, x: f64) -> f64 {
        self.weighted(|part| part.mass(x))
    }

    fn cdf(&self, x: f64) -> f64 {
        self.weighted(|part| part.cdf(x)).min(1.0)
    }

    fn quantile(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return self.infimum();
        }
        if p >= 1.0 {
            return self.supremum();
        }
        // The whole reaches p no earlier than its earliest part, and no later than its latest.
        let of_parts = || self.parts.iter().map(|(_, part)| part.quantile(p));
        let low = of_parts().fold(f64::INFINITY, f64::min);
        let high = of_parts().fold(f64::NEG_INFINITY, f64::max);
        if low == high || self.cdf(low) >= p {
            return low;
        }
        if !self.has_atoms() {
            return invert(p, f64::midpoint(low, high), low, high, |x| self.cdf(x), |x| self.density(x));
        }
        // Halved until no float lies between: then the upper one is where an atom lies, to its last bit.
        let (mut low, mut high) = (low, high);
        loop {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                return high;
            }
            if self.cdf(middle) >= p {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        self.weighted(|part| part.moment_to(k, x))
    }

    fn mean(&self) -> f64 {
        self.weighted(Family::mean)
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        if !mean.is_finite() {
            return f64::INFINITY;
        }
        self.weighted(|part| part.variance() + (part.mean() - mean) * (part.mean() - mean))
    }

    fn infimum(&self) -> f64 {
        self.parts.iter().map(|(_, part)| part.infimum()).fold(f64::INFINITY, f64::min)
    }

    fn supremum(&self) -> f64 {
        self.parts.iter().map(|(_, part)| part.supremum()).fold(f64::NEG_INFINITY, f64::max)
    }

    fn has_atoms(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.has_atoms())
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        if let [(_, only)] = self.parts.as_slice() {
            return only.sample(random);
        }
        let u = uniform(random);
        let chosen = self.cumulative.iter().position(|&up_to| u < up_to).unwrap_or(self.parts.len() - 1);
        self.parts[chosen].1.sample(random)
    }
}
