//! The files of a user specification in real directories: made, resumed, verified and removed.
//!
//! A *manifest* in the directory says what is being made: specification, users and seed, from which every name and size follows. So
//! a creation that was killed goes on where it was, a finished one can be verified, and exactly what was made is removed.
//! Nothing is written outside the directories given.

mod cool;
mod create;
mod error;
mod manifest;
mod remove;
mod room;
mod verify;

pub use cool::cool_down;
pub use create::{Created, create};
pub use error::NamespaceError;
pub use manifest::{MANIFEST, Manifest};
pub use remove::{Removed, remove, remove_made};
pub use verify::{Verified, verify};

use petrio_workload::namespace::Namespace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The directories in which a namespace lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    /// That of the first place; it holds the manifest.
    pub main: PathBuf,
    /// Those of the other places by their names. In the main one a symbolic link stands for what lies there.
    pub others: BTreeMap<String, PathBuf>,
}

impl Directories {
    /// All of a namespace in one directory.
    pub fn one(main: impl Into<PathBuf>) -> Self {
        Self { main: main.into(), others: BTreeMap::new() }
    }

    /// The directory of each of a namespace's places.
    ///
    /// # Errors
    /// A place without a directory, or a directory for a place that there isn't.
    pub fn of(&self, namespace: &Namespace) -> Result<Vec<&Path>, NamespaceError> {
        if let Some(name) = self.others.keys().find(|name| !namespace.places[1..].contains(name)) {
            return Err(NamespaceError::NoSuchPlace {
                name: name.clone(),
                places: namespace.places[1..].to_vec(),
            });
        }
        let others = namespace.places[1..].iter().map(|name| match self.others.get(name) {
            Some(directory) => Ok(directory.as_path()),
            None => Err(NamespaceError::PlaceMissing { name: name.clone() }),
        });
        std::iter::once(Ok(self.main.as_path())).chain(others).collect()
    }
}

/// Where each entry of a namespace lies, in order.
fn paths(namespace: &Namespace, roots: &[&Path]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::with_capacity(namespace.entries.len());
    for entry in &namespace.entries {
        let above = match entry.parent {
            Some(parent) => paths[parent as usize].as_path(),
            None => roots[entry.place as usize],
        };
        paths.push(above.join(&entry.name));
    }
    paths
}
