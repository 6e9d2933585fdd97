//! Parallel programs: ranks that compute, send each other messages, and read and write files together.
//!
//! ```text
//!  ParallelParameters ─ plan(JobPlacement) ─▶ JobPlan ─ programs ─▶ a FileProgram a rank
//!    programs/     what each rank does: BT-IO, seis, IOR, …       │ acts
//!    io/           MPI-IO: which calls and messages an access is  │ fewer, larger to
//!    collective/   MPI: which messages a barrier or a sum is      ▼ more, smaller
//!    rank.rs       one act after the other, down to operations and exchanges
//! ```
//!
//! A rank is a process; all that passes between ranks is an [`Exchange`](petrio_colours::Exchange), an operation like those on
//! files, so that time goes into computing, communication and I/O by the operations themselves. Nothing is written out
//! beforehand: a rank's next operation is made when it is asked for.
//!
//! ```
//! use petrio_colours::Operation;
//! use petrio_workload::parallel::{JobPlacement, ParallelParameters};
//! use petrio_workload::program::{FileProgram, Placement, Step};
//!
//! // BT-IO's smallest class on four ranks of two hosts, which write without being asked to wait for each other.
//! let parameters: ParallelParameters = serde_json::from_str(
//!     r#"{ "ranks": 4, "program": { "kind": "bt-io", "class": "S", "subtype": "simple" } }"#,
//! )?;
//! let plan = parameters.plan(&JobPlacement::new(Placement::new("bt"), vec![0; 4], vec![0, 0, 1, 1]))?;
//! let mut bytes = 0;
//! for mut rank in plan.programs(0, 0..4, &std::sync::Arc::default())? {
//!     while let step = rank.next(petrio_time::Time::ZERO)? && step != Step::End {
//!         if let Step::Operation(operation) = step && operation.operation == Operation::Write {
//!             bytes += operation.length;
//!         }
//!     }
//! }
//! // Twelve dumps of 12³ cells of five doubles.
//! assert_eq!(bytes, 12 * 12 * 12 * 12 * 40);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Time is all of the phase that is measured. Left out: processes that share memory, messages that a rank posts and waits for later (but those of a `stream`), and what MPI copies.

pub mod collective;
pub mod io;
pub mod programs;

mod act;
mod all_acts;
mod files;
mod job;
mod member;
mod mounted;
mod on_volume;
mod parameters;
mod rank;
mod script;

pub use job::{Job, JobPlacement, JobPlan};
pub use mounted::Mounted;
pub use on_volume::RanksOnVolume;
pub use parameters::{ParallelParameters, ParallelProgram};
pub use programs::recording::{RecordedJob, RecordingParameters};
pub use programs::{CountedJob, Io500File, counted_job, is_io500};
pub use script::{JobScript, ScriptCommand, ScriptProgram, is_job_script, job_script};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
