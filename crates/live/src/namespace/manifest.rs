//! What a directory is filled with: enough to know every name and size in it.

use super::error::NamespaceError;
use petrio_files::whole_file::WholeFile;
use petrio_workload::namespace::Namespace;
use petrio_workload::users::UserSpecification;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The manifest's name in the directory.
pub const MANIFEST: &str = ".petrio-files.json";

/// What files a directory holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this file's form; 1.
    pub version: u32,
    /// From what they are made.
    pub specification: UserSpecification,
    /// For how many users.
    pub users: u32,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The directories of places that don't lie in this one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, PathBuf>,
    /// Whether all of them are there.
    pub complete: bool,
}

impl Manifest {
    /// Of files that aren't made yet.
    pub fn new(specification: UserSpecification, users: u32, seed: u64) -> Self {
        Self { version: 1, specification, users, seed, places: BTreeMap::new(), complete: false }
    }

    /// The files.
    ///
    /// # Errors
    /// A specification that makes no sense.
    pub fn namespace(&self) -> Result<Namespace, NamespaceError> {
        Ok(self.specification.namespace(self.users, self.seed)?)
    }

    /// That of a directory; `None` where there is none.
    ///
    /// # Errors
    /// One that can't be read.
    pub fn read(directory: &Path) -> Result<Option<Self>, NamespaceError> {
        let path = directory.join(MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(NamespaceError::file("read", path)(error)),
        };
        match Self::of_text(&text) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(why) => Err(NamespaceError::Manifest { path, why }),
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_text(text: &str) -> Result<Self, String> {
        match serde_json::from_str::<Self>(text) {
            Ok(manifest) if manifest.version == 1 => Ok(manifest),
            Ok(manifest) => Err(format!("version {} is of another petrio", manifest.version)),
            Err(error) => Err(format!("it is damaged: {error}")),
        }
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, directory: &Path) -> Result<(), NamespaceError> {
        let path = directory.join(MANIFEST);
        let written = serde_json::to_vec(self).map_err(std::io::Error::other).and_then(|text| {
            let mut file = WholeFile::replace(&path)?;
            file.write_all(&text)?;
            file.finish()
        });
        written.map_err(NamespaceError::file("write", path))
    }

    /// What is different about another one; `None` where both make the same files.
    pub(super) fn differs_from(&self, other: &Self) -> Option<String> {
        if self.seed != other.seed {
            return Some(format!("seed {}, not {}", other.seed, self.seed));
        }
        if self.users != other.users {
            return Some(format!("for {} users, not {}", other.users, self.users));
        }
        let same = self.specification.files == other.specification.files
            && self.specification.category == other.specification.category
            && self.specification.readings == other.specification.readings;
        (!same).then(|| format!("made from another specification, \"{}\"", other.specification.title))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_to_the_last_bit_of_every_number() {
        let text = "title = \"t\"\n[files]\ncount = 3\n[category.a]\nowner = \"o\"\nuse = \"read-only\"\nshare = 1\nsize = \"1 B\"\n";
        let mut specification: UserSpecification = toml::from_str(text).unwrap();
        let mut number = 0.1;
        for _ in 0..1_000 {
            number = (number * 1_000.0_f64 + 0.123_456_789).fract();
            specification.readings.written = number;
            let manifest = Manifest::new(specification.clone(), 1, u64::MAX);
            let again = Manifest::of_text(&serde_json::to_string(&manifest).unwrap()).unwrap();
            assert_eq!(again.differs_from(&manifest), None, "{number}");
            assert_eq!(again, manifest);
        }
        assert!(Manifest::of_text("{").unwrap_err().contains("it is damaged"));
    }
}
