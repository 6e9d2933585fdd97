//! What takes operations on files: hosts with the file systems that they mount.
//!
//! Hosts come in families. A family is a folder or a file of its own; it holds what is written of its hosts and of
//! their file systems, with units and sources; what makes no sense of it; what it is called; what could be better about
//! it; and how its pages are put into the net. It is entered in the list below; nothing else knows it.
//!
//! ```text
//!   tables ──read──▶ Hosts ──check──▶ CheckedHosts ──place──▶ PlacedHosts ──build (pages.rs)──▶ the net
//! ```

mod family;
mod linux;
mod pages;
mod unix_1990;

pub use family::Volume;
pub(crate) use family::{Beneath, Family, Ground, PlacedFamily};
pub use linux::{
    Change, FileSystem, FileSystemKind, FileSystemPlace, Host, Linux, MountPoint, PlacedBeegfs,
    PlacedFileSystem, PlacedHost, PlacedLinux, PlacedLustre, PlacedMpi, PlacedNfs, PlacedPvfs, PlacedSan,
    PlacedShare, ProfileLine, RawParameters, RawType, SanDisk, SharePlacement, TmpfsParameters, TmpfsType,
};
pub(crate) use linux::{PROFILE_COLUMNS, SHARE, join_ranks};
pub(crate) use pages::HostPages;
pub use unix_1990::{PlacedUnix, PlacedUnixFileSystem, PlacedUnixHosts, Unix, UnixHost};

use crate::checker::Checker;
use crate::network::PlacedNetwork;
use crate::parts::PartKind;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toml::de::DeTable;

/// Makes the list of families: what the scenario holds of each, and how each is read, checked, placed and found.
macro_rules! families {
    ($($name:ident: $family:ty => $placed:ty;)*) => {
        /// What takes operations on files, by family.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
        pub struct Hosts {
            $(/// A family: its parts stand under keys of their own.
            #[serde(flatten)]
            pub $name: $family,)*
        }

        /// What is known of hosts once names are found.
        pub(crate) struct CheckedHosts {
            $($name: <$family as Family>::Checked,)*
        }

        /// Hosts of which everything is found, by family; in this order their hosts and volumes are counted.
        #[derive(Clone, Debug)]
        pub struct PlacedHosts {
            $(/// A family.
            pub $name: $placed,)*
        }

        impl Hosts {
            /// The kinds of their parts.
            pub(crate) fn kinds() -> impl Iterator<Item = &'static PartKind> {
                [$(<$family as Family>::KINDS),*].into_iter().flatten()
            }

            /// Reads all of them, and takes them out of the rest.
            pub(crate) fn read(
                root: &Table<'_>,
                rest: &mut DeTable<'_>,
                problems: &mut Vec<Problem>,
                sources: &Sources,
            ) -> Self {
                Self { $($name: <$family as Family>::read(root, rest, problems, sources),)* }
            }

            /// What is written of them, by kind.
            pub(crate) fn written(&self) -> Vec<(&'static PartKind, IndexMap<String, Value>)> {
                let written = std::iter::empty();
                $(let written = written.chain(<$family as Family>::KINDS.iter().zip(self.$name.written()));)*
                written.collect()
            }

            pub(crate) fn check(&self, checker: &mut Checker<'_, '_>) -> CheckedHosts {
                checker.guests = [$(self.$name.guests()),*].concat();
                checker.guest_file_systems = [$(self.$name.guest_file_systems(checker)),*].concat();
                CheckedHosts { $($name: self.$name.check(checker),)* }
            }

            pub(crate) fn place(
                &self,
                checked: CheckedHosts,
                ground: &Ground<'_>,
                problems: &mut Vec<Problem>,
            ) -> PlacedHosts {
                PlacedHosts { $($name: self.$name.place(checked.$name, ground, problems),)* }
            }
        }

        impl PlacedHosts {
            pub(crate) fn families(&self) -> impl Iterator<Item = &dyn PlacedFamily> {
                [$(&self.$name as &dyn PlacedFamily),*].into_iter()
            }
        }
    };
}

/// Hands the list of families to a macro that makes something of it.
macro_rules! with_families {
    ($make:ident) => {
        // The list: one line a family, and one `mod` and one `pub use` above.
        $make! {
            linux: Linux => PlacedLinux;
            unix: Unix => PlacedUnixHosts;
        }
    };
}
use with_families;

with_families!(families);

impl PlacedHosts {
    /// The names of all hosts, in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families().flat_map(PlacedFamily::hosts)
    }

    /// The network of a name.
    pub(crate) fn network(&self, name: &str) -> Option<&PlacedNetwork> {
        self.linux.networks.iter().find(|network| network.name == name)
    }

    /// The library that carries messages of a host's processes, by its number.
    pub(crate) fn message_library(&self, host: usize) -> Option<usize> {
        let mut first = 0;
        for family in self.families() {
            let count = family.hosts().count();
            if host < first + count {
                return family.message_library(host - first);
            }
            first += count;
        }
        None
    }

    /// How fast programs compute on each host, in the order of their numbers.
    pub(crate) fn computing_speeds(&self) -> Vec<f64> {
        self.families()
            .flat_map(|family| (0..family.hosts().count()).map(|host| family.computing_speed(host)))
            .collect()
    }

    /// How many hosts there are.
    pub fn count(&self) -> usize {
        self.names().count()
    }

    /// What they mount, in the order in which workloads' targets are counted.
    pub fn volumes(&self) -> impl Iterator<Item = Volume<'_>> {
        let (mut first_host, mut first_volume) = (0, 0);
        self.families().flat_map(move |family| {
            let (host, space) = (first_host, first_volume);
            first_host += family.hosts().count();
            first_volume += family.volumes().count();
            let counted = move |volume: Volume<'_>| (host + volume.host, space + volume.space);
            family.volumes().map(move |volume| {
                let (host, space) = counted(volume);
                Volume { host, space, ..volume }
            })
        })
    }

    /// Of each volume, in the order of [`volumes`](Self::volumes), whether it puts files where a trace saw them.
    pub(crate) fn keep_recorded_places(&self) -> Vec<bool> {
        let each = |family: &dyn PlacedFamily| vec![family.keeps_recorded_places(); family.volumes().count()];
        self.families().flat_map(each).collect()
    }
}
