//! In place of `real.rs`, where petrio was built without what works on the real machine.

use super::error::UsersError;
use crate::WithoutLive;
use petrio_kernel::Watch;
use petrio_users::{Usage, UserSpecification, Users};
use std::path::Path;

/// Nobody works in a real directory.
pub(super) fn usage_in(
    _: &Path,
    _: UserSpecification,
    _: &Users,
    _: (u64, &Watch),
) -> Result<Usage, UsersError> {
    Err(WithoutLive.into())
}
