//! `[san.NAME]`: a file system on disks that all of its hosts reach over a storage network.

use super::Linux;
use super::network::NETWORK;
use crate::check::{Checker, HOSTS, PlannedVolume};
use crate::host::family::{Ground, Volume};
use crate::parts::Directory;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_models::block::scsi::{Exchange, ScsiError};
use petrio_models::cluster::san::{Granularity, LockParameters, SanParameters, SanVolume};
use petrio_units::{Bytes, Duration};
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The key of file systems on a storage network.
pub(super) const SAN: &str = "san";

/// What a block of a node's cache takes here: its entry among blocks, and among those that can go or are to be written.
const BYTES_A_BLOCK: u64 = 160;
/// What a partition of a file takes here.
const BYTES_A_PARTITION: u64 = 80;

/// A file system on disks that all of its hosts reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct San {
    /// Which disks and hosts it is between, and who manages its locks.
    #[serde(flatten)]
    pub place: SanPlace,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: SanParameters,
}

/// Which disks and hosts a file system is between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SanPlace {
    /// The network between its hosts and disks, whose `transport` (`"fibre-channel"`, `"iscsi"`) says how SCSI crosses it;
    /// may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`.
    pub clients: Names,
    /// The disks and arrays on which its files lie, such as `d*`: each is a target on the network.
    pub on: Names,
    /// How its hosts keep what they have of files alike.
    #[serde(default, skip_serializing_if = "Locks::are_usual")]
    pub locks: Locks,
}

/// The locks by which hosts keep what they have of files alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Locks {
    /// The host that grants them; left out, the first of those that mount the file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
    /// The network on which hosts and manager speak of them; left out, that of the disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// What a lock is of: ranges of a file's blocks, or whole files.
    pub granularity: Granularity,
    /// Whether a lock stays with its host until another wants it; otherwise it goes back when a call is over, and the data
    /// that were written under it are on the disks before, and where locks are of whole files the inode is, too.
    pub keep: bool,
    /// The manager's work on each message, as time of its host's processors.
    pub work: Duration,
}

impl Default for Locks {
    fn default() -> Self {
        let LockParameters { granularity, keep, work } = LockParameters::default();
        Self { manager: None, network: None, granularity, keep, work }
    }
}

impl Locks {
    fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What they are made of.
    fn parameters(&self) -> LockParameters {
        let &Self { granularity, keep, work, .. } = self;
        LockParameters { granularity, keep, work }
    }
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "on", "locks"];

/// A file system of which names are found.
#[derive(Clone, Debug)]
pub(super) struct PlannedSan {
    network: usize,
    lock_network: usize,
    /// Hosts.
    clients: Vec<usize>,
    manager: usize,
    /// What it lies on, and under which names.
    on: Vec<u32>,
    targets: Vec<String>,
}

impl PlannedSan {
    /// The hosts that have to do with it.
    pub(super) fn hosts(&self) -> impl Iterator<Item = usize> {
        self.clients.iter().copied().chain([self.manager])
    }
}

/// A file system of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedSan {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: SanParameters,
    /// Its locks.
    pub locks: LockParameters,
    /// How requests cross its network.
    pub exchange: Exchange,
    /// Its network, by its number.
    pub network: usize,
    /// The network of its locks.
    pub lock_network: usize,
    /// Its mounts.
    pub clients: Vec<SanMount>,
    /// The host that manages its locks, by its number among the Linux hosts.
    pub manager: usize,
    /// What it lies on.
    pub targets: Vec<SanDisk>,
}

/// Something that it lies on.
#[derive(Clone, Debug)]
pub struct SanDisk {
    /// Its name.
    pub name: String,
    /// Which, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// Its number among all that its network connects.
    pub number: u32,
}

/// A mount of it.
#[derive(Clone, Debug)]
pub struct SanMount {
    /// Its name: the host's and the file system's.
    pub name: String,
    /// Its host, by its number among the Linux hosts.
    pub host: usize,
    /// Its number among what its host mounts.
    pub mount: u32,
}

/// Reads a file system on a storage network.
pub(super) fn read_san(table: &Table<'_>, sources: &Sources) -> Result<San, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(San { place, parameters })
}

/// The names of the disks on each network, as those planned put them there.
pub(super) fn targets_of_networks(networks: usize, planned: &[Option<PlannedSan>]) -> Vec<Vec<String>> {
    let mut targets = vec![Vec::new(); networks];
    for PlannedSan { network, targets: own, .. } in planned.iter().flatten() {
        if let Some(there) = targets.get_mut(*network) {
            there.extend_from_slice(own);
        }
    }
    targets
}

