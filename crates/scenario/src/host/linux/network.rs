//! `[network.NAME]`: what hosts are connected by.

use super::{Linux, PlacedLinux};
use crate::checker::{Checker, HOSTS, WithinHolder, listed};
use crate::claim::{Claim, Sentence};
use crate::host::family::Ground;
use crate::network::{Network, PlacedNetwork, PlacedTraffic, Traffic, bits, wiring};
use crate::parts::Directory;
use crate::schema::Names;
use crate::site::HostSite;
use crate::text::Problem;
use petrio_models::network::{HIGHEST_SERVICE_LEVEL, Network as BuiltNetwork, NetworkError};
use petrio_units::Rate;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// The key of networks.
pub(super) const NETWORK: &str = "network";

impl Linux {
    /// The hosts of each network.
    pub(super) fn check_networks(&self, checker: &mut Checker<'_, '_>, hosts: &Directory) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        for (name, network) in &self.network {
            let path = format!("{NETWORK}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "network", "rename one of them");
            if let Err(error) = network.parameters.check() {
                checker.refuse(&path, &format!("the network \"{name}\" can't be made: {error}"));
            }
            let within = checker.inner_networks.get(name).map(|within| within.holder.clone());
            found.push(match &network.place.hosts {
                Some(_) if within.is_some() => {
                    let holder = within.unwrap_or_default();
                    let message =
                        format!("the network \"{name}\" is between the nodes of \"{holder}\" alone");
                    checker.error(&format!("{path}.hosts"), message, "leave its hosts out");
                    Vec::new()
                }
                None if within.is_some() => Vec::new(),
                Some(names) => {
                    let numbers = checker.find(&format!("{path}.hosts"), names, hosts, HOSTS);
                    numbers.into_iter().map(|number| number as usize).collect()
                }
                None => (0..self.host.len()).collect(),
            });
        }
        let unknown = |(network, _): &(&String, &WithinHolder)| !self.network.contains_key(*network);
        let unknown: Vec<(String, String)> = (checker.inner_networks.iter().filter(unknown))
            .map(|(network, within)| (network.clone(), within.path.clone()))
            .collect();
        let names: Vec<&str> = self.network.keys().map(String::as_str).collect();
        for (network, path) in unknown {
            let help = match names[..] {
                [] => "add a part: [network.mesh] and below it link = { rate = \"1 Gbit/s\", latency = \"5 us\" }"
                    .to_owned(),
                _ => listed(&network, &names, "the networks are"),
            };
            let message = format!("no network is called \"{network}\"");
            checker.error(&path, message, help);
        }
        found
    }

    /// The background traffic of each network, `found` being the hosts on it.
    pub(super) fn check_traffic(
        &self,
        checker: &mut Checker<'_, '_>,
        hosts: &Directory,
        found: &[Vec<usize>],
    ) -> Vec<Vec<PlacedTraffic>> {
        let mut all = Vec::new();
        for ((name, network), on) in self.network.iter().zip(found) {
            let mut traffic = Vec::new();
            for (number, there) in network.place.traffic.iter().enumerate() {
                let path = format!("{NETWORK}.{name}.traffic.{number}");
                let mut hosts_of = |key: &str, names: &Names| {
                    let path = format!("{path}.{key}");
                    let named = checker.find(&path, names, hosts, HOSTS);
                    let on = |&host: &u32| on.iter().position(|&there| there == host as usize);
                    let numbers: Vec<u32> = named.iter().filter_map(on).map(as_number).collect();
                    if numbers.len() < named.len() {
                        let message = format!("not all of these hosts are on the network \"{name}\"");
                        checker.error(&path, message, "name hosts of the network, or leave out its hosts");
                    }
                    numbers
                };
                let (from, to) = (hosts_of("from", &there.from), hosts_of("to", &there.to));
                if there.service_level > HIGHEST_SERVICE_LEVEL {
                    let message = format!(
                        "service levels are 0 to {HIGHEST_SERVICE_LEVEL}, and this is {}",
                        there.service_level
                    );
                    checker.error(&format!("{path}.service_level"), message, "");
                }
                if there.multicast && !network.parameters.has_groups() {
                    let message = "TCP sends to one host at a time, and at the level \"packet\" that is what carries \
                                   messages";
                    let help = "leave out multicast, or take another level, or another transport";
                    checker.error(&format!("{path}.multicast"), message, help);
                }
                if let Some(message) = too_much(network, there, (from.len(), to.len())) {
                    checker.error(&format!("{path}.rate"), message, "send less");
                }
                traffic.push(PlacedTraffic { from, to, parameters: there.parameters() });
            }
            all.push(traffic);
        }
        all
    }

