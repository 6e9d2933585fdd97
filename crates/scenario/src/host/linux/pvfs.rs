//! `[pvfs.NAME]`: a parallel file system on the file systems of many hosts, which other hosts mount.

use super::Linux;
use super::mounts::mount_name;
use crate::check::{Checker, FILE_SYSTEMS, HOSTS, PlannedVolume};
use crate::host::family::{Ground, Volume};
use crate::parts::Directory;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::cluster::pvfs::{PvfsParameters, Striping};
use petrio_page::numbers::counted;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The key of parallel file systems.
pub(super) const PVFS: &str = "pvfs";

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
    /// The file system on which its metadata lie, and whose host is its manager; left out, the first of its servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "servers", "manager"];

/// A parallel file system of which names are found.
#[derive(Clone, Debug)]
pub(super) struct PlannedPvfs {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    servers: Vec<usize>,
    manager: usize,
}

impl PlannedPvfs {
    /// The hosts that mount it.
    pub(super) fn clients(&self) -> impl Iterator<Item = usize> {
        self.clients.iter().copied()
    }
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
    pub clients: Vec<PvfsMount>,
    /// The file systems that it lies on, by their numbers.
    pub servers: Vec<usize>,
    /// The file system that holds its metadata.
    pub manager: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

/// A mount of what hosts share.
#[derive(Clone, Debug)]
pub struct PvfsMount {
    /// Its name: the host's and the file system's.
    pub name: String,
    /// Its host, by its number among the Linux hosts.
    pub host: usize,
    /// Its number among what its host mounts.
    pub mount: u32,
}

/// Reads a parallel file system.
pub(super) fn read_pvfs(table: &Table<'_>, sources: &Sources) -> Result<Pvfs, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Pvfs { place, parameters })
}

impl Linux {
    /// The parallel file systems, where all that they name is there. `mounted` is the host of each file system.
    pub(super) fn check_pvfs(
        &self,
        checker: &mut Checker<'_, '_>,
        (hosts, networks, mounted): (&Directory, &[Vec<usize>], &[usize]),
    ) -> Vec<Option<PlannedPvfs>> {
        let file_systems: Vec<(&str, &str)> =
            self.fs.keys().map(|name| (name.as_str(), name.as_str())).collect();
        let file_systems = Directory::of(file_systems, checker.places.copies());
        let mut planned = Vec::new();
        for (name, pvfs) in &self.pvfs {
            let path = format!("{PVFS}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "parallel file system", "rename one of them");
            let network = self.network_between(checker, &path, pvfs.place.network.as_deref());
            let numbers =
                |found: Vec<u32>| -> Vec<usize> { found.into_iter().map(|number| number as usize).collect() };
            let clients =
                numbers(checker.find(&format!("{path}.clients"), &pvfs.place.clients, hosts, HOSTS));
            let at = format!("{path}.servers");
            let servers = numbers(checker.find(&at, &pvfs.place.servers, &file_systems, FILE_SYSTEMS));
            let manager = match &pvfs.place.manager {
                None => servers.first().copied(),
                Some(manager) => {
                    let at = format!("{path}.manager");
                    let found = numbers(checker.find(&at, &Names::one(manager), &file_systems, FILE_SYSTEMS));
                    if let [_, _, ..] = found[..] {
                        let message = format!(
                            "a parallel file system has one manager, and \"{manager}\" stands for {}",
                            found.len()
                        );
                        checker.error(&at, message, "name one of them");
                    }
                    found.first().copied()
                }
            };
            for &server in servers.iter().chain(&manager) {
                checker.use_volume(server as u32);
            }
            for &host in &clients {
                let host = self.host.get_index(host).map_or("", |(host, _)| host);
                let what = "mount of a parallel file system";
                let found = network.is_some() && manager.is_some();
                let volume = PlannedVolume {
                    key: PVFS,
                    what,
                    name: mount_name(host, name),
                    part: name.clone(),
                    on: None,
                    found,
                    is_beside_others: false,
                };
                checker.volume(volume);
            }
            if let Err(error) = pvfs.parameters.striping(servers.len() as u32)
                && !servers.is_empty()
            {
                checker.refuse(&path, &format!("the parallel file system \"{name}\" can't be made: {error}"));
            }
            let whole = network.zip(manager).map(|(network, manager)| PlannedPvfs {
                network,
                clients,
                servers,
                manager,
            });
            if let Some(planned) = &whole {
                self.check_connected(checker, &path, planned, networks, mounted);
            }
            planned.push(whole);
        }
        planned
    }

    /// Its hosts are on its network, and none is both client and server.
    fn check_connected(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        planned: &PlannedPvfs,
        networks: &[Vec<usize>],
        mounted: &[usize],
    ) {
        let PlannedPvfs { network, clients, servers, manager } = planned;
        let of_servers: BTreeSet<usize> =
            servers.iter().chain([manager]).filter_map(|&server| mounted.get(server).copied()).collect();
        self.check_on_network(checker, path, (*network, networks), ("clients", clients.iter().copied()));
        self.check_on_network(checker, path, (*network, networks), ("servers", of_servers.iter().copied()));
        if let Some(&host) = clients.iter().find(|host| of_servers.contains(host)) {
            let host = self.host.get_index(host).map_or("", |(name, _)| name.as_str());
            let message = format!("the host \"{host}\" is one of its servers, and would be its own client");
            checker.error(&format!("{path}.clients"), message, "let other hosts mount it");
        }
    }

    /// The parallel file systems with their sizes. `mounts` is how many file systems each host has so far.
    pub(super) fn place_pvfs(
        &self,
        planned: Vec<Option<PlannedPvfs>>,
        sizes: &[u64],
        mounts: &mut [u32],
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> Vec<PlacedPvfs> {
        let mut placed = Vec::new();
        for ((name, pvfs), planned) in self.pvfs.iter().zip(planned) {
            let Some(PlannedPvfs { network, clients, servers, manager }) = planned else { continue };
            let striping = match pvfs.parameters.striping(servers.len() as u32) {
                Ok(striping) => striping,
                Err(error) => {
                    let span = ground.places.key(&format!("{PVFS}.{name}"));
                    problems.push(ground.sources.error(span, error.to_string()));
                    continue;
                }
            };
            let mount = |host: usize| {
                let number = mounts.get_mut(host).map_or(0, |next| {
                    *next += 1;
                    *next - 1
                });
                let own = self.host.get_index(host).map_or("", |(host, _)| host);
                PvfsMount { name: mount_name(own, name), host, mount: number }
            };
            // Each server holds as much as the smallest.
            let least = servers.iter().filter_map(|&server| sizes.get(server)).min().copied().unwrap_or(0);
            placed.push(PlacedPvfs {
                name: name.clone(),
                parameters: pvfs.parameters.clone(),
                striping,
                network,
                clients: clients.into_iter().map(mount).collect(),
                blocks: least.saturating_mul(servers.len() as u64),
                servers,
                manager,
            });
        }
        placed
    }
}

impl PlacedPvfs {
    /// Its mounts as volumes. All that it lies on and its mounts number their files together: by the volume `space`.
    pub(super) fn volumes(&self, space: usize) -> impl Iterator<Item = Volume<'_>> {
        self.clients.iter().map(move |mounted| {
            let &PvfsMount { ref name, host, mount } = mounted;
            Volume { name, host, mount, on: None, blocks: self.blocks, space, mounted: Mounted::PVFS }
        })
    }

    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        let servers = counted(self.servers.len() as u64, "server", "servers");
        let version = match self.parameters.version {
            petrio_models::cluster::pvfs::Version::Pvfs1 => "PVFS",
            petrio_models::cluster::pvfs::Version::Pvfs2 => "PVFS 2",
        };
        format!("{version} ({}) on {servers} for {clients}", self.name)
    }
}
