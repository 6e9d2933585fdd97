//! Which files of this machine a page may name, and how they are opened.
//!
//! A studio that only this machine reaches serves its own user, who may name whatever he may read. One that others
//! reach serves whoever has the address: nothing but the folder in which it was started, and what lies beside the
//! specification with which it was. These folders are held by their handles, and what is read or written is the very
//! file that was found from there.

mod held;
mod names;

use held::{Held, leads_out, path_of};
use miette::Diagnostic;
use petrio_files::shown;
use petrio_files::whole_file::WholeFile;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Files that may be read and written.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// All that the studio's user can.
    Everything,
    /// What lies below one folder, or directly in another, and one file wherever a link to it led at the start.
    Below(Arc<Below>),
}

/// Folders that are held.
#[derive(Debug)]
pub(crate) struct Below {
    /// The paths by which it is known, and itself.
    folder: (Vec<PathBuf>, Held),
    beside: Option<(Vec<PathBuf>, Held)>,
    /// The paths by which it is known, its folder, and its name there.
    specification: Option<(Vec<PathBuf>, Held, PathBuf)>,
}

/// A file that lies elsewhere.
#[derive(Debug, Diagnostic, Error)]
#[error("{path} lies outside of {folder}, where the studio was started")]
#[diagnostic(help(
    "while others can reach the studio, files are read and written only below that folder and beside its specification; start it \
     elsewhere, or without --listen"
))]
pub(crate) struct OutOfReach {
    path: String,
    folder: String,
}

/// Why a file isn't had.
#[derive(Debug, Error)]
pub(crate) enum Unreached {
    #[error(transparent)]
    Outside(#[from] OutOfReach),
    #[error("{} can't be {verb}: {cause}", shown::path(path))]
    Failed { path: PathBuf, verb: &'static str, cause: io::Error },
    #[error("{} is no file", shown::path(.0))]
    NoFile(PathBuf),
}

impl Unreached {
    /// Whether there is nothing of that name.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Failed { cause, .. } if cause.kind() == io::ErrorKind::NotFound)
    }
}

/// A file that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    /// A path by which this very file can be opened again as long as this lives; of a studio that reaches everything,
    /// its own.
    pub(crate) path: PathBuf,
}

impl Reach {
    /// That of a studio which others can reach.
    pub(crate) fn within(folder: &Path, specification: Option<&Path>) -> io::Result<Self> {
        let real = folder.canonicalize()?;
        let known = |path: &Path, real: &Path| vec![normal(path), real.to_owned()];
        let named = specification.map(|path| folder.join(path));
        let beside = named.as_ref().and_then(|path| {
            let folder = path.parent()?;
            let real = folder.canonicalize().ok()?;
            Some((known(folder, &real), Held::open(&real).ok()?))
        });
        let specification = named.as_ref().and_then(|path| {
            let real = path.canonicalize().ok()?;
            let (folder, name) = (Held::open(real.parent()?).ok()?, real.file_name()?.into());
            Some((known(path, &real), folder, name))
        });
        let folder = (known(folder, &real), Held::open(&real)?);
        Ok(Self::Below(Arc::new(Below { folder, beside, specification })))
    }

    /// Whether others than the studio's user may reach it, so that not every file can be named.
    pub(crate) const fn is_bounded(&self) -> bool {
        matches!(self, Self::Below(_))
    }

    /// Opens the file that a path means, to read it.
    pub(crate) fn open(&self, path: &Path) -> Result<Opened, Unreached> {
        let failed = |cause| Unreached::Failed { path: path.to_owned(), verb: "read", cause };
        let no_file = || Unreached::NoFile(path.to_owned());
        match self {
            Self::Everything => {
                // Before it is opened, which a device or a pipe may take for something.
                if !std::fs::metadata(path).map_err(failed)?.is_file() {
                    return Err(no_file());
                }
                let file = File::open(path).map_err(failed)?;
                Ok(Opened { file, path: path.to_owned() })
            }
            Self::Below(below) => {
                let (held, inner) = below.place(path).ok_or_else(|| below.out_of_reach(path))?;
                let file = held.file(&inner).map_err(|cause| below.refused(path, "read", cause))?;
                let file = file.ok_or_else(no_file)?;
                Ok(Opened { path: path_of(&file), file })
            }
        }
    }

