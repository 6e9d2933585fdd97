//! What a maker says of a drive as a whole: no parameter of the model, but something to hold its predictions against.

use petrio_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of a data sheet that follow from the others together. They change nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataSheet {
    /// Sustained rate of sequential access at the outermost tracks.
    pub sustained_rate: Rate,
    /// Where it stands.
    pub source: String,
}
