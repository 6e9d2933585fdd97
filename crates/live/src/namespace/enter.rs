//! How a site is come to: its directories found or made, opened and locked, and what a process that was killed there
//! has left settled, before anything else is done.

use super::away;
use super::error::NamespaceError;
use super::journal::{Journal, Journalled};
use super::lock::{Access, Lock};
use super::manifest::Manifest;
use super::site::{Directories, Site};
use super::walk::Walk;
use crate::beneath::{Directory, Identity, Kind, There};
use petrio_users::namespace::{FileKind, Namespace};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

impl Site {
    /// Where files are to be made, or were, for somebody such as "petrio fs create".
    ///
    /// # Errors
    /// A specification that makes no sense, a directory for a place that it doesn't have, files of another sort,
    /// another petrio at work there.
    pub fn plan(
        mut manifest: Manifest,
        directories: &Directories,
        who: &str,
    ) -> Result<Self, NamespaceError> {
        // Whatever is wrong with it is said before anything is made.
        let namespace = manifest.namespace()?;
        let mut site = Self::empty(manifest.clone(), namespace);
        site.check_places(directories)?;
        site.make(&directories.main)?;
        for directory in directories.others.values() {
            site.make(directory)?;
        }
        site.enter(directories, Access::Change, who)?;
        if let Some(there) = Manifest::read(site.main())? {
            if let Some(what) = manifest.differs_from(&there) {
                return Err(NamespaceError::Other { path: directories.main.clone(), what });
            }
            manifest = there;
            site.manifest = manifest;
            site.begun(Access::Change)?;
        } else {
            for (name, directory) in &directories.others {
                let path = std::path::absolute(directory)
                    .map_err(NamespaceError::file("find", directory.as_path()))?;
                site.manifest.places.insert(name.clone(), path);
            }
            site.known.made = vec![Identity::NONE; site.count()];
            if let Some((root, _)) = site.locks.iter().find(|(_, lock)| !lock.is_marked) {
                return Err(NamespaceError::NoMark { path: root.path().to_owned() });
            }
        }
        Ok(site)
    }

    /// Where files were made.
    ///
    /// # Errors
    /// No manifest, one that can't be read or is another directory's, another petrio at work there.
    pub fn of(directories: &Directories, access: Access, who: &str) -> Result<Self, NamespaceError> {
        let missing = || NamespaceError::NoManifest { path: directories.main.clone() };
        let main = open(&directories.main)?;
        let manifest = Manifest::read(&main)?.ok_or_else(missing)?;
        let namespace = manifest.namespace()?;
        let mut site = Self::empty(manifest, namespace);
        site.check_places(directories)?;
        site.enter(directories, access, who)?;
        // Read again: whoever had the lock may have changed it.
        let manifest = Manifest::read(site.main())?.ok_or_else(missing)?;
        if let Some(what) = site.manifest.differs_from(&manifest) {
            return Err(NamespaceError::Other { path: directories.main.clone(), what });
        }
        site.manifest = manifest;
        site.begun(access)?;
        Ok(site)
    }

    fn empty(manifest: Manifest, namespace: Namespace) -> Self {
        Self {
            manifest,
            namespace,
            roots: Vec::new(),
            known: Journalled::default(),
            journal: None,
            is_begun: false,
            locks: Vec::new(),
            made: Vec::new(),
        }
    }

    fn check_places(&self, given: &Directories) -> Result<(), NamespaceError> {
        let places = &self.namespace.places[1..];
        match given.others.keys().find(|name| !places.contains(name)) {
            Some(name) => Err(NamespaceError::NoSuchPlace { name: name.clone(), places: places.to_vec() }),
            None => Ok(()),
        }
    }

