//! What hosts mount, and what else their processes share: file systems of their own, those of others over a network, shared
//! disks, message passing.
//!
//! A kind is a folder here. It holds what is written of it, with units and sources; what makes no sense of it and can't be
//! had; what it is called; what could be better about it; and how its pages are put into the net. It is entered in the list
//! below; nothing else knows it.
//!
//! ```text
//!  tables ──read──▶ MountKind ──check──▶ Checked ──place──▶ PlacedMount ──pages──▶ MountPages ──build──▶ the net
//! ```

mod beegfs;
mod check;
mod circle;
mod kind;
mod local;
mod lustre;
mod mpi;
mod nfs;
mod pages;
mod place;
mod pvfs;
mod san;
mod share;

pub(crate) use beegfs::Beegfs;
pub use beegfs::PlacedBeegfs;
pub(crate) use check::CheckSite;
use circle::Mounted;
pub(crate) use kind::{
    Asks, LayOut, LeftInMemory, MountKind, MountPages, PlacedMount, shared_part, volumes_at,
};
pub use local::{
    FileSystem, FileSystemKind, FileSystemPlace, PlacedFileSystem, RawParameters, RawType, TmpfsParameters,
    TmpfsType,
};
pub(super) use local::{beyond_memory, most_in_memory, schedulers_of_other_kernels};
pub(crate) use lustre::Lustre;
pub use lustre::PlacedLustre;
pub(crate) use mpi::Mpi;
pub use mpi::PlacedMpi;
pub(crate) use mpi::join_ranks;
pub(crate) use nfs::Nfs;
pub use nfs::PlacedNfs;
pub(crate) use pages::Connections;
pub(super) use pages::{HostPorts, Shared};
pub use place::MountPoint;
pub(crate) use place::PlaceSite;
pub use pvfs::PlacedPvfs;
pub(crate) use pvfs::Pvfs;
pub(crate) use san::San;
pub use san::{PlacedSan, SanDisk};
pub(crate) use share::{COLUMNS as PROFILE_COLUMNS, SHARE, Share};
pub use share::{PlacedShare, ProfileLine, SharePlacement};

use super::{HOST_KIND, Host, NETWORK_KIND, PlacedHost};
use crate::checker::GuestFileSystem;
use crate::network::{Network, PlacedNetwork};
use crate::parts::PartKind;
use crate::schema::{read_parts, values};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;
use toml::de::DeTable;

/// Makes the list of kinds: what a scenario holds of each, and how each is read, checked, placed and found.
macro_rules! mounts {
    ($($key:ident: $kind:ty => $placed:ident: $of:ty, $about:literal;)*) => {
        /// The Linux hosts of a scenario, what they mount, and what lies between them.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
        pub struct Linux {
            /// The hosts, by name.
            #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
            pub host: IndexMap<String, Host>,
            /// The networks between hosts, by name.
            #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
            pub network: IndexMap<String, Network>,
            $(#[doc = $about]
            #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
            pub $key: IndexMap<String, $kind>,)*
        }

        /// What hosts mount once names are found: none where something of a part isn't there.
        #[derive(Debug, Default)]
        pub(crate) struct CheckedMounts {
            $($key: Vec<Option<<$kind as MountKind>::Checked>>,)*
        }

        /// The Linux hosts of a scenario and what they mount, each in the order of the file.
        #[derive(Clone, Debug, Default)]
        pub struct PlacedLinux {
            /// The hosts.
            pub hosts: Vec<PlacedHost>,
            /// The names of hosts of other families, which may be on networks and mount exports: they are counted after these.
            pub guests: Vec<String>,
            /// Their file systems, which may be exported: they are counted after these.
            pub(crate) guest_file_systems: Vec<GuestFileSystem>,
            /// The networks.
            pub networks: Vec<PlacedNetwork>,
            $(#[doc = $about]
            pub $placed: Vec<$of>,)*
        }

        impl Linux {
            pub(super) const KINDS: &'static [PartKind] =
                &[HOST_KIND, NETWORK_KIND, $(<$kind as MountKind>::KIND),*];

            /// Reads what is mounted, and takes it out of the rest.
            pub(super) fn read_mounts(
                &mut self,
                root: &Table<'_>,
                rest: &mut DeTable<'_>,
                problems: &mut Vec<Problem>,
                sources: &Sources,
            ) {
                $(let (what, example) = (<$kind as MountKind>::WHAT, <$kind as MountKind>::EXAMPLE);
                let words = (stringify!($key), what, example);
                self.$key = read_parts(root, words, <$kind as MountKind>::read, rest, problems, sources);)*
            }

            /// What is written of all parts, in the order of [`KINDS`](Self::KINDS).
            pub(super) fn all_written(&self) -> Vec<IndexMap<String, Value>> {
                vec![values(&self.host), values(&self.network), $(values(&self.$key)),*]
            }

            /// What hosts mount by names of their own.
            fn mounted(&self) -> Vec<Mounted<'_>> {
                let mut all = Vec::new();
                $(all.extend(self.$key.iter().filter_map(|(name, part)| Mounted::of(name, part)));)*
                all
            }

            pub(super) fn checked_mounts(&self, site: &mut CheckSite<'_, '_, '_>) -> CheckedMounts {
                CheckedMounts { $($key: check::check_all(&self.$key, site),)* }
            }

            /// Finds the sizes of what is mounted; the networks come later.
            pub(super) fn placed_mounts(&self, checked: CheckedMounts, site: &mut PlaceSite<'_>) -> PlacedLinux {
                $(let $placed = place::place_all(&self.$key, checked.$key, site);)*
                PlacedLinux {
                    hosts: Vec::new(),
                    guests: Vec::new(),
                    guest_file_systems: Vec::new(),
                    networks: Vec::new(),
                    $($placed),*
                }
            }
        }

        impl PlacedLinux {
            /// What is mounted or shared, each with its key, in the order in which volumes are counted.
            pub(crate) fn mounts(&self) -> impl Iterator<Item = (&'static str, &dyn PlacedMount)> {
                let none = std::iter::empty();
                $(let none = none.chain(
                    self.$placed.iter().map(|placed| (stringify!($key), placed as &dyn PlacedMount)),
                );)*
                none
            }
        }
    };
}

// The list: one line a kind, and one `mod` and one `pub use` above. What others lie on comes before them.
mounts! {
    fs: FileSystem => file_systems: PlacedFileSystem, "The file systems, by name.";
    nfs: Nfs => nfs: PlacedNfs, "The exports of servers that hosts mount by NFS, by name.";
    lustre: Lustre => lustre: PlacedLustre, "The Lustre file systems, by name.";
    beegfs: Beegfs => beegfs: PlacedBeegfs, "The BeeGFS file systems, by name.";
    pvfs: Pvfs => pvfs: PlacedPvfs, "The parallel file systems, by name.";
    mpi: Mpi => mpi: PlacedMpi, "What carries messages between the processes of parallel programs, by name.";
    share: Share => shares: PlacedShare, "The file services over networks, by name.";
    san: San => san: PlacedSan, "The file systems on storage networks, by name.";
}

impl PlacedLinux {
    /// As [`mounts`](Self::mounts), each with the numbers of its volumes.
    pub(crate) fn mounts_and_volumes(&self) -> impl Iterator<Item = (Range<usize>, &dyn PlacedMount)> {
        let mut first = 0;
        self.mounts().map(move |(_, mount)| {
            let volumes = first..first + mount.volumes().len();
            first = volumes.end;
            (volumes, mount)
        })
    }
}
