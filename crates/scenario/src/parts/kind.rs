//! The kinds of parts, what may own what, and which of their keys name other parts or files.

use crate::holder::Holders;
use toml::de::DeTable;

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Nothing but a box of parts.
    Box,
    Host,
    Unix,
    Disk,
    /// What holds blocks and lies on others, by its key.
    Holder(&'static str),
    FileSystem,
    Workload,
}

/// What a reference may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    /// Whatever holds blocks.
    Holders,
    Hosts,
    /// What a workload that works on files goes to.
    Volumes,
}

impl Kind {
    /// All kinds.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let holders = Holders::KEYS.iter().map(|key| Self::Holder(key));
        let others = [Self::FileSystem, Self::Workload];
        [Self::Box, Self::Host, Self::Unix, Self::Disk].into_iter().chain(holders).chain(others)
    }

    /// The key under which parts of this kind stand.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Host => "host",
            Self::Unix => "unix",
            Self::Disk => "disk",
            Self::Holder(key) => key,
            Self::FileSystem => "fs",
            Self::Workload => "workload",
        }
    }

    /// The kind of a key.
    pub(super) fn of(key: &str) -> Option<Self> {
        Self::all().find(|kind| kind.key() == key)
    }

    /// Whether such a part may own others, and so be given a count. A disk has had a count of its own before.
    pub(crate) fn owns(self) -> bool {
        !matches!(self, Self::Disk | Self::FileSystem | Self::Workload)
    }

    /// Keys whose values are files, or lists of them, relative to the file in which they stand.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Self::Disk => &["use", "file"],
            Self::Host => &["use", "machine", "kernel"],
            Self::Workload => &["use", "file", "files", "specification"],
            _ => &["use"],
        }
    }

    /// Keys whose values name parts: a name, a list of names, or a table of names.
    pub(super) fn references(self, part: &DeTable<'_>) -> Vec<(&'static str, Pool)> {
        match self {
            Self::Box | Self::Host | Self::Disk => Vec::new(),
            Self::Holder(_) | Self::Unix => vec![("on", Pool::Holders)],
            Self::FileSystem => vec![("on", Pool::Holders), ("host", Pool::Hosts)],
            Self::Workload => {
                let kind = part.get("kind").and_then(|kind| kind.get_ref().as_str());
                let on = match kind {
                    Some("trace" | "synthetic") => Pool::Holders,
                    _ => Pool::Volumes,
                };
                vec![("on", on), ("devices", Pool::Holders), ("places", Pool::Volumes)]
            }
        }
    }

    /// Whether parts of this kind are in a pool.
    pub(super) fn is_in(self, pool: Pool) -> bool {
        match pool {
            Pool::Holders => matches!(self, Self::Disk | Self::Holder(_)),
            Pool::Hosts => self == Self::Host,
            Pool::Volumes => matches!(self, Self::FileSystem | Self::Unix),
        }
    }
}
