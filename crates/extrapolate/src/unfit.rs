//! Why nothing can be foretold.

use miette::Diagnostic;
use thiserror::Error;

/// What of recordings follows no law that is known.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[non_exhaustive]
pub enum Unfit {
    /// All recordings are of one number of ranks.
    #[error("{ranks} ranks were recorded: what changes with their number doesn't follow from one")]
    #[diagnostic(help("record the program on a second number of ranks, too, and name both recordings"))]
    One {
        /// How many.
        ranks: u32,
    },
    /// Two are of the same number.
    #[error("two of the recordings are of the same number of ranks")]
    #[diagnostic(help("name recordings of the same program on different numbers of ranks"))]
    Twice,
    /// More than are foretold.
    #[error("at most {most} ranks are foretold")]
    TooMany {
        /// How many.
        most: u32,
    },
    /// No rank is in one of them.
    #[error("one of the recordings is of a program without ranks")]
    NoRanks,
    /// A rank is missing.
    #[error("nothing was recorded of the rank {rank}")]
    Missing {
        /// Which.
        rank: u32,
    },
    /// Several threads of a rank exchange messages.
    #[error("several threads of the rank {rank} exchange messages, which isn't followed")]
    Threads {
        /// Which.
        rank: u32,
    },
    /// Others than the followed thread read or write.
    #[error("threads or children of the rank {rank} read or write files, which isn't followed")]
    Children {
        /// Which.
        rank: u32,
    },
    /// Files whose names follow from nothing.
    #[error("files named {name} are read or written, and their numbers follow from no rank")]
    #[diagnostic(help("name the folder of the data with `below`, if these are none"))]
    Names {
        /// The name without its digits.
        name: String,
    },
    /// Ranks of a role do different things.
    #[error(
        "the ranks {first} and {second} of {ranks} don't do the same: at its step {step} one of them {does}"
    )]
    Roles {
        /// One of them.
        first: u32,
        /// The other.
        second: u32,
        /// Of how many.
        ranks: u32,
        /// From which step on.
        step: usize,
        /// What the first one does.
        does: String,
    },
    /// Recordings don't go through the same loops.
    #[error(
        "on {less} ranks the rank {rank} doesn't go through the loops that it goes through on {more}: from its step {step} on \
         ({does}) no number of turns fits"
    )]
    #[diagnostic(help(
        "record on more ranks: on few of them, loops can't be told from what is done once; a program whose ranks are given work as \
         they go (a master and workers) can't be foretold"
    ))]
    Loops {
        /// Of how many ranks.
        less: u32,
        /// The other.
        more: u32,
        /// Which rank.
        rank: u32,
        /// Which step.
        step: usize,
        /// What it does there.
        does: String,
    },
    /// A role that one recording has alone.
    #[error("what the rank {rank} of {ranks} does was recorded on one number of ranks alone")]
    #[diagnostic(help("record the program on more ranks, so that such ranks are in two recordings"))]
    Role {
        /// Which rank.
        rank: u32,
        /// Of how many.
        ranks: u32,
    },
    /// A number follows no law.
    #[error("{what} of \"{does}\" follows no law of rank and number of ranks: {example}")]
    Law {
        /// Which number.
        what: &'static str,
        /// Of what.
        does: String,
        /// What was recorded.
        example: String,
    },
    /// So many ranks don't make that shape.
    #[error("the ranks make {shape}, and {ranks} of them don't")]
    Shape {
        /// Which.
        shape: &'static str,
        /// How many.
        ranks: u32,
    },
    /// A number is none on so many ranks, or two laws that fit say different ones.
    #[error(
        "on {ranks} ranks, {what} of \"{does}\" would be no whole number, or laws that fit what was recorded differ there"
    )]
    #[diagnostic(help(
        "take a number of ranks that divides what they share, or record on a third number: more of them tell laws apart"
    ))]
    Whole {
        /// How many.
        ranks: u32,
        /// Which number.
        what: &'static str,
        /// Of what.
        does: String,
    },
    /// More steps than are laid out.
    #[error("on {ranks} ranks, the rank {rank} would take too many steps, or none")]
    Steps {
        /// How many ranks.
        ranks: u32,
        /// Which one.
        rank: u32,
    },
    /// Messages that don't meet.
    #[error(
        "on {ranks} ranks, the rank {rank} would wait for ever ({does}): its pattern isn't the one that was recognised"
    )]
    #[diagnostic(help(
        "record the program on a third number of ranks: more of them tell the pattern better"
    ))]
    Waits {
        /// How many ranks.
        ranks: u32,
        /// Which one.
        rank: u32,
        /// For what.
        does: String,
    },
    /// Messages of other lengths than is said where they are received.
    #[error(
        "on {ranks} ranks, the rank {rank} would get {sent} bytes where it waits for {received}: two laws that fit what was recorded \
             don't fit each other"
    )]
    #[diagnostic(help(
        "record the program on a third number of ranks: more of them tell the pattern better"
    ))]
    Lengths {
        /// How many ranks.
        ranks: u32,
        /// Which one.
        rank: u32,
        /// Bytes.
        sent: u64,
        /// Bytes.
        received: u64,
    },
}

impl Unfit {
    /// How far it came: what is told is what came furthest.
    pub(crate) const fn progress(&self) -> usize {
        match self {
            Self::Roles { .. } => 1,
            Self::Role { .. } => 2,
            Self::Loops { .. } => 3,
            Self::Law { .. } => 4,
            Self::Shape { .. }
            | Self::Whole { .. }
            | Self::Steps { .. }
            | Self::Waits { .. }
            | Self::Lengths { .. } => 5,
            _ => 0,
        }
    }
}
