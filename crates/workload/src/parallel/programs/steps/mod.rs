//! A parallel program of one's own: steps that all ranks go through, one after the other.
//!
//! ```text
//!  steps ─ check ─▶ StepsPlan (files, and what was checked) ─ of_rank ─▶ what of it this rank does ─ run ─▶ acts
//! ```
//!
//! A step says what all ranks do, as one sees it from above: `send` names who sends and who receives, so that no message is
//! without a receiver, and ranks that go through the same steps in the same order can't wait for each other for ever.
//!
//! Left out: messages that are on their way while their sender computes, collectives of some of the ranks only, and steps that
//! depend on what was received.

mod check;
mod of_rank;
mod parameters;
pub(in crate::parallel) mod run;

pub use parameters::{MessageParameters, StepFile, StepParameters, StepRate, StepsParameters};

use super::states::States;
use super::{Planned, Start};
use crate::parallel::act::{Act, Acts};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::program::ProgramError;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// A file that steps write and read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    name: String,
    states: States,
    /// Whether it is read before anything writes it.
    is_there: bool,
    /// The number of its first file among the program's.
    first: u64,
}

/// Steps for so many ranks.
pub(in crate::parallel) struct StepsPlan {
    parameters: StepsParameters,
    ranks: u32,
    files: Vec<File>,
}

impl Planned for StepsPlan {
    fn files(&self) -> u64 {
        self.files.last().map_or(0, |last| last.first + u64::from(last.states.files()))
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        for File { name, states, is_there, first } in &self.files {
            let size = is_there.then_some(states.length());
            for rank in 0..states.files() {
                tell(ProgramFile {
                    size,
                    ..ProgramFile::new(as_number(*first) + rank, states.name(name, rank))
                })?;
            }
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        Ok(run::StepsRank::new(&self, start).into())
    }
}

#[cfg(test)]
mod tests;
