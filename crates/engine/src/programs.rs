//! What issues requests, as an engine sees it.

use crate::error::EngineError;
use petrio_colours::{Failure, RequestId};
use petrio_kernel::Time;
use petrio_workload::{Due, RequestSource, SourceItem};

/// What issues requests.
pub trait Programs<R> {
    /// When the next request is due.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn due(&mut self) -> Result<Due, EngineError>;

    /// The request that is due now, if one is.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, EngineError>;

    /// A request has completed.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), EngineError>;

    /// A request has come back that could not be done. Who takes it as any other completion takes no notice.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn failed(&mut self, id: RequestId, _failure: Failure, now: Time) -> Result<(), EngineError> {
        self.complete(id, now)
    }

    /// Which of several workloads issued a request that hasn't completed yet.
    fn workload_of(&self, _id: RequestId) -> usize {
        0
    }

    /// What was submitted is on its way: whoever asked goes on.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn submitted(&mut self, _id: RequestId, _now: Time) -> Result<(), EngineError> {
        Ok(())
    }

    /// A process that has ended with the last completion; each is told once.
    fn ended_process(&mut self) -> Option<u32> {
        None
    }
}

/// A source of requests as programs.
pub struct OfSource<S>(pub S);

impl<R, S: RequestSource<R>> Programs<R> for OfSource<S> {
    fn due(&mut self) -> Result<Due, EngineError> {
        Ok(self.0.due()?)
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, EngineError> {
        Ok(self.0.issue(now)?)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        Ok(self.0.complete(id, now)?)
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), EngineError> {
        Ok(self.0.failed(id, failure, now)?)
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        Ok(self.0.submitted(id, now)?)
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.0.ended_process()
    }
}
