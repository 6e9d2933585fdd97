//! What a name stands for: a regular file, there or not yet, or something that is written through.

use crate::inputs::Inputs;
use crate::shown;
use rustix::fs::{Access, AtFlags, CWD};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Links that lead to links; as many as Linux follows (`path_resolution(7)`).
const LINKS_MAX: usize = 40;

/// What a name stands for.
pub(super) enum Target {
    /// A regular file, with what lies there now.
    Regular { file: PathBuf, there: Option<Metadata> },
    /// Something that takes bytes and stays what it is.
    Through(Through),
}

/// What is written through.
pub(super) enum Through {
    /// This process's standard output, wherever it leads: with its position, which a file opened anew wouldn't share.
    Output,
    /// This process's standard error.
    Error,
    /// Whatever has this name.
    Named(PathBuf),
}

impl Through {
    pub(super) fn open(&self) -> io::Result<File> {
        match self {
            Self::Output => Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
            Self::Error => Ok(File::from(io::stderr().as_fd().try_clone_to_owned()?)),
            Self::Named(path) => {
                // Nothing becomes this process's terminal; and another open file of the shell's isn't cut.
                let no_terminal = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
                OpenOptions::new().append(true).custom_flags(no_terminal).open(path)
            }
        }
    }
}

impl Target {
    /// Looks at a name, which is to be none of those `inputs`.
    pub(super) fn of(path: &Path, inputs: &Inputs) -> io::Result<Self> {
        let mut file = path.to_owned();
        for _ in 0..LINKS_MAX {
            if let Some(number) = descriptor(&file) {
                return Ok(Self::Through(match number {
                    1 => Through::Output,
                    2 => Through::Error,
                    _ => Through::Named(file),
                }));
            }
            match file.symlink_metadata() {
                Ok(there) if there.is_symlink() => {
                    is_trusted(&file, &there)?;
                    let to = std::fs::read_link(&file)?;
                    file = folder(&file).join(to);
                }
                Ok(there) => return Self::there(file, there, inputs),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let folder = folder(&file);
                    if !folder.is_dir() {
                        let cause = format!("the folder {} doesn't exist", shown::path(folder));
                        return Err(io::Error::new(io::ErrorKind::NotFound, cause));
                    }
                    if file.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                        return Err(io::ErrorKind::IsADirectory.into());
                    }
                    return Ok(Self::Regular { file, there: None });
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("it is a link that leads to itself"))
    }

    fn there(file: PathBuf, there: Metadata, inputs: &Inputs) -> io::Result<Self> {
        let kind = there.file_type();
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if kind.is_block_device() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is a block device, which is never written to",
            ));
        }
        if !kind.is_file() {
            return Ok(Self::Through(Through::Named(file)));
        }
        is_none_of(inputs, &file)?;
        // Whoever took away the right to write didn't mean the file to be replaced.
        rustix::fs::accessat(CWD, &file, Access::WRITE_OK, AtFlags::EACCESS)?;
        Ok(Self::Regular { file, there: Some(there) })
    }
}

/// The number of this process's open file that a name stands for: `/dev/fd/N`, to which `/dev/stdout` leads.
fn descriptor(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = path.parent()?;
    let own = format!("/proc/{}/fd", std::process::id());
    let is_own = ["/proc/self/fd", "/dev/fd", "/proc/thread-self/fd", own.as_str()]
        .iter()
        .any(|known| folder == Path::new(known));
    is_own.then_some(number)
}

/// Refuses a link that another user has laid in a folder where everybody may: it leads where he likes. As the kernel
/// does with `fs.protected_symlinks` (Documentation/admin-guide/sysctl/fs.rst), which isn't set everywhere.
fn is_trusted(link: &Path, there: &Metadata) -> io::Result<()> {
    let shared = std::fs::metadata(folder(link))?;
    let is_shared = shared.mode() & 0o002 != 0;
    let is_known = [rustix::process::geteuid().as_raw(), shared.uid()].contains(&there.uid());
    if is_shared && !is_known {
        let cause = "it is another user's link in a folder that everybody can write to; name another file";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, cause));
    }
    Ok(())
}

/// Refuses what has been read.
pub(super) fn is_none_of(inputs: &Inputs, file: &Path) -> io::Result<()> {
    if inputs.contain(file) {
        let cause = "it is read by this command, and would be overwritten; name another file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, cause));
    }
    Ok(())
}

/// Whether names can be made in a folder.
pub(super) fn may_write_in(folder: &Path) -> io::Result<()> {
    rustix::fs::accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?;
    Ok(())
}

/// The folder of a file.
pub(super) fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
