//! The house rules of the repository, as tests (`tests/house_rules.rs`).
//!
//! A rule is a function from the [`Tree`] of tracked files to the places that break it. Rules
//! read text, not syntax: each is simple enough to be read in a minute and to explain its own
//! verdict. What the compiler, clippy, rustfmt or cargo-deny can check stays with them.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod rules;
mod source;
mod tree;

pub use source::{TestLines, words};
pub use tree::{Tracked, Tree};

use std::fmt;

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path relative to the root of the repository, with forward slashes.
    pub path: String,
    /// Line number from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong and what to do about it.
    pub what: String,
}

impl Violation {
    /// A violation in one line of a file.
    pub fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }

    /// A violation by a file as a whole.
    pub fn whole(path: &str, what: impl Into<String>) -> Self {
        Self::at(path, 0, what)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}
