//! A file that is complete or absent: written under a temporary name in the same folder, made durable, then renamed.
//!
//! What is no regular file (a pipe, a terminal, `/dev/null`, `/dev/stdout`) is written through instead: nothing takes
//! its place. A symbolic link stays, and the file that it leads to is replaced.

mod target;

use crate::inputs::Inputs;
use crate::under_way::{self, PART_FILE, Recorded};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use target::Target;

/// The temporary files of all that is being written. The process has one such list, because it is the process that a
/// signal ends.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is half-written: for a program that is told to end now, when nothing will be dropped any more. No
/// further file begins.
pub fn discard_unfinished() {
    under_way::prepare_to_end();
    // Kept: what is about to be renamed or to begin waits for the end.
    let unfinished = unfinished();
    for path in unfinished.iter() {
        // What can't be removed now is removed by the next start.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// A file being written. It takes its name in [`WholeFile::finish`]; dropped before that, nothing of it remains.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<File>,
    part: Option<Part>,
}

/// A regular file under its temporary name.
#[derive(Debug)]
struct Part {
    part: PathBuf,
    file: PathBuf,
    /// None of these is replaced.
    inputs: Inputs,
    is_renamed: bool,
    _recorded: Recorded,
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// As its folder and the file that it replaces have it.
    Usual,
    Owner,
}

impl WholeFile {
    /// Begins a file, which takes the place of none of those `inputs`. An existing one of that name stays as it is until
    /// the new one is complete.
    ///
    /// # Errors
    /// As of [`WholeFile::check`].
    pub fn create(path: &Path, inputs: &Inputs) -> io::Result<Self> {
        Self::begin(path, inputs, Readers::Usual)
    }

    /// As [`WholeFile::create`], for what is read, changed and written again.
    ///
    /// # Errors
    /// As of [`WholeFile::create`], but for files that were read.
    pub fn replace(path: &Path) -> io::Result<Self> {
        Self::begin(path, &Inputs::none(), Readers::Usual)
    }

    /// As [`WholeFile::create`], for its owner alone: this user, whatever was there before.
    ///
    /// # Errors
    /// As of [`WholeFile::create`].
    pub fn private(path: &Path, inputs: &Inputs) -> io::Result<Self> {
        Self::begin(path, inputs, Readers::Owner)
    }

    /// [`WholeFile::private`] and [`WholeFile::replace`] together.
    ///
    /// # Errors
    /// As of [`WholeFile::replace`].
    pub fn replace_privately(path: &Path) -> io::Result<Self> {
        Self::begin(path, &Inputs::none(), Readers::Owner)
    }

    /// Looks whether a file can be written there; leaves everything as it is, and opens no pipe.
    ///
    /// # Errors
    /// When the folder doesn't exist or may not be written to, when the name is a folder's or a block device's, when
    /// the file is protected against writing, or is one of the `inputs` that were read.
    pub fn check(path: &Path, inputs: &Inputs) -> io::Result<()> {
        if let Target::Regular { file, .. } = Target::of(path, inputs)? {
            target::may_write_in(target::folder(&file))?;
        }
        Ok(())
    }

    fn begin(path: &Path, inputs: &Inputs, readers: Readers) -> io::Result<Self> {
        let (file, there) = match Target::of(path, inputs)? {
            Target::Regular { file, there } => (file, there),
            Target::Through(opened) => {
                return Ok(Self {
                    path: path.to_owned(),
                    writer: BufWriter::new(opened.open()?),
                    part: None,
                });
            }
        };
        let part = target::folder(&file).join(format!(".petrio-{}.part", under_way::random_name()));
        let recorded = under_way::begin(PART_FILE, &part);
        let mut listed = unfinished();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // As private as the file that it replaces, from the first byte on.
        let usual = if readers == Readers::Owner { 0o600 } else { 0o666 };
        let there = there.filter(|_| readers == Readers::Usual);
        options.mode(there.as_ref().map_or(usual, |there| there.mode() & 0o600));
        // The plain cause; the temporary name that comes with it means nothing to anybody.
        let opened = options.open(&part).map_err(|error| io::Error::from(error.kind()))?;
        listed.insert(part.clone());
        drop(listed);
        let begun = Part { part, file, inputs: inputs.clone(), is_renamed: false, _recorded: recorded };
        if let Some(there) = there {
            // Another's file stays his, where that is allowed; the mode comes after, for a change of owner resets it.
            let _ = std::os::unix::fs::fchown(&opened, Some(there.uid()), Some(there.gid()));
            opened.set_permissions(Permissions::from_mode(there.mode() & 0o7777))?;
        }
        Ok(Self { path: path.to_owned(), writer: BufWriter::new(opened), part: Some(begun) })
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// When what is still buffered can't be written, or the file can't be renamed, or what has its name was read
    /// meanwhile.
    pub fn finish(self) -> io::Result<()> {
        let Self { path: _, writer, part } = self;
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Some(mut part) = part else { return Ok(()) };
        file.sync_all()?;
        target::is_none_of(&part.inputs, &part.file)?;
        let folder = target::folder(&part.file).to_owned();
        {
            // A signal's handler removes temporary files, or finds none.
            let mut listed = unfinished();
            std::fs::rename(&part.part, &part.file)?;
            listed.remove(&part.part);
            part.is_renamed = true;
        }
        // The name is durable with its folder; not all file systems sync folders.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.is_renamed {
            let _ = std::fs::remove_file(&self.part);
            unfinished().remove(&self.part);
        }
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

#[cfg(test)]
mod tests;
