//! What holds blocks without being a disk: arrays, networks of storage, limits, copies. Each lies on others that hold
//! blocks.
//!
//! A kind is a file of its own. It holds what is written of it, with units and sources; its words; what makes no sense
//! of it; how many blocks it holds; and how its page is put into the net. It is entered in the list below; nothing else
//! knows it.

mod ceph;
mod concat;
mod fabric;
mod multipath;
mod partition;
mod raid;
mod rearrangement;
mod replication;
mod throttle;

pub use ceph::{BuiltCeph, Ceph, CephNodes};
pub use concat::Concat;
pub use fabric::Fabric;
pub use multipath::Multipath;
pub use partition::{Extent, Partition};
pub use raid::Raid;
pub use rearrangement::Rearrangement;
pub use replication::Replication;
pub use throttle::Throttle;

use crate::catalogue::{ARRAYS, Shelf};
use crate::network::PlacedNetwork;
use crate::schema::{Names, read_parts, values};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_models::block::multipath::Multipath as Paths;
use petrio_models::block::raid::{Array, Cache};
use petrio_models::cluster::replication::{FileLayout, Replicas, Sight};
use petrio_models::device::throttle::Credits;
use petrio_models::{Lever, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use toml::de::DeTable;

/// A part that holds blocks, which lie on other parts.
pub trait Holder {
    /// What it lies on.
    fn over(&self) -> Over<'_>;

    /// What makes no sense of it, over so many members.
    fn check(&self, members: usize) -> Vec<Objection>;

    /// What is said of it that does nothing. Where a profile says it, which is made for others as well, that isn't told.
    fn without_effect(&self) -> Vec<Objection> {
        Vec::new()
    }

    /// What makes no sense of it over members of these sizes, in blocks of 512 bytes.
    fn check_sizes(&self, _members: &[u64]) -> Vec<Objection> {
        Vec::new()
    }

    /// What a person may not have meant of it over members of these sizes: the key that it stands at, and words.
    fn caution(&self, _members: &[u64]) -> Option<(&'static str, String)> {
        None
    }

    /// Whether what it does is drawn at random.
    fn is_random(&self) -> bool {
        false
    }

    /// Whether two of its members on one disk defeat what it is for.
    fn wants_apart(&self) -> bool {
        false
    }

    /// Whether others of its kind may lie on the same part.
    fn shares(&self) -> bool {
        false
    }

    /// The first block, and how many, that it takes of what it lies on, which has so many.
    fn takes(&self, of: u64) -> (u64, u64) {
        (0, of)
    }

    /// Blocks of 512 bytes that it offers over members of these sizes.
    fn blocks(&self, members: &[u64]) -> u64;

    /// Of these what can be used: all that it offers.
    fn usable_blocks(&self, members: &[u64]) -> u64 {
        self.blocks(members)
    }

    /// Whether what can be used of it is all that its members have, beside others of its kind.
    fn has_all(&self) -> bool {
        false
    }

    /// Hardware that it needs beside what it lies on, over so many members, and that nothing says the price of: how many, and what.
    fn hardware(&self, _members: usize) -> Option<(u64, &'static str)> {
        None
    }

    /// Bytes of the request that suits it best over so many members, where it names one (`queue/optimal_io_size`).
    fn optimal_request(&self, _members: usize) -> Option<u64> {
        None
    }

    /// Where requests meet it.
    fn stands(&self) -> Stands {
        Stands::Below
    }

    /// Whether it passes discards on, to all that it lies on.
    fn passes_discards(&self) -> bool {
        false
    }

    /// Pages within its own, each with words for it.
    fn inner_pages(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether what it has reported as written is safe with it, and flushes end there: a controller's memory with a battery.
    fn keeps_writes(&self) -> bool {
        false
    }

    /// The network whose ends its members are, and itself, where that is so: it connects nothing else.
    fn inner_network(&self) -> Option<InnerNetwork<'_>> {
        None
    }

    /// Pages that it puts beside its own, each with words for it.
    fn pages_beside(&self, _name: &str) -> Vec<(String, &'static str)> {
        Vec::new()
    }

    /// What a person could change about it to make it better; its parameters stand at `path`.
    fn levers(&self, _path: &str) -> Vec<Lever> {
        Vec::new()
    }

    /// The same of its pages beside its own.
    fn levers_beside(&self, _name: &str, _path: &str) -> Vec<(String, Vec<Lever>)> {
        Vec::new()
    }

    /// What it is in a report's line of the System, where it is said there.
    fn words(&self, _members: usize) -> Option<String> {
        None
    }

    /// Where files lie on one of its members that lie so on it; asked where a part below wants to know.
    fn files_on(&self, files: &FileLayout, _member: usize, _members: usize) -> FileLayout {
        files.clone()
    }

    /// Whether it wants to know where files lie.
    fn knows_files(&self) -> bool {
        false
    }

    /// Puts its page into the net.
    ///
    /// # Errors
    /// What keeps it from being built.
    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String>;
}

/// A network within a part.
#[derive(Clone, Copy, Debug)]
pub struct InnerNetwork<'p> {
    /// Its name.
    pub network: &'p str,
    /// The key of the part that says so.
    pub key: &'static str,
    /// So many members, in order, are one end together, which is called as the first of them.
    pub each: usize,
}

/// What a part lies on.
#[derive(Clone, Copy, Debug)]
pub enum Over<'p> {
    /// One other part.
    One(&'p str),
    /// Several.
    Several(&'p Names),
}

/// Where requests meet a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// Below the host's queue, as a device does.
    Below,
    /// The host itself makes it of others: requests come to it as its file systems make them, and the queues with their
    /// schedulers are below, one before each of those (Linux md and dm's linear, which take bios).
    OfHost,
    /// A piece of something: as that does.
    AsBelow,
    /// Before the host's queue, which merges requests: directly under who asks. Requests alone pass it, on their way
    /// down.
    BeforeQueue,
}

