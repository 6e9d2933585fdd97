//! Users learned from a trace in any format.

use super::error::UsersError;
use petrio_bounds::Headroom;
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_users::learn::{Learned, Learner, TypesBy};
use std::path::Path;

/// Learns the users of a trace.
///
/// # Errors
/// What is wrong with the file, and where; a trace of which nothing can be learned.
pub fn learn_file(path: &Path, options: &TraceOptions, types_by: TypesBy) -> Result<Learned, UsersError> {
    let mut learner = Learner::by(types_by);
    let mut headroom = Headroom::default();
    for (events, event) in (0..).zip(EventReader::open(path, options)?) {
        learner.event(&event?);
        headroom.record().map_err(|cause| TraceError::TooMuch { events, cause })?;
    }
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let path = path.to_owned();
    learner.finish(&format!("Users as in {name}")).map_err(|error| UsersError::Learn { path, error })
}
