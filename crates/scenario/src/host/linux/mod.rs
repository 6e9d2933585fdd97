//! `[host.NAME]`: machines under Linux; `[network.NAME]`: what connects them; and what they [mount] and share.

mod bounds;
mod build;
mod check;
mod host;
mod mount;
mod network;
mod place;
mod profiles;

pub use host::{Change, Host};
pub use mount::{
    FileSystem, FileSystemKind, FileSystemPlace, Linux, MountPoint, PlacedBeegfs, PlacedFileSystem,
    PlacedLinux, PlacedLustre, PlacedMpi, PlacedNfs, PlacedPvfs, PlacedSan, PlacedShare, ProfileLine,
    RawParameters, RawType, SanDisk, SharePlacement, TmpfsParameters, TmpfsType,
};
pub(crate) use mount::{PROFILE_COLUMNS, SHARE, join_ranks};
pub use place::PlacedHost;

use super::family::{Family, Ground};
use crate::catalogue::NETWORKS;
use crate::checker::Checker;
use crate::network::read_network;
use crate::parts::{PartKind, Pool};
use crate::schema::read_parts;
use crate::text::tree::Table;
use crate::text::{Problem, Sources, deserialise};
use check::CheckedLinux;
use indexmap::IndexMap;
use network::NETWORK;
use serde_json::Value;
use toml::de::DeTable;

/// The key of hosts.
const HOST: &str = "host";
/// The key of file systems.
const FILE_SYSTEM: &str = "fs";

/// The least that was measured of a host on a network, by building some thousand, bytes.
const A_HOST: u32 = 16 << 10;

const HOST_KIND: PartKind = PartKind {
    owns: true,
    files: &["use", "machine", "kernel"],
    least_bytes: A_HOST,
    ..PartKind::of(HOST, Pool::Hosts)
};

const NETWORK_KIND: PartKind = PartKind {
    shelf: Some(NETWORKS),
    references: &[("hosts", Pool::Hosts)],
    is_around: true,
    ..PartKind::of(NETWORK, Pool::Networks)
};

impl Family for Linux {
    type Checked = CheckedLinux;
    type Placed = PlacedLinux;

    const KINDS: &'static [PartKind] = Self::KINDS;

    fn read(
        root: &Table<'_>,
        rest: &mut DeTable<'_>,
        problems: &mut Vec<Problem>,
        sources: &Sources,
    ) -> Self {
        let hosts = (HOST, "host", "machine = … and kernel = …");
        let networks = (NETWORK, "network", "link = …");
        let mut linux = Self {
            host: read_parts(root, hosts, deserialise::read, rest, problems, sources),
            network: read_parts(root, networks, read_network, rest, problems, sources),
            ..Self::default()
        };
        linux.read_mounts(root, rest, problems, sources);
        linux
    }

    fn written(&self) -> Vec<IndexMap<String, Value>> {
        self.all_written()
    }

    fn check(&self, checker: &mut Checker<'_, '_>) -> CheckedLinux {
        self.checked(checker)
    }

    fn place(&self, checked: CheckedLinux, ground: &Ground<'_>, problems: &mut Vec<Problem>) -> PlacedLinux {
        self.placed(checked, ground, problems)
    }
}
