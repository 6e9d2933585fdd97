//! `kind = "recording"`: a program that was recorded.

use super::kind::{FilePattern, Planned};
use super::reading::Reading;
use petrio_files::inputs::Inputs;
use petrio_workload::parallel::{RanksOnVolume, RecordingParameters};
use petrio_workload::program::{Placement, ProgramError};
use std::path::Path;

impl FilePattern for RecordingParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(&self, placement: &Placement, _: &Reading, inputs: &Inputs) -> Planned {
        Ok(Box::new(RanksOnVolume::all(&self.read(inputs)?, inputs, placement)?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        Some((&self.recording, "recording"))
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
