//! What a report says in words: what to check before its figures are trusted, what limits the run and what would change that,
//! and what was assumed. Each sentence is of one claim, and each claim has a name, by which a program finds it and under which a
//! test holds it to runs in which it is true and in which it isn't (`tests/claims.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// What a sentence says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Claim {
    /// More comes than is served, and what waits grows with the length of the run.
    Overloaded,
    /// A workload waited for one request, or for all that it asked for, when the run ended.
    Waits,
    /// Nothing completed.
    NothingCompleted,
    /// Requests could not be done.
    Failed,
    /// Reads began at the end of their files or beyond.
    FoundNothing,
    /// A workload ended long before the others.
    EndedEarly,
    /// Requests beyond the end of a disk were left out or wrapped around.
    BeyondEnd,
    /// Calls of a replayed trace were changed to stay possible.
    ChangedCalls,
    /// A replayed trace leaves something out.
    LeftOut,
    /// Files were in memory when the trace was taken, and are when it is replayed.
    BeginsWarm,
    /// Files were said to be cached, and aren't, or not all of them.
    NotCached,
    /// Frames were lost before links.
    Dropped,
    /// A host received more than its link passes, at a level that doesn't hold it to that.
    PastTheWire,
    /// A placement isn't what its profile knows.
    Placement,
    /// The beginning was slower because caches were empty.
    ColdCaches,
    /// The run ended before a cache had filled, and behind that the load gets less.
    Burst,
    /// Processes that pause equally long stay in step, and wait for each other or keep out of each other's way.
    LockStep,
    /// Processes waited for memory of theirs that had gone to swap space.
    Thrashing,
    /// A drive's write cache is off, and writes wait for its platters.
    WriteCacheOff,
    /// What a synchronous write, or a close, has returned for may be lost with the power.
    NotDurable,
    /// What costs processors' time was said to cost none, and would decide.
    CostsNothing,
    /// Small calls in order each go to a share's server, which clients with a page cache would have gathered or read ahead.
    NotGathered,
    /// A scheduler stands before a device that the kernel never had.
    NotOfThisKernel,
    /// Keys mean nothing at the level at which a network is computed.
    NoEffect,
    /// The mean is known badly.
    WideInterval,
    /// The precision asked for was not reached.
    PrecisionNotReached,
    /// The run was broken off by its guard.
    BrokenOff,
    /// A part limits the run: a change of it that gives nothing up was found to help, by as much as is said.
    Limits,
    /// A change that gives something up helps, and more than any that doesn't.
    AtAPrice,
    /// Changes of parts that are as busy as each other help together, by as much as is said, and hardly alone.
    Together,
    /// With a change as much is served as comes.
    EndsOverload,
    /// With a change more is served, and more still comes than that.
    StillOverloaded,
    /// Something seemed to help in one run, and wasn't known to when it was looked at again.
    NotForSure,
    /// None of the changes that were tried helps by itself.
    NothingHelps,
    /// A run goes on from a state that was made with other speeds.
    OtherSpeeds,
    /// Changes that would have made another state aren't tried from this one.
    NotFromHere,
    /// Figures of a device are assumed, for no source tells them.
    Assumed,
    /// What a report of form 1 said, or one of form 2 of its assumptions: they had no names.
    #[default]
    Unnamed,
}

impl Claim {
    /// Says it in words.
    pub fn says(self, text: impl Into<String>) -> Sentence {
        Sentence { claim: self, text: text.into() }
    }
}

/// A sentence of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sentence {
    /// What it says, by name.
    pub claim: Claim,
    /// And in words, with its figures.
    pub text: String,
}

impl Sentence {
    /// Whether its words are among these.
    pub fn contains(&self, words: &str) -> bool {
        self.text.contains(words)
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Named { claim: Claim, text: String },
            // As reports of form 1 have it.
            Words(String),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Named { claim, text } => Self { claim, text },
            Form::Words(text) => Self { claim: Claim::Unnamed, text },
        })
    }
}
