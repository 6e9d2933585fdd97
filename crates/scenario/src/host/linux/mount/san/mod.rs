//! `[san.NAME]`: a file system on disks that all of its hosts reach over a storage network.

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
use pages::SanPages;
use petrio_colours::SECTOR_BYTES;
use petrio_models::block::scsi::{Exchange, ScsiError};
use petrio_models::cluster::san::{Granularity, LockParameters, SanParameters, SanVolume};
use petrio_units::{Bytes, Duration};
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The key of file systems on a storage network.
const SAN: &str = "san";

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
pub(crate) struct PlannedSan {
    network: usize,
    lock_network: usize,
    /// Hosts.
    clients: Vec<usize>,
    manager: usize,
    /// What it lies on, and under which names.
    on: Vec<u32>,
    targets: Vec<String>,
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
    pub clients: Vec<MountPoint>,
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

impl MountKind for San {
    type Checked = PlannedSan;
    type Placed = PlacedSan;

    const KIND: PartKind = shared_part(
        SAN,
        &[
            ("network", Pool::Networks),
            ("clients", Pool::Hosts),
            ("on", Pool::Holders),
            ("locks.manager", Pool::Hosts),
            ("locks.network", Pool::Networks),
        ],
    );
    const WHAT: &'static str = "file system on a storage network";
    const EXAMPLE: &'static str = "clients = … and on = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, None))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedSan> {
        let path = format!("{SAN}.{name}");
        let network = site.network_between(&path, self.place.network.as_deref());
        let lock_network = match &self.place.locks.network {
            None => network,
            wanted => site.network_between(&format!("{path}.locks"), wanted.as_deref()),
        };
        let clients = site.hosts(&path, "clients", &self.place.clients);
        let manager = self.manager(&path, &clients, site);
        let at = format!("{path}.on");
        let on = site.checker.holders_called(&at, &self.place.on);
        for &holder in &on {
            site.checker.claim(holder, &format!("the file system \"{name}\""), &at);
        }
        let targets = on.iter().map(|&holder| site.checker.holder(holder).name.clone()).collect();
        let found = network.is_some() && manager.is_some() && !on.is_empty();
        site.mounts::<Self>(name, "mount of a file system on a storage network", &clients, found);
        self.check_parameters(&path, name, network, site);
        let (network, lock_network) = network.zip(lock_network)?;
        let manager = manager.filter(|_| found)?;
        site.busy.insert(manager);
        site.on_network(&path, network, "clients", clients.iter().copied());
        if lock_network != network {
            site.on_network(&path, lock_network, "clients", clients.iter().copied());
        }
        site.on_network(&path, lock_network, "locks.manager", [manager]);
        Some(PlannedSan { network, lock_network, clients, manager, on, targets })
    }

    fn place(&self, name: &str, planned: PlannedSan, site: &mut PlaceSite<'_>) -> Option<PlacedSan> {
        let PlannedSan { network, lock_network, clients, manager, on, targets } = planned;
        let (_, there) = site.linux.network.get_index(network)?;
        let exchange = self.parameters.scsi.exchange(there.parameters.transport).ok()?;
        let target = |(on, name): (u32, String)| SanDisk {
            name,
            on: on as usize,
            blocks: site.ground.blocks(on),
            number: site.next_end(network),
        };
        let targets: Vec<SanDisk> = on.into_iter().zip(targets).map(target).collect();
        self.look_for_room(name, &targets, clients.len() as u64, site);
        Some(PlacedSan {
            name: name.to_owned(),
            parameters: self.parameters,
            locks: self.place.locks.parameters(),
            exchange,
            network,
            lock_network,
            clients: site.points::<Self>(name, &clients),
            manager,
            targets,
        })
    }
}

impl San {
    /// The host that grants locks.
    fn manager(&self, path: &str, clients: &[usize], site: &mut CheckSite<'_, '_, '_>) -> Option<usize> {
        let Some(manager) = &self.place.locks.manager else { return clients.first().copied() };
        let found = site.hosts(path, "locks.manager", &Names::one(manager));
        if let [_, _, ..] = found[..] {
            let message = format!("one host grants locks, and \"{manager}\" stands for {}", found.len());
            site.checker.error(&format!("{path}.locks.manager"), message, "name one of them");
        }
        found.first().copied()
    }

    fn check_parameters(
        &self,
        path: &str,
        name: &str,
        network: Option<usize>,
        site: &mut CheckSite<'_, '_, '_>,
    ) {
        let mut refuse = |error: &dyn std::fmt::Display| {
            site.checker.refuse(path, &format!("the file system \"{name}\" can't be made: {error}"));
        };
        if let Err(error) = self.parameters.check() {
            refuse(&error);
        }
        let Some((network, there)) = network.and_then(|network| site.linux.network.get_index(network)) else {
            return;
        };
        match self.parameters.scsi.exchange(there.parameters.transport) {
            Ok(_) => {}
            Err(error @ ScsiError::Transport) => site.checker.refuse(
                path,
                &format!("the network \"{network}\" doesn't reach the disks of \"{name}\": {error}"),
            ),
            Err(error) => refuse(&error),
        }
    }

    /// Disks need room for it, and this machine memory.
    fn look_for_room(&self, name: &str, targets: &[SanDisk], clients: u64, site: &mut PlaceSite<'_>) {
        let parameters = &self.parameters;
        let at = |site: &PlaceSite<'_>, key: &str| {
            let at = format!("{SAN}.{name}.{key}");
            if site.ground.places.contains(&at) { at } else { format!("{SAN}.{name}") }
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
            return site.problem(&at(site, "on"), message, "take larger disks, or smaller partitions");
        }
        let blocks = parameters.cached_blocks().saturating_mul(clients).saturating_mul(BYTES_A_BLOCK);
        if let Err(error) = petrio_bounds::check(blocks) {
            let message = format!(
                "caches of {} on {clients} hosts are more than can be held here: {error}",
                parameters.cache
            );
            site.problem(&at(site, "cache"), message, "give smaller caches, or larger blocks");
        }
    }
}

impl PlacedMount for PlacedSan {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        let blocks = self.targets.iter().map(|target| target.blocks).fold(0, u64::saturating_add);
        volumes_at(&self.clients, blocks, Mounted::LOCAL)
    }

    fn targets(&self) -> Option<(usize, Vec<String>)> {
        Some((self.network, self.targets.iter().map(|target| target.name.clone()).collect()))
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let (clients, disks) = (self.clients.len(), self.targets.len());
        let locks = match self.locks.granularity {
            Granularity::Range => "ranges",
            Granularity::File => "files",
        };
        let placement = self.parameters.placement.name();
        format!("shared disks ({}), {disks} for {clients} hosts, {placement}, locks of {locks}", self.name)
    }

    fn levers(&self, path: &str, _: &PlacedLinux, tell: TellLevers<'_>) {
        tell(&self.name, self.parameters.levers(path));
        tell(&self.name, self.locks.levers(&format!("{path}.locks")));
    }

    fn pages<'l>(
        &'l self,
        _: &'l PlacedLinux,
        volumes: Range<usize>,
        _: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        Ok(Box::new(SanPages { san: self, volumes }))
    }
}
