//! `[share.NAME]`: file systems of hosts that serve files to other hosts over a network.

mod pages;
mod profile;

pub(crate) use profile::COLUMNS;
pub use profile::ProfileLine;

use super::{
    CheckSite, LeftInMemory, MountKind, MountPages, MountPoint, PlaceSite, PlacedMount, shared_part,
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
use pages::SharePages;
use petrio_models::cluster::share::{Rule, ShareCosts, ShareParameters, Writes};
use petrio_page::numbers::counted;
use petrio_units::Bytes;
use petrio_workload::parallel::Mounted;
use profile::read_profile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The key of file services.
pub(crate) const SHARE: &str = "share";

/// A file service over a network: one server's file system for all clients (a NAS), or those of several, on which
/// partitions of files lie (SAN-direct, where every node serves its own disk to the others).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// What it lies on, and who mounts it.
    #[serde(flatten)]
    pub place: SharePlace,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: ShareParameters,
}

/// What a file service lies on, and who mounts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharePlace {
    /// The network between its clients and servers; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`.
    pub clients: Names,
    /// The file systems of hosts that are served: one, such as `server/data`, or several, such as `node*/data`, in their
    /// order. A client asks for what lies on its own host past network and servers.
    pub servers: Names,
    /// Where partitions of files lie where there are several servers.
    #[serde(default)]
    pub placement: SharePlacement,
}

/// Where partitions of files lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharePlacement {
    /// Files lie whole on servers, which take turns.
    #[default]
    ByFile,
    /// Servers take turns with the partitions of a file.
    RoundRobin,
    /// Each server has one of as many partitions as there are servers, in an order that a hash of file and round says.
    Hashed,
    /// As a table says (CSV with the columns `file`, `partition` and `server`): the file's name, the partition's number
    /// from 0, and the file system. What it doesn't name lies as `round-robin` has it.
    Profile(PathBuf),
}

impl SharePlacement {
    /// Where what no profile names lies.
    pub const fn rule(&self) -> Rule {
        match self {
            Self::ByFile => Rule::ByFile,
            Self::RoundRobin | Self::Profile(_) => Rule::RoundRobin,
            Self::Hashed => Rule::Hashed,
        }
    }

    /// In a word or two.
    const fn words(&self) -> &'static str {
        match self {
            Self::ByFile => "by file",
            Self::RoundRobin => "round robin",
            Self::Hashed => "hashed",
            Self::Profile(_) => "by profile",
        }
    }
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "servers", "placement"];

/// A file service of which names are found.
#[derive(Clone, Debug)]
pub(crate) struct PlannedShare {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    servers: Vec<usize>,
    profile: Arc<[ProfileLine]>,
}

/// A file service of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedShare {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: ShareParameters,
    /// Where partitions lie.
    pub placement: SharePlacement,
    /// What a profile says of single partitions.
    pub profile: Arc<[ProfileLine]>,
    /// Its network, by its number.
    pub network: usize,
    /// Its mounts.
    pub clients: Vec<MountPoint>,
    /// The file systems that it lies on, by their numbers.
    pub servers: Vec<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for Share {
    type Checked = PlannedShare;
    type Placed = PlacedShare;

    const KIND: PartKind = PartKind {
        files: &["use", "placement.profile"],
        ..shared_part(
            SHARE,
            &[("network", Pool::Networks), ("clients", Pool::Hosts), ("servers", Pool::Volumes)],
        )
    };
    const WHAT: &'static str = "file service";
    const EXAMPLE: &'static str = "clients = … and servers = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, Some(&self.place.servers)))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedShare> {
        let path = format!("{SHARE}.{name}");
        let network = site.network_between(&path, self.place.network.as_deref());
        let clients = site.hosts(&path, "clients", &self.place.clients);
        let servers = site.file_systems(&path, "servers", &self.place.servers);
        let found = network.is_some() && !servers.is_empty();
        site.mounts::<Self>(name, "mount of a file service", &clients, found);
        if let Err(error) = self.parameters.check() {
            site.checker.error(&format!("{path}.{}", error.parameter()), error.to_string(), "");
        }
        if let Some(network) = network {
            site.on_network(&path, network, "clients", clients.iter().copied());
            let of_servers = site.hosts_of(servers.iter().copied());
            site.on_network(&path, network, "servers", of_servers);
        }
        let profile = self.profile(&path, &servers, site);
        let network = network.filter(|_| found)?;
        Some(PlannedShare { network, clients, servers, profile })
    }

    fn place(&self, name: &str, planned: PlannedShare, site: &mut PlaceSite<'_>) -> Option<PlacedShare> {
        let PlannedShare { network, clients, servers, profile } = planned;
        let sizes = site.sizes(&servers);
        let blocks = match self.place.placement {
            // In turns each server holds as much as the smallest.
            SharePlacement::RoundRobin | SharePlacement::Hashed => {
                sizes.min().unwrap_or(0).saturating_mul(servers.len() as u64)
            }
            SharePlacement::ByFile | SharePlacement::Profile(_) => sizes.fold(0, u64::saturating_add),
        };
        Some(PlacedShare {
            name: name.to_owned(),
            parameters: self.parameters.clone(),
            placement: self.place.placement.clone(),
            profile,
            network,
            clients: site.points::<Self>(name, &clients),
            servers,
            blocks,
        })
    }
}

impl Share {
    /// What its profile says, if it has one.
    fn profile(&self, path: &str, servers: &[usize], site: &mut CheckSite<'_, '_, '_>) -> Arc<[ProfileLine]> {
        let SharePlacement::Profile(file) = &self.place.placement else { return Arc::default() };
        let all = &site.linux.fs;
        let names: Vec<&str> =
            servers.iter().filter_map(|&server| Some(all.get_index(server)?.0.as_str())).collect();
        read_profile(site.checker.inputs, file, &names).unwrap_or_else(|wrong| {
            site.checker.error(&format!("{path}.placement.profile"), wrong.message, wrong.help);
            Arc::default()
        })
    }
}

impl PlacedMount for PlacedShare {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        volumes_at(&self.clients, self.blocks, Mounted::SHARE)
    }

    fn lies_on(&self) -> Vec<usize> {
        self.servers.clone()
    }

    fn costs_nothing(&self, linux: &PlacedLinux) -> bool {
        self.parameters.costs == ShareCosts::NONE && linux.is_free(self.network)
    }

    fn left_in_memory(&self) -> Option<LeftInMemory> {
        let (whose, instead) = ("its servers' memory", "a share with writes = \"on-close\"");
        (self.parameters.writes == Writes::OnSync).then_some(LeftInMemory { whose, instead })
    }

    fn ungathered_calls(&self) -> Option<Bytes> {
        Some(self.parameters.transfer)
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        match self.servers.len() {
            1 => format!("files of one server ({}) for {clients}", self.name),
            servers => {
                let placement = self.placement.words();
                format!("files of {servers} servers, {placement} ({}), for {clients}", self.name)
            }
        }
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
        Ok(Box::new(SharePages::of(self, linux, volumes, site)?))
    }
}
