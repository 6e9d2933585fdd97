//! How copies are kept alike: which disks a read asks, and what a write does before it is done.
//!
//! ```text
//!  write-all     write n                                            answered with the first, or with all
//!  master        write 1 ─▶ write n − 1                             answered after the first step, or the last
//!  voting        (versions r ─▶) write w                            answered with w;  r + w > votes
//!  transaction   log n ─▶ commit 1 ─▶ write n                       answered after the commit record
//! ```
//!
//! Source: S.-L. Lo, "Ivy" (HPL-CSP-90-48, 1990), §1, names them as what updates of copies cost and leaves them out;
//! D. Gifford, "Weighted voting for replicated data" (SOSP 1979); P. Alsberg and J. Day, "A principle for resilient
//! sharing of distributed resources" (ICSE 1976: the master); J. Gray, "Notes on data base operating systems" (1978:
//! two-phase commit). A copy has one vote, or as many as its disk is given (Gifford's weights). Leaves out: masters that are elected anew, coordinators that fail between
//! the phases, and the refreshing of copies that a vote has left behind: they are current again where they are written.

use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How copies are kept alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Protocol {
    /// A write goes to all copies at once, a read to any of them (Ivy's).
    #[default]
    WriteAll,
    /// A write goes to the master copy, and from there to all others; writes of a file wait for each other. Copies that
    /// haven't got it yet aren't read where it wrote.
    Master,
    /// A write goes to as many copies as win a vote, a read asks so many that one of them has seen it. Where versions
    /// are on disk, writes of a file wait for each other.
    Voting(Voting),
    /// A write is logged at all copies, committed at the master, then done (two-phase commit); writes of a file wait
    /// for each other.
    Transaction(Transaction),
}

/// How copies vote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields, default)]
pub struct Voting {
    /// Votes that a write needs; left out, more than half of them. Of a file with fewer, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<u32>,
    /// Votes that a read needs; left out, as many as it takes to meet every write. Of a file with fewer, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<u32>,
    /// Votes of a copy by the disk that it lies on, in their order (1 to 100); left out, one each. The disk that is up most
    /// often, or is the fastest, gets more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// Where each copy keeps its version number.
    pub versions: Versions,
}

/// Where each copy keeps its version number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Versions {
    /// In its node's memory: asking costs messages.
    #[default]
    InMemory,
    /// On its disk, beside the data: asking costs a read of a block, too, before a read and before a write.
    OnDisk,
}

/// What transactions take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields, default)]
pub struct Transaction {
    /// The log at the end of each disk, written round and round.
    #[persist(keep)]
    pub log: Bytes,
}

impl Default for Transaction {
    fn default() -> Self {
        Self { log: Bytes(4 << 20) }
    }
}

impl Protocol {
    /// What it is called in reports, where it isn't the usual one.
    pub const fn words(&self) -> Option<&'static str> {
        match self {
            Self::WriteAll => None,
            Self::Master => Some("by a master copy"),
            Self::Voting(_) => Some("by voting"),
            Self::Transaction(_) => Some("by transactions"),
        }
    }

    /// Device blocks at the end of each disk that it takes for itself.
    pub(super) fn log_blocks(&self) -> u64 {
        match self {
            Self::Transaction(Transaction { log }) => log.get() / SECTOR_BYTES,
            _ => 0,
        }
    }

    /// Whether writes of a file wait for each other. Two that read the version from disks at once would take the same
    /// number.
    pub(super) fn is_ordered(&self) -> bool {
        let reads_versions = matches!(self, Self::Voting(voting) if voting.versions == Versions::OnDisk);
        reads_versions || matches!(self, Self::Master | Self::Transaction(_))
    }
}

impl Voting {
    /// Votes of a copy on a disk.
    pub(super) fn weight(&self, disk: usize) -> u32 {
        self.weights.get(disk).copied().unwrap_or(1)
    }

    /// Votes that a write needs, of a file with so many votes.
    pub(super) fn to_write(&self, votes: u32) -> u32 {
        self.writes.unwrap_or(votes / 2 + 1).min(votes)
    }

    /// Votes that a read needs.
    pub(super) fn to_read(&self, votes: u32) -> u32 {
        self.reads.unwrap_or(votes + 1 - self.to_write(votes)).min(votes)
    }
}
