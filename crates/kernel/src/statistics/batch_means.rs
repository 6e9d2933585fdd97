//! Batch means: a confidence interval from one long run.

use super::{Interval, Tally};
use petrio_persist::Persist;

/// Batches are between half of this and this many; when they are full, neighbours are merged.
const BATCHES: usize = 64;

/// Means of consecutive batches, in constant memory however long the run: whenever 64 batches are full,
/// neighbours merge and the batch size doubles.
#[derive(Clone, Debug, Persist)]
pub struct BatchMeans {
    means: Vec<f64>,
    size: u64,
    sum: f64,
    filled: u64,
}

impl Default for BatchMeans {
    fn default() -> Self {
        Self::new()
    }
}

impl BatchMeans {
    /// No observation yet.
    pub fn new() -> Self {
        Self { means: Vec::with_capacity(BATCHES), size: 1, sum: 0.0, filled: 0 }
    }

    /// Adds an observation.
    pub fn record(&mut self, value: f64) {
        self.sum += value;
        self.filled += 1;
        if self.filled < self.size {
            return;
        }
        self.means.push(self.sum / self.size as f64);
        self.sum = 0.0;
        self.filled = 0;
        if self.means.len() == BATCHES {
            for pair in 0..BATCHES / 2 {
                self.means[pair] = 0.5 * (self.means[2 * pair] + self.means[2 * pair + 1]);
            }
            self.means.truncate(BATCHES / 2);
            self.size *= 2;
        }
    }

    /// Observations in a batch now.
    pub fn batch_size(&self) -> u64 {
        self.size
    }

    /// Means of the complete batches.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The interval of the mean. It is trustworthy when batches are long against the correlation of the observations:
    /// see [`BatchMeans::lag_one_correlation`].
    pub fn interval(&self, level: f64) -> Interval {
        Interval::of(&self.means.iter().copied().collect::<Tally>(), level)
    }

    /// The correlation of neighbouring batches; near zero when the batches are long enough.
    pub fn lag_one_correlation(&self) -> f64 {
        let tally: Tally = self.means.iter().copied().collect();
        if tally.count() < 3 || tally.variance() == 0.0 {
            return 0.0;
        }
        let products: f64 =
            self.means.windows(2).map(|pair| (pair[0] - tally.mean()) * (pair[1] - tally.mean())).sum();
        products / (tally.variance() * (tally.count() - 1) as f64)
    }
}
