//! Synthetic request streams, open, closed and in between: DiskSim's generators.
//!
//! Each generator is a process that thinks, issues a request to a random place, and thinks again; see [`Generator`] for
//! the parameters and [`SyntheticSource`] for what waiting means. Source: DiskSim 4.0 Reference Manual (Bucy et al.,
//! CMU-PDL-08-101, 2008), "Synthetic workload generation", and `disksim_synthio.c`, which decides where they differ.
//!
//! ```
//! use petrio_workload::synthetic::{Generator, Synthetic};
//! # let json = r#"
//! {
//!     "requests": 10000,
//!     "generators": [{
//!         "capacity": "17938986 blocks",
//!         "read_fraction": "66 %",
//!         "inter_arrival": { "exponential": { "mean": "25 ms" } },
//!         "size": { "exponential": { "mean": "8 blocks" } }
//!     }]
//! }
//! # "#;
//! let workload: Synthetic = serde_json::from_str(json)?;
//! # use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
//! // One stream of random numbers a generator.
//! let source = workload.source(vec![Xoshiro256PlusPlus::seed_from_u64(1)])?;
//! # let _: Generator = workload.generators[0].clone();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What differs from DiskSim, and why: generators share processors only where they are told to, and use all of them
//! (DiskSim 4.0 lets all its processes think on one, whatever its `Number of processors` is: its statistics call the
//! others falsely idle); a time limit runs while its generator thinks (DiskSim 4.0 never lets the limits that were set before
//! run on, so that they last many times as long); the last block of a device can be drawn
//! (DiskSim's test leaves it out); a distribution that can't give an acceptable number is refused (DiskSim draws for
//! ever); its system-call events are left out.

mod error;
mod generator;
mod parameters;
mod source;

pub use error::SyntheticError;
pub use parameters::{Generator, Synthetic};
pub use petrio_distribution::Draw;
pub use petrio_units::SignedBlocks;
pub use source::SyntheticSource;
