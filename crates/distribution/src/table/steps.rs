//! A sample as it is: each of its values again, as often as it was seen.

use super::columns;
use super::guide::Guide;
use crate::error::{DistributionError, not_negative};
use crate::families::Family;
use crate::random::uniform;
use crate::special::power;
use rand_core::Rng;
use std::sync::Arc;

pub(super) const FAMILY: &str = "empirical";

/// The values of a sample, each as likely as it was frequent.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(Arc<Table>);

#[derive(Debug, PartialEq)]
struct Table {
    /// Ascending, each once.
    values: Vec<f64>,
    probabilities: Vec<f64>,
    /// The probability of each value or less.
    cumulative: Vec<f64>,
    guide: Guide,
    mean: f64,
    variance: f64,
}

/// Values in ascending order with their weights; without weights each weighs 1.
///
/// # Errors
/// No value, one that isn't finite, weights that are negative, all zero, or of another number.
pub(super) fn sorted(values: &[f64], weights: Option<&[f64]>) -> Result<Vec<(f64, f64)>, DistributionError> {
    let ones;
    let weights = match weights {
        Some(weights) => weights,
        None => {
            ones = vec![1.0; values.len()];
            &ones
        }
    };
    columns(FAMILY, ("values", values), ("weights", weights), 1)?;
    for (index, &weight) in weights.iter().enumerate() {
        not_negative(FAMILY, &format!("weights.{index}"), weight)?;
    }
    let mut pairs: Vec<(f64, f64)> =
        values.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0).collect();
    if pairs.is_empty() {
        return Err(DistributionError::new(FAMILY, "weights", "are all zero; at least one must be more"));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(pairs)
}

impl Steps {
    /// From values in any order, with a weight each or all alike.
    ///
    /// # Errors
    /// No value, one that isn't finite, weights that are negative, all zero, or of another number.
    pub fn new(values: &[f64], weights: Option<&[f64]>) -> Result<Self, DistributionError> {
        let mut unique: Vec<(f64, f64)> = Vec::new();
        for (value, weight) in sorted(values, weights)? {
            match unique.last_mut() {
                Some(last) if last.0 == value => last.1 += weight,
                _ => unique.push((value, weight)),
            }
        }
        let total: f64 = unique.iter().map(|(_, weight)| weight).sum();
        let (values, probabilities): (Vec<f64>, Vec<f64>) =
            unique.into_iter().map(|(value, weight)| (value, weight / total)).unzip();
        let mut cumulative: Vec<f64> = probabilities
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            })
            .collect();
        if let Some(last) = cumulative.last_mut() {
            *last = 1.0;
        }
        let mean: f64 = values.iter().zip(&probabilities).map(|(x, p)| x * p).sum();
        let variance = values.iter().zip(&probabilities).map(|(x, p)| (x - mean) * (x - mean) * p).sum();
        let guide = Guide::new(&cumulative);
        Ok(Self(Arc::new(Table { values, probabilities, cumulative, guide, mean, variance })))
    }
}

impl Family for Steps {
    fn density(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn mass(&self, x: f64) -> f64 {
        self.0.values.binary_search_by(|value| value.total_cmp(&x)).map_or(0.0, |at| self.0.probabilities[at])
    }

    fn cdf(&self, x: f64) -> f64 {
        match self.0.values.partition_point(|&value| value <= x) {
            0 => 0.0,
            count => self.0.cumulative[count - 1],
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.0.values[self.0.guide.row(&self.0.cumulative, p)]
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let rows = self.0.values.iter().zip(&self.0.probabilities);
        rows.take_while(|&(&value, _)| value <= x).map(|(&value, p)| p * power(value, k)).sum()
    }

    fn mean(&self) -> f64 {
        self.0.mean
    }

    fn variance(&self) -> f64 {
        self.0.variance
    }

    fn infimum(&self) -> f64 {
        self.0.values[0]
    }

    fn supremum(&self) -> f64 {
        self.0.values[self.0.values.len() - 1]
    }

    fn has_atoms(&self) -> bool {
        true
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.quantile(1.0 - uniform(random))
    }
}
