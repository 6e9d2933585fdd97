//! In place of `real.rs`, where petrio was built without what works on the real machine.

use super::entrant::Entrant;
use super::error::CompareError;
use crate::WithoutLive;
use petrio_scenario::Loaded;
use petrio_scenario::report::Report;
use std::path::Path;

/// Nothing is run for real.
pub(super) fn run_once(_: &Entrant, _: &Loaded, _: &Path, _: u64) -> Result<Report, CompareError> {
    Err(WithoutLive.into())
}
