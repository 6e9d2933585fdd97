//! The report as JSON: every field of [`Report`] and the version of the form, for programs.

use crate::error::ReportError;
use crate::summary::Report;
use crate::whole_file::WholeFile;
use petrio_files::inputs::Inputs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

/// The version of the form. A field more is the same version; a field that goes, or means something else, is the next.
pub const REPORT_VERSION: u32 = 3;
/// The oldest form that is read: its warnings have no names, and what waited at the end isn't told. Of form 2 assumptions have none.
pub const OLDEST_VERSION: u32 = 1;

/// A report as it stands in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportDocument {
    /// The version of this form: 3. A file without one is of a petrio that wrote none, and of form 1.
    #[serde(default = "unnumbered")]
    pub version: u32,
    /// The report.
    #[serde(flatten)]
    pub report: Report,
}

const fn unnumbered() -> u32 {
    OLDEST_VERSION
}

/// The JSON schema of what [`write_json`] writes.
pub fn report_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(ReportDocument);
    schema.insert("title".to_owned(), "petrio report".into());
    schema
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    #[serde(flatten)]
    report: &'a Report,
}

impl<'a> Written<'a> {
    const fn of(report: &'a Report) -> Self {
        Self { version: REPORT_VERSION, report }
    }
}

/// The report as indented JSON, without a newline at its end.
///
/// # Errors
/// None that a report could cause.
pub fn json_text(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Written::of(report))
}

/// Writes the report as indented JSON, its end a newline, in the place of none of those `inputs`. The file is complete or absent.
///
/// # Errors
/// When the file can't be written.
pub fn write_json(report: &Report, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path, inputs)?;
    serde_json::to_writer_pretty(&mut file, &Written::of(report))
        .map_err(io::Error::from)
        .and_then(|()| file.write_all(b"\n"))
        .map_err(|cause| ReportError::write(path, cause))?;
    file.finish()
}
