//! Why operations can't be looked at.

use crate::drive::DriveError;
use crate::rig::RigError;
use petrio_capture::journal_trace::CaptureError;
use thiserror::Error;

/// Operations that can't be looked at.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpsError {
    /// The file system can't be set up.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The device can't be watched.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The operation can't be carried out.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

impl OpsError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Rig(error) => Some(error.help().to_owned()),
            Self::Capture(error) => error.help(),
            Self::Drive(error) => error.help(),
        }
    }
}
