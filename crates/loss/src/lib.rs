//! How likely it is that more parts fail than their redundancy outlives, within a time.
//!
//! ```text
//!  Store: drives ─ lie below ─▶ arrays ─ lie below ─▶ … ─▶ what data lie on
//!     │ Course: drives fail by their age, places are taken, filled, and safe again
//!     ▼
//!  Estimate: paths of years, each as nature has it; from each failure on a side path on which what would be fatal is made likely, and weighed
//! ```
//!
//! **Rare events.** A year of an array that loses data once in a million would have to be drawn hundreds of millions of times. Instead, where
//! few failures are to be expected, the first one is made likely; and from each moment at which all was whole and something fails, a side
//! path is run until all is whole again, on which those drives that would be fatal (or, where none is, those of damaged arrays) fail with
//! even odds before the next place is filled. Each path carries the ratio of how likely it is by nature to how likely it was made, so that the
//! mean is right whatever was made likely (importance sampling by failure biasing: P. Heidelberger, "Fast simulation of rare events in
//! queueing and reliability models", ACM TOMACS 5(1), 1995). A loss can only lie on a path from a moment when all was whole: the chance of
//! one within the time is the sum, over these moments of a natural path, of that of their side paths. The main path goes on as nature has
//! it, so that its weights don't grow with the years.
//!
//! **Sectors.** What is read to fill a place while nothing else has it may hold a sector that can't be read: from each path the chance of that is
//! taken away as it is read, as an expectation instead of one more draw.
//!
//! Times are in seconds. Left out: failures that come together (a power supply, a batch of drives), mistakes of people and of programs,
//! repair of a damaged array from a backup, and stripes of a place that are filled already when the next member fails: they count as lost.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod course;
mod estimate;
mod life;
mod path;
mod store;

#[cfg(test)]
mod tests;

pub use estimate::{Chance, Estimate, Exposure, Precision, estimate};
pub use life::Life;
pub use store::{Array, Fill, Hurt, Redundancy, Sectors, Store, StoreError};
