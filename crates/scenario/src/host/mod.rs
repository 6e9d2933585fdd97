//! What takes operations on files: hosts with the file systems that they mount.
//!
//! Hosts come in families. A family is a folder or a file of its own; it holds what is written of its hosts and of
//! their file systems, with units and sources; what makes no sense of it; what it is called; what could be better about
//! it; and how its pages are put into the net. It is entered in the list below; nothing else knows it.
//!
//! ```text
//!   tables ──read──▶ Hosts ──check──▶ CheckedHosts ──place──▶ PlacedHosts ──build──▶ pages of the net
//! ```

mod linux;
mod unix_1990;

pub use linux::{
    Change, FileSystem, FileSystemPlace, Host, Linux, PlacedFileSystem, PlacedHost, PlacedLinux,
};
pub use unix_1990::{PlacedUnix, PlacedUnixHosts, Unix, UnixHost};

use crate::build::HostSite;
use crate::check::Checker;
use crate::loaded::Loaded;
use crate::parts::PartKind;
use crate::run::RunFailure;
use crate::text::tree::{Places, Table};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_models::Lever;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toml::de::DeTable;

/// What a workload that works on files goes to.
#[derive(Clone, Copy, Debug)]
pub struct Volume<'l> {
    /// Its name.
    pub name: &'l str,
    /// Its host's number, among all hosts of the scenario.
    pub host: usize,
    /// Its number among the file systems of its host.
    pub mount: u32,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

/// Where file systems are placed.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'g> {
    /// Blocks of 512 bytes of each holder.
    pub(crate) sizes: &'g [u64],
    pub(crate) places: &'g Places,
    pub(crate) sources: &'g Sources,
}

impl Ground<'_> {
    /// Blocks of 512 bytes of a holder.
    pub(crate) fn blocks(&self, holder: u32) -> u64 {
        self.sizes.get(holder as usize).copied().unwrap_or(0)
    }
}

/// How a family tells of parts: a part's path in the scenario, and what it is in a few words.
pub(crate) type TellWords<'t> = &'t mut dyn FnMut(&str, &dyn Fn() -> String);
/// How a family tells of levers: the page that they are about, and the levers.
pub(crate) type TellLevers<'t> = &'t mut dyn FnMut(&str, Vec<Lever>);

/// A family of hosts as it is written.
pub(crate) trait Family: Sized {
    /// What is known of it once names are found.
    type Checked;
    /// What is known of it once sizes are found.
    type Placed: PlacedFamily;

    /// The keys of its parts: hosts before what they mount.
    const KINDS: &'static [PartKind];

    /// Reads its parts, and takes them out of the rest.
    fn read(root: &Table<'_>, rest: &mut DeTable<'_>, problems: &mut Vec<Problem>, sources: &Sources)
    -> Self;

    /// What is written of its parts, in the order of [`KINDS`](Self::KINDS).
    fn written(&self) -> Vec<IndexMap<String, Value>>;

    /// Finds what names stand for, and tells the checker its volumes, the names of its pages and all that makes no
    /// sense.
    fn check(&self, checker: &mut Checker<'_, '_>) -> Self::Checked;

    /// Finds the sizes.
    fn place(&self, checked: Self::Checked, ground: &Ground<'_>, problems: &mut Vec<Problem>)
    -> Self::Placed;
}

/// A family of hosts of which everything is found.
pub(crate) trait PlacedFamily {
    /// The names of its hosts.
    fn hosts(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// What its hosts mount. Hosts are counted from the family's first one.
    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_>;

    /// Whether its hosts put requests into an order before the device does.
    fn orders_requests(&self) -> bool;

    /// Whether its file systems put files where a trace saw them.
    fn keeps_recorded_places(&self) -> bool {
        false
    }

    /// What can't be had: what would never end, or needs more memory than there is.
    fn impossible(&self, _loaded: &Loaded) -> Vec<Problem> {
        Vec::new()
    }

    /// What its parts are, for a report's line of the System.
    fn words(&self, tell: TellWords<'_>);

    /// What a person could change about its parts to make them better.
    fn levers(&self, loaded: &Loaded, tell: TellLevers<'_>);

    /// Puts the pages of its hosts, and of what lies between them and the devices, into the net.
    ///
    /// # Errors
    /// What keeps them from being built.
    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure>;
}

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

// The list: one line a family, and one `mod` and one `pub use` above.
families! {
    linux: Linux => PlacedLinux;
    unix: Unix => PlacedUnixHosts;
}

impl PlacedHosts {
    /// The names of all hosts, in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families().flat_map(PlacedFamily::hosts)
    }

    /// How many hosts there are.
    pub fn count(&self) -> usize {
        self.names().count()
    }

    /// What they mount, in the order in which workloads' targets are counted.
    pub fn volumes(&self) -> impl Iterator<Item = Volume<'_>> {
        let mut first = 0;
        self.families().flat_map(move |family| {
            let own = first;
            first += family.hosts().count();
            family.volumes().map(move |volume| Volume { host: own + volume.host, ..volume })
        })
    }

    /// Of each volume, in the order of [`volumes`](Self::volumes), whether it puts files where a trace saw them.
    pub(crate) fn keep_recorded_places(&self) -> Vec<bool> {
        let each = |family: &dyn PlacedFamily| vec![family.keeps_recorded_places(); family.volumes().count()];
        self.families().flat_map(each).collect()
    }
}