/// What makes no sense of a part.
#[derive(Clone, Debug)]
pub struct Objection {
    /// The key below the part; empty for the part itself.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// How a part is connected.
#[derive(Clone, Debug)]
pub struct HolderPorts {
    /// Its number among all that hold blocks.
    pub number: u32,
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// What it lies on, in order.
    pub members: Vec<Member>,
    /// Where the files lie on it that are there when the run begins, as far as a part below wants to know.
    pub files: Arc<FileLayout>,
    /// Its [inner network](Holder::inner_network): its own end is the first, its members' follow.
    pub network: Option<PlacedNetwork>,
}

/// What a part lies on, in the net.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Requests to it go here.
    pub requests: Place<BlockRequest>,
    /// They come back from here.
    pub completions: Place<BlockRequest>,
    /// Blocks of 512 bytes that it offers.
    pub blocks: u64,
    /// Whether anything turns in it.
    pub is_rotational: bool,
    /// Whether nobody else asks it for anything, nor shares a bus with it but those that lie beside it.
    pub alone: bool,
    /// Whether it tells what a further request would meet.
    pub sight: Sight,
}

/// A part in the net.
#[derive(Debug, Default)]
pub struct Built {
    /// The rows that the report shows.
    pub stages: Vec<Stage>,
    /// What it wants to be told by hosts, where it is a replication.
    pub replication: Option<BuiltReplication>,
    /// What the report tells of it, where it is an array.
    pub array: Option<BuiltArray>,
    /// What the report tells of it, where it is several paths.
    pub paths: Option<BuiltPaths>,
    /// What the report tells of it, where it is a pool of Ceph.
    pub ceph: Option<BuiltCeph>,
    /// What may pass it for a while only.
    pub credits: Vec<Credits>,
}

/// An array in the net.
#[derive(Clone, Debug)]
pub struct BuiltArray {
    /// Its level.
    pub level: String,
    /// All of it that changes.
    pub array: Place<Array>,
    /// All of its controller's cache.
    pub cache: Option<Place<Cache>>,
    /// When its members are to fail.
    pub failures: Vec<Time>,
}

/// Several paths in the net.
#[derive(Clone, Debug)]
pub struct BuiltPaths {
    /// All of them that changes.
    pub multipath: Place<Paths>,
    /// When each of them is to fail.
    pub failures: Vec<Vec<Time>>,
}

/// A replication in the net.
#[derive(Clone, Copy, Debug)]
pub struct BuiltReplication {
    /// Where it is told what files go through.
    pub operations: Place<FileOp>,
    /// Its copies.
    pub replicas: Place<Replicas>,
}

/// Makes the list of kinds: what the scenario holds of each, and how each is read and found.
macro_rules! holders {
    ($($key:ident: $kind:ty = $read:path, $example:literal, $text:literal;)*) => {
        /// Parts that hold blocks and lie on others, by kind and name.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
        pub struct Holders {
            $(#[doc = $text]
            #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
            pub $key: IndexMap<String, $kind>,)*
        }

        impl Holders {
            /// The keys under which a scenario describes them.
            pub const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            /// All of them, with key and name: by kind in the order of the list, of a kind in that of the file.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str, &dyn Holder)> {
                let none = std::iter::empty();
                $(let none = none.chain(
                    self.$key.iter().map(|(name, part)| (stringify!($key), name.as_str(), part as &dyn Holder)),
                );)*
                none
            }

            /// Where the catalogue has parts of a key.
            pub(crate) fn shelf(key: &str) -> Option<Shelf> {
                (key == "raid").then_some(ARRAYS)
            }

            /// The part of a key and a name.
            pub fn get(&self, key: &str, name: &str) -> Option<&dyn Holder> {
                $(if key == stringify!($key) {
                    return self.$key.get(name).map(|part| part as &dyn Holder);
                })*
                None
            }

            /// What is written of them, by kind.
            pub(crate) fn written(&self) -> Vec<IndexMap<String, Value>> {
                vec![$(values(&self.$key)),*]
            }

            /// Reads all of them, and takes them out of the rest.
            pub(crate) fn read(
                root: &Table<'_>,
                rest: &mut DeTable<'_>,
                problems: &mut Vec<Problem>,
                sources: &Sources,
            ) -> Self {
                Self {
                    $($key: read_parts(root, (stringify!($key), stringify!($key), $example), $read, rest, problems, sources),)*
                }
            }
        }
    };
}

// The list: one line a kind, and one `mod` and one `pub use` above.
holders! {
    raid: Raid = raid::read, "level = … and on = …", "Several disks as one, by name.";
    concat: Concat = concat::read, "on = …", "Several disks as one, each after the other, by name.";
    partition: Partition = partition::read, "on = …", "Runs of a disk's blocks as parts of their own, by name.";
    fabric: Fabric = fabric::read, "on = …", "Networks between hosts and their storage, by name.";
    multipath: Multipath = multipath::read, "on = … and paths = …", "Several paths to a device or array, of which some may fail, by name.";
    rearrangement: Rearrangement = rearrangement::read, "on = …", "Devices whose most used pieces are brought together, by name.";
    throttle: Throttle = throttle::read, "on = …", "Limits on what is asked of a device, by name.";
    replication: Replication = replication::read, "on = …", "Several copies of files on several disks, by name.";
    ceph: Ceph = ceph::read, "on = …, nodes = … and image = …", "Pools of Ceph's OSDs with an image of RBD, by name.";
}

/// What a part with one other part under it says of that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnOne {
    on: String,
}
