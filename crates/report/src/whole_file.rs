//! A report's file that is complete or absent, with its name in every error.
//!
//! How it is done is the workload crate's, which writes traces in the same way.

use crate::error::ReportError;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file;
use std::io::{self, Write};
use std::path::Path;

pub use petrio_files::whole_file::discard_unfinished;

/// A file being written. It takes its name in [`WholeFile::finish`]; dropped before that, nothing of it remains.
#[derive(Debug)]
pub struct WholeFile(whole_file::WholeFile);

impl WholeFile {
    /// Begins a file. An existing one of that name stays as it is until the new one is complete.
    ///
    /// # Errors
    /// When the folder doesn't exist or may not be written to, or when the name is a folder's.
    pub fn create(path: &Path, inputs: &Inputs) -> Result<Self, ReportError> {
        whole_file::WholeFile::create(path, inputs).map(Self).map_err(|cause| ReportError::write(path, cause))
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file itself, for whoever writes it to its end and tells its errors.
    pub(crate) fn into_inner(self) -> whole_file::WholeFile {
        self.0
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When what is still buffered can't be written, or the file can't be renamed.
    pub fn finish(self) -> Result<(), ReportError> {
        let path = self.0.path().to_owned();
        self.0.finish().map_err(|cause| ReportError::write(&path, cause))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a whole text at once. The file is complete or absent.
///
/// # Errors
/// As of [`WholeFile::create`] and [`WholeFile::finish`].
pub fn write_text(path: &Path, inputs: &Inputs, text: &str) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path, inputs)?;
    file.write_all(text.as_bytes()).map_err(|cause| ReportError::write(path, cause))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_missing_folder_is_named_with_what_to_do() {
        let error = write_text(Path::new("/no-such-folder/report.json"), &Inputs::none(), "").unwrap_err();
        assert!(error.to_string().starts_with("/no-such-folder/report.json can't be written"), "{error}");
        assert!(error.to_string().ends_with("make the folder first"), "{error}");
    }
}
