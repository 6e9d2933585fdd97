//! A sample smoothed: straight lines between its order statistics.
//!
//! Source: Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996), type 7;
//! with weights, each value stands in the middle of its own. Values that occur more than once keep a probability of
//! their own.

use super::pieces::Pieces;
use super::steps::sorted;
use crate::error::DistributionError;

impl Pieces {
    /// From values in any order, with a weight each or all alike: every number between two neighbours is equally
    /// likely.
    ///
    /// # Errors
    /// No value, one that isn't finite, weights that are negative, all zero, or of another number.
    pub fn of_sample(values: &[f64], weights: Option<&[f64]>) -> Result<Self, DistributionError> {
        let pairs = sorted(values, weights)?;
        let (first, last) = (pairs[0].1, pairs[pairs.len() - 1].1);
        let total: f64 = pairs.iter().map(|(_, weight)| weight).sum();
        let between = total - (first + last) / 2.0;
        let mut sum = 0.0;
        let mut p: Vec<f64> = pairs
            .iter()
            .map(|(_, weight)| {
                sum += weight;
                if pairs.len() == 1 { 1.0 } else { (sum - weight / 2.0 - first / 2.0) / between }
            })
            .collect();
        if let Some(last) = p.last_mut() {
            *last = 1.0;
        }
        Ok(Self::straight(pairs.into_iter().map(|(value, _)| value).collect(), p))
    }
}
