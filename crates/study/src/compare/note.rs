//! What a comparison says beside its figures. Each note is of one claim, which has a name, as those of a report do: a program finds it by
//! that, and a test holds each to a comparison in which it is made and one in which it isn't.

use serde::Serialize;
use std::fmt;

/// What a note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoteClaim {
    /// A scenario is run with another seed than its own, that of the first.
    OneSeed,
    /// The precision asked for was not reached.
    PrecisionNotReached,
    /// One counts block requests, another operations on files.
    CountedApart,
    /// What the reader of a measurement remarks on it.
    Measured,
    /// Something was measured more than once.
    SeveralRuns,
    /// A scenario predicts nothing of some measured figures.
    NotPredicted,
    /// A workload isn't the load that was measured under its name.
    OtherLoad,
    /// All go on from one state.
    FromState,
    /// How requests of a measured load are taken to come, and where to lie.
    Assumed,
    /// Some of a measured load is run with as many requests under way as there were.
    Saturated,
    /// Reads and writes were counted together.
    Together,
}

impl NoteClaim {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::OneSeed,
        Self::PrecisionNotReached,
        Self::CountedApart,
        Self::Measured,
        Self::SeveralRuns,
        Self::NotPredicted,
        Self::OtherLoad,
        Self::FromState,
        Self::Assumed,
        Self::Saturated,
        Self::Together,
    ];

    /// Says it in words.
    pub(super) fn says(self, text: impl Into<String>) -> Note {
        Note { claim: self, text: text.into() }
    }
}

/// A note of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it says, by name.
    pub claim: NoteClaim,
    /// And in words.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
