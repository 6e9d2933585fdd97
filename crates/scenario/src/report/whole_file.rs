//! A file that is complete or absent: written under a temporary name in the same folder, then renamed.

use crate::report::error::ReportError;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written. It takes its name in [`WholeFile::finish`]; dropped before that, nothing of it remains.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// Begins a file. An existing one of that name stays as it is until the new one is complete.
    ///
    /// # Errors
    /// When the folder doesn't exist or may not be written to, or when the name is a folder's.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        if path.is_dir() {
            return Err(ReportError::write(path, io::ErrorKind::IsADirectory.into()));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".petrio-").suffix(".part");
        #[cfg(unix)]
        {
            // A temporary file is private by default; a result is as readable as the user's mask says.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|cause| ReportError::write(path, cause))?;
        Ok(Self { path: path.to_owned(), writer: BufWriter::new(file) })
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When what is still buffered can't be written, or the file can't be renamed.
    pub fn finish(self) -> Result<(), ReportError> {
        let Self { path, writer } = self;
        let file = writer.into_inner().map_err(|error| ReportError::write(&path, error.into_error()))?;
        file.persist(&path).map_err(|error| ReportError::write(&path, error.error))?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes a whole text at once.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path)?;
    file.write_all(text.as_bytes()).map_err(|cause| ReportError::write(path, cause))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_not_finished_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        fs::write(&path, "old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half of the ne").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_text(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named_with_what_to_do() {
        let error = write_text(Path::new("/no-such-folder/report.json"), "").unwrap_err();
        assert!(error.to_string().starts_with("/no-such-folder/report.json can't be written"), "{error}");
        assert!(error.to_string().ends_with("make the folder first"), "{error}");
    }
}
