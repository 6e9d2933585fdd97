//! `[lustre.NAME]`: a Lustre on the file systems of many hosts, which other hosts mount below their page caches.

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
use pages::LustrePages;
use petrio_models::cluster::lustre::{LustreCosts, LustreParameters};
use petrio_models::host::file_system::Family;
use petrio_models::host::lustre::Striping;
use petrio_page::numbers::counted;
use petrio_units::numbers::as_number;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The key.
const LUSTRE: &str = "lustre";

/// A Lustre: files lie in stripes on the object storage targets, names on the metadata targets, and what clients have in their page caches
/// locks let them keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lustre {
    /// What it lies on, and who mounts it.
    #[serde(flatten)]
    pub place: LustrePlace,
    /// What it is made of, and how it is mounted.
    #[serde(flatten)]
    pub parameters: LustreParameters,
}

/// What a Lustre lies on, and who mounts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LustrePlace {
    /// The network between its clients and servers; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to `client*/NAME`.
    pub clients: Names,
    /// The file systems of hosts that are its metadata targets, such as `mds/mdt`, in their order: ext4, as ldiskfs is. Their hosts are its
    /// metadata servers.
    pub mdts: Names,
    /// Those that are its object storage targets, such as `oss*/ost*`, in their order: ext4. Their hosts are its object storage servers.
    pub osts: Names,
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "mdts", "osts"];

/// One of which names are found.
#[derive(Clone, Debug)]
pub(crate) struct PlannedLustre {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    mdts: Vec<usize>,
    osts: Vec<usize>,
    striping: Striping,
}

/// One of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedLustre {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: LustreParameters,
    /// How its files are striped.
    pub striping: Arc<Striping>,
    /// Its network, by its number.
    pub network: usize,
    /// Its mounts.
    pub clients: Vec<MountPoint>,
    /// The file systems that are its metadata targets, by their numbers.
    pub mdts: Vec<usize>,
    /// Those that are its object storage targets.
    pub osts: Vec<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for Lustre {
    type Checked = PlannedLustre;
    type Placed = PlacedLustre;

    const KIND: PartKind = shared_part(
        LUSTRE,
        &[
            ("network", Pool::Networks),
            ("clients", Pool::Hosts),
            ("mdts", Pool::Volumes),
            ("osts", Pool::Volumes),
        ],
    );
    const WHAT: &'static str = "Lustre";
    const EXAMPLE: &'static str = "clients = …, mdts = … and osts = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, Some(&self.place.osts)))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedLustre> {
        let path = format!("{LUSTRE}.{name}");
        let LustrePlace { network, clients, mdts, osts } = &self.place;
        let network = site.network_between(&path, network.as_deref());
        let clients = site.hosts(&path, "clients", clients);
        let mdts = targets(&path, "mdts", mdts, site);
        let osts = targets(&path, "osts", osts, site);
        let both = "be a metadata target and an object storage target";
        site.are_apart((&path, "osts"), &osts, &mdts, both);
        let found = network.is_some() && !mdts.is_empty() && !osts.is_empty();
        site.mounts::<Self>(name, "mount of a Lustre", &clients, found);
        let striping = self.parameters.striping((as_number(osts.len()), as_number(mdts.len())));
        if let (Err(error), true) = (&striping, found) {
            site.checker.error(&format!("{path}.{}", error.parameter()), error.to_string(), "");
        }
        let network = network.filter(|_| found)?;
        let of_mdts = site.hosts_of(mdts.iter().copied());
        let of_osts = site.hosts_of(osts.iter().copied());
        site.on_network(&path, network, "clients", clients.iter().copied());
        site.on_network(&path, network, "mdts", of_mdts.iter().copied());
        site.on_network(&path, network, "osts", of_osts.iter().copied());
        site.serve_others(&path, &clients, |host| of_mdts.contains(&host) || of_osts.contains(&host));
        Some(PlannedLustre { network, clients, mdts, osts, striping: striping.ok()? })
    }

    fn place(&self, name: &str, planned: PlannedLustre, site: &mut PlaceSite<'_>) -> Option<PlacedLustre> {
        let PlannedLustre { network, clients, mdts, osts, striping } = planned;
        // Each target holds as much as the smallest.
        let least = site.sizes(&osts).min().unwrap_or(0);
        Some(PlacedLustre {
            name: name.to_owned(),
            parameters: self.parameters.clone(),
            striping: Arc::new(striping),
            network,
            clients: site.points::<Self>(name, &clients),
            blocks: least.saturating_mul(osts.len() as u64),
            mdts,
            osts,
        })
    }
}

/// File systems that a key names as targets: ext4, as ldiskfs is one with patches.
fn targets(path: &str, key: &str, names: &Names, site: &mut CheckSite<'_, '_, '_>) -> Vec<usize> {
    let found = site.file_systems(path, key, names);
    let fits = |kind: &FileSystemKind| matches!(kind, FileSystemKind::Ext(own) if own.family == Family::Ext4);
    let why = "isn't ext4, and Lustre's targets are ldiskfs, which is";
    site.are_of((path, key), &found, fits, (why, "let it be type = \"ext4\""));
    found
}

impl PlacedLustre {
    /// The file systems that it lies on: metadata targets, then object storage targets.
    pub(super) fn all_targets(&self) -> impl Iterator<Item = usize> + '_ {
        self.mdts.iter().chain(&self.osts).copied()
    }
}

impl PlacedMount for PlacedLustre {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        volumes_at(&self.clients, self.blocks, Mounted::LUSTRE)
    }

    fn lies_on(&self) -> Vec<usize> {
        self.all_targets().collect()
    }

    fn costs_nothing(&self, linux: &PlacedLinux) -> bool {
        self.parameters.costs == LustreCosts::NONE && linux.is_free(self.network)
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        let osts = counted(self.osts.len() as u64, "OST", "OSTs");
        let mdts = counted(self.mdts.len() as u64, "MDT", "MDTs");
        format!("Lustre ({}) on {mdts} and {osts} for {clients}", self.name)
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
        Ok(Box::new(LustrePages::of(self, linux, volumes, site)))
    }
}
