//! What is known of a drive as a whole: no parameter of the model, but something to hold its predictions against.

use petrio_units::{Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of a data sheet, or of a drive that was measured, that follow from the others together. They change nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataSheet {
    /// Sustained rate of sequential access at the outermost tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained_rate: Option<Rate>,
    /// What passes the head at the outermost tracks, before formatting: users' data and all that lies between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<InternalRate>,
    /// A drive of this model was seen to read all of its blocks in this time (the long self-test of SMART, say): it reads at least
    /// as fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_all_within: Option<Duration>,
    /// Where they stand.
    pub source: String,
}

/// A rate before formatting, which is what the sheets of old drives print, and what of it are users' data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InternalRate {
    /// Bits that pass the head, of whatever kind.
    pub rate: Rate,
    /// The share of them that are users' data: servo, gaps, synchronisation and codes for correction are the rest.
    pub format_efficiency: Fraction,
}

impl InternalRate {
    /// Users' data that pass the head, bytes a second.
    pub fn of_data(&self) -> f64 {
        self.rate.bytes_per_second() * self.format_efficiency.get()
    }
}
