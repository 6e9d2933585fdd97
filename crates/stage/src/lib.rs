//! What the models of the storage path are made of: what a page says of itself (its stages, the levers that make it better), what a part
//! costs (`cost`), how long it lives (`reliability`), a host's processors, the state of a protocol (`reactor`), the order of what happens at one instant, and containers.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod processor;

/// Tokens at most on an arc in one firing, where no number can be given: any number.
pub const MANY: u32 = u32::MAX;

pub mod cost;
pub mod divisor;
pub mod fast_map;
pub mod function;
pub mod instants;
pub mod lever;
pub mod ranges;
pub mod reactor;
pub mod reliability;
pub mod slab;
mod stage;

/// Commands that a queue is made for at most, whatever it may hold: a queue whose depth is beyond this is never full.
/// (Runs with more than 100,000 requests in flight for a disk are refused as overloads.)
pub const DEPTH_MAX: u32 = 1 << 20;

pub use function::{Function, Profile};
pub use lever::{Lever, TWICE, doubled};
pub use stage::{Stage, Work};
