//! The program as a workload: its operations are issued as it goes on, and it goes on as they complete.

use crate::supervisor::Supervisor;
use petrio_colours::{Failure, FileOp, RequestId};
use petrio_persist::{Damage, Kept, Reader, Writer};
use petrio_time::Time;
use petrio_workload::program::ProgramError;
use petrio_workload::{Due, Phase, RequestSource, SourceError, SourceItem};

/// A program that runs.
pub(crate) struct Executed(pub(crate) Supervisor);

impl Executed {
    /// A failure ends the run, and the program with it; it is told by whoever has started it.
    fn breaks_off(&self, error: &crate::ExecuteError) -> SourceError {
        let text = error.to_string();
        self.0.tell(|told| (told.failed, told.is_of_machine) = (Some(text.clone()), error.is_of_machine()));
        ProgramError::Outside { problem: text }.into()
    }
}

impl RequestSource<FileOp> for Executed {
    fn due(&mut self) -> Result<Due, SourceError> {
        if std::mem::take(&mut self.0.ranks.has_nothing) {
            return Ok(Due::AfterCompletion);
        }
        let due = self.0.due();
        due.map_err(|error| self.breaks_off(&error))
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<FileOp>>, SourceError> {
        let op = self.0.issue(now);
        let op = op.map_err(|error| self.breaks_off(&error))?;
        self.0.ranks.has_nothing = op.is_none();
        Ok(op.map(|request| SourceItem { request, measured: None, phase: Phase::Measured, depth: 0 }))
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let done = self.0.complete(id, now);
        done.map_err(|error| self.breaks_off(&error))
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), SourceError> {
        let done = self.0.failed(id, failure, now);
        done.map_err(|error| self.breaks_off(&error))
    }
}

impl Drop for Executed {
    fn drop(&mut self) {
        self.0.tell_counts();
        if !self.0.over {
            // The run is broken off: nobody answers its calls any more.
            self.0.started.end();
            return;
        }
        let code = self.0.started.wait().map(|ended| ended.code).ok();
        self.0.tell(|told| told.code = code);
    }
}

/// A program of this machine can't be put aside.
impl Kept for Executed {
    fn save_kept(&self, _: &mut Writer<'_>) {}

    fn restore_kept(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        Err(from.not_from_nothing("a program that runs"))
    }
}
