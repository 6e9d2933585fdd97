//! A figure of a report.

use petrio_kernel::statistics::{Interval, Tally};
use petrio_page::numbers::significant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure, with the half-width of its confidence interval where there were replications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The figure: of the one run, or the mean over replications.
    pub value: f64,
    /// Half the width of the confidence interval, in the figure's unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub half_width: Option<f64>,
}

impl From<f64> for Estimate {
    fn from(value: f64) -> Self {
        Self { value, half_width: None }
    }
}

impl Estimate {
    /// The mean of independent values with the half-width of its Student-t interval at `level` (0.95), which one value
    /// alone hasn't got; of none, no number.
    ///
    /// ```
    /// let mean = petrio_report::Estimate::of([600.0, 700.0], 0.95);
    /// assert_eq!(mean.value, 650.0);
    /// // t(0.975, 1) = 12.7062; the standard error of both is 50.
    /// assert!((mean.half_width.unwrap() - 12.7062 * 50.0).abs() < 0.01);
    /// ```
    pub fn of(values: impl IntoIterator<Item = f64>, level: f64) -> Self {
        let tally: Tally = values.into_iter().collect();
        if tally.count() == 0 {
            return Self::from(f64::NAN);
        }
        let interval = Interval::of(&tally, level);
        // JSON has no infinity: an interval from one observation is absent.
        Self { value: interval.mean, half_width: Some(interval.half_width).filter(|width| width.is_finite()) }
    }

    /// In units of so much: "25.1", or "25.1 ± 0.3".
    pub(crate) fn scaled(self, size: f64) -> String {
        let value = significant(self.value / size);
        match self.half_width {
            Some(half_width) => format!("{value} ± {}", significant(half_width / size)),
            None => value,
        }
    }
}
