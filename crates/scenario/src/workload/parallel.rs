//! `kind = "parallel"`: a parallel program.

use super::kind::{FilePattern, Planned};
use super::reading::Reading;
use petrio_files::inputs::Inputs;
use petrio_workload::parallel::{ParallelParameters, ParallelProgram, RanksOnVolume};
use petrio_workload::program::{Placement, ProgramError};
use std::path::Path;

impl FilePattern for ParallelParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(&self, placement: &Placement, _: &Reading, inputs: &Inputs) -> Planned {
        Ok(Box::new(RanksOnVolume::all(self, inputs, placement)?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        match &self.program {
            ParallelProgram::Darshan(program) => Some((&program.file, "program.file")),
            _ => None,
        }
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        Self::words(self)
    }

    fn has_phases(&self) -> bool {
        true
    }
}
