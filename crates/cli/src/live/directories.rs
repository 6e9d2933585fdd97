//! The directories in which files of a specification lie, as they are given.

use crate::failure::Failure;
use petrio_live::namespace::Directories;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A directory, or one for a place of the specification: `DIR`, `PLACE=DIR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    place: Option<String>,
    directory: PathBuf,
}

/// A directory that exists is meant as it stands, whatever its name.
pub(super) fn placed(text: &str) -> Result<Placed, String> {
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
pub(super) fn directories(given: &[Placed]) -> Result<Directories, Failure> {
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
