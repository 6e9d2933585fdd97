//! The ranks of a parallel program that work on one volume, as a plan of programs like any other.

use super::job::{Job, JobPlacement, JobPlan};
use crate::program::{Common, FilePlan, FileProgram, Placement, ProgramError, Tables};
use petrio_files::inputs::Inputs;
use petrio_units::numbers::as_number;
use std::ops::Range;
use std::sync::Arc;

/// The ranks of a program on one volume.
pub struct RanksOnVolume {
    plan: Arc<JobPlan>,
    ranks: Range<u32>,
    /// Whether the program's files are told here.
    tells_files: bool,
}

impl RanksOnVolume {
    /// These ranks; whether the program's files are told with them: of several mounts of one file system, with those of one.
    pub fn new(plan: &Arc<JobPlan>, ranks: Range<u32>, tells_files: bool) -> Self {
        Self { plan: Arc::clone(plan), ranks, tells_files }
    }

    /// All ranks of a program on one volume.
    ///
    /// # Errors
    /// As of [`Job::plan_in`].
    pub fn all(job: &dyn Job, inputs: &Inputs, placement: &Placement) -> Result<Self, ProgramError> {
        let ranks = job.ranks() as usize;
        let there = JobPlacement::new(placement.clone(), vec![placement.file_system; ranks], vec![0; ranks]);
        let plan = Arc::new(job.plan_in(inputs, &there)?);
        Ok(Self { ranks: 0..plan.ranks(), plan, tells_files: true })
    }
}

impl FilePlan for RanksOnVolume {
    fn processes(&self) -> u32 {
        as_number(self.ranks.len())
    }

    fn next_file(&self) -> u32 {
        self.plan.next_file()
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        if self.tells_files { self.plan.tables() } else { Ok(Tables::new()) }
    }

    fn programs(
        &self,
        replication: u64,
        common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        self.plan.programs(replication, self.ranks.clone(), &common.board(self.plan.first_process()))
    }
}
