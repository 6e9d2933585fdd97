//! What every colour that asks for something has in common, for whoever drives a net and reports.

use crate::cause::Causes;
use crate::failure::Failure;
use crate::file_id::FileId;
use crate::ledger::Ledger;
use petrio_persist::Persist;
use petrio_time::Time;
use serde::{Deserialize, Serialize};

/// How a request ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// On its way.
    #[default]
    InFlight,
    /// Served at the medium.
    Done,
    /// Served from a device's cache, or acknowledged before it reached the medium.
    DoneFromCache,
    /// Not done.
    Failed(Failure),
}

impl Status {
    /// Why it was not done, if it wasn't.
    pub const fn failure(self) -> Option<Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// How what a host was asked ended: a failure, if there is one, or after waiting for a device, or from memory.
    pub const fn of_call(failure: Option<Failure>, waited: bool) -> Self {
        match failure {
            Some(failure) => Self::Failed(failure),
            None if waited => Self::Done,
            None => Self::DoneFromCache,
        }
    }

    /// How a whole ended of which one part ended so and another like `other`: it failed where a part did, and came from
    /// a cache where all parts did.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Failed(failure), _) | (_, Self::Failed(failure)) => Self::Failed(failure),
            (Self::DoneFromCache, Self::DoneFromCache) => Self::DoneFromCache,
            _ => Self::Done,
        }
    }
}

/// A request's number in its run, unique and ascending in order of issue.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(transparent)]
pub struct RequestId(pub u64);

/// Whether a request moves data, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub enum Movement {
    /// Towards the one who asked.
    Read,
    /// Away from the one who asked.
    Write,
    /// Not at all: a flush, an fsync, an unlink.
    Neither,
}

/// How urgent a request is among those of other processes (ioprio_set(2)).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum IoClass {
    /// Before everybody else.
    RealTime,
    /// The usual.
    #[default]
    BestEffort,
    /// Only when nobody else asks.
    Idle,
}

/// A token that a program issues and that comes back with a ledger.
pub trait Request: Clone + Persist + Send + Sync + 'static {
    /// What its ledger tells apart.
    type Cause: Causes;

    /// Its number in the run.
    fn id(&self) -> RequestId;

    /// Gives it its number in the run.
    fn set_id(&mut self, id: RequestId);

    /// When it was issued.
    fn issued(&self) -> Time;

    /// Bytes that it moves.
    fn bytes(&self) -> u64;

    /// Which way it moves data.
    fn movement(&self) -> Movement;

    /// How it ended.
    fn status(&self) -> Status;

    /// What it asks for, for messages: "a read of 8 blocks from block 64".
    fn asked(&self) -> String;

    /// The file that it is about, where it is about one.
    fn about(&self) -> Option<FileId>;

    /// Whether it is asked of the storage, so that who measures that is told of it.
    fn is_of_storage(&self) -> bool {
        true
    }

    /// Whether it is only word that it is on its way, and not its completion.
    fn is_word(&self) -> bool {
        false
    }

    /// Whether it was answered without waiting for a medium.
    fn is_from_cache(&self) -> bool {
        self.status() == Status::DoneFromCache
    }

    /// Which process asked.
    fn process(&self) -> u32;

    /// Where its time went.
    fn ledger(&self) -> &Ledger<Self::Cause>;
}
