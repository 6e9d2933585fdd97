//! Users learned from a trace in any format.

use super::error::UsersError;
use petrio_bounds::Headroom;
use petrio_files::inputs::Inputs;
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_users::learn::{KINDS_MOST, Learned, Learner, TypesBy};
use std::path::Path;

/// What is told apart of the users of a trace.
#[derive(Clone, Copy, Debug)]
pub struct LearnWhat {
    /// Types of users.
    pub types_by: TypesBy,
    /// Most kinds of sessions of a type.
    pub kinds_most: usize,
}

impl Default for LearnWhat {
    fn default() -> Self {
        Self { types_by: TypesBy::Nothing, kinds_most: KINDS_MOST }
    }
}

const DAY_S: u64 = 86_400;
const NS_A_SECOND: u64 = 1_000_000_000;

/// Learns the users of a trace.
///
/// # Errors
/// What is wrong with the file, and where; a trace of which nothing can be learned.
pub fn learn_file(
    inputs: &Inputs,
    path: &Path,
    options: &TraceOptions,
    what: LearnWhat,
) -> Result<Learned, UsersError> {
    let mut reader = EventReader::open_in(inputs, path, options)?;
    let begins = reader.about()?.origin_unix_ns.map(|origin| origin / NS_A_SECOND % DAY_S);
    let mut learner = Learner::new(what.types_by, what.kinds_most, begins);
    let mut headroom = Headroom::default();
    for (events, event) in (0..).zip(reader) {
        learner.event(&event?);
        headroom.record().map_err(|cause| TraceError::TooMuch { events, cause })?;
    }
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let path = path.to_owned();
    learner.finish(&format!("Users as in {name}")).map_err(|error| UsersError::Learn { path, error })
}
