//! From a loaded scenario to a System that runs, and to the programs that run on it.
//!
//! ```text
//!   Loaded ─┬─ System::build ──▶ one net: a programs page, a page for each host, queue, array and disk, and the stages
//!           │                    that the report shows
//!           └─ programs_of ────▶ one RequestSource: all workloads, in order of time
//! ```

mod events;
mod operations;
pub(crate) mod program_page;
mod programs;
mod requests;
mod storage;
mod system;

pub use operations::prepared_programs;
pub(crate) use operations::{check_files, file_tables, path_of};
pub(crate) use program_page::ProgramPorts;
pub(crate) use programs::{Driven, Programs};
pub(crate) use system::Ports;
pub use system::System;
pub(crate) use system::host_parameters;
