//! From a loaded scenario to a System that runs, and to the programs that run on it.
//!
//! ```text
//!   Loaded ─┬─ System::build ──▶ one net: a page for the programs of each sort, a page for each host, queue, array and
//!           │                    disk, and the stages that the report shows
//!           └─ programs_of ────▶ one RequestSource of each sort: all workloads, in order of time
//! ```

mod asked;
mod check_files;
mod events;
mod hosts;
mod operations;
mod program_page;
mod programs;
mod requests;
mod shared;
mod storage;
mod system;

pub(crate) use check_files::{check_files, problem_of};
pub(crate) use events::EventTrace;
pub(crate) use hosts::HostSite;
pub use operations::prepared_programs;
pub(crate) use operations::{Groups, NotPrepared, Split, file_tables, groups};
pub(crate) use program_page::{PROGRAMS, REQUEST_PROGRAMS};
pub use program_page::{ProgramPorts, programs_page};
pub(crate) use programs::{Driven, Programs};
pub use system::System;
pub(crate) use system::{Ports, Replicated};

/// What a part is called on the page of the part around it: the last of its path.
pub(crate) fn name_in<'n>(name: &'n str, around: &str) -> &'n str {
    name.strip_prefix(around).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
}
