//! `[network.NAME]`: what hosts are connected by.

use super::Linux;
use crate::check::{Checker, HOSTS};
use crate::host::family::Ground;
use crate::parts::Directory;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::network::NetworkParameters;
use petrio_models::network::topology::{TopologyParameters, Wiring};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The key of networks.
pub(super) const NETWORK: &str = "network";

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
    /// The hosts: a name, a pattern such as `client*`, or a list of these; left out, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Names>,
    /// How they are wired: a word such as `"star"`, or a table with that as `kind` and figures.
    pub topology: TopologyParameters,
}

const PLACE_KEYS: [&str; 2] = ["hosts", "topology"];

/// A network of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedNetwork {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: NetworkParameters,
    /// Its hosts, by their numbers among the Linux hosts, in the order of their numbers on it.
    pub hosts: Vec<usize>,
    /// How they are wired.
    pub wiring: Arc<Wiring>,
}

/// Reads a network.
pub(super) fn read_network(table: &Table<'_>, sources: &Sources) -> Result<Network, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Network { place, parameters })
}

impl Linux {
    /// The hosts of each network.
    pub(super) fn check_networks(&self, checker: &mut Checker<'_, '_>, hosts: &Directory) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        for (name, network) in &self.network {
            let path = format!("{NETWORK}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "network", "rename one of them");
            if let Err(error) = network.parameters.check() {
                checker.error_at_key(&path, format!("the network \"{name}\" can't be made: {error}"), "");
            }
            found.push(match &network.place.hosts {
                Some(names) => {
                    let numbers = checker.find(&format!("{path}.hosts"), names, hosts, HOSTS);
                    numbers.into_iter().map(|number| number as usize).collect()
                }
                None => (0..self.host.len()).collect(),
            });
        }
        found
    }

    /// The networks with their wiring.
    pub(super) fn place_networks(
        &self,
        found: Vec<Vec<usize>>,
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> Vec<PlacedNetwork> {
        let mut placed = Vec::new();
        for ((name, network), hosts) in self.network.iter().zip(found) {
            let names: Vec<String> =
                hosts.iter().filter_map(|&host| Some(self.host.get_index(host)?.0.clone())).collect();
            match Wiring::of_named(&network.place.topology, &names) {
                Ok(wiring) => placed.push(PlacedNetwork {
                    name: name.clone(),
                    parameters: network.parameters.clone(),
                    wiring: Arc::new(wiring),
                    hosts,
                }),
                Err(error) => {
                    let topology = format!("{NETWORK}.{name}.topology");
                    let is_written = ground.places.contains(&topology);
                    let path = if is_written { topology } else { format!("{NETWORK}.{name}") };
                    problems.push(ground.sources.error(ground.places.value(&path), error.to_string()));
                }
            }
        }
        placed
    }
}

impl PlacedNetwork {
    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        let bits = self.parameters.link.rate.bytes_per_second() * 8.0;
        let rate = [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")]
            .into_iter()
            .find(|(unit, _)| bits >= *unit)
            .map_or_else(|| format!("{bits} bit/s"), |(unit, name)| format!("{} {name}", bits / unit));
        format!("{} hosts on links of {rate}", self.hosts.len())
    }
}
