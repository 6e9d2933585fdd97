//! Where completed requests go, one at a time.

use crate::report::error::ReportError;
use petrio_colours::BlockRequest;
use petrio_kernel::Time;

/// Something that is told of every completed request and keeps none of them.
pub trait RequestSink {
    /// A request completed at `at`; `request.issued` is when it was issued, its ledger where the time went.
    ///
    /// # Errors
    /// When a file can't be written.
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError>;

    /// There are no more. Files appear under their names now; a sink dropped without this leaves nothing behind.
    ///
    /// # Errors
    /// When a file can't be written.
    fn finish(&mut self) -> Result<(), ReportError>;
}

/// Several sinks as one.
#[derive(Default)]
pub struct Sinks {
    sinks: Vec<Box<dyn RequestSink>>,
}

impl Sinks {
    /// Adds a sink.
    pub fn push(&mut self, sink: impl RequestSink + 'static) {
        self.sinks.push(Box::new(sink));
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.sinks.is_empty()
    }
}

impl RequestSink for Sinks {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.completed(request, at))
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())
    }
}
