//! Where completed requests go, one at a time, and those that reach a device.

use crate::error::ReportError;
use petrio_colours::BlockRequest;
use petrio_engine::Visit;
use petrio_kernel::Time;

/// Something that is told of every completed request and keeps none of them.
pub trait RequestSink<R = BlockRequest>: Send {
    /// A request completed at `at`; it knows when it was issued, and its ledger where the time went.
    ///
    /// # Errors
    /// When a file can't be written.
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError>;

    /// There are no more. Files appear under their names now; a sink dropped without this leaves nothing behind.
    ///
    /// # Errors
    /// When a file can't be written.
    fn finish(&mut self) -> Result<(), ReportError>;
}

/// Something that is told of every request that reaches a device.
pub trait DeviceSink: Send {
    /// A request is complete, or was left at the end of the run. They come in the order of their arrival.
    ///
    /// # Errors
    /// When a file can't be written.
    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError>;

    /// There are no more.
    ///
    /// # Errors
    /// When a file can't be written.
    fn finish(&mut self) -> Result<(), ReportError>;
}
