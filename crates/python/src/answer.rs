//! What a study found, in the forms that the command has.

use pyo3::prelude::*;

/// What a study found: as text, as data (JSON), as a page.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Answer {
    /// As the command prints it.
    #[pyo3(get)]
    pub(crate) text: String,
    /// As `--json` writes it.
    #[pyo3(get)]
    pub(crate) json: String,
    /// As `--html` writes it.
    #[pyo3(get)]
    pub(crate) html: String,
}
