//! Pages of the storage path.

pub mod block;
pub mod cluster;
pub mod device;
pub mod host;
pub mod network;
pub mod processor;

/// Tokens at most on an arc in one firing, where no number can be given: any number.
const MANY: u32 = u32::MAX;

mod divisor;
mod drain;
mod fast_map;
mod function;
mod instants;
mod lever;
mod slab;
mod stage;

/// Commands that a queue is made for at most, whatever it may hold: a queue whose depth is beyond this is never full.
/// (Runs with more than 100,000 requests in flight for a disk are refused as overloads.)
const DEPTH_MAX: u32 = 1 << 20;

pub use function::{Function, Profile};
pub use lever::{Lever, TWICE, doubled};
pub use stage::{Stage, Work};
