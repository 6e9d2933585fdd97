//! `petrio fs`

mod create;
mod describe;
mod remove;
mod verify;

use crate::failure::Failure;
use clap::Subcommand;
use petrio_live::namespace::{Directories, NamespaceError};
use petrio_page::numbers::counted;
use petrio_users::namespace::Namespace;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Make, verify and remove the files of a user specification; describe those of a directory
#[derive(Subcommand)]
pub(crate) enum Fs {
    Create(create::Create),
    Describe(describe::Describe),
    Verify(verify::Verify),
    Remove(remove::Remove),
}

impl Fs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Create(create) => create.execute(),
            Self::Describe(describe) => describe.execute(),
            Self::Verify(verify) => verify.execute(),
            Self::Remove(remove) => remove.execute(),
        }
    }
}

/// A directory, or one for a place of the specification: `DIR`, `PLACE=DIR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    place: Option<String>,
    directory: PathBuf,
}

/// A directory that exists is meant as it stands, whatever its name.
pub(crate) fn placed(text: &str) -> Result<Placed, String> {
    if text.is_empty() {
        return Err("a directory is needed".to_owned());
    }
    match text.split_once('=') {
        Some((place, directory)) if !PathBuf::from(text).exists() && !place.contains('/') => {
            match directory {
                "" => Err(format!("say where {place} is: {place}=DIR")),
                directory => Ok(Placed { place: Some(place.to_owned()), directory: directory.into() }),
            }
        }
        _ => Ok(Placed { place: None, directory: text.into() }),
    }
}

/// The directories given: one without a place, others with.
pub(crate) fn directories(given: &[Placed]) -> Result<Directories, Failure> {
    let mut main = None;
    let mut others = BTreeMap::new();
    for Placed { place, directory } in given {
        let before = match place {
            None => main.replace(directory.clone()).map(|_| "the main directory".to_owned()),
            Some(place) => others.insert(place.clone(), directory.clone()).map(|_| format!("\"{place}\"")),
        };
        if let Some(what) = before {
            let help =
                "one --dir DIR, and one --dir PLACE=DIR for each place of the specification".to_owned();
            return Err(Failure::new(format!("{what} is given twice"), Some(help)));
        }
    }
    let Some(main) = main else {
        let help = "give one --dir DIR without a place".to_owned();
        return Err(Failure::new("the main directory is missing", Some(help)));
    };
    Ok(Directories { main, others })
}

impl From<NamespaceError> for Failure {
    fn from(error: NamespaceError) -> Self {
        if error.is_of_the_system() { Self::output(&error) } else { Self::of(&error) }
    }
}

/// A namespace in a few words.
pub(crate) fn words(namespace: &Namespace) -> String {
    let (files, directories) = (namespace.files(), namespace.directories());
    format!(
        "{} and {}, {}",
        counted(files, "file", "files"),
        counted(directories, "directory", "directories"),
        petrio_page::numbers::bytes(namespace.bytes())
    )
}
