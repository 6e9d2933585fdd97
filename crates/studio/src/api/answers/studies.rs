//! The folders of sweeps that the page has seen: those that were run here are gone with the studio, unless they are saved.

use super::super::standing::Standing;
use crate::refusal::Refusal;
use petrio_files::temporary::TemporaryFolder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How many are remembered.
const KEPT: usize = 8;

/// A folder of results.
pub(super) enum Folder {
    /// Run here, and what its scenario reads.
    Own(TemporaryFolder, Box<Standing>),
    /// Somebody's.
    Lies(PathBuf),
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Own(folder, _) => folder.path(),
            Self::Lies(path) => path,
        }
    }

    /// What is told of it, in the words of whoever named the files.
    pub(super) fn told(&self, text: String) -> String {
        match self {
            Self::Own(_, standing) => standing.named(&text),
            Self::Lies(_) => text,
        }
    }
}

/// The sweeps that the page has seen.
#[derive(Default)]
pub(crate) struct Studies(Mutex<BTreeMap<u64, Arc<Folder>>>);

impl Studies {
    /// Keeps one; the oldest goes for it. Its number.
    pub(super) fn keep(&self, folder: Folder) -> u64 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = all.last_key_value().map_or(1, |(last, _)| last + 1);
        all.insert(id, Arc::new(folder));
        while all.len() > KEPT {
            all.pop_first();
        }
        id
    }

    pub(super) fn get(&self, id: u64) -> Result<Arc<Folder>, Refusal> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&id).cloned().ok_or_else(|| {
            Refusal::new("this sweep is no longer there").help(Some("run it again".to_owned()))
        })
    }
}