    /// Writes the file that a path means: it is complete, or as it was.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Unreached> {
        match self {
            Self::Everything => {
                // What was opened here is what is saved here.
                let write = || -> io::Result<()> {
                    let mut file = WholeFile::replace(path)?;
                    file.write_all(text.as_bytes())?;
                    file.finish()
                };
                write().map_err(|cause| Unreached::Failed { path: path.to_owned(), verb: "written", cause })
            }
            Self::Below(below) => {
                let (held, inner) = below.place(path).ok_or_else(|| below.out_of_reach(path))?;
                held.replace(&inner, text.as_bytes()).map_err(|cause| below.refused(path, "written", cause))
            }
        }
    }

    /// The folder in which a scenario's files are looked for, while it is being run and what is given with it lives.
    /// Any of its texts may name one, relative to its folder. What others can reach is a mirror in `room`, in which
    /// there are these files and nothing else.
    pub(crate) fn folder_of(
        &self,
        path: &Path,
        text: &str,
        room: &Path,
    ) -> Result<(PathBuf, Vec<Opened>), Unreached> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Self::Below(below) = self else { return Ok((folder.to_owned(), Vec::new())) };
        let failed = |cause| Unreached::Failed { path: path.to_owned(), verb: "mirrored", cause };
        // As deep as in truth, so that dots lead to the same places.
        let (mirror, here) = (room.join("mirror"), below.absolute(folder));
        let inside = |path: &Path| mirror.join(path.strip_prefix("/").unwrap_or(path));
        std::fs::create_dir_all(inside(&here)).map_err(failed)?;
        let mut held = Vec::new();
        for text in names::texts(text) {
            let named = below.absolute(&folder.join(&text));
            match self.open(&named) {
                // By its whole path it would be looked for past the mirror.
                Ok(_) if Path::new(&text).is_absolute() => {
                    return Err(
                        OutOfReach { path: text, folder: below.folder.0[0].display().to_string() }.into()
                    );
                }
                Ok(opened) => {
                    let link = inside(&named);
                    link.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
                    match std::os::unix::fs::symlink(&opened.path, &link) {
                        Ok(()) => held.push(opened),
                        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(cause) => return Err(failed(cause)),
                    }
                }
                Err(Unreached::Outside(_)) => {
                    return Err(below.out_of_reach(&folder.join(&text)).into());
                }
                // A word that names nothing.
                Err(_) => {}
            }
        }
        Ok((inside(&here), held))
    }
}

impl Below {
    fn absolute(&self, path: &Path) -> PathBuf {
        normal(&self.folder.0[0].join(path))
    }

    /// From which folder a path is looked for, and its path there.
    fn place(&self, path: &Path) -> Option<(&Held, PathBuf)> {
        let path = self.absolute(path);
        let (names, folder) = &self.folder;
        if let Some(inner) = names.iter().find_map(|name| path.strip_prefix(name).ok()) {
            let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
            // A specification that is a link in the folder is what it led to.
            return self.specification_at(&path).or_else(|| Some((folder, inner.to_owned())));
        }
        self.specification_at(&path).or_else(|| {
            let (names, folder) = self.beside.as_ref()?;
            let is_beside = names.iter().any(|name| path.parent() == Some(name));
            is_beside.then_some((folder, path.file_name()?.into()))
        })
    }

    fn specification_at(&self, path: &Path) -> Option<(&Held, PathBuf)> {
        let (names, folder, name) = self.specification.as_ref()?;
        names.iter().any(|known| known == path).then(|| (folder, name.clone()))
    }

    fn out_of_reach(&self, path: &Path) -> OutOfReach {
        OutOfReach { path: path.display().to_string(), folder: self.folder.0[0].display().to_string() }
    }

    fn refused(&self, path: &Path, verb: &'static str, cause: io::Error) -> Unreached {
        if leads_out(&cause) {
            return self.out_of_reach(path).into();
        }
        Unreached::Failed { path: path.to_owned(), verb, cause }
    }
}

/// A path without dots, by its names alone; what it leads to is looked for below a handle all the same.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests;