impl Linux {
    /// The file systems on storage networks, where all that they name is there.
    pub(super) fn check_san(
        &self,
        checker: &mut Checker<'_, '_>,
        (hosts, networks): (&Directory, &[Vec<usize>]),
    ) -> Vec<Option<PlannedSan>> {
        let mut planned = Vec::new();
        for (name, san) in &self.san {
            let path = format!("{SAN}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "file system on a storage network", "rename one of them");
            let network = self.network_between(checker, &path, san.place.network.as_deref());
            let lock_network = match &san.place.locks.network {
                None => network,
                wanted => self.network_between(checker, &format!("{path}.locks"), wanted.as_deref()),
            };
            let found = checker.find(&format!("{path}.clients"), &san.place.clients, hosts, HOSTS);
            let clients: Vec<usize> = found.into_iter().map(|number| number as usize).collect();
            let manager = self.manager_of(checker, &path, san, (hosts, &clients));
            let at = format!("{path}.on");
            let on = checker.holders_called(&at, &san.place.on);
            for &holder in &on {
                checker.claim(holder, &format!("the file system \"{name}\""), &at);
            }
            let targets = on.iter().map(|&holder| checker.holder(holder).name.clone()).collect();
            for &host in &clients {
                let host = self.host.get_index(host).map_or("", |(host, _)| host);
                checker.volume(PlannedVolume {
                    key: SAN,
                    what: "mount of a file system on a storage network",
                    name: super::mounts::mount_name(host, name),
                    part: name.clone(),
                    on: None,
                    found: network.is_some() && manager.is_some() && !on.is_empty(),
                    is_beside_others: false,
                });
            }
            self.check_parameters(checker, &path, (name, san), network);
            let whole = network.zip(lock_network).zip(manager).filter(|_| !on.is_empty());
            let whole = whole.map(|((network, lock_network), manager)| PlannedSan {
                network,
                lock_network,
                clients,
                manager,
                on,
                targets,
            });
            if let Some(planned) = &whole {
                self.check_reached(checker, &path, planned, networks);
            }
            planned.push(whole);
        }
        planned
    }

    fn manager_of(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        san: &San,
        (hosts, clients): (&Directory, &[usize]),
    ) -> Option<usize> {
        let Some(manager) = &san.place.locks.manager else { return clients.first().copied() };
        let at = format!("{path}.locks.manager");
        let found = checker.find(&at, &Names::one(manager), hosts, HOSTS);
        if let [_, _, ..] = found[..] {
            let message = format!("one host grants locks, and \"{manager}\" stands for {}", found.len());
            checker.error(&at, message, "name one of them");
        }
        found.first().map(|&host| host as usize)
    }

    fn check_parameters(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        (name, san): (&str, &San),
        network: Option<usize>,
    ) {
        if let Err(error) = san.parameters.check() {
            checker.refuse(path, &format!("the file system \"{name}\" can't be made: {error}"));
        }
        let Some((network, there)) = network.and_then(|network| self.network.get_index(network)) else {
            return;
        };
        match san.parameters.scsi.exchange(there.parameters.transport) {
            Ok(_) => {}
            Err(error @ ScsiError::Transport) => checker.refuse(
                path,
                &format!("the network \"{network}\" doesn't reach the disks of \"{name}\": {error}"),
            ),
            Err(error) => {
                checker.refuse(path, &format!("the file system \"{name}\" can't be made: {error}"));
            }
        }
    }

    /// Its hosts are on its networks.
    fn check_reached(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        planned: &PlannedSan,
        networks: &[Vec<usize>],
    ) {
        let on = |network: usize| -> BTreeSet<usize> {
            networks.get(network).into_iter().flatten().copied().collect()
        };
        let (of_disks, of_locks) = (on(planned.network), on(planned.lock_network));
        let apart = |key: &str, host: usize, network: usize| {
            let host = self.host.get_index(host).map_or("", |(name, _)| name.as_str());
            let network = self.network.get_index(network).map_or("", |(name, _)| name);
            let message = format!("the host \"{host}\" isn't on the network \"{network}\"");
            (format!("{path}.{key}"), message, format!("name it in the hosts of [{NETWORK}.{network}]"))
        };
        let away =
            |network: &BTreeSet<usize>| planned.clients.iter().copied().find(|host| !network.contains(host));
        let without_manager = (!of_locks.contains(&planned.manager)).then_some(planned.manager);
        let mistakes = [
            away(&of_disks).map(|host| apart("clients", host, planned.network)),
            away(&of_locks).map(|host| apart("clients", host, planned.lock_network)),
            without_manager.map(|host| apart("locks.manager", host, planned.lock_network)),
        ];
        for (at, message, help) in mistakes.into_iter().flatten() {
            checker.error(&at, message, help);
        }
    }

    /// The file systems with the sizes of their disks. `mounts` is how many file systems each host has so far, and `ends`
    /// how many hosts each network.
    pub(super) fn place_san(
        &self,
        planned: Vec<Option<PlannedSan>>,
        (mounts, ends): (&mut [u32], &[usize]),
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> Vec<PlacedSan> {
        let mut placed = Vec::new();
        let mut next_ends = ends.to_vec();
        for ((name, san), planned) in self.san.iter().zip(planned) {
            let Some(PlannedSan { network, lock_network, clients, manager, on, targets }) = planned else {
                continue;
            };
            let transport = self.network.get_index(network).map(|(_, there)| there.parameters.transport);
            let exchange = transport.and_then(|transport| san.parameters.scsi.exchange(transport).ok());
            let (Some(exchange), Some(next_end)) = (exchange, next_ends.get_mut(network)) else { continue };
            let mut target = |(on, name): (u32, String)| {
                let number = *next_end as u32;
                *next_end += 1;
                SanDisk { name, on: on as usize, blocks: ground.blocks(on), number }
            };
            let targets: Vec<SanDisk> = on.into_iter().zip(targets).map(&mut target).collect();
            problems.extend(impossible(name, &san.parameters, (clients.len(), &targets), ground));
            let mount = |host: usize| {
                let number = mounts.get_mut(host).map_or(0, |next| {
                    *next += 1;
                    *next - 1
                });
                let own = self.host.get_index(host).map_or("", |(host, _)| host);
                SanMount { name: super::mounts::mount_name(own, name), host, mount: number }
            };
            placed.push(PlacedSan {
                name: name.clone(),
                parameters: san.parameters,
                locks: san.place.locks.parameters(),
                exchange,
                network,
                lock_network,
                clients: clients.into_iter().map(mount).collect(),
                manager,
                targets,
            });
        }
        placed
    }
}

/// Why such a file system can't be had: disks without room for it, or more than this machine has memory for.
fn impossible(
    name: &str,
    parameters: &SanParameters,
    (clients, targets): (usize, &[SanDisk]),
    ground: &Ground<'_>,
) -> Option<Problem> {
    let span = |key: &str| {
        let at = format!("{SAN}.{name}.{key}");
        let at = if ground.places.contains(&at) { at } else { format!("{SAN}.{name}") };
        ground.places.value(&at)
    };
    let small = targets.iter().find(|target| {
        let bytes = target.blocks.saturating_mul(SECTOR_BYTES);
        SanVolume::new(parameters.partition.get().max(1), parameters.placement, &[bytes]).is_none()
    });
    if let Some(SanDisk { name: disk, blocks, .. }) = small {
        let holds = Bytes(blocks.saturating_mul(SECTOR_BYTES));
        let message = format!(
            "\"{disk}\" holds {holds}, which is no room for metadata and a partition of {}",
            parameters.partition
        );
        return Some(
            ground.sources.error(span("on"), message).help("take larger disks, or smaller partitions"),
        );
    }
    let blocks = parameters.cached_blocks().saturating_mul(clients as u64).saturating_mul(BYTES_A_BLOCK);
    let error = petrio_bounds::check(blocks).err()?;
    let message =
        format!("caches of {} on {clients} hosts are more than can be held here: {error}", parameters.cache);
    Some(ground.sources.error(span("cache"), message).help("give smaller caches, or larger blocks"))
}

impl PlacedSan {
    /// Its mounts as volumes. They number their files together: by the volume `space`, the first of them.
    pub(super) fn volumes(&self, space: usize) -> impl Iterator<Item = Volume<'_>> {
        let blocks = self.targets.iter().map(|target| target.blocks).fold(0, u64::saturating_add);
        self.clients.iter().map(move |mounted| {
            let &SanMount { ref name, host, mount } = mounted;
            Volume { name, host, mount, on: None, blocks, space, mounted: Mounted::LOCAL }
        })
    }

    /// Bytes that files of such sizes take here while a run goes.
    pub(super) fn bytes_of(&self, bytes: u64) -> u64 {
        bytes / self.parameters.partition.get().max(1) * BYTES_A_PARTITION
    }

    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        let (clients, disks) = (self.clients.len(), self.targets.len());
        let locks = match self.locks.granularity {
            Granularity::Range => "ranges",
            Granularity::File => "files",
        };
        let placement = self.parameters.placement.name();
        format!("shared disks ({}), {disks} for {clients} hosts, {placement}, locks of {locks}", self.name)
    }
}
