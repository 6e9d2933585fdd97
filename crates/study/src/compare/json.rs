//! The comparison as JSON: every figure, every pair, for programs.

use super::Comparison;
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Writes the comparison as indented JSON, its end a newline. The file is complete or absent.
///
/// # Errors
/// The file can't be written.
pub fn write_json(comparison: &Comparison, path: &Path) -> Result<(), ReportError> {
    let text = serde_json::to_string_pretty(comparison)
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause: cause.into() })?;
    write_text(path, &format!("{text}\n"))
}
