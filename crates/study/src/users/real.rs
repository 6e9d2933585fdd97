//! One measurement of users at work in a real directory.

use super::error::UsersError;
use super::run::{UsersRun, run_users};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_live::namespace::Directories;
use petrio_users::{Usage, UserSpecification, Users};
use std::path::Path;

/// How users use their files in a directory, as long as the watch lets them.
pub(super) fn usage_in(
    directory: &Path,
    specification: UserSpecification,
    crowd: &Users,
    (seed, watch): (u64, &Watch),
) -> Result<Usage, UsersError> {
    let run = UsersRun {
        specification,
        crowd: crowd.clone(),
        directories: Directories::one(directory),
        seed,
        workers: None,
        warm: false,
        trace: None,
        inputs: Inputs::none(),
        command: String::new(),
    };
    Ok(run_users(&run, |_| !watch.is_stopped())?.usage)
}
