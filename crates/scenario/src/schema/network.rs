//! `[network.NAME]` as it is written.

use super::names::Names;
use super::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::network::NetworkParameters;
use petrio_models::network::topology::TopologyParameters;
use petrio_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Network {
    /// Which hosts it connects, and how they are wired.
    #[serde(flatten)]
    pub place: NetworkPlace,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: NetworkParameters,
}

/// Which hosts a network connects.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkPlace {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its figures come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The hosts: a name, a pattern such as `client*`, or a list of these; left out, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Names>,
    /// How they are wired: a word such as `"star"`, or a table with that as `kind` and figures.
    pub topology: TopologyParameters,
}

const PLACE_KEYS: [&str; 4] = ["name", "source", "hosts", "topology"];

/// Reads a network.
pub(crate) fn read_network(table: &Table<'_>, sources: &Sources) -> Result<Network, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Network { place, parameters })
}

/// A rate in the words of networks.
pub(crate) fn bits(rate: Rate) -> String {
    let bits = rate.bytes_per_second() * 8.0;
    [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")]
        .into_iter()
        .find(|(unit, _)| bits >= *unit)
        .map_or_else(|| format!("{bits} bit/s"), |(unit, name)| format!("{} {name}", bits / unit))
}
