//! `[host.NAME]` and `[fs.NAME]`: machines under Linux, and the file systems that they mount; `[network.NAME]`,
//! `[pvfs.NAME]`, `[share.NAME]` and `[san.NAME]`: what connects them, and what they share through it; `[mpi.NAME]`: what
//! their processes tell each other.

mod bounds;
mod build;
mod check;
mod file_system;
mod host;
mod implied;
mod levers;
mod mounts;
mod mpi;
mod network;
mod place;
mod profiles;
mod pvfs;
mod san;
mod san_pages;
mod share;
mod shared;
mod tmpfs;
mod wiring;

pub use file_system::{
    FileSystem, FileSystemKind, FileSystemPlace, RawParameters, RawType, TmpfsParameters, TmpfsType,
};
pub use host::{Change, Host};
pub(crate) use implied::join_ranks;
pub(crate) use mpi::Mpi;
pub use mpi::PlacedMpi;
pub use network::PlacedNetwork;
pub use place::{PlacedFileSystem, PlacedHost, PlacedLinux};
pub(crate) use pvfs::Pvfs;
pub use pvfs::{PlacedPvfs, PvfsMount};
pub(crate) use san::San;
pub use san::{PlacedSan, SanDisk, SanMount};
pub(crate) use share::{COLUMNS as PROFILE_COLUMNS, SHARE, Share};
pub use share::{PlacedShare, ProfileLine, SharePlacement};

use super::family::{Family, Ground};
use crate::catalogue::NETWORKS;
use crate::check::Checker;
use crate::parts::{PartKind, Pool};
use crate::schema::{Network, read_network, read_parts, values};
use crate::text::tree::Table;
use crate::text::{Problem, Sources, deserialise};
use check::CheckedLinux;
use file_system::read_file_system;
use indexmap::IndexMap;
use mpi::{MPI, read_mpi};
use network::NETWORK;
use pvfs::{PVFS, read_pvfs};
use san::{SAN, read_san};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use share::read_share;
use toml::de::DeTable;

/// The key of hosts.
const HOST: &str = "host";
/// The key of file systems.
const FILE_SYSTEM: &str = "fs";

/// The Linux hosts of a scenario and their file systems.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Linux {
    /// The hosts, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub host: IndexMap<String, Host>,
    /// The file systems, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub fs: IndexMap<String, FileSystem>,
    /// The networks between hosts, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub network: IndexMap<String, Network>,
    /// The parallel file systems, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub pvfs: IndexMap<String, Pvfs>,
    /// What carries messages between the processes of parallel programs, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub mpi: IndexMap<String, Mpi>,
    /// The file services over networks, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub share: IndexMap<String, Share>,
    /// The file systems on storage networks, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub san: IndexMap<String, San>,
}

/// The least that was measured of a host on a network, and of a file system with its share of a parallel one, by
/// building some thousand, bytes.
const A_HOST: u32 = 16 << 10;
const A_FILE_SYSTEM: u32 = 64 << 10;

impl Family for Linux {
    type Checked = CheckedLinux;
    type Placed = PlacedLinux;

    const KINDS: &'static [PartKind] = &[
        PartKind {
            key: HOST,
            owns: true,
            files: &["use", "machine", "kernel"],
            shelf: None,
            references: &[],
            pool: Pool::Hosts,
            least_bytes: A_HOST,
            is_on_each: false,
            is_mounted: false,
            is_around: false,
        },
        PartKind {
            key: FILE_SYSTEM,
            owns: false,
            files: &["use"],
            shelf: None,
            references: &[("on", Pool::Holders), ("journal.on", Pool::Holders), ("host", Pool::Hosts)],
            pool: Pool::Volumes,
            least_bytes: A_FILE_SYSTEM,
            is_on_each: false,
            is_mounted: true,
            is_around: false,
        },
        PartKind {
            key: NETWORK,
            owns: false,
            files: &["use"],
            shelf: Some(NETWORKS),
            references: &[("hosts", Pool::Hosts)],
            pool: Pool::Networks,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: true,
        },
        PartKind {
            key: PVFS,
            owns: false,
            files: &["use"],
            shelf: None,
            references: &[
                ("network", Pool::Networks),
                ("clients", Pool::Hosts),
                ("servers", Pool::Volumes),
                ("manager", Pool::Volumes),
            ],
            pool: Pool::Shared,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: true,
        },
        PartKind {
            key: SHARE,
            owns: false,
            files: &["use", "placement.profile"],
            shelf: None,
            references: &[("network", Pool::Networks), ("clients", Pool::Hosts), ("servers", Pool::Volumes)],
            pool: Pool::Shared,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: true,
        },
        PartKind {
            key: SAN,
            owns: false,
            files: &["use"],
            shelf: None,
            references: &[
                ("network", Pool::Networks),
                ("clients", Pool::Hosts),
                ("on", Pool::Holders),
                ("locks.manager", Pool::Hosts),
                ("locks.network", Pool::Networks),
            ],
            pool: Pool::Shared,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: true,
        },
        PartKind {
            key: MPI,
            owns: false,
            files: &["use"],
            shelf: None,
            references: &[("network", Pool::Networks), ("hosts", Pool::Hosts)],
            pool: Pool::Shared,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: true,
        },
    ];

    fn read(
        root: &Table<'_>,
        rest: &mut DeTable<'_>,
        problems: &mut Vec<Problem>,
        sources: &Sources,
    ) -> Self {
        let hosts = (HOST, "host", "machine = … and kernel = …");
        let file_systems = (FILE_SYSTEM, "file system", "type = … and on = …");
        let networks = (NETWORK, "network", "link = …");
        let on_disks = (SAN, "file system on a storage network", "clients = … and on = …");
        let parallel = (PVFS, "parallel file system", "clients = … and servers = …");
        let messages = (MPI, "message-passing library", "hosts = …");
        let services = (SHARE, "file service", "clients = … and servers = …");
        Self {
            host: read_parts(root, hosts, deserialise::read, rest, problems, sources),
            fs: read_parts(root, file_systems, read_file_system, rest, problems, sources),
            network: read_parts(root, networks, read_network, rest, problems, sources),
            pvfs: read_parts(root, parallel, read_pvfs, rest, problems, sources),
            mpi: read_parts(root, messages, read_mpi, rest, problems, sources),
            share: read_parts(root, services, read_share, rest, problems, sources),
            san: read_parts(root, on_disks, read_san, rest, problems, sources),
        }
    }

    fn written(&self) -> Vec<IndexMap<String, Value>> {
        let alone = [values(&self.host), values(&self.fs), values(&self.network)];
        let shared = [values(&self.pvfs), values(&self.share), values(&self.san), values(&self.mpi)];
        alone.into_iter().chain(shared).collect()
    }

    fn check(&self, checker: &mut Checker<'_, '_>) -> CheckedLinux {
        self.checked(checker)
    }

    fn place(&self, checked: CheckedLinux, ground: &Ground<'_>, problems: &mut Vec<Problem>) -> PlacedLinux {
        self.placed(checked, ground, problems)
    }
}
