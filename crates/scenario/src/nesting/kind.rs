//! The kinds of parts, what may own what, and which of their keys name other parts or files.

use crate::catalogue::{ADAPTERS, Shelf};
use crate::holder::Holders;
use crate::host::Hosts;
use crate::parts::{PartKind, Pool};
use toml::de::DeTable;

/// The least that was measured of a disk, by building some thousand.
const A_DISK: u32 = 4 << 10;

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Nothing but a box of parts.
    Box,
    Disk,
    /// What disks hang on.
    Adapter,
    /// What holds blocks and lies on others, by its key.
    Holder(&'static str),
    /// Hosts and what they mount.
    OfHosts(&'static PartKind),
    Workload,
}

impl Kind {
    /// All kinds.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let holders = Holders::KEYS.iter().map(|key| Self::Holder(key));
        let of_hosts = Hosts::kinds().map(Self::OfHosts);
        [Self::Box, Self::Disk, Self::Adapter]
            .into_iter()
            .chain(of_hosts)
            .chain(holders)
            .chain([Self::Workload])
    }

    /// The key under which parts of this kind stand.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Disk => "disk",
            Self::Adapter => "hba",
            Self::Holder(key) => key,
            Self::OfHosts(kind) => kind.key,
            Self::Workload => "workload",
        }
    }

    /// The kind of a key.
    pub(super) fn of(key: &str) -> Option<Self> {
        Self::all().find(|kind| kind.key() == key)
    }

    /// Bytes of memory that such a part takes at least when it is built and run.
    pub(super) fn least_bytes(self) -> u32 {
        match self {
            Self::OfHosts(kind) => kind.least_bytes,
            Self::Disk => A_DISK,
            Self::Box | Self::Adapter | Self::Holder(_) | Self::Workload => 0,
        }
    }

    /// Whether such a part may own others, and so be given a count. A disk has had a count of its own before.
    pub(crate) fn owns(self) -> bool {
        match self {
            Self::Box | Self::Holder(_) => true,
            Self::Disk | Self::Adapter | Self::Workload => false,
            Self::OfHosts(kind) => kind.owns,
        }
    }

    /// Keys whose values are files, or lists of them, relative to the file in which they stand.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Self::Disk => &["use", "file"],
            Self::OfHosts(kind) => kind.files,
            Self::Workload => &["use", "file", "files", "specification"],
            _ => &["use"],
        }
    }

    /// Where `use` finds what isn't a file.
    pub(super) fn shelf(self) -> Option<Shelf> {
        match self {
            Self::OfHosts(kind) => kind.shelf,
            Self::Holder(key) => Holders::shelf(key),
            Self::Adapter => Some(ADAPTERS),
            _ => None,
        }
    }

    /// Keys whose values name parts: a name, a list of names, or a table of names. A key of a table within the part
    /// stands behind that table's key and a dot.
    pub(super) fn references(self, part: &DeTable<'_>) -> Vec<(&'static str, Pool)> {
        match self {
            Self::Box | Self::Adapter => Vec::new(),
            Self::Disk => vec![("bus", Pool::Adapters)],
            Self::Holder(_) => vec![("on", Pool::Holders), ("nodes.network", Pool::Networks)],
            Self::OfHosts(kind) => kind.references.to_vec(),
            Self::Workload => {
                let kind = part.get("kind").and_then(|kind| kind.get_ref().as_str());
                let on = match kind {
                    Some("trace" | "synthetic" | "device-accesses") => Pool::Holders,
                    _ => Pool::Volumes,
                };
                vec![("on", on), ("devices", Pool::Holders), ("places", Pool::Volumes)]
            }
        }
    }

    /// Whether parts of this kind are in a pool.
    pub(super) fn is_in(self, pool: Pool) -> bool {
        match self {
            Self::Disk | Self::Holder(_) => pool == Pool::Holders,
            Self::Adapter => pool == Pool::Adapters,
            Self::OfHosts(kind) => kind.pool == pool,
            Self::Box | Self::Workload => false,
        }
    }

    /// Whether a part of this kind is a volume on each of those that it is on.
    pub(super) fn is_on_each(self) -> bool {
        matches!(self, Self::OfHosts(kind) if kind.is_on_each)
    }

    /// Whether a part of this kind that names no host belongs to the one around it.
    pub(super) fn has_host(self) -> bool {
        matches!(self, Self::OfHosts(kind) if kind.references.contains(&("host", Pool::Hosts)))
    }
}
