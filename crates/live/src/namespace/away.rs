//! Taking a file away without ever taking another one: there is no call that removes a file by what it is, only by its
//! name, and what has the name may have changed since it was looked at. So it is first given a name in a directory that
//! only petrio knows, looked at again there, and removed only if it is still what it was thought to be; otherwise it
//! gets its name back.
//!
//! A process that is killed in between leaves the file in that directory; whoever works there next settles it.

use super::error::NamespaceError;
use crate::beneath::{Directory, Kind, There};
use petrio_files::own::ASIDE;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

/// What became of something that was to be taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is gone.
    Removed,
    /// Nothing had the name.
    Absent,
    /// Something else has the name, and keeps it.
    Another,
    /// It is a directory with something in it.
    Full,
}

/// The directory for what is taken away, in that of a place; made when it is needed and removed when this is dropped.
#[derive(Debug)]
pub(super) struct Aside {
    root: Arc<Directory>,
    directory: Option<Directory>,
}

impl Aside {
    pub(super) fn of(root: &Arc<Directory>) -> Self {
        Self { root: root.clone(), directory: None }
    }

    /// The directory; one that is there is petrio's own, or nothing is put there.
    fn directory(&mut self) -> io::Result<&Directory> {
        if self.directory.is_none() {
            match self.root.make_directory(OsStr::new(ASIDE), 0o700) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            self.directory = existing(&self.root)?;
        }
        self.directory.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Takes away what has a name in a directory, if it is what it should be, under a name that tells where it was.
    pub(super) fn take(
        &mut self,
        parent: &Directory,
        name: &OsStr,
        aside: &OsStr,
        is_it: impl Fn(&There) -> bool,
    ) -> io::Result<Taken> {
        let Some(there) = parent.look(name)? else { return Ok(Taken::Absent) };
        if !is_it(&there) {
            return Ok(Taken::Another);
        }
        let is_directory = there.kind == Kind::Directory;
        if is_directory && !parent.directory_below(name.as_ref())?.is_empty()? {
            return Ok(Taken::Full);
        }
        let directory = self.directory()?;
        match parent.move_to(name, directory, aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::Absent),
            outcome => outcome?,
        }
        let what = match directory.look(aside)? {
            Some(moved) if is_it(&moved) => match directory.unlink(aside, is_directory) {
                Ok(()) => return Ok(Taken::Removed),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Taken::Full,
                Err(error) => {
                    directory.move_to(aside, parent, name)?;
                    return Err(error);
                }
            },
            Some(_) => Taken::Another,
            None => return Ok(Taken::Absent),
        };
        directory.move_to(aside, parent, name)?;
        Ok(what)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if self.directory.take().is_some() {
            // Where something couldn't be given its name back, it stays.
            let _ = self.root.unlink(OsStr::new(ASIDE), true);
        }
    }
}

/// The directory, where there is one.
fn existing(root: &Directory) -> io::Result<Option<Directory>> {
    let directory = match root.directory_below(ASIDE.as_ref()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let there = directory.itself()?;
    if there.owner != rustix::process::geteuid().as_raw() || there.mode & 0o022 != 0 {
        return Err(io::Error::other(format!("{ASIDE} isn't petrio's own directory")));
    }
    Ok(Some(directory))
}

/// Settles what a process that was killed has left: each thing is removed if it is what it should be, and gets its name
/// back otherwise. `origin` says where something of such a name was, and whether it is to go.
pub(super) fn settle(
    root: &Arc<Directory>,
    mut origin: impl FnMut(&OsStr, &There) -> Option<(Arc<Directory>, OsString, bool)>,
) -> Result<(), NamespaceError> {
    let path = root.path().join(ASIDE);
    let mut settle = || -> io::Result<()> {
        let Some(directory) = existing(root)? else { return Ok(()) };
        for name in directory.names()? {
            let Some(there) = directory.look(&name)? else { continue };
            let Some((parent, before, is_to_go)) = origin(&name, &there) else { continue };
            if !is_to_go || directory.unlink(&name, there.kind == Kind::Directory).is_err() {
                directory.move_to(&name, &parent, &before)?;
            }
        }
        // What nobody knows stays there.
        let _ = root.unlink(OsStr::new(ASIDE), true);
        Ok(())
    };
    settle().map_err(NamespaceError::file("settle", path))
}

/// What something is called while it is taken away: the number of an entry, or a user's directory and a file in it.
pub(super) fn aside_name(number: u32, file: Option<&OsStr>) -> OsString {
    let mut name = number.to_string().into_bytes();
    if let Some(file) = file {
        name.push(b':');
        name.extend(file.as_bytes());
    }
    OsString::from_vec(name)
}

/// Which entry, or which file in which user's directory, has such a name.
pub(super) fn aside_of(name: &OsStr) -> Option<(u32, Option<&OsStr>)> {
    let name = name.as_bytes();
    let colon = name.iter().position(|byte| *byte == b':');
    let number = std::str::from_utf8(&name[..colon.unwrap_or(name.len())]).ok()?.parse().ok()?;
    Some((number, colon.map(|colon| OsStr::from_bytes(&name[colon + 1..]))))
}
