//! From a loaded scenario to a System that runs, and to the programs that run on it.
//!
//! ```text
//!   Loaded ─┬─ System::build ──▶ one net: a programs page, a page for each disk, and the stages that the report shows
//!           └─ programs_of ────▶ one RequestSource: all workloads, in order of time
//! ```

pub(crate) mod program_page;
mod programs;
mod system;

pub(crate) use programs::{Programs, programs_of};
pub use system::System;
