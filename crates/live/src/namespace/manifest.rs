//! What a directory is filled with: enough to know every name and size in it.

use super::error::NamespaceError;
use crate::beneath::Directory;
use petrio_files::own::{MANIFEST, NEW_MANIFEST};
use petrio_random::fnv1a;
use petrio_users::UserSpecification;
use petrio_users::namespace::Namespace;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// The version of a manifest. The first had no journal beside it.
const VERSION: u32 = 2;
/// More bytes than any manifest has.
const BYTES_MAX: u64 = 1 << 26;

/// What files a directory holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this file's form; 2.
    pub version: u32,
    /// From what they are made.
    pub specification: UserSpecification,
    /// For how many users.
    pub users: u32,
    /// Where the random numbers begin.
    pub seed: u64,
    /// What the directories of places that don't lie in this one were called; where they are is said anew each time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, PathBuf>,
    /// Whether all of them are there.
    pub complete: bool,
}

impl Manifest {
    /// Of files that aren't made yet.
    pub fn new(specification: UserSpecification, users: u32, seed: u64) -> Self {
        Self { version: VERSION, specification, users, seed, places: BTreeMap::new(), complete: false }
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
    pub(super) fn read(directory: &Directory) -> Result<Option<Self>, NamespaceError> {
        let path = directory.path().join(MANIFEST);
        let read = || {
            let file = directory.open_file(MANIFEST, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())?;
            let mut text = String::new();
            file.take(BYTES_MAX).read_to_string(&mut text)?;
            Ok(text)
        };
        let text = match read() {
            Ok(text) => text,
            Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => return Ok(None),
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
            Ok(manifest) if manifest.version == VERSION => Ok(manifest),
            Ok(manifest) if manifest.version < VERSION => {
                Err("an earlier petrio has made these files, and has not written down which they are"
                    .to_owned())
            }
            Ok(manifest) => Err(format!("version {} is of another petrio", manifest.version)),
            Err(error) => Err(format!("it is damaged: {}", petrio_files::shown::text(&error.to_string()))),
        }
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, directory: &Directory) -> Result<(), NamespaceError> {
        let write = || {
            let text = serde_json::to_vec(self)?;
            // Nobody else writes meanwhile: that is what the lock is for.
            match directory.unlink(OsStr::new(NEW_MANIFEST), false) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let mut file = directory.open_file(NEW_MANIFEST, flags, Mode::from_raw_mode(0o644))?;
            file.write_all(&text)?;
            file.sync_all()?;
            directory.rename(NEW_MANIFEST, MANIFEST)
        };
        write().map_err(NamespaceError::file("write", directory.path().join(MANIFEST)))
    }

    /// A number for the files that it stands for: that of other files is another.
    pub(super) fn digest(&self) -> u64 {
        let of = &self.specification;
        let text = serde_json::to_vec(&(&of.files, &of.category, &of.readings, self.users, self.seed));
        fnv1a(text.unwrap_or_default())
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
            && self.specification.readings == other.specification.readings
            // In the same order too, which is that of their numbers.
            && self.digest() == other.digest();
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
