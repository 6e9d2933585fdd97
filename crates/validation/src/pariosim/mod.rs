//! The study of ParIOSim: parallel programs on a NAS, a SAN of nodes that serve their own disks, and a SAN in which every node
//! reaches every disk.
//!
//! ```text
//!   plan ─▶ experiments (its machines as scenarios, tables 1 to 3) ─ side by side ─▶ outcomes ─▶ findings ─▶ page
//!   das (figure 4: a grid of chunks and seek distances on one disk) ────────────┘
//! ```
//!
//! Source: Wang and Kaeli, "Execution-driven Simulation of Network Storage Systems" (ParIOSim). Its figures are pictures
//! without numbers: what is judged is what its text says, with the ratios that it gives. Where a published number can't follow
//! from the published hardware, an experiment with other hardware shows from which it would.

mod das;
mod error;
mod experiments;
mod figures;
mod findings;
mod outcome;
mod page;
mod plan;
mod what_if;

pub use das::{CHUNKS, DasCell, SEEKS, das_grid};
pub use error::ParIoSimError;
pub use experiments::{
    Architecture, BT_RANKS, Drives, Experiment, Program, SEIS_RANKS, places, scenarios, study,
};
pub use findings::assumptions::Assumption;
pub use findings::{Found, findings};
pub use outcome::{Outcome, find};
pub use page::study_page;
pub use what_if::WhatIf;
