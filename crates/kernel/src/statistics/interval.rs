//! Confidence intervals of a mean.

use super::{Tally, student_t_quantile};
use serde::Serialize;
use std::fmt;

/// A mean with the half-width of its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The point estimate.
    pub mean: f64,
    /// Half the width of the interval; infinite where there are fewer than two observations.
    pub half_width: f64,
    /// The level, for instance 0.95.
    pub level: f64,
    /// Independent observations behind it.
    pub observations: u64,
}

impl Interval {
    /// The Student-t interval of independent observations.
    pub fn of(observations: &Tally, level: f64) -> Self {
        let count = observations.count();
        let half_width = if count < 2 {
            f64::INFINITY
        } else {
            let t = student_t_quantile(0.5 + level / 2.0, (count - 1) as f64);
            t * observations.deviation() / libm::sqrt(count as f64)
        };
        Self { mean: observations.mean(), half_width, level, observations: count }
    }

    /// Whether a value lies inside.
    pub fn contains(&self, value: f64) -> bool {
        (value - self.mean).abs() <= self.half_width
    }

    /// Half-width over mean.
    pub fn relative(&self) -> f64 {
        if self.half_width == 0.0 { 0.0 } else { self.half_width / self.mean.abs() }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} ± {:.6}", self.mean, self.half_width)
    }
}
