//! A parallel program as a scenario writes it.

use super::io::Hints;
use super::job::{Job, JobPlacement, JobPlan};
use super::programs::Planned;
use super::programs::{
    BtIoParameters, CheckpointParameters, DarshanParameters, Io500Parameters, IorParameters,
    MdtestParameters, MpiIoParameters, SeisParameters, StepsParameters, StreamParameters, TrainingParameters,
};
use crate::program::ProgramError;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_units::numbers::whole_part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A parallel program: so many ranks, which compute, send each other messages, and read and write files together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParallelParameters {
    /// Processes of the program, each a rank.
    pub ranks: u32,
    /// Which program.
    pub program: ParallelProgram,
    /// What MPI-IO is told.
    #[serde(default)]
    pub hints: Hints,
    /// Computing times are multiplied by this: 2 for processors half as fast as those that the program's times are of.
    #[serde(default = "one")]
    pub compute_scale: f64,
}

/// Nobody computes longer by more: a second is twelve days then.
pub(super) const COMPUTE_SCALE_MAX: f64 = 1e6;

const fn one() -> f64 {
    1.0
}

/// Which program it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ParallelProgram {
    /// BT-IO of the NAS Parallel Benchmarks.
    BtIo(BtIoParameters),
    /// seis of SPEChpc96: its first two phases.
    Seis(SeisParameters),
    /// IOR, by its command line.
    Ior(IorParameters),
    /// mdtest, by its command line.
    Mdtest(MdtestParameters),
    /// The IO500 set of IOR and mdtest.
    Io500(Io500Parameters),
    /// Computing with checkpoints, and restart from one.
    Checkpoint(CheckpointParameters),
    /// Training of a neural network, as MLPerf Storage does it.
    Training(TrainingParameters),
    /// Accesses through views of one's own.
    MpiIo(MpiIoParameters),
    /// Steps of one's own: computing, messages, collective operations, files.
    Steps(StepsParameters),
    /// Messages of one size from each sender to its receiver, a few at a time.
    Stream(StreamParameters),
    /// A program that Darshan recorded.
    Darshan(DarshanParameters),
}

impl ParallelParameters {
    /// A program on so many ranks, and all else as it usually is.
    pub fn of(ranks: u32, program: ParallelProgram) -> Self {
        Self { ranks, program, hints: Hints::default(), compute_scale: one() }
    }

    fn plan_program(&self, inputs: &Inputs, hosts: &[u32]) -> Result<Arc<dyn Planned>, ProgramError> {
        Ok(match &self.program {
            ParallelProgram::BtIo(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Seis(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Ior(program) => Arc::new(program.plan(hosts)?),
            ParallelProgram::Mdtest(program) => Arc::new(program.plan(hosts)?),
            ParallelProgram::Io500(program) => Arc::new(program.plan(hosts)?),
            ParallelProgram::Checkpoint(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Training(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::MpiIo(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Steps(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Stream(program) => Arc::new(program.plan(self.ranks)?),
            ParallelProgram::Darshan(program) => program.plan(inputs, self.ranks)?,
        })
    }

    /// Checks every parameter; files aren't opened.
    ///
    /// # Errors
    /// The first parameter that no program can have.
    pub fn validate(&self) -> Result<(), ProgramError> {
        if self.ranks == 0 {
            return Err(ProgramError::parameter("ranks", "it is zero"));
        }
        if !(0.0..=COMPUTE_SCALE_MAX).contains(&self.compute_scale) {
            let problem = format!("it is no number from 0 to {COMPUTE_SCALE_MAX}; 2 computes twice as long");
            return Err(ProgramError::parameter("compute_scale", problem));
        }
        self.hints.validate()?;
        crate::program::check_number_of_programs::<super::rank::Rank>("ranks", self.ranks.into())?;
        match &self.program {
            ParallelProgram::Darshan(program) => program.check(),
            _ => self.plan_program(&Inputs::none(), &vec![0; self.ranks as usize]).map(|_| ()),
        }
    }

    /// The program for all replications.
    ///
    /// # Errors
    /// A parameter that no program can have, more files than there are numbers, or a placement of other ranks.
    pub fn plan(&self, placement: &JobPlacement) -> Result<JobPlan, ProgramError> {
        self.plan_in(&Inputs::here(), placement)
    }

    /// As [`plan`](Self::plan), of a program that reads files: of these.
    ///
    /// # Errors
    /// As of [`plan`](Self::plan), and a file that can't be read.
    pub fn plan_in(&self, inputs: &Inputs, placement: &JobPlacement) -> Result<JobPlan, ProgramError> {
        self.validate()?;
        let program = self.plan_program(inputs, &placement.hosts)?;
        JobPlan::new(self.ranks, (&self.hints, self.compute_scale), placement, program)
    }

    /// What it is, in words for a report.
    pub fn words(&self) -> String {
        let what = match &self.program {
            ParallelProgram::BtIo(program) => program.words(),
            ParallelProgram::Seis(program) => program.words(),
            ParallelProgram::Ior(program) => program.words(),
            ParallelProgram::Mdtest(program) => program.words(),
            ParallelProgram::Io500(program) => program.words(),
            ParallelProgram::Checkpoint(program) => program.words(),
            ParallelProgram::Training(program) => program.words(),
            ParallelProgram::MpiIo(program) => program.words(),
            ParallelProgram::Steps(program) => program.words(),
            ParallelProgram::Stream(program) => program.words(),
            ParallelProgram::Darshan(program) => program.words(),
        };
        let ranks = if self.ranks == 1 { "rank" } else { "ranks" };
        format!("{what} on {} {ranks}", self.ranks)
    }
}

impl Job for ParallelParameters {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn plan_in(&self, inputs: &Inputs, placement: &JobPlacement) -> Result<JobPlan, ProgramError> {
        Self::plan_in(self, inputs, placement)
    }
}

/// A computing time on processors that are slower or faster; the longest where it is beyond that.
pub(super) fn scaled(time: Time, scale: f64) -> Time {
    // Whole picoseconds: rounded to the nearest, half away from zero, which libm does alike on every machine.
    Time::from_picos(whole_part(libm::round(time.as_picos() as f64 * scale)))
}
