//! Networks of which everything is found.

use petrio_models::network::topology::Wiring;
use petrio_models::network::{NetworkParameters, TrafficParameters};
use std::sync::Arc;

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
    /// Disks and arrays that are on it by themselves, whose numbers follow those of the hosts.
    pub targets: Vec<String>,
    /// It is within a replication, between the storage nodes of its disks: its first target is the spigot, and it has no hosts.
    pub is_of_nodes: bool,
    /// How they are wired.
    pub wiring: Arc<Wiring>,
    /// What else is sent over it.
    pub traffic: Vec<PlacedTraffic>,
}

/// Background traffic between hosts, by their numbers on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedTraffic {
    /// Who sends.
    pub from: Vec<u32>,
    /// Who is sent to.
    pub to: Vec<u32>,
    /// What each sends.
    pub parameters: TrafficParameters,
}
