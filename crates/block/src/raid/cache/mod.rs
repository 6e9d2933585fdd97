//! The cache of an array's controller.
//!
//! ```text
//!            ┌───────────── for-room ◀─┐ full
//!            ▼ room                    │
//! requests ─▶(admit)               ─▶(look up)─▶ down ─▶ … array … ─▶ up ─▶(back)─▶ completions
//!            └──▶ memory ◀── hit, write ──┘         ▲
//!                   └──▶(serve)─▶ completions       └── destaged
//! ```
//!
//! Reads of what is in it are hits. With a battery, writes are reported once they are in memory (write-back), and a flush has
//! nothing to wait for. What isn't on the members yet is written to them from a high to a low water mark, when nothing is
//! asked for a while, after a time, and while somebody waits for room: in one sweep over the array, all that waits of a stripe at
//! a time (`destage`), so that what has come in small pieces goes out as whole stripes. Whoever reads in order is read ahead of
//! (`read_ahead`). Without a battery, writes go through and stay in
//! memory for reads. Of what is on the members, the line that was used longest ago goes first.
//!
//! Sources: J. Menon and J. Cortney, "The architecture of a fault-tolerant cached RAID controller", ISCA 1993; K. Treiber and
//! J. Menon, "Simulation study of cached RAID5 designs", HPCA 1995, for destaging by stripes and water marks.
//!
//! Leaves out: the controller's work on what it destages; old data in memory, which would spare reads for parity; a battery that runs down, and a cache that fails.
//! What the members hold in caches of their own is taken to be as safe as what is here: such controllers switch these off.

mod destage;
mod lines;
mod page;
mod parameters;
mod read_ahead;
mod state;
mod tally;

pub(super) use destage::Shape;
pub(super) use page::{CachePorts, cache_page};
pub use parameters::RaidCacheParameters;
pub use state::Cache;
pub(super) use state::Down;
pub use tally::CacheTally;

#[cfg(test)]
mod tests;
