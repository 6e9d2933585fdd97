//! The same users on several candidate file systems, simulated or real: §5.3 of the thesis as one question for
//! [`compare`](crate::compare).

use super::error::UsersError;
use super::simulated::with_users;
use crate::compare::Candidate;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::{Problems, load_in, load_text};
use petrio_users::Users;
use std::path::Path;

/// What is simulated where nobody says on what: one disk, one file system. Its workload is called "users".
pub const USUAL_SCENARIO: &str = include_str!("usual.toml");

/// A candidate: a directory, in which the users work for real, or a scenario, whose workload they replace.
///
/// # Errors
/// What is wrong with the scenario, or that it has several workloads.
pub fn candidate(inputs: &Inputs, path: &Path, users: &Users, seed: u64) -> Result<Candidate, UsersError> {
    let is_real = path.is_dir();
    let read = || -> Result<_, Problems> {
        if is_real {
            load_text("users", USUAL_SCENARIO, None, &[])
        } else {
            load_in(inputs, path, &[], &Watch::default())
        }
    };
    let mut loaded = with_users(read()?, users)?;
    loaded.scenario.seed = seed;
    loaded.prepare()?;
    let name = path.display().to_string();
    Ok(Candidate { name, loaded, directory: is_real.then(|| path.to_owned()) })
}