    /// The networks with their wiring: of the hosts on each, and of the disks.
    pub(super) fn place_networks(
        &self,
        (found, guests): (
            impl Iterator<Item = ((Vec<usize>, Vec<PlacedTraffic>), (Vec<String>, bool))>,
            &[String],
        ),
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> Vec<PlacedNetwork> {
        let mut placed = Vec::new();
        let mut wrong = |network: &str, key: &str, message: String| {
            let key = format!("{NETWORK}.{network}.{key}");
            let path = if ground.places.contains(&key) { key } else { format!("{NETWORK}.{network}") };
            problems.push(ground.sources.error(ground.places.value(&path), message));
        };
        for ((name, network), ((hosts, traffic), (targets, is_of_nodes))) in self.network.iter().zip(found) {
            let names = hosts.iter().map(|&host| self.host_name(guests, host));
            let names: Vec<String> = names.chain(targets.iter().cloned()).collect();
            match wiring(&network.place.topology, &names) {
                Ok(wiring) => match network.parameters.check_on(&wiring) {
                    Ok(()) => placed.push(PlacedNetwork {
                        name: name.clone(),
                        called: network.place.name.clone(),
                        parameters: network.parameters.clone(),
                        wiring: Arc::new(wiring),
                        hosts,
                        targets,
                        is_of_nodes,
                        traffic,
                    }),
                    Err(error) => {
                        let key = match error {
                            NetworkError::UnknownLane { .. } | NetworkError::ForgottenLane(_) => {
                                "arbitration"
                            }
                            _ => "link",
                        };
                        wrong(name, key, format!("the network \"{name}\" can't be made: {error}"));
                    }
                },
                Err(error) => wrong(name, "topology", error.to_string()),
            }
        }
        placed
    }
}

impl PlacedNetwork {
    /// Puts it into the net.
    pub(super) fn page(&self, linux: &PlacedLinux, site: &mut HostSite<'_, '_>) -> BuiltNetwork {
        let wiring = Arc::clone(&self.wiring);
        if self.is_of_nodes {
            // It is in the net already, with what lies on its nodes; this one only keeps the numbers of the others.
            let name = format!("{}-hosts", self.name);
            return BuiltNetwork::new(site.page, &name, &self.parameters, wiring, &[]);
        }
        let hosts = self.hosts.iter().map(|&host| linux.host_name(host));
        let names: Vec<&str> = hosts.chain(self.targets.iter().map(String::as_str)).collect();
        let mut built = BuiltNetwork::new(site.page, &self.name, &self.parameters, wiring, &names);
        for (number, traffic) in self.traffic.iter().enumerate() {
            let hosts = (&traffic.from[..], &traffic.to[..]);
            built.traffic(site.page, &format!("traffic{number}"), hosts, &traffic.parameters);
        }
        built
    }

    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        let rate = bits(self.parameters.link.rate);
        let ends = match self.targets.len() {
            ends if self.is_of_nodes => format!("a spigot and {} storage nodes", ends.saturating_sub(1)),
            0 => format!("{} hosts", self.hosts.len()),
            disks => format!("{} hosts and {disks} disks", self.hosts.len()),
        };
        match &self.called {
            Some(name) => format!("{ends} on {name}"),
            None => format!("{ends} on links of {rate}"),
        }
    }
}

impl PlacedLinux {
    /// What is written of networks, or brought by the catalogue, and has no effect at their levels.
    pub(super) fn without_effect(&self) -> Vec<Sentence> {
        let told = |network: &PlacedNetwork| {
            let keys = network.parameters.without_effect();
            (!keys.is_empty()).then(|| {
                let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
                Claim::NoEffect.says(format!(
                    "{} of the network \"{}\" have no effect at its level; the levels \"train\" and \"packet\" know them",
                    keys.join(" and "),
                    network.name
                ))
            })
        };
        self.networks.iter().filter_map(told).collect()
    }
}

/// What would wait for ever: more than the links of hosts pass.
fn too_much(network: &Network, traffic: &Traffic, (senders, receivers): (usize, usize)) -> Option<String> {
    if traffic.message.get() == 0 {
        return Some("messages of no bytes are no traffic".to_owned());
    }
    let link = network.parameters.link.rate.bytes_per_second() * network.parameters.framing().efficiency();
    let each = traffic.rate.bytes_per_second();
    let shared_by = if traffic.multicast { 1 } else { receivers.max(1) };
    let at_each = each * senders as f64 / shared_by as f64;
    let rate = |bytes: f64| Rate::new(bytes).map_or_else(String::new, bits);
    (each.max(at_each) >= link).then(|| {
        let passes = rate(link);
        if at_each > each {
            format!("{} come to each host, and a link passes {passes} of data", rate(at_each))
        } else {
            format!("each host sends {}, and a link passes {passes} of data", rate(each))
        }
    })
}
