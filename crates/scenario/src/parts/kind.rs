//! The kinds of parts, what may own what, and which of their keys name other parts or files.

use toml::de::DeTable;

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Nothing but a box of parts.
    Box,
    Host,
    Unix,
    Disk,
    Raid,
    Fabric,
    Throttle,
    Replication,
    FileSystem,
    Workload,
}

/// What a reference may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    Disks,
    /// Whatever holds blocks.
    Holders,
    Hosts,
    /// What a workload that works on files goes to.
    Volumes,
}

impl Kind {
    pub(super) const ALL: [Self; 10] = [
        Self::Box,
        Self::Host,
        Self::Unix,
        Self::Disk,
        Self::Raid,
        Self::Fabric,
        Self::Throttle,
        Self::Replication,
        Self::FileSystem,
        Self::Workload,
    ];

    /// The key under which parts of this kind stand.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Host => "host",
            Self::Unix => "unix",
            Self::Disk => "disk",
            Self::Raid => "raid",
            Self::Fabric => "fabric",
            Self::Throttle => "throttle",
            Self::Replication => "replication",
            Self::FileSystem => "fs",
            Self::Workload => "workload",
        }
    }

    /// The kind of a key.
    pub(super) fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// Whether such a part may own others, and so be given a count. A disk has had a count of its own before.
    pub(super) fn owns(self) -> bool {
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
            Self::Raid | Self::Replication | Self::Fabric | Self::Throttle | Self::Unix => {
                vec![("on", Pool::Holders)]
            }
            Self::FileSystem => vec![("on", Pool::Holders), ("host", Pool::Hosts)],
            Self::Workload => {
                let kind = part.get("kind").and_then(|kind| kind.get_ref().as_str());
                let on = match kind {
                    Some("trace" | "synthetic") => Pool::Disks,
                    _ => Pool::Volumes,
                };
                vec![("on", on), ("devices", Pool::Disks), ("places", Pool::Volumes)]
            }
        }
    }

    /// Whether parts of this kind are in a pool.
    pub(super) fn is_in(self, pool: Pool) -> bool {
        match pool {
            Pool::Disks => self == Self::Disk,
            Pool::Holders => {
                matches!(self, Self::Disk | Self::Raid | Self::Fabric | Self::Throttle | Self::Replication)
            }
            Pool::Hosts => self == Self::Host,
            Pool::Volumes => matches!(self, Self::FileSystem | Self::Unix),
        }
    }
}
