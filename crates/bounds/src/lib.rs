//! What this machine has left, so that what would need more is refused before anything of it is taken.
//!
//! An estimate is no more than the bytes that are certain to be needed: what is refused couldn't have worked, and what
//! isn't refused may still be too much. See [`memory`] and [`disk`]. What grows with an input of unknown size is
//! watched as it grows ([`Headroom`]).

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod disk;
mod headroom;
pub mod memory;

pub use headroom::Headroom;
pub use memory::{TooMuch, available, check};
