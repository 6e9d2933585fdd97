//! Count, mean, variance and extremes of a stream of values.

use petrio_persist::Persist;
use serde::Serialize;

/// A running summary (Welford's recurrence: no catastrophic cancellation, one pass, constant memory).
///
/// ```
/// use petrio_kernel::statistics::Tally;
/// let tally: Tally = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect();
/// assert_eq!((tally.count(), tally.mean()), (8, 5.0));
/// assert!((tally.variance() - 32.0 / 7.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Persist)]
pub struct Tally {
    count: u64,
    mean: f64,
    squares: f64,
    minimum: f64,
    maximum: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0, mean: 0.0, squares: 0.0, minimum: f64::INFINITY, maximum: f64::NEG_INFINITY }
    }
}

impl Tally {
    /// Adds a value.
    #[inline]
    pub fn record(&mut self, value: f64) {
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
        self.minimum = self.minimum.min(value);
        self.maximum = self.maximum.max(value);
    }

    /// Both together, as if all values had been recorded in one (Chan, Golub and LeVeque, 1979).
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0 {
            return self;
        }
        let (own, others, all) = (self.count as f64, other.count as f64, count as f64);
        let apart = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + apart * others / all,
            squares: self.squares + other.squares + apart * apart * own * others / all,
            minimum: self.minimum.min(other.minimum),
            maximum: self.maximum.max(other.maximum),
        }
    }

    /// Number of values.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 without values.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Their sample variance (n − 1); 0 for fewer than two values.
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }

    /// Their standard deviation.
    pub fn deviation(&self) -> f64 {
        libm::sqrt(self.variance())
    }

    /// The least value, where there is one.
    pub fn minimum(&self) -> Option<f64> {
        (self.count > 0).then_some(self.minimum)
    }

    /// The greatest value, where there is one.
    pub fn maximum(&self) -> Option<f64> {
        (self.count > 0).then_some(self.maximum)
    }
}

impl FromIterator<f64> for Tally {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut tally = Self::default();
        values.into_iter().for_each(|value| tally.record(value));
        tally
    }
}
