//! Files that users at work make in their own directories, and that don't stay. They are told by their names, by
//! petrio's mark and by their owner: writing each of them down would be work for the disk that is measured.

use super::away::{Aside, Taken, aside_name};
use super::error::NamespaceError;
use super::lock::{Access, CLEARING};
use super::site::{Directories, Site};
use crate::beneath::{Directory, Identity, Kind};
use petrio_users::is_made_by_users;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The users' own directories.
#[derive(Debug)]
pub struct Homes {
    homes: Vec<Home>,
    owner: u32,
}

#[derive(Debug)]
struct Home {
    number: u32,
    root: Arc<Directory>,
    below: PathBuf,
    known: Identity,
}

/// What was removed from the users' own directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Files.
    pub removed: u64,
    /// Those that have such names and aren't petrio's.
    pub kept: Vec<PathBuf>,
}

impl Homes {
    /// Removes what users at work have made and left.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn clear(&self) -> Result<Cleared, NamespaceError> {
        let mut cleared = Cleared::default();
        let mut aside: Option<(&Arc<Directory>, Aside)> = None;
        for home in &self.homes {
            let path = || home.root.path().join(&home.below);
            let open = || -> io::Result<Option<Directory>> {
                let directory = home.root.directory_below(&home.below)?;
                Ok(directory.itself()?.is(home.known).then_some(directory))
            };
            // One that isn't there, or isn't petrio's, has nothing in it that is.
            let Ok(Some(directory)) = open() else { continue };
            for name in directory.names().map_err(NamespaceError::file("read the directory", path()))? {
                if !name.to_str().is_some_and(is_made_by_users) {
                    continue;
                }
                let aside = match &mut aside {
                    Some((root, aside)) if Arc::ptr_eq(root, &home.root) => aside,
                    other => &mut other.insert((&home.root, Aside::of(&home.root))).1,
                };
                let is_it = |there: &crate::beneath::There| {
                    there.kind == Kind::File && there.is_marked && there.owner == self.owner
                };
                let taken = aside.take(&directory, &name, &aside_name(home.number, Some(&name)), is_it);
                match taken.map_err(NamespaceError::file("remove", path().join(&name)))? {
                    Taken::Removed => cleared.removed += 1,
                    Taken::Absent => {}
                    Taken::Another | Taken::Full => cleared.kept.push(path().join(&name)),
                }
            }
        }
        Ok(cleared)
    }
}

impl Site {
    /// The users' own directories.
    pub fn homes(&self) -> Homes {
        let home = |number: &u32| Home {
            number: *number,
            root: self.roots[self.namespace.entries[*number as usize].place as usize].clone(),
            below: self.namespace.path(*number).into(),
            known: self.known.made[*number as usize],
        };
        let owner = self.journal.as_ref().map_or(u32::MAX, |journal| journal.owner);
        Homes { homes: self.namespace.homes.iter().map(home).collect(), owner }
    }

    /// The users' own directories, in which a run that was killed has left nothing any more.
    ///
    /// # Errors
    /// Files of others that have the names of those that users at work make, and what the file system refuses.
    pub fn cleared_homes(&self) -> Result<Homes, NamespaceError> {
        let homes = self.homes();
        let kept = homes.clear()?.kept;
        match kept.is_empty() {
            true => Ok(homes),
            false => Err(NamespaceError::collision(kept)),
        }
    }
}

/// How the directories of users at work stand in a record of what is under way: the main one, then a line for each
/// other place.
pub fn recorded(directories: &Directories) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut words = absolute(&directories.main).into_os_string();
    for (name, directory) in &directories.others {
        words.push(format!("\n{name}="));
        words.push(absolute(directory));
    }
    words.into()
}

/// The directories that are [`recorded`] so.
fn directories(recorded: &Path) -> Option<Directories> {
    let mut lines = recorded.as_os_str().as_bytes().split(|byte| *byte == b'\n');
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let mut directories = Directories::one(path(lines.next()?));
    for line in lines {
        let equals = line.iter().position(|byte| *byte == b'=')?;
        let name = String::from_utf8(line[..equals].to_vec()).ok()?;
        directories.others.insert(name, path(&line[equals + 1..]));
    }
    Some(directories)
}

/// Clears what users of a run that was killed have made; whether there was any.
pub(crate) fn clear_recorded(place: &Path) -> io::Result<bool> {
    let Some(directories) = directories(place) else { return Ok(false) };
    // Where the files are gone, or another petrio is at work with them, nothing of that run is left, or soon won't be.
    let Ok(site) = Site::of(&directories, Access::Change, CLEARING) else { return Ok(false) };
    site.homes().clear().map(|cleared| cleared.removed > 0).map_err(io::Error::other)
}
