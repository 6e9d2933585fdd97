//! A file that is complete or absent: written under a temporary name in the same folder, then renamed.

use crate::report::error::ReportError;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// The temporary files of all that is being written. The process has one such list, because it is the process that a
/// signal ends.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what is half-written: for a program that is told to end now, when nothing will be dropped any more.
pub fn discard_unfinished() {
    if let Ok(unfinished) = UNFINISHED.lock() {
        for path in unfinished.iter() {
            // What can't be removed can't be helped here.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// An entry of the list, for as long as its file has its temporary name.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.insert(path.to_owned());
        }
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.remove(&self.0);
        }
    }
}

/// A file being written. It takes its name in [`WholeFile::finish`]; dropped before that, nothing of it remains.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
    listed: Listed,
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
        if !folder.is_dir() {
            let cause = format!("the folder {} doesn't exist", folder.display());
            return Err(ReportError::write(path, io::Error::new(io::ErrorKind::NotFound, cause)));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".petrio-").suffix(".part");
        #[cfg(unix)]
        {
            // A temporary file is private by default; a result is as readable as the user's mask says.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|error| {
            // The plain cause; the temporary name that comes with it means nothing to anybody.
            ReportError::write(path, error.kind().into())
        })?;
        let listed = Listed::new(file.path());
        Ok(Self { path: path.to_owned(), writer: BufWriter::new(file), listed })
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
        let Self { path, writer, listed } = self;
        let file = writer.into_inner().map_err(|error| ReportError::write(&path, error.into_error()))?;
        file.persist(&path).map_err(|error| ReportError::write(&path, error.error))?;
        drop(listed);
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

/// Writes a whole text at once. The file is complete or absent.
///
/// # Errors
/// As of [`WholeFile::create`] and [`WholeFile::finish`].
pub fn write_text(path: &Path, text: &str) -> Result<(), ReportError> {
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
