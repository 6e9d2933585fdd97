//! Recordings of programs: folders with a trace in them.

use std::borrow::Cow;
use std::path::Path;

/// The name of the trace in a recording's folder.
pub const RECORDING: &str = "recording.parquet";

/// The trace of a recording where a folder with one is named, else what is named.
pub fn of_recording(path: &Path) -> Cow<'_, Path> {
    let inside = path.join(RECORDING);
    if inside.is_file() { Cow::Owned(inside) } else { Cow::Borrowed(path) }
}
