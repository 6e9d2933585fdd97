//! What a family of hosts is: as it is written, and once all of it is found.

use crate::checker::{Checker, GuestFileSystem};
use crate::parts::PartKind;
use crate::text::tree::{KeySpans, Table};
use crate::text::{Copies, Problem, Sources};
use indexmap::IndexMap;
use petrio_models::Lever;
use petrio_workload::parallel::Mounted;
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
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage), where that is one thing.
    pub on: Option<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// Volumes of one space number their files together, for the files of one lie on others: the first such volume,
    /// among all of the scenario.
    pub space: usize,
    /// What it does for parallel programs.
    pub mounted: Mounted,
}

/// What a part that holds blocks has to say about how it is read ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beneath {
    /// Whether anything turns in it (`queue/rotational`).
    pub(crate) turns: bool,
    /// Whether all in it has a queue for each processor (NVMe).
    pub(crate) has_many_queues: bool,
    /// Whether all in it takes discards, and nothing refuses them on the way.
    pub(crate) takes_discards: bool,
    /// Bytes of the request that suits it best (`queue/optimal_io_size`): a stripe of an array that the host makes. Disks
    /// name none, nor does what lies behind a controller.
    pub(crate) optimal_request: Option<u64>,
    /// Blocks of the largest sector of a disk in it, as it lies on the platters.
    pub(crate) physical_sector: u64,
    /// Whether it begins within such a sector, on what lies in order.
    pub(crate) is_unaligned: bool,
}

/// Where file systems are placed.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'g> {
    /// Blocks of 512 bytes of each holder.
    pub(crate) sizes: &'g [u64],
    /// What each has to say about how it is read ahead.
    pub(crate) beneath: &'g [Beneath],
    pub(crate) places: &'g KeySpans,
    pub(crate) sources: &'g Sources,
}

impl Ground<'_> {
    /// Blocks of 512 bytes of a holder.
    pub(crate) fn blocks(&self, holder: u32) -> u64 {
        self.sizes.get(holder as usize).copied().unwrap_or(0)
    }

    /// What a holder has to say about how it is read ahead.
    pub(crate) fn beneath(&self, holder: u32) -> Beneath {
        self.beneath.get(holder as usize).copied().unwrap_or_default()
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

    /// The hosts that may be on the networks of another family, and mount what its hosts export.
    fn guests(&self) -> Vec<String> {
        Vec::new()
    }

    /// Their file systems, in the order of their volumes: what can be found of them before anything is checked.
    fn guest_file_systems(&self, _checker: &mut Checker<'_, '_>) -> Vec<GuestFileSystem> {
        Vec::new()
    }

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

    /// What its hosts mount. Hosts, and the volumes that are spaces, are counted from the family's first one.
    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_>;

    /// Whether its hosts put requests into an order before the device does.
    fn orders_requests(&self) -> bool;

    /// Whether its file systems put files where a trace saw them.
    fn keeps_recorded_places(&self) -> bool {
        false
    }

    /// Which library carries messages of the processes of one of its hosts, by a number of its own.
    fn message_library(&self, _host: usize) -> Option<usize> {
        None
    }

    /// How fast programs compute on one of its hosts, beside the machine of their computing times.
    fn computing_speed(&self, _host: usize) -> f64 {
        1.0
    }

    /// What can't be had: what would never end, or needs more memory than there is.
    fn impossible(&self, _places: &KeySpans, _sources: &Sources) -> Vec<Problem> {
        Vec::new()
    }

    /// What its parts are, for a report's line of the System.
    fn words(&self, tell: TellWords<'_>);

    /// What a person could change about its parts to make them better.
    fn levers(&self, copies: &Copies, tell: TellLevers<'_>);
}
