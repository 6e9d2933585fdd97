//! `[pvfs.NAME]`: a parallel file system on the file systems of many hosts, which other hosts mount.

mod pages;

use super::{CheckSite, MountKind, MountPages, MountPoint, PlaceSite, PlacedMount, shared_part, volumes_at};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::parts::{PartKind, Pool};
use crate::schema::{Names, read_apart};
use crate::site::HostSite;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use pages::PvfsPages;
use petrio_models::cluster::pvfs::{PvfsCosts, PvfsParameters, Striping, Version};
use petrio_page::numbers::counted;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The key of parallel file systems.
const PVFS: &str = "pvfs";

/// A parallel file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pvfs {
    /// What it lies on, and who mounts it.
    #[serde(flatten)]
    pub place: PvfsPlace,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: PvfsParameters,
}

/// What a parallel file system lies on, and who mounts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PvfsPlace {
    /// The network between its clients and servers; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to
    /// `client*/NAME`.
    pub clients: Names,
    /// The file systems of hosts on which its files lie, such as `server*/data`, in their order.
    pub servers: Names,
    /// PVFS 1: the file system on which its metadata lie, and whose host is its manager; left out, the first of its servers. PVFS 2 has
    /// metadata on all of its servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "servers", "manager"];

/// A parallel file system of which names are found.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPvfs {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    servers: Vec<usize>,
    manager: Option<usize>,
}

/// A parallel file system of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedPvfs {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: PvfsParameters,
    /// How its files lie on its servers.
    pub striping: Striping,
    /// Its network, by its number.
    pub network: usize,
    /// Its mounts.
    pub clients: Vec<MountPoint>,
    /// The file systems that it lies on, by their numbers.
    pub servers: Vec<usize>,
    /// The file system that holds its metadata, if one does.
    pub manager: Option<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for Pvfs {
    type Checked = PlannedPvfs;
    type Placed = PlacedPvfs;

    const KIND: PartKind = shared_part(
        PVFS,
        &[
            ("network", Pool::Networks),
            ("clients", Pool::Hosts),
            ("servers", Pool::Volumes),
            ("manager", Pool::Volumes),
        ],
    );
    const WHAT: &'static str = "parallel file system";
    const EXAMPLE: &'static str = "clients = … and servers = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, Some(&self.place.servers)))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedPvfs> {
        let path = format!("{PVFS}.{name}");
        let network = site.network_between(&path, self.place.network.as_deref());
        let clients = site.hosts(&path, "clients", &self.place.clients);
        let servers = site.file_systems(&path, "servers", &self.place.servers);
        let is_first = self.parameters.version == Version::Pvfs1;
        let manager = match &self.place.manager {
            None => servers.first().copied().filter(|_| is_first),
            Some(_) if !is_first => {
                let message = "PVFS 2 has metadata on all of its servers, and no manager".to_owned();
                site.checker.error(&format!("{path}.manager"), message, "leave it out");
                None
            }
            Some(manager) => {
                let found = site.file_systems(&path, "manager", &Names::one(manager));
                if let [_, _, ..] = found[..] {
                    let count = found.len();
                    let message = format!(
                        "a parallel file system has one manager, and \"{manager}\" stands for {count}"
                    );
                    site.checker.error(&format!("{path}.manager"), message, "name one of them");
                }
                found.first().copied()
            }
        };
        let found = network.is_some() && !servers.is_empty() && (manager.is_some() || !is_first);
        site.mounts::<Self>(name, "mount of a parallel file system", &clients, found);
        if let Err(error) = self.parameters.striping(as_number(servers.len()))
            && !servers.is_empty()
        {
            let words = format!("the parallel file system \"{name}\" can't be made: {error}");
            match error.parameter() {
                Some(parameter) => site.checker.error(&format!("{path}.{parameter}"), words, ""),
                None => site.checker.refuse(&path, &words),
            }
        }
        let network = network.filter(|_| found)?;
        let carries = site.linux.network.get_index(network);
        let is_of_ip = carries.is_none_or(|(_, network)| network.parameters.transport.is_tcp());
        if !self.parameters.failures.is_empty() && !is_of_ip {
            let message =
                "what clients hear of servers that fail is TCP's to say, and this network is none of IP";
            let help = "take a network whose `transport` is tcp, or leave `failures` out";
            site.checker.error(&format!("{path}.failures"), message, help);
        }
        // Its hosts are on its network, and none is both client and server.
        let of_servers = site.hosts_of(servers.iter().copied().chain(manager));
        site.on_network(&path, network, "clients", clients.iter().copied());
        site.on_network(&path, network, "servers", of_servers.iter().copied());
        site.serve_others(&path, &clients, |host| of_servers.contains(&host));
        Some(PlannedPvfs { network, clients, servers, manager })
    }

    fn place(&self, name: &str, planned: PlannedPvfs, site: &mut PlaceSite<'_>) -> Option<PlacedPvfs> {
        let PlannedPvfs { network, clients, servers, manager } = planned;
        let striping = match self.parameters.striping(as_number(servers.len())) {
            Ok(striping) => striping,
            Err(error) => {
                let span = site.ground.places.key(&format!("{PVFS}.{name}"));
                site.problems.push(site.ground.sources.error(span, error.to_string()));
                return None;
            }
        };
        self.take_buffers(name, clients.len() as u64, &servers, site);
        // Each server holds as much as the smallest.
        let least = site.sizes(&servers).min().unwrap_or(0);
        Some(PlacedPvfs {
            name: name.to_owned(),
            parameters: self.parameters.clone(),
            striping,
            network,
            clients: site.points::<Self>(name, &clients),
            blocks: least.saturating_mul(servers.len() as u64),
            servers,
            manager,
        })
    }
}

