//! A figure of a report.

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
    /// In units of so much: "25.1", or "25.1 ± 0.3".
    pub(crate) fn scaled(self, size: f64) -> String {
        let value = significant(self.value / size);
        match self.half_width {
            Some(half_width) => format!("{value} ± {}", significant(half_width / size)),
            None => value,
        }
    }
}
