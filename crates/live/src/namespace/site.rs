//! A manifest's files in their directories: where each of them lies.

use super::error::NamespaceError;
use super::manifest::Manifest;
use petrio_workload::namespace::Namespace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The directories in which a namespace lies, or is to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    /// That of the first place; it holds the manifest.
    pub main: PathBuf,
    /// Those of the other places by their names; those left out lie where the manifest says, or in the main one. In the main one a
    /// symbolic link stands for what lies elsewhere.
    pub others: BTreeMap<String, PathBuf>,
}

impl Directories {
    /// All of a namespace in one directory.
    pub fn one(main: impl Into<PathBuf>) -> Self {
        Self { main: main.into(), others: BTreeMap::new() }
    }
}

/// Files and where they lie.
#[derive(Clone, Debug)]
pub struct Site {
    pub(super) manifest: Manifest,
    pub(super) namespace: Namespace,
    /// The directory of each place.
    pub(super) roots: Vec<PathBuf>,
    /// Where each entry lies, in order.
    pub(super) paths: Vec<PathBuf>,
    /// Whether files of this manifest are there, all or some.
    pub(super) is_begun: bool,
}

impl Site {
    /// Where files are to be made, or were.
    ///
    /// # Errors
    /// A specification that makes no sense, a directory for a place that it doesn't have, files of another sort.
    pub fn plan(mut manifest: Manifest, directories: &Directories) -> Result<Self, NamespaceError> {
        let there = Manifest::read(&directories.main)?;
        if let Some(there) = &there {
            if let Some(what) = manifest.differs_from(there) {
                return Err(NamespaceError::Other { path: directories.main.clone(), what });
            }
            manifest.places.clone_from(&there.places);
            manifest.complete = there.complete;
        }
        Self::new(manifest, directories, there.is_some())
    }

    /// Where files were made.
    ///
    /// # Errors
    /// No manifest, or one that can't be read.
    pub fn of(directories: &Directories) -> Result<Self, NamespaceError> {
        let missing = || NamespaceError::NoManifest { path: directories.main.clone() };
        let manifest = Manifest::read(&directories.main)?.ok_or_else(missing)?;
        Self::new(manifest, directories, true)
    }

    fn new(mut manifest: Manifest, given: &Directories, is_begun: bool) -> Result<Self, NamespaceError> {
        let namespace = manifest.namespace()?;
        let places = &namespace.places[1..];
        for (name, directory) in &given.others {
            if !places.contains(name) {
                return Err(NamespaceError::NoSuchPlace { name: name.clone(), places: places.to_vec() });
            }
            let directory =
                std::path::absolute(directory).map_err(NamespaceError::file("find", directory.as_path()))?;
            let before = is_begun.then(|| manifest.places.get(name).unwrap_or(&given.main));
            if let Some(before) = before.filter(|before| !is_same(before, &directory)) {
                let what = format!("\"{name}\" lies in {}", before.display());
                return Err(NamespaceError::Other { path: given.main.clone(), what });
            }
            // What lies in the main directory needs no link to it.
            if !is_same(&directory, &given.main) {
                manifest.places.insert(name.clone(), directory);
            }
        }
        let mut roots = vec![given.main.clone()];
        roots.extend(places.iter().map(|name| manifest.places.get(name).unwrap_or(&given.main).clone()));
        let mut paths: Vec<PathBuf> = Vec::with_capacity(namespace.entries.len());
        for entry in &namespace.entries {
            let above = entry.parent.map_or(&roots[entry.place as usize], |parent| &paths[parent as usize]);
            paths.push(above.join(&entry.name));
        }
        Ok(Self { manifest, namespace, roots, paths, is_begun })
    }

    /// The files.
    pub const fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The directory that holds the manifest.
    pub fn main(&self) -> &Path {
        &self.roots[0]
    }

    /// The users' own directories.
    pub fn homes(&self) -> Vec<PathBuf> {
        self.namespace.homes.iter().map(|home| self.paths[*home as usize].clone()).collect()
    }

    /// What lies elsewhere, by its position, and the symbolic link that stands for it in the main directory.
    pub(super) fn links(&self) -> impl Iterator<Item = (usize, PathBuf)> {
        let is_elsewhere = |place: u32| self.roots[place as usize] != self.roots[0];
        let tops = self.namespace.entries.iter().enumerate().filter(|(_, entry)| entry.parent.is_none());
        tops.filter(move |(_, entry)| is_elsewhere(entry.place))
            .map(|(position, entry)| (position, self.main().join(&entry.name)))
    }

    /// Makes everything durable on each file system concerned.
    pub(super) fn sync(&self) -> Result<(), NamespaceError> {
        for root in &self.roots {
            let open = std::fs::File::open(root).map_err(NamespaceError::file("open", root))?;
            rustix::fs::syncfs(&open).map_err(|errno| NamespaceError::file("sync", root)(errno.into()))?;
        }
        Ok(())
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let absolute = |path| std::path::absolute(path).ok();
    absolute(one) == absolute(other)
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
