//! Why a state can't be written, or not be read.

use thiserror::Error;

/// A state that isn't what was written, or of another System.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// It ends before all is read.
    #[error("it ends too early")]
    Ends,
    /// It goes on after all is read.
    #[error("{0} B are left that belong to nothing")]
    Left(usize),
    /// A value that its type doesn't have.
    #[error("{what} was expected and not {found}")]
    Value {
        /// The type.
        what: &'static str,
        /// What was there.
        found: String,
    },
    /// A part of the System that can't be made of what was written.
    #[error("{0} can't be made anew: there is another number of them here than in what was saved")]
    FromNothing(&'static str),
    /// What it rests on isn't there any more.
    #[error("{0}")]
    Input(String),
    /// A pointer to something that this System doesn't have.
    #[error("it points to part {number} of the System, which is no {what} here")]
    Part {
        /// Which.
        number: u64,
        /// What it should be.
        what: &'static str,
    },
}

/// Something that can't be written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("a state with {0} can't be saved")]
pub struct Refusal(pub String);
