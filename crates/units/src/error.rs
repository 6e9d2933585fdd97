//! Why a text is not the quantity that was asked for, in words for the person who wrote it.

use thiserror::Error;

/// A text that is not the quantity needed. Each message says what is wrong and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// Nothing but blanks.
    #[error("nothing is written here; {needed} is needed, such as \"{example}\"")]
    Empty {
        /// The quantity, with its article.
        needed: &'static str,
        /// A well-formed example.
        example: &'static str,
    },
    /// A bare number.
    #[error("\"{text}\" has no unit; write {suggestion}")]
    NoUnit {
        /// What was written.
        text: String,
        /// The number with the units that are usual for the quantity, each in quotes.
        suggestion: String,
    },
    /// A unit of another quantity.
    #[error("\"{text}\" is {found}, {needed} is needed, such as \"{example}\"")]
    WrongQuantity {
        /// What was written.
        text: String,
        /// The quantity that the unit belongs to, with its article.
        found: &'static str,
        /// The quantity needed, with its article.
        needed: &'static str,
        /// A well-formed example.
        example: &'static str,
    },
    /// A unit that petrio doesn't know.
    #[error("\"{unit}\" in \"{text}\" is not a unit of {needed}; {advice}")]
    UnknownUnit {
        /// What was written.
        text: String,
        /// The unit in it.
        unit: String,
        /// The quantity needed, with its article.
        needed: &'static str,
        /// What to write instead: a likely unit, or the list of them.
        advice: String,
    },
    /// The text doesn't begin with a decimal number.
    #[error("\"{text}\" does not begin with a number; {needed} is written like \"{example}\"{hint}")]
    NotANumber {
        /// What was written.
        text: String,
        /// The quantity needed, with its article.
        needed: &'static str,
        /// A well-formed example.
        example: &'static str,
        /// What in it can't be read, where that helps; begins with a semicolon, or empty.
        hint: &'static str,
    },
    /// A negative number.
    #[error("\"{text}\" is negative; {needed} is zero or more")]
    Negative {
        /// What was written.
        text: String,
        /// The quantity needed, with its article.
        needed: &'static str,
    },
    /// Zero, where something must move.
    #[error("\"{text}\" is zero; {needed} is more than zero")]
    Zero {
        /// What was written.
        text: String,
        /// The quantity needed, with its article.
        needed: &'static str,
    },
    /// More than petrio represents.
    #[error("\"{text}\" is too large; {needed} is at most {limit}")]
    TooLarge {
        /// What was written.
        text: String,
        /// The quantity needed, with its article.
        needed: &'static str,
        /// The largest value.
        limit: &'static str,
    },
    /// Less than the smallest step, but not zero.
    #[error("\"{text}\" is too small; the smallest step of {needed} is {step}")]
    TooSmall {
        /// What was written.
        text: String,
        /// The quantity needed, with its article.
        needed: &'static str,
        /// The smallest step.
        step: &'static str,
    },
    /// Not a multiple of something that can't be divided.
    #[error("\"{text}\" is not a whole number of {parts}")]
    NotWhole {
        /// What was written.
        text: String,
        /// What can't be divided: bytes, blocks.
        parts: &'static str,
    },
    /// Not between nothing and all.
    #[error("\"{text}\" is not a fraction; write a number between 0 and 1, or a percentage such as \"30 %\"")]
    OutsideFraction {
        /// What was written.
        text: String,
    },
}
