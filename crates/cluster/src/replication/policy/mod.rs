//! Replication policies: from a file's history to the number of its copies.
//!
//! A policy is one file with one type that implements [`Policy`], and a line in [`PolicyParameters`]. It has no state
//! of its own: what it needs to know is in the file's [`History`].

mod adaptive;
mod cut_back;
mod cut_back_random;
mod read_one_write_all;
mod scatter;
mod scatter_cut_back;
mod trigger;

pub use trigger::Trigger;

use super::history::{FileEvent, History};
use petrio_kernel::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// Where a file's first copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// All to the first disk.
    First,
    /// Each to a disk by chance.
    Random,
}

/// Which copy is kept when all others go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    /// The one that was made first.
    Master,
    /// One by chance, which is the master from then on.
    Random,
}

/// What is to be done about a file's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Keep,
    /// All but one go, at once.
    CutBack(Retain),
    /// There are to be so many, if nothing else is decided before, `after` this event.
    Copies {
        /// How many.
        number: u32,
        /// How long after the event.
        after: Time,
    },
}

/// A replication policy.
pub trait Policy: Debug + Send + Sync {
    /// Where a file's first copy goes.
    fn home(&self) -> Home {
        Home::First
    }

    /// How many copies a file has that was there before the run.
    fn of_old(&self, most: u32) -> u32 {
        most
    }

    /// How many copies a file has when it is made.
    fn of_new(&self, _most: u32) -> u32 {
        1
    }

    /// What something that happened to a file means for its copies, of which there may be `most`.
    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision;
}

/// The policies, as a scenario writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PolicyParameters {
    /// RNWN: a file always has all copies, and a write goes to all of them.
    ReadOneWriteAll,
    /// RNW1: before a file is written, all copies but the first go; when it has not been written for a while, they come
    /// back.
    CutBack(Trigger),
    /// RNW1CR: as `cut-back`, but the copy that is kept is one by chance.
    CutBackRandom(Trigger),
    /// No copies: each file lies on a disk by chance.
    Scatter,
    /// `scatter` and `cut-back-random` together.
    ScatterCutBack(Trigger),
    /// The number of copies follows how often a file is read for each time that it is written.
    Adaptive(adaptive::AdaptiveParameters),
    /// Somebody's own, which no scenario can write.
    #[serde(skip)]
    Own(OwnPolicy),
}

/// A policy that isn't one of these: whoever runs a scenario puts it there.
#[derive(Clone, Debug)]
pub struct OwnPolicy {
    /// What reports call it.
    pub words: &'static str,
    /// It.
    pub policy: Arc<dyn Policy>,
}

/// The same is what was put there once.
impl PartialEq for OwnPolicy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy)
    }
}

impl Default for PolicyParameters {
    fn default() -> Self {
        Self::CutBackRandom(Trigger::default())
    }
}

impl PolicyParameters {
    /// The policy.
    pub(super) fn policy(&self) -> Arc<dyn Policy> {
        match self.clone() {
            Self::ReadOneWriteAll => Arc::new(read_one_write_all::ReadOneWriteAll),
            Self::CutBack(trigger) => Arc::new(cut_back::CutBack { trigger }),
            Self::CutBackRandom(trigger) => Arc::new(cut_back_random::CutBackRandom { trigger }),
            Self::Scatter => Arc::new(scatter::Scatter),
            Self::ScatterCutBack(trigger) => Arc::new(scatter_cut_back::ScatterCutBack { trigger }),
            Self::Adaptive(parameters) => Arc::new(adaptive::Adaptive { parameters }),
            Self::Own(own) => own.policy,
        }
    }

    /// What it is called in reports.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::ReadOneWriteAll => "read one, write all",
            Self::CutBack(_) => "cut back to one on write",
            Self::CutBackRandom(_) => "cut back to a random one on write",
            Self::Scatter => "scatter, no copies",
            Self::ScatterCutBack(_) => "scatter, cut back to a random one on write",
            Self::Adaptive(_) => "copies by reads per write",
            Self::Own(own) => own.words,
        }
    }
}
