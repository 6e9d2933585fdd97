//! What equal parts did when: how busy each was, or how much it moved, over model time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is told of parts over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The part of an interval in which it was busy, 0 to 1.
    #[default]
    Utilisation,
    /// Bytes a second.
    BytesPerS,
}

/// The parts of one class over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Activity {
    /// Their class, with a star for what differs: `lan/client*/up`.
    pub class: String,
    /// How many there are.
    pub count: u64,
    /// What is told of them.
    pub measure: Measure,
    /// When the first interval begins, seconds of model time.
    pub begin_s: f64,
    /// The length of an interval, seconds.
    pub interval_s: f64,
    /// The length of the last one, seconds.
    pub last_interval_s: f64,
    /// The names of those that are shown: all, or of many every so many-th.
    pub members: Vec<String>,
    /// Of each of these, a value for each interval.
    pub values: Vec<Vec<f64>>,
}

impl Activity {
    /// The greatest value.
    pub fn most(&self) -> f64 {
        self.values.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// The mean of all values.
    pub fn mean(&self) -> f64 {
        let count: usize = self.values.iter().map(Vec::len).sum();
        self.values.iter().flatten().sum::<f64>() / count.max(1) as f64
    }
}
