//! A simulated System as block devices by the wall clock: whatever reads and writes them waits as long as the model says.
//!
//! ```text
//!  NBD client ─ nbd ─┐                      ┌─ faults: what goes wrong on purpose
//!                    ├─ Device ─▶ pacer ────┼─ engine: when a request is complete
//!  FUSE file ── fuse ┘    │                 └─ record ─▶ log, judgement
//!                         └─ store: the data, and what a power cut takes of them
//! ```
//!
//! One clock: model time is the wall's since the beginning. A request is submitted to the engine for the instant at which it arrived; its
//! completion waits until the wall clock is there. How late each was is recorded, and a run whose requests were too late is none
//! ([`Judgement`]): Griffin and others judge Memulator by the same rule (J. L. Griffin et al., "Timing-accurate storage emulation",
//! FAST 2002).
//!
//! It knows no scenario and no model: a System with ports for block requests, and of each device its number there and what it promises of
//! writes.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod answer;
mod clock;
mod device;
mod emulator;
pub mod faults;
pub mod fuse;
mod judgement;
pub mod nbd;
mod pacer;
mod record;
mod store;
mod urgent;

#[cfg(test)]
mod tests;

pub use answer::{Answer, Refusal};
pub use device::{Asked, Device, DeviceSpec, Durability, WithMedium};
pub use emulator::{EmulateError, Emulator, Handle, Options, Outcome};
pub use judgement::{Judgement, Tolerance};
pub use store::{CutCounts, ImageError, Medium};
