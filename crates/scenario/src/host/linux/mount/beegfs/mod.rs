//! `[beegfs.NAME]`: a BeeGFS on the file systems of many hosts, which other hosts mount.

mod mirrors;
mod pages;

use super::{
    CheckSite, FileSystemKind, MountKind, MountPages, MountPoint, PlaceSite, PlacedMount, shared_part,
    volumes_at,
};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::parts::{PartKind, Pool};
use crate::schema::{Names, read_apart};
use crate::site::HostSite;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use pages::BeegfsPages;
use petrio_models::cluster::beegfs::{BeegfsCosts, BeegfsParameters, Group, Mirroring};
use petrio_page::numbers::counted;
use petrio_units::numbers::as_number;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The key.
const BEEGFS: &str = "beegfs";

/// A BeeGFS: chunks of files lie on storage targets, names and inodes on metadata servers, and clients have a few buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Beegfs {
    /// What it lies on, and who mounts it.
    #[serde(flatten)]
    pub place: BeegfsPlace,
    /// What it is made of, and how it is mounted.
    #[serde(flatten)]
    pub parameters: BeegfsParameters,
}

/// What a BeeGFS lies on, and who mounts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeegfsPlace {
    /// The network between its clients and servers; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to `client*/NAME`.
    pub clients: Names,
    /// The file systems of hosts on which its metadata servers keep names and inodes, such as `meta*/names`, in their order: ext4 or XFS,
    /// whose files have extended attributes. The first has the root.
    pub metas: Names,
    /// Those that are its storage targets, such as `storage*/target*`, in their order. Their hosts are its storage servers.
    pub targets: Names,
    /// Whether targets mirror each other: `true` (each of the first half of them with one of the second), or the groups, as
    /// `[["storage0/a", "storage1/a"], …]`, each with the target first that clients ask. A target in no group has no files.
    #[serde(default, skip_serializing_if = "Mirroring::is_none")]
    pub mirror: Mirroring,
}

const PLACE_KEYS: [&str; 5] = ["network", "clients", "metas", "targets", "mirror"];

/// One of which names are found.
#[derive(Clone, Debug)]
pub(crate) struct PlannedBeegfs {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    metas: Vec<usize>,
    targets: Vec<usize>,
    groups: Vec<Group>,
}

/// One of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedBeegfs {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: BeegfsParameters,
    /// What its files' chunks lie on.
    pub groups: Vec<Group>,
    /// Its network, by its number.
    pub network: usize,
    /// Its mounts.
    pub clients: Vec<MountPoint>,
    /// The file systems of its metadata servers, by their numbers.
    pub metas: Vec<usize>,
    /// Those that are its storage targets.
    pub targets: Vec<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for Beegfs {
    type Checked = PlannedBeegfs;
    type Placed = PlacedBeegfs;

    const KIND: PartKind = shared_part(
        BEEGFS,
        &[
            ("network", Pool::Networks),
            ("clients", Pool::Hosts),
            ("metas", Pool::Volumes),
            ("targets", Pool::Volumes),
        ],
    );
    const WHAT: &'static str = "BeeGFS";
    const EXAMPLE: &'static str = "clients = …, metas = … and targets = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, Some(&self.place.targets)))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedBeegfs> {
        let path = format!("{BEEGFS}.{name}");
        let BeegfsPlace { network, clients, metas, targets, mirror } = &self.place;
        let network = site.network_between(&path, network.as_deref());
        let clients = site.hosts(&path, "clients", clients);
        let metas = site.file_systems(&path, "metas", metas);
        // Metadata lie in the extended attributes of files.
        let fits = |kind: &FileSystemKind| matches!(kind, FileSystemKind::Ext(_) | FileSystemKind::Xfs(_));
        let why = "has no extended attributes here, in which BeeGFS keeps metadata";
        site.are_of((&path, "metas"), &metas, fits, (why, "let it be type = \"ext4\" or \"xfs\""));
        let targets = site.file_systems(&path, "targets", targets);
        site.are_apart((&path, "targets"), &targets, &metas, "hold metadata and be a storage target");
        let found = network.is_some() && !metas.is_empty() && !targets.is_empty();
        site.mounts::<Self>(name, "mount of a BeeGFS", &clients, found);
        let groups = mirrors::groups(&path, mirror, &targets, site).filter(|_| found)?;
        let striping = self.parameters.striping(groups.clone(), metas.len(), 0);
        if let Err(error) = &striping {
            site.checker.error(&format!("{path}.{}", error.parameter()), error.to_string(), "");
        }
        let network = network.filter(|_| striping.is_ok())?;
        let of_servers = [
            ("metas", site.hosts_of(metas.iter().copied())),
            ("targets", site.hosts_of(targets.iter().copied())),
        ];
        site.on_network(&path, network, "clients", clients.iter().copied());
        for (key, hosts) in &of_servers {
            site.on_network(&path, network, key, hosts.iter().copied());
        }
        site.serve_others(&path, &clients, |host| of_servers.iter().any(|(_, all)| all.contains(&host)));
        Some(PlannedBeegfs { network, clients, metas, targets, groups })
    }

    fn place(&self, name: &str, planned: PlannedBeegfs, site: &mut PlaceSite<'_>) -> Option<PlacedBeegfs> {
        let PlannedBeegfs { network, clients, metas, targets, groups } = planned;
        // Each group holds as much as the smallest target.
        let least = site.sizes(&targets).min().unwrap_or(0);
        Some(PlacedBeegfs {
            name: name.to_owned(),
            parameters: self.parameters.clone(),
            network,
            clients: site.points::<Self>(name, &clients),
            blocks: least.saturating_mul(groups.len() as u64),
            groups,
            metas,
            targets,
        })
    }
}

impl PlacedBeegfs {
    /// The file systems that it lies on: those of metadata servers, then storage targets.
    pub(super) fn all_targets(&self) -> impl Iterator<Item = usize> + '_ {
        self.metas.iter().chain(&self.targets).copied()
    }

    fn is_mirrored(&self) -> bool {
        self.groups.iter().any(|group| group.secondary.is_some())
    }
}

impl PlacedMount for PlacedBeegfs {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        volumes_at(&self.clients, self.blocks, Mounted::BEEGFS)
    }

    fn lies_on(&self) -> Vec<usize> {
        self.all_targets().collect()
    }

    fn costs_nothing(&self, linux: &PlacedLinux) -> bool {
        self.parameters.costs == BeegfsCosts::NONE && linux.is_free(self.network)
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        let targets = counted(self.targets.len() as u64, "storage target", "storage targets");
        let metas = counted(self.metas.len() as u64, "metadata server", "metadata servers");
        let mirrored = if self.is_mirrored() { "mirrored " } else { "" };
        format!("BeeGFS ({}) on {metas} and {mirrored}{targets} for {clients}", self.name)
    }

    fn levers(&self, path: &str, _: &PlacedLinux, tell: TellLevers<'_>) {
        tell(&self.name, self.parameters.levers(path, as_number(self.groups.len())));
    }

    fn pages<'l>(
        &'l self,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        Ok(Box::new(BeegfsPages::of(self, linux, volumes, site)?))
    }
}
