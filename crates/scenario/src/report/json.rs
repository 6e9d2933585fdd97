//! The report as JSON: every field of [`Report`], for programs.

use crate::report::error::ReportError;
use crate::report::summary::Report;
use crate::report::whole_file::WholeFile;
use std::io::{self, Write};
use std::path::Path;

/// Writes the report as indented JSON, its end a newline. The file is complete or absent.
///
/// # Errors
/// When the file can't be written.
pub fn write_json(report: &Report, path: &Path) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path)?;
    serde_json::to_writer_pretty(&mut file, report)
        .map_err(io::Error::from)
        .and_then(|()| file.write_all(b"\n"))
        .map_err(|cause| ReportError::write(path, cause))?;
    file.finish()
}
