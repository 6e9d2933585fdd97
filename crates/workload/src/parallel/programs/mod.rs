//! The parallel programs that there are: what each rank does, as acts.
//!
//! To add one: its parameters, a `Planned` of them, its acts, and a line in
//! [`ParallelProgram`](super::ParallelProgram).

pub(super) mod bt_io;
pub(super) mod checkpoint;
mod command_line;
pub(super) mod darshan;
mod datatypes;
mod io500;
pub(super) mod ior;
mod launcher;
pub(super) mod mdtest;
pub(super) mod mpi_io;
pub mod recording;
pub(super) mod seis;
mod states;
pub(super) mod steps;
pub(super) mod stream;
pub(super) mod training;

pub use bt_io::{BtClass, BtIoParameters, BtSubtype};
pub use checkpoint::CheckpointParameters;
pub use command_line::{CommandLine, Options, launched_program};
pub use darshan::{CountedJob, DarshanParameters, Gaps, counted_job};
pub use datatypes::DatatypeParameters;
pub use io500::{Io500File, Io500Parameters, is_io500};
pub use ior::{IorApi, IorOptions, IorParameters};
pub use launcher::Launch;
pub use mdtest::{MdtestOptions, MdtestParameters};
pub use mpi_io::{MpiIoAccess, MpiIoOperation, MpiIoParameters};
pub use seis::SeisParameters;
pub use states::CheckpointLayout;
pub use steps::{MessageParameters, StepFile, StepParameters, StepRate, StepsParameters};
pub use stream::{StreamParameters, StreamVerb};
pub use training::{TrainingModel, TrainingParameters};

use super::all_acts::AnyActs;
use super::files::ProgramFile;
use super::member::Member;
use super::parameters::scaled;
use crate::program::{Placement, ProgramError};
use petrio_colours::{AccessFlags, FileId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// A program whose parameters are sound, for so many ranks.
pub(super) trait Planned: Send + Sync {
    /// How many files and directories it numbers.
    fn files(&self) -> u64;

    /// All of them, each directory before what lies in it.
    ///
    /// # Errors
    /// What `tell` says.
    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError>;

    /// What a rank does.
    ///
    /// # Errors
    /// A recorded program that can't be read.
    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError>;

    /// How its files are accessed.
    fn flags(&self) -> AccessFlags {
        AccessFlags::default()
    }
}

/// Where a rank begins.
#[derive(Clone, Persist)]
pub(super) struct Start {
    pub(super) member: Member,
    pub(super) first_file: u32,
    pub(super) placement: Placement,
    pub(super) compute_scale: f64,
}

impl Start {
    /// The same for a part of a program, whose files come after so many others.
    fn after(&self, files: u32) -> Self {
        Self { first_file: self.first_file + files, ..self.clone() }
    }

    /// A file by its number among the program's.
    pub(super) const fn file(&self, number: u32) -> FileId {
        FileId(self.first_file + number)
    }

    /// A computing time on the processors that there are.
    pub(super) fn computing(&self, time: Time) -> Time {
        scaled(time, self.compute_scale)
    }
}

/// How many ranks further the ranks of the next host are: as many as the first one has where ranks of a host follow each other,
/// 1 where hosts take turns (src/ior.c and src/mdtest.c of IOR 4.0: `tasksBlockMapping`, `numTasksOnNode0`).
fn to_next_host(hosts: &[u32]) -> u32 {
    let on_first = hosts.iter().filter(|&host| Some(host) == hosts.first()).count();
    let follow = hosts.get(1) == hosts.first() && on_first < hosts.len();
    if follow { as_number(on_first) } else { 1 }
}

fn refuse<T>(parameter: &'static str, problem: impl Into<String>) -> Result<T, ProgramError> {
    Err(ProgramError::parameter(parameter, problem))
}
