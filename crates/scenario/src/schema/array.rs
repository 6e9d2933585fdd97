//! What an array of the catalogue says of itself, whatever it lies on.

use crate::schema::apart::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::block::raid::RaidParameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an array of the catalogue says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Reads an array of the catalogue, which lies on nothing yet.
pub(crate) fn read_profile(
    table: &Table<'_>,
    sources: &Sources,
) -> Result<(Named, RaidParameters), Vec<Problem>> {
    read_apart(table, &["name", "source"], sources)
}
