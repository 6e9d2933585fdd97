//! A batch's samples, read by one reader: files opened and closed as the order of the epoch brings them.

use super::TrainingPlan;
use crate::parallel::act::{Act, Acts, Call, Direction};
use crate::permutation::Permutation;
use crate::program::ProgramError;
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// The samples of a batch, read.
#[derive(Persist)]
pub(in crate::parallel) struct Samples {
    #[persist(shared)]
    pub(super) plan: Arc<TrainingPlan>,
    pub(super) first: FileId,
    pub(super) order: Permutation,
    /// The next sample and the last, in the order of the epoch.
    pub(super) next: u64,
    pub(super) end: u64,
    /// The file that is open, and where the sample begun lies.
    pub(super) open: Option<(u32, u64)>,
    pub(super) at: std::ops::Range<u64>,
}

impl Samples {
    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let call = |operation, file: u32| Act::Call(Call::of(operation, FileId(self.first.0 + file)));
        if let Some((file, _)) = self.open
            && !self.at.is_empty()
        {
            let length = self.plan.transfer.min(self.at.end - self.at.start);
            let (file, offset) = (FileId(self.first.0 + file), self.at.start);
            self.at.start += length;
            return Ok(Some(Act::Call(Call::access(Direction::Read, file, offset, length))));
        }
        let per_file = self.plan.samples_per_file;
        let wanted = (self.next < self.end).then(|| as_number(self.order.at(self.next / per_file)));
        match (self.open, wanted) {
            (Some((open, bytes)), Some(file)) if open == file => {
                let number = self.next % per_file;
                self.at = number * bytes..(number + 1) * bytes;
                self.next += 1;
                self.advance()
            }
            (Some((open, _)), _) => {
                let close = call(Operation::Close, open);
                self.open = None;
                Ok(Some(close))
            }
            (None, Some(file)) => {
                let open = call(Operation::Open, file);
                self.open = Some((file, self.plan.sample_bytes(file)));
                Ok(Some(open))
            }
            (None, None) => Ok(None),
        }
    }
}

impl Acts for Samples {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}
