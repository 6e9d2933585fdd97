//! MPI-IO: which pieces of a file each rank means, and by which calls and messages they are read and written.
//!
//! ```text
//!  Datatype (what is seen of a file) ─ View (from where on) ─▶ Shares: whose each byte is
//!                                                               ├─ Sieve: a rank alone, with data sieving
//!                                                               └─ TwoPhase: all together, through aggregators
//! ```
//!
//! Source: Thakur, Gropp and Lusk, "Data Sieving and Collective I/O in ROMIO", Frontiers 1999; ROMIO as in MPICH 4
//! (adio/common/ad_read_str.c, ad_write_str.c, ad_read_coll.c, ad_write_coll.c, ad_aggregate.c), of its file system "ufs".
//!
//! Left out: what a call for a lock costs beside waiting (where there are no locks writes aren't sieved), nonblocking access, and what packing costs the processor.

mod datatype;
mod domains;
mod hints;
mod ordered;
mod pointer;
mod shares;
mod sieve;
mod two_phase;
mod unordered;
mod view;

pub use datatype::Datatype;
pub use hints::{Hints, Switch};
pub use view::View;

pub(super) use ordered::access_in_order;
pub(super) use pointer::Pointer;
pub(super) use shares::{AnyShares, Runs, Segments, ViewShares};
pub(super) use sieve::Sieve;
pub(super) use two_phase::TwoPhase;
pub(super) use unordered::Unordered;

#[cfg(test)]
mod tests;
