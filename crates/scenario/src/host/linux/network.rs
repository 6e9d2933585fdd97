//! `[network.NAME]`: what hosts are connected by.

use super::Linux;
use crate::check::{Checker, HOSTS};
use crate::host::family::Ground;
use crate::parts::Directory;
use crate::schema::bits;
use crate::text::Problem;
use petrio_models::network::NetworkParameters;
use petrio_models::network::topology::Wiring;
use std::sync::Arc;

/// The key of networks.
pub(super) const NETWORK: &str = "network";

/// A network of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedNetwork {
    /// Its name.
    pub name: String,
    /// What it is called, where that is said.
    pub called: Option<String>,
    /// What it is made of.
    pub parameters: NetworkParameters,
    /// Its hosts, by their numbers among the Linux hosts, in the order of their numbers on it.
    pub hosts: Vec<usize>,
    /// How they are wired.
    pub wiring: Arc<Wiring>,
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
                Ok(wiring) if network.parameters.least_credits().is_some() && wiring.has_circles() => {
                    let link = format!("{NETWORK}.{name}.link");
                    let path = if ground.places.contains(&link) { link } else { format!("{NETWORK}.{name}") };
                    let message = "links that wait for room at each other's ends lead around in a circle: all may wait \
                                   for ever";
                    let help = "leave out credits, or take a tree, a fat tree or a mesh";
                    problems.push(ground.sources.error(ground.places.value(&path), message).help(help));
                }
                Ok(wiring) => placed.push(PlacedNetwork {
                    name: name.clone(),
                    called: network.place.name.clone(),
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
        let rate = bits(self.parameters.link.rate);
        match &self.called {
            Some(name) => format!("{} hosts on {name}", self.hosts.len()),
            None => format!("{} hosts on links of {rate}", self.hosts.len()),
        }
    }
}
