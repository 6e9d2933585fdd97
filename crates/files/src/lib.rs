//! How petrio treats what lies around it: nothing of a user's is lost, and nothing of petrio's is left lying about.
//!
//! ```text
//!  inputs::Inputs ───▶ what a piece of work has read, by its identity ─┐
//!                                                                      ├─▶ refused: an output over an input
//!  whole_file::WholeFile ── temporary name ── sync ── rename ──────────┘
//!        │
//!        └─▶ under_way: a record of all that must not outlive this process, for whoever starts next
//!  shown: names and texts of others, fit for a terminal
//! ```
//!
//! - [`inputs`]: all that one piece of work reads, from files or from memory, small things once; none of its outputs
//!   replaces any of it.
//! - [`lines`]: text whose lines have an end.
//! - [`own`]: what petrio's accounts of files that it has made are called.
//! - [`whole_file`]: files that are complete or absent; pipes, terminals and devices are written through.
//! - [`temporary`]: folders that go with their guard, with the process, or with the next start.
//! - [`under_way`]: what would be left by a process that is killed, and how the next one clears it.
//! - [`shown`]: names and lines in messages, without control characters and no longer than a line.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod inputs;
pub mod lines;
pub mod own;
pub mod shown;
pub mod temporary;
pub mod under_way;
pub mod whole_file;
