//! How a device misbehaves on purpose: a profile, and what it decides of each request.
//!
//! The same profile and seed decide the same of the same requests: a request is told by its number among those of its device,
//! and of each rule the draws are a stream of their own. Times of stalls and cuts are those of the wall clock since the beginning.

mod decide;
mod profile;

#[cfg(test)]
mod tests;

pub(crate) use decide::{Decision, Faults, Stalls};
pub use profile::{
    Delay, ErrorRule, FaultProfile, LostFlushes, Of, PowerCut, ProfileError, SlowDown, SlowRegion, Stall,
};