    /// Makes a directory and those above it, where they aren't there.
    fn make(&mut self, directory: &Path) -> Result<(), NamespaceError> {
        let missing: Vec<&Path> = directory
            .ancestors()
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
            .collect();
        for directory in missing.into_iter().rev() {
            match std::fs::create_dir(directory) {
                Ok(()) => self.made.push(directory.to_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(NamespaceError::file("make the directory", directory)(error)),
            }
        }
        Ok(())
    }

    /// Opens the directories and locks them.
    fn enter(&mut self, given: &Directories, access: Access, who: &str) -> Result<(), NamespaceError> {
        let main = Arc::new(open(&given.main)?);
        self.roots.push(main.clone());
        for name in &self.namespace.places[1..] {
            let root = match given.others.get(name) {
                Some(directory) => Arc::new(open(directory)?),
                None => main.clone(),
            };
            // One directory by two names is one directory.
            let same = self.roots.iter().find(|other| is_same(other, &root)).cloned();
            self.roots.push(same.unwrap_or(root));
        }
        for root in &self.roots {
            if self.locks.iter().any(|(locked, _)| Arc::ptr_eq(locked, root)) {
                continue;
            }
            if let Some(lock) = Lock::take(root, access, who)? {
                self.locks.push((root.clone(), lock));
            }
        }
        Ok(())
    }

    /// Takes in what is known of files that were made, and settles what a process that was killed has left.
    fn begun(&mut self, access: Access) -> Result<(), NamespaceError> {
        self.is_begun = true;
        let main = self.roots[0].clone();
        self.known = Journalled::read(&main, access, &self.manifest, &self.namespace.places, self.count())?;
        for (place, root) in self.roots.iter().enumerate() {
            let there = root.itself().map_err(NamespaceError::file("look at", root.path()))?;
            if there.is_same(self.known.places[place]) {
                continue;
            }
            let name = &self.namespace.places[place];
            return Err(match place {
                0 => NamespaceError::Foreign { path: root.path().to_owned() },
                _ => NamespaceError::Place {
                    name: name.clone(),
                    given: root.path().to_owned(),
                    before: self.manifest.places.get(name).cloned(),
                },
            });
        }
        if access == Access::Change {
            self.journal = Some(Journal::go_on(&main, &self.known)?);
            self.settle()?;
            self.adopt()?;
        }
        Ok(())
    }

    /// What was being removed when a process was killed is removed, if it was petrio's, or gets its name back.
    fn settle(&self) -> Result<(), NamespaceError> {
        for (_, root) in self.distinct_roots() {
            let mut walk = Walk::default();
            away::settle(root, |name, there| {
                let (number, rest) = away::aside_of(name)?;
                let (parent, name, is_to_go) = match rest {
                    // A file of a user at work, in his directory.
                    Some(file) => {
                        let home = walk.directory(self, number).ok()??;
                        (home, file.to_owned(), self.is_of_a_run(there))
                    }
                    None => {
                        let (parent, name) = self.where_is(&mut walk, number)?;
                        (parent, name, there.is(*self.known.made.get(number as usize)?))
                    }
                };
                Some((parent, name, is_to_go))
            })?;
        }
        Ok(())
    }

    /// The directory of an entry or a link by its number, and its name there.
    fn where_is(&self, walk: &mut Walk, number: u32) -> Option<(Arc<Directory>, OsString)> {
        if let Some(entry) = self.namespace.entries.get(number as usize) {
            return Some((walk.parent(self, number).ok()??, OsString::from(entry.name.to_string())));
        }
        let link = self.links().find(|link| link.number == number)?;
        Some((
            self.roots[0].clone(),
            OsString::from(self.namespace.entries[link.to as usize].name.to_string()),
        ))
    }

    /// Takes for petrio's what lies in the range in which a process was killed, and with which nothing of anybody's can
    /// be lost.
    fn adopt(&mut self) -> Result<(), NamespaceError> {
        let mut walk = Walk::default();
        for number in self.known.begun.clone() {
            let Some((parent, name)) = self.where_is(&mut walk, number) else { continue };
            let look = || parent.look(&name);
            let there = look().map_err(NamespaceError::file("look at", parent.path().join(&name)))?;
            let Some(there) = there else { continue };
            if there.is(self.known.made[number as usize]) || !self.may_be_made(number, &there, &parent, &name)
            {
                continue;
            }
            self.note(number, there.identity)?;
        }
        Ok(())
    }

    /// Whether something may be what was made last and never written down.
    fn may_be_made(&self, number: u32, there: &There, parent: &Directory, name: &OsStr) -> bool {
        if self.journal.as_ref().is_none_or(|journal| journal.owner != there.owner) {
            return false;
        }
        match self.namespace.entries.get(number as usize) {
            Some(entry) if entry.kind == FileKind::File => {
                there.kind == Kind::File && there.is_marked && there.names == 1 && there.size <= entry.size
            }
            Some(_) => {
                there.kind == Kind::Directory
                    && there.is_marked
                    && parent
                        .directory_below(name.as_ref())
                        .and_then(|there| there.is_empty())
                        .is_ok_and(|is| is)
            }
            None => there.kind == Kind::Link,
        }
    }
}

fn open(directory: &Path) -> Result<Directory, NamespaceError> {
    Directory::open(directory).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => NamespaceError::NoManifest { path: directory.to_owned() },
        _ => NamespaceError::file("open", directory)(error),
    })
}

fn is_same(one: &Directory, other: &Directory) -> bool {
    matches!((one.itself(), other.itself()), (Ok(one), Ok(other)) if one.on == other.on)
}
