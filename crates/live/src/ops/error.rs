//! Why operations can't be looked at.

use crate::drive::DriveError;
use crate::rig::RigError;
use miette::Diagnostic;
use petrio_capture::journal_trace::CaptureError;
use thiserror::Error;

/// Operations that can't be looked at.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum OpsError {
    /// The file system can't be set up.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rig(#[from] RigError),
    /// The device can't be watched.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Capture(#[from] CaptureError),
    /// The operation can't be carried out.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Drive(#[from] DriveError),
}
