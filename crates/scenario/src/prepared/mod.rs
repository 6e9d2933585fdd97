//! What the workloads of a scenario need, as it was planned: shared by its replications, its experiments and its
//! comparisons.

mod events;
mod groups;

pub(crate) use events::{EventTrace, TracedProcess, event_words};
pub(crate) use groups::{Group, Groups, NotPrepared, Work};

use crate::workload::{Reading, Workload};
use indexmap::IndexMap;
use petrio_models::host::{LaidOut, LayoutOf};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// All that the programs of a scenario need, for every replication.
pub(crate) struct Prepared {
    pub(crate) seed: u64,
    pub(crate) workloads: IndexMap<String, Workload>,
    pub(crate) readings: BTreeMap<String, Reading>,
    /// Its processes that work on files.
    pub(crate) groups: Groups,
    /// Volumes with the files on them, by their position in [`Loaded::volumes`]: of each the first that was asked for.
    pub(crate) layouts: Mutex<BTreeMap<usize, Arc<LaidOut>>>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Prepared {
    /// What was read alone: nothing is planned of it yet.
    pub(crate) fn read(readings: BTreeMap<String, Reading>) -> Self {
        let (workloads, groups, layouts) = (IndexMap::new(), Groups::new(), Mutex::default());
        Self { seed: 0, workloads, readings, groups, layouts }
    }

    pub(crate) const fn readings(&self) -> &BTreeMap<String, Reading> {
        &self.readings
    }

    /// A volume with its files on it: the one that is known, if that is what is asked for, or else a new one.
    pub(crate) fn layout<E>(
        &self,
        volume: usize,
        of: LayoutOf,
        new: impl FnOnce(LayoutOf) -> Result<LaidOut, E>,
    ) -> Result<Arc<LaidOut>, E> {
        let known = self.layouts.lock().unwrap_or_else(PoisonError::into_inner).get(&volume).cloned();
        if let Some(known) = known.filter(|known| *known.layout_of() == of) {
            return Ok(known);
        }
        let new = Arc::new(new(of)?);
        // What a study tries out isn't kept: it would be as large again.
        self.layouts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(volume)
            .or_insert_with(|| Arc::clone(&new));
        Ok(new)
    }

    /// How many processes each workload on files has, in the order of the file.
    pub(crate) fn processes_of_workloads(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().map(|(_, groups)| groups.iter().map(|group| group.processes() as usize).sum())
    }

    /// The processes of all workloads on each of their volumes.
    pub(crate) fn all_groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().flat_map(|(_, groups)| groups)
    }
}
