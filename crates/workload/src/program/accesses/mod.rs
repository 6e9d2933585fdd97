//! Accesses as fio makes them: several in flight, of drawn sizes, at rates, in areas, in a row or at random places.
//!
//! ```text
//!  AccessParameters ─┬─ plan ─▶ AccessProgram ─▶ FilePrograms ─▶ a host's files
//!                    └─ on_devices ─▶ AccessProgram ─▶ DeviceAccesses ─▶ block requests
//! ```
//!
//! Which place comes next, how long an access is, and whether it reads or writes is drawn as fio draws it, with its generators
//! of random numbers (`tausworthe`), so that a job with fio's seed makes the accesses that fio makes; the tests hold it to
//! fio's own records. Source: fio's manual (HOWTO) for what its options mean, its io_u.c and backend.c for the order of
//! draws (version 3.33, which is looked at and not copied).
//!
//! Left out: contents of what is written, checks of what is read back, and trims.

mod course;
mod device;
mod flow;
mod names;
mod paced;
mod parameters;
mod places;
mod plan;
mod run;
mod search;
mod seeds;
mod sizes;
mod sound;
mod steady;
mod taken;
mod tausworthe;
mod zones;

pub use device::DeviceAccesses;
pub use flow::{FlowShare, Flows};
pub use parameters::{
    AccessKind, AccessOrder, AccessParameters, Engine, LimitOn, Pace, PlaceSequence, Submitting,
};
pub use run::AccessProgram;
pub use search::LatencyTarget;
pub use sizes::{Extent, SizeRange, SizeShare, Sizes, Skip};
pub use steady::{SteadyFigure, SteadyState};
pub use zones::{Strides, ZoneLog};

#[cfg(test)]
mod tests;
