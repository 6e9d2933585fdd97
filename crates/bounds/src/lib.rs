//! What this machine has left, so that what would need more is refused before anything of it is taken.
//!
//! An estimate is no more than the bytes that are certain to be needed: what is refused couldn't have worked, and what isn't refused may
//! still be too much. See [`memory`] and [`disk`].

pub mod disk;
pub mod memory;

pub use memory::{TooMuch, available, check};
