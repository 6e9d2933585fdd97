//! What works on the real machine: it is calibrated, files are made in its directories, users work there, predictions
//! are held against it; and what a petrio that was killed has left on it is cleared.

mod calibrate;
mod calibrate_drive;
mod calibrate_measured;
mod calibrate_network;
mod create;
mod directories;
mod emulate;
mod emulated_end;
mod emulated_guest;
mod emulated_told;
mod profile;
mod record;
mod remove;
mod run_users;
mod validate_fs;
mod validate_live;
mod validate_ops;
mod verify;
mod worker;

pub(crate) use calibrate::Calibrate;
pub(crate) use create::Create;
pub(crate) use emulate::Emulate;
pub(crate) use petrio_live::leftovers;
pub(crate) use petrio_live::rig::{mount_apart, serve_if_called};
pub(crate) use record::Record;
pub(crate) use remove::Remove;
pub(crate) use run_users::RunUsers;
pub(crate) use validate_fs::ValidateFs;
pub(crate) use validate_live::ValidateLive;
pub(crate) use validate_ops::ValidateOps;
pub(crate) use verify::Verify;
pub(crate) use worker::Worker;

use crate::failure::Failure;
use petrio_live::namespace::NamespaceError;

/// Tells what is under way on the real machine to end; whether there is something that wasn't told yet.
pub(crate) fn interrupt() -> bool {
    emulated_end::interrupt() || petrio_record::interrupt()
}

/// What this machine says of itself.
pub(crate) fn inventory() -> Result<Vec<(String, String)>, Failure> {
    Ok(petrio_live::inventory())
}

impl From<NamespaceError> for Failure {
    fn from(error: NamespaceError) -> Self {
        if error.is_of_the_system() { Self::output(&error) } else { Self::of(&error) }
    }
}

/// Becomes a program whose calls are held or followed, or what stands around it, if petrio has started itself for that.
pub(crate) fn execute_if_called(words: &[std::ffi::OsString]) -> Option<u8> {
    let held = || petrio_intercept::called(words).map(|code| u8::try_from(code).unwrap_or(u8::MAX));
    held().or_else(|| petrio_record::called(words))
}
