//! `[network.NAME]`: what hosts and storage nodes are connected by, as it is written, and once all of it is found.

mod placed;
mod wiring;

pub use placed::{PlacedNetwork, PlacedTraffic};
pub(crate) use wiring::wiring;

use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::cost::Cost;
use petrio_models::network::topology::TopologyParameters;
use petrio_models::network::{NetworkParameters, Spacing, TrafficParameters};
use petrio_units::{Bytes, Rate};
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
    /// What else is sent over it while the workloads run: nobody waits for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Traffic>,
    /// What a switch costs, and what an adapter of a host costs where that has a price of its own.
    #[serde(skip_serializing_if = "NetworkCost::is_empty")]
    pub cost: NetworkCost,
    /// How they are wired: a word such as `"star"`, or a table with that as `kind` and figures.
    pub topology: TopologyParameters,
}

const PLACE_KEYS: [&str; 6] = ["name", "source", "hosts", "traffic", "cost", "topology"];

/// What a network's hardware costs.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkCost {
    /// A switch, and what it draws.
    #[serde(skip_serializing_if = "Cost::is_empty")]
    pub switch: Cost,
    /// A host's adapter, and what it draws; left out, it comes with its machine.
    #[serde(skip_serializing_if = "Cost::is_empty")]
    pub adapter: Cost,
}

impl NetworkCost {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Background traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// The hosts that send: a name, a pattern such as `client*`, or a list of these.
    pub from: Names,
    /// The hosts that are sent to, each time one by chance.
    pub to: Names,
    /// Whether each message goes to all of these at once: switches copy it along one tree of links (multicast of
    /// InfiniBand or IP).
    #[serde(default, skip_serializing_if = "is_false")]
    pub multicast: bool,
    /// Bits or bytes a second of each host that sends, headers left out.
    pub rate: Rate,
    /// Bytes of a message.
    #[serde(default = "usual_message")]
    pub message: Bytes,
    /// What lies between two messages of a host.
    #[serde(default)]
    pub spacing: Spacing,
    /// Its service level: which of several virtual lanes it takes.
    #[serde(default)]
    pub service_level: u8,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

fn usual_message() -> Bytes {
    Bytes(64 << 10)
}

impl Traffic {
    /// What each sender sends.
    pub fn parameters(&self) -> TrafficParameters {
        let &Self { rate, message, spacing, service_level, multicast, .. } = self;
        TrafficParameters { rate, message, spacing, service_level, multicast }
    }
}

/// Reads a network.
pub(crate) fn read_network(table: &Table<'_>, sources: &Sources) -> Result<Network, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Network { place, parameters })
}

/// A rate in the words of networks.
pub(crate) fn bits(rate: Rate) -> String {
    let bits = rate.bytes_per_second() * 8.0;
    let shown = |number: f64| (number * 1e3).round() / 1e3;
    [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")]
        .into_iter()
        .find(|(unit, _)| bits >= *unit)
        .map_or_else(|| format!("{bits} bit/s"), |(unit, name)| format!("{} {name}", shown(bits / unit)))
}
