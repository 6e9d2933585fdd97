//! What the time of a request is spent on, for each colour.

use petrio_persist::Persist;
use petrio_time::Time;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;

/// The causes that one colour's ledger tells apart: at most [`MOST_CAUSES`].
pub trait Causes: Copy + Debug + Default + Eq + Hash + Ord + Persist + Send + Sync + 'static {
    /// Every cause, in the order in which a request meets them.
    const ALL: &'static [Self];

    /// A time for each of them, `[Time; N]`: as large as it has to be, since tokens are moved often.
    type Spans: AsRef<[Time]>
        + AsMut<[Time]>
        + Copy
        + Debug
        + Default
        + DeserializeOwned
        + Persist
        + Eq
        + Hash
        + Send
        + Serialize
        + Sync
        + 'static;

    /// Its position in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// The word used in reports.
    fn name(self) -> &'static str;
}

/// Most causes that a ledger tells apart.
pub const MOST_CAUSES: usize = 10;

/// What a span of a block request's time was spent on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Waiting for a device, a bus or a place in a queue.
    #[default]
    Queue,
    /// Command decoding, completion and other controller work.
    Overhead,
    /// Moving the arm, with settling and head switches.
    Seek,
    /// Waiting for the platter to turn.
    Rotation,
    /// Reading or writing at the medium.
    Transfer,
    /// Moving data over a bus or a link, where that does not overlap the medium.
    Bus,
    /// Service of a device that does not say more (a constant-rate device).
    Service,
}

impl Causes for Cause {
    type Spans = [Time; 7];

    const ALL: &'static [Self] =
        &[Self::Queue, Self::Overhead, Self::Seek, Self::Rotation, Self::Transfer, Self::Bus, Self::Service];

    fn index(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Overhead => "overhead",
            Self::Seek => "seek",
            Self::Rotation => "rotation",
            Self::Transfer => "transfer",
            Self::Bus => "bus",
            Self::Service => "service",
        }
    }
}

/// What a span of a file operation's time was spent on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum FileCause {
    /// The C library and the way into the kernel and back.
    #[default]
    Call,
    /// Work in the page cache and the file system: looking pages up, inserting them, mapping and allocating blocks.
    Cache,
    /// Copying data between the process and the page cache.
    Copy,
    /// Waiting for a processor that others use.
    Processor,
    /// Waiting for reads from the device.
    Read,
    /// Waiting for data to be written to the device.
    Write,
    /// Waiting for the journal: a commit, or space in it.
    Journal,
    /// Being held back because too many pages are dirty.
    Throttle,
    /// On the network, and waiting for it: host costs, links, switches.
    Network,
    /// At servers, but for what their own file systems took: waiting for a server's turn, its own work.
    Server,
}

impl Causes for FileCause {
    type Spans = [Time; 10];

    const ALL: &'static [Self] = &[
        Self::Call,
        Self::Cache,
        Self::Copy,
        Self::Processor,
        Self::Read,
        Self::Write,
        Self::Journal,
        Self::Throttle,
        Self::Network,
        Self::Server,
    ];

    fn index(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        match self {
            Self::Call => "system call",
            Self::Cache => "page cache",
            Self::Copy => "copy",
            Self::Processor => "processor wait",
            Self::Read => "device reads",
            Self::Write => "device writes",
            Self::Journal => "journal",
            Self::Throttle => "dirty throttle",
            Self::Network => "network",
            Self::Server => "server",
        }
    }
}