impl Pvfs {
    /// Takes the receive buffers of servers, one for each client, from the memory of their hosts.
    fn take_buffers(&self, name: &str, clients: u64, servers: &[usize], site: &mut PlaceSite<'_>) {
        let each = self.parameters.receive_buffer.get().saturating_mul(clients);
        for &server in servers.iter().filter(|_| each > 0) {
            let Some(host) = site.host_of(server) else { continue };
            let memory = host.parameters.memory.unwrap_or(host.parameters.machine.memory);
            if each.saturating_mul(2) > memory.get() {
                let message = format!(
                    "the receive buffers of {clients} clients take {} of the {memory} of \"{}\"",
                    Bytes(each),
                    host.name
                );
                let help = "more than half isn't possible here: give smaller ones, or more memory";
                return site.problem(&format!("{PVFS}.{name}.receive_buffer"), message, help);
            }
            host.parameters.memory = Some(Bytes(memory.get() - each));
        }
    }
}

impl PlacedPvfs {
    /// Whether each of its servers has a database of names and attributes: PVFS 2 has.
    pub(super) fn has_databases(&self) -> bool {
        self.manager.is_none()
    }
}

impl PlacedMount for PlacedPvfs {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        volumes_at(&self.clients, self.blocks, Mounted::PVFS)
    }

    fn lies_on(&self) -> Vec<usize> {
        self.servers.iter().copied().chain(self.manager).collect()
    }

    fn costs_nothing(&self, linux: &PlacedLinux) -> bool {
        self.parameters.costs == PvfsCosts::NONE && linux.is_free(self.network)
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        let servers = counted(self.servers.len() as u64, "server", "servers");
        let version = match self.parameters.version {
            Version::Pvfs1 => "PVFS",
            Version::Pvfs2 => "PVFS 2",
        };
        format!("{version} ({}) on {servers} for {clients}", self.name)
    }

    fn levers(&self, path: &str, _: &PlacedLinux, tell: TellLevers<'_>) {
        tell(&self.name, self.parameters.levers(path));
    }

    fn pages<'l>(
        &'l self,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        Ok(Box::new(PvfsPages::of(self, linux, volumes, site.foundation.next_file()?)))
    }
}
