//! A program that was recorded (`petrio record`): each thread does what it did, in its order, computing in between as long as it did.
//!
//! ```text
//!  recording (chosen: of so many ranks, or foretold from several) ─ read ─▶ tracks: what each thread did ─ order ─▶ who waits for whom ─ plan ─▶ Planned ─ replay ─▶ acts
//!                └─ files: which there are, in which directories, how long
//! ```
//!
//! A thread begins when its maker had made it, and who waited for its end waits; messages are sent and received as they were; what
//! threads of different ranks or processes do to one name happens in the recorded order. Left out: what was not recorded; waiting
//! for locks and pipes, which takes no time here; of a wait for one of several messages, for which.

mod chosen;
mod files;
mod order;
mod plan;
mod read;
pub(in crate::parallel) mod replay;
mod track;

pub use plan::RecordedJob;

use super::refuse;
use crate::parallel::parameters::COMPUTE_SCALE_MAX;
use crate::program::ProgramError;
use petrio_files::inputs::Inputs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A program that was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordingParameters {
    /// The recording: the folder that `petrio record --out` wrote, or the trace in it.
    pub recording: PathBuf,
    /// Computing times are multiplied by this, and divided by the `computing_speed` of the host's machine: 2 for processors half as
    /// fast as those on which it was recorded.
    #[serde(default = "one")]
    pub compute_scale: f64,
    /// Only files below these folders are on the simulated storage; calls on others take as long as they took. All, where none is named.
    #[serde(default)]
    pub below: Vec<String>,
    /// Recordings of the same program on other numbers of ranks: what it does on further ones follows from two or more.
    #[serde(default)]
    pub more_recordings: Vec<PathBuf>,
    /// On how many ranks it runs: as many as one of the recordings has, or another number where all of them follow laws by which that
    /// is foretold. As many as `recording` has, where it is left out.
    #[serde(default)]
    pub ranks: Option<u32>,
}

const fn one() -> f64 {
    1.0
}

impl RecordingParameters {
    /// Checks every parameter; the recording isn't opened.
    ///
    /// # Errors
    /// The first parameter that no program can have.
    pub fn validate(&self) -> Result<(), ProgramError> {
        if !(0.0..=COMPUTE_SCALE_MAX).contains(&self.compute_scale) {
            let problem = format!("it is no number from 0 to {COMPUTE_SCALE_MAX}; 2 computes twice as long");
            return refuse("compute_scale", problem);
        }
        if let Some(relative) = self.below.iter().find(|folder| !folder.starts_with('/')) {
            return refuse(
                "below",
                format!("\"{relative}\" is no folder from the root on: write it with its leading /"),
            );
        }
        if self.ranks == Some(0) {
            return refuse("ranks", "it is zero");
        }
        Ok(())
    }

    /// Reads it: which threads there were, and what each did.
    ///
    /// # Errors
    /// A parameter that no program can have, a recording that can't be read, or one of another number of ranks.
    pub fn read(&self, inputs: &Inputs) -> Result<RecordedJob, ProgramError> {
        self.validate()?;
        RecordedJob::read(self, inputs)
    }

    /// What it is, in words for a report.
    pub fn words(&self) -> String {
        format!("what was recorded in {}", self.recording.display())
    }
}

#[cfg(test)]
mod tests;
