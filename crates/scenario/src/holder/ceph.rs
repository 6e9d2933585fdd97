//! `[ceph.NAME]`: a pool of Ceph's OSDs with an image of RBD, a block device for a host.

use super::{Built, Holder, HolderPorts, InnerNetwork, Objection, Over};
use crate::network::PlacedNetwork;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::cluster::ceph::{CephParameters, CephPorts, Device, Pool, ceph_page, check_room};
use petrio_models::network::{Network, Port};
use petrio_models::processor::Processors;
use petrio_models::{Lever, Stage};
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A pool of Ceph's OSDs, on which an image of RBD lies: a block device for a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceph {
    /// The device (or array) below each OSD, in the order of the OSDs' numbers.
    pub on: Names,
    /// The hosts of the OSDs.
    pub nodes: CephNodes,
    /// The pool, its image and its OSDs.
    #[serde(flatten)]
    pub parameters: CephParameters,
}

/// The hosts of OSDs, and the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CephNodes {
    /// Their network, `[network.NAME]`, which connects nothing else. The client is called as the pool is, and each host as the
    /// device of its first OSD.
    pub network: String,
}

/// Reads a pool.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Ceph, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        on: Names,
        nodes: CephNodes,
    }
    let (Own { on, nodes }, parameters) = read_apart(table, &["on", "nodes"], sources)?;
    Ok(Ceph { on, nodes, parameters })
}

/// A pool in the net.
#[derive(Clone, Copy, Debug)]
pub struct BuiltCeph {
    /// All of it that changes.
    pub pool: Place<Pool>,
    /// How many of its OSDs' stops are to come.
    pub stops: u64,
}

impl Ceph {
    /// How many hosts so many OSDs have.
    fn hosts(&self, osds: usize) -> usize {
        osds.div_ceil(self.parameters.osds_per_host.max(1) as usize)
    }
}

/// The pages of the processors of a pool's hosts lie under this.
fn pages_of_hosts(name: &str) -> String {
    format!("{name}-hosts")
}

impl Holder for Ceph {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        if let Err(error) = self.parameters.check(members) {
            let (key, help) = (error.key(), Some(error.advice().to_owned()));
            return vec![Objection { key, message: error.to_string(), help }];
        }
        let Err(error) = petrio_bounds::check(self.parameters.bytes_of(members)) else { return Vec::new() };
        let CephParameters { image, object, .. } = &self.parameters;
        let message = format!(
            "the {} objects of {object} of an image of {image}, and what OSDs keep in memory, are more than can be held here: {error}",
            self.parameters.objects()
        );
        let help = Some("make the image smaller, or its objects larger, or store.cache smaller".to_owned());
        vec![Objection { key: "image", message, help }]
    }

    fn check_sizes(&self, members: &[u64]) -> Vec<Objection> {
        let devices: Vec<Device> = members.iter().map(|&sectors| Device { sectors, turns: false }).collect();
        let fits = self.parameters.check(members.len()).is_ok()
            && petrio_bounds::check(self.parameters.bytes_of(members.len())).is_ok();
        let Some((osd, taken, room)) =
            Some(()).filter(|()| fits).and_then(|()| check_room(&self.parameters, &devices))
        else {
            return Vec::new();
        };
        let message = format!(
            "OSD {osd} gets {} of the image's objects, and its device has room for {} beside what BlueStore keeps",
            Bytes(taken),
            Bytes(room)
        );
        let help = "make the image smaller, or the devices larger, or pg_num, with which the OSDs' shares are more equal";
        vec![Objection { key: "image", message, help: Some(help.to_owned()) }]
    }

    fn blocks(&self, _: &[u64]) -> u64 {
        self.parameters.image.get() / petrio_colours::SECTOR_BYTES
    }

    /// Of the pool: the image is what somebody made in it.
    fn usable_blocks(&self, members: &[u64]) -> u64 {
        let raw = members.iter().fold(0_u64, |sum, &blocks| sum.saturating_add(blocks));
        let (data, all) = match &self.parameters.erasure {
            Some(erasure) => (erasure.data, erasure.data.saturating_add(erasure.coding)),
            None => (1, self.parameters.size),
        };
        let share = u128::from(raw) * u128::from(data) / u128::from(all.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    fn has_all(&self) -> bool {
        true
    }

    fn hardware(&self, members: usize) -> Option<(u64, &'static str)> {
        Some((self.hosts(members) as u64, "server of Ceph's OSDs"))
    }

    fn keeps_writes(&self) -> bool {
        true
    }

    fn wants_apart(&self) -> bool {
        true
    }

    fn words(&self, members: usize) -> Option<String> {
        let parameters = &self.parameters;
        let kept = match parameters.erasure {
            Some(erasure) => format!("erasure-coded {}+{}", erasure.data, erasure.coding),
            None if parameters.size == 1 => "one copy".to_owned(),
            None => format!("{} copies", parameters.size),
        };
        let hosts = self.hosts(members);
        Some(format!(
            "an image of {} on Ceph, {kept} on {members} OSDs of {hosts} {}",
            parameters.image,
            if hosts == 1 { "host" } else { "hosts" }
        ))
    }

    fn inner_network(&self) -> Option<InnerNetwork<'_>> {
        Some(InnerNetwork {
            network: &self.nodes.network,
            key: "nodes.network",
            each: self.parameters.osds_per_host.max(1) as usize,
        })
    }

    fn pages_beside(&self, name: &str) -> Vec<(String, &'static str)> {
        vec![(pages_of_hosts(name), "hosts of OSDs")]
    }

    fn levers_beside(&self, name: &str, path: &str) -> Vec<(String, Vec<Lever>)> {
        vec![(pages_of_hosts(name), self.parameters.levers(path))]
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let on = ports.network.as_ref().ok_or("it has no network")?;
        let (pool, stages) = self.with_network(page, name, on, ports);
        let stops = self.parameters.stops.len() as u64;
        Ok(Built { stages, ceph: Some(BuiltCeph { pool, stops }), ..Built::default() })
    }
}

impl Ceph {
    fn with_network(
        &self,
        page: &mut PageBuilder<'_>,
        name: &str,
        on: &PlacedNetwork,
        ports: &HolderPorts,
    ) -> (Place<Pool>, Vec<Stage>) {
        let ends: Vec<&str> = on.targets.iter().map(String::as_str).collect();
        let mut network = Network::new(page, &on.name, &on.parameters, Arc::clone(&on.wiring), &ends);
        let on_network: Vec<Port> =
            (0..as_number(ends.len())).map(|host| network.port(page, host, name)).collect();
        let mut own = page.page(&pages_of_hosts(name));
        let mut processors: Vec<Processors> =
            ends.iter().map(|end| Processors::new(&mut own.page(end), self.parameters.processors)).collect();
        let device = |member: &super::Member| {
            let device = Device { sectors: member.blocks, turns: member.is_rotational };
            (device, member.requests, member.completions)
        };
        let there = CephPorts {
            requests: ports.requests,
            completions: ports.completions,
            devices: ports.members.iter().map(device).collect(),
            network: &on_network,
            processors: &mut processors,
        };
        let pool = ceph_page(page, name, &self.parameters, there);
        let numbers: Vec<usize> = (0..ends.len()).collect();
        let mut stages = network.finish(page, &mut processors, &numbers);
        let mut own = page.reopen(&pages_of_hosts(name));
        for (end, processors) in ends.iter().zip(processors) {
            stages.push(processors.finish(&mut own.reopen(end)));
        }
        (pool, stages)
    }
}
