//! A manifest's files in their directories: which directories these are, who may work there, and what of it was made.

use super::error::NamespaceError;
use super::journal::{Journal, Journalled};
use super::lock::Lock;
use super::manifest::Manifest;
use crate::beneath::{Directory, Identity, Kind, There};
use crate::drive::Below;
use petrio_files::own::{JOURNAL, LOCK, MANIFEST};
use petrio_units::numbers::as_number;
use petrio_users::namespace::Namespace;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

/// The directories in which a namespace lies, or is to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    /// That of the first place; it holds the manifest.
    pub main: PathBuf,
    /// Those of the other places by their names; those left out lie in the main one. In the main one a symbolic link
    /// stands for what lies elsewhere.
    pub others: BTreeMap<String, PathBuf>,
}

impl Directories {
    /// All of a namespace in one directory.
    pub fn one(main: impl Into<PathBuf>) -> Self {
        Self { main: main.into(), others: BTreeMap::new() }
    }
}

/// Files and where they lie. As long as it is there, no other petrio works in its directories.
#[derive(Debug)]
pub struct Site {
    pub(super) manifest: Manifest,
    pub(super) namespace: Namespace,
    /// The directory of each place.
    pub(super) roots: Vec<Arc<Directory>>,
    /// What was made.
    pub(super) known: Journalled,
    /// Where what is made is written down; only for those who may change something.
    pub(super) journal: Option<Journal>,
    /// Whether files of this manifest are there, all or some.
    pub(super) is_begun: bool,
    pub(super) locks: Vec<(Arc<Directory>, Lock)>,
    /// Directories that were made for it, each before what lies in it.
    pub(super) made: Vec<PathBuf>,
}

impl Site {
    /// Lets processes that this one starts work there too: as long as one of them is there, no other petrio works in
    /// its directories.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn share(&self) -> Result<(), NamespaceError> {
        for (root, lock) in &self.locks {
            lock.share().map_err(NamespaceError::file("lock", root.path()))?;
        }
        Ok(())
    }

    /// Writes down what was made.
    pub(super) fn note(&mut self, number: u32, what: Identity) -> Result<(), NamespaceError> {
        if let Some(journal) = &mut self.journal {
            let path = self.roots[0].path().join(JOURNAL);
            journal.made(number, what).map_err(NamespaceError::file("write", path))?;
        }
        self.known.made[number as usize] = what;
        Ok(())
    }

    /// Whether a file is one that a user at work has made.
    pub(super) fn is_of_a_run(&self, there: &There) -> bool {
        there.kind == Kind::File
            && there.is_marked
            && self.journal.as_ref().is_some_and(|journal| journal.owner == there.owner)
    }

    /// The ground on which programs work that use the files.
    pub fn ground(&self) -> Below {
        let elsewhere = self.links().map(|link| {
            let top = &self.namespace.entries[link.to as usize];
            (top.name.to_string(), self.roots[top.place as usize].clone())
        });
        Below::new(self.main().clone(), elsewhere.collect())
    }

    /// The files.
    pub const fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The directory that holds the manifest.
    pub(super) fn main(&self) -> &Arc<Directory> {
        &self.roots[0]
    }

    /// Each directory once, with the first place that lies there.
    pub(super) fn distinct_roots(&self) -> impl Iterator<Item = (usize, &Arc<Directory>)> {
        let is_first = |at: usize| !self.roots[..at].iter().any(|other| Arc::ptr_eq(other, &self.roots[at]));
        self.roots.iter().enumerate().filter(move |(at, _)| is_first(*at))
    }

    /// What an entry is called in messages.
    pub(super) fn shown(&self, number: u32) -> PathBuf {
        match self.namespace.entries.get(number as usize) {
            Some(entry) => self.roots[entry.place as usize].path().join(self.namespace.path(number)),
            None => match self.links().find(|link| link.number == number) {
                Some(link) => {
                    self.main().path().join(self.namespace.entries[link.to as usize].name.to_string())
                }
                None => self.main().path().to_owned(),
            },
        }
    }

    /// What lies elsewhere, and the symbolic links that stand for it in the main directory.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        let is_elsewhere = |place: u32| !Arc::ptr_eq(&self.roots[place as usize], &self.roots[0]);
        let tops = (0_u32..).zip(&self.namespace.entries).filter(|(_, entry)| entry.parent.is_none());
        let elsewhere = tops.filter(move |(_, entry)| is_elsewhere(entry.place));
        let first = as_number(self.namespace.entries.len());
        (first..).zip(elsewhere).map(|(number, (to, _))| Link { number, to })
    }

    /// How many numbers there are: entries, and a link for each that could have one.
    pub(super) fn count(&self) -> usize {
        let tops = self.namespace.entries.iter().filter(|entry| entry.parent.is_none());
        self.namespace.entries.len() + tops.count()
    }

    /// Writes down that files begin to be made: from now on they can be removed again.
    pub(super) fn begin(&mut self) -> Result<(), NamespaceError> {
        let mut places = Vec::new();
        for (name, root) in self.namespace.places.iter().zip(&self.roots) {
            let there = root.itself().map_err(NamespaceError::file("look at", root.path()))?;
            places.push((name.clone(), there.identity));
        }
        self.known.places = places.iter().map(|(_, place)| *place).collect();
        let main = self.roots[0].clone();
        self.journal = Some(Journal::begin(&main, &self.manifest, &places)?);
        self.write_manifest(false)?;
        self.is_begun = true;
        Ok(())
    }

    /// Says whether all files are there.
    pub(super) fn write_manifest(&mut self, complete: bool) -> Result<(), NamespaceError> {
        self.manifest.complete = complete;
        self.manifest.write(self.main())
    }

    /// Removes petrio's accounts: nothing of it is left.
    pub(super) fn forget(&mut self) -> Result<(), NamespaceError> {
        for name in [MANIFEST, JOURNAL] {
            let path = self.main().path().join(name);
            match self.main().unlink(OsStr::new(name), false) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(NamespaceError::file("remove", path)(error));
                }
                _ => {}
            }
        }
        self.is_begun = false;
        self.unlock();
        Ok(())
    }

    /// Removes the files on which the locks lie, while they are held.
    fn unlock(&mut self) {
        for (root, lock) in self.locks.drain(..) {
            let _ = root.unlink(OsStr::new(LOCK), false);
            drop(lock);
        }
    }

    /// Makes everything durable on each file system concerned.
    pub(super) fn sync(&self) -> Result<(), NamespaceError> {
        for (_, root) in self.distinct_roots() {
            root.sync_file_system().map_err(NamespaceError::file("sync", root.path()))?;
        }
        Ok(())
    }
}

impl Drop for Site {
    /// Where nothing was begun, nothing stays.
    fn drop(&mut self) {
        if self.is_begun {
            return;
        }
        self.locks.retain(|(_, lock)| lock.is_new);
        self.unlock();
        for directory in self.made.iter().rev() {
            // With something in it, it stays.
            let _ = std::fs::remove_dir(directory);
        }
    }
}

/// A symbolic link in the main directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) number: u32,
    /// What it stands for.
    pub(super) to: u32,
}
