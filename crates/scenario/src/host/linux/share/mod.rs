//! `[share.NAME]`: file systems of hosts that serve files to other hosts over a network.

mod check;
mod pages;
mod profile;

pub(super) use pages::{Answers, SharePorts, share_of};
pub(crate) use profile::COLUMNS;
pub use profile::ProfileLine;

use super::pvfs::PvfsMount;
use crate::host::family::Volume;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::cluster::share::{Rule, ShareParameters};
use petrio_page::numbers::counted;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
pub(super) struct PlannedShare {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// File systems.
    servers: Vec<usize>,
    profile: Arc<[ProfileLine]>,
}

impl PlannedShare {
    /// The hosts that mount it.
    pub(super) fn clients(&self) -> impl Iterator<Item = usize> {
        self.clients.iter().copied()
    }
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
    pub clients: Vec<PvfsMount>,
    /// The file systems that it lies on, by their numbers.
    pub servers: Vec<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

/// Reads a file service.
pub(super) fn read_share(table: &Table<'_>, sources: &Sources) -> Result<Share, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Share { place, parameters })
}

impl PlacedShare {
    /// Its mounts as volumes. All that it lies on and its mounts number their files together: by the volume `space`.
    pub(super) fn volumes(&self, space: usize) -> impl Iterator<Item = Volume<'_>> {
        self.clients.iter().map(move |mounted| {
            let &PvfsMount { ref name, host, mount } = mounted;
            Volume { name, host, mount, on: None, blocks: self.blocks, space, mounted: Mounted::SHARE }
        })
    }

    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        match self.servers.len() {
            1 => format!("files of one server ({}) for {clients}", self.name),
            servers => {
                let placement = self.placement.words();
                format!("files of {servers} servers, {placement} ({}), for {clients}", self.name)
            }
        }
    }
}
