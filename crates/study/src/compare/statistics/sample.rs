//! What is known of a measure in one contender: a value for each replication, or only their mean and spread.

use petrio_kernel::statistics::{Interval, Tally, student_t_quantile};
use petrio_scenario::report::Estimate;

/// Independent values of one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The values in the order of their replications; empty where only the rest is known.
    values: Vec<f64>,
    mean: f64,
    /// Their sample variance (n − 1).
    variance: f64,
    count: u64,
}

impl Sample {
    /// Of values, one for each replication; `None` where there are none, or one isn't a finite number.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let tally: Tally = values.iter().copied().collect();
        // The recurrence leaves a rounding error where there is no spread at all.
        let constant = values.iter().all(|value| *value == values[0]);
        let (mean, variance) = if constant { (values[0], 0.0) } else { (tally.mean(), tally.variance()) };
        Some(Self { mean, variance, count: values.len() as u64, values })
    }

    /// Of a mean with the half-width of its interval at `level`, from `count` replications. Without a half-width it is
    /// as good as a single value.
    ///
    /// ```
    /// use petrio_study::compare::statistics::Sample;
    /// let values = Sample::of(vec![4.0, 6.0, 5.0]).unwrap();
    /// let saved = Sample::of_estimate(values.estimate(0.95), 3, 0.95).unwrap();
    /// assert!((saved.deviation() - values.deviation()).abs() < 1e-12);
    /// ```
    pub fn of_estimate(estimate: Estimate, count: u64, level: f64) -> Option<Self> {
        let mean = Some(estimate.value).filter(|value| value.is_finite())?;
        let Some(half_width) = estimate.half_width.filter(|_| count > 1) else {
            return Some(Self { values: Vec::new(), mean, variance: 0.0, count: 1 });
        };
        let error = half_width / student_t_quantile(0.5 + level / 2.0, (count - 1) as f64);
        Some(Self { values: Vec::new(), mean, variance: error * error * count as f64, count })
    }

    /// The value of each replication, where they are known.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The sample variance.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The sample standard deviation.
    pub fn deviation(&self) -> f64 {
        libm::sqrt(self.variance)
    }

    /// How many values there are, or were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether every replication gave the same: nothing in it is random.
    pub fn is_exact(&self) -> bool {
        self.count > 1 && self.variance == 0.0
    }

    /// The mean with the half-width of its Student-t interval; none for a single value.
    pub fn estimate(&self, level: f64) -> Estimate {
        let half_width = if self.count < 2 {
            None
        } else if self.values.is_empty() || self.variance == 0.0 {
            let t = student_t_quantile(0.5 + level / 2.0, (self.count - 1) as f64);
            Some(t * libm::sqrt(self.variance / self.count as f64))
        } else {
            Some(Interval::of(&self.values.iter().copied().collect::<Tally>(), level).half_width)
        };
        Estimate { value: self.mean, half_width }
    }

    /// The logarithms; `None` where there is no logarithm of a value. Where only moments are known, by the delta
    /// method.
    pub(super) fn logarithms(&self) -> Option<Self> {
        if self.values.is_empty() {
            let relative = self.variance / (self.mean * self.mean);
            return (self.mean > 0.0).then(|| Self {
                values: Vec::new(),
                mean: libm::log(self.mean),
                variance: relative,
                count: self.count,
            });
        }
        if self.values.iter().any(|value| *value <= 0.0) {
            return None;
        }
        Self::of(self.values.iter().map(|value| libm::log(*value)).collect())
    }
}
