//! What the workloads of a scenario need, read once and planned once: shared by its replications, its experiments and
//! its comparisons.
//!
//! ```text
//!  Inputs ── read ──▶ Reading (a specification, a look over a trace) ── plan ──▶ Prepared ─┬─ files ──▶ the volumes
//!                                                                                          └─ programs of a replication
//! ```
//!
//! A study may change the workloads or the seed of what it has loaded: then they are planned again, of what was read
//! before.

use crate::build::{EventTrace, Groups, NotPrepared, Split, groups};
use crate::loaded::Loaded;
use crate::run::RunFailure;
use crate::schema::Workload;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_models::host::{LaidOut, LayoutOf};
use petrio_users::UserSpecification;
use petrio_workload::program::{ProgramError, RequestParameters, RequestSurvey};
use petrio_workload::replay::TraceFiles;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What was read for a workload, and what for: it serves every workload that would read the same.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    /// All is in the scenario.
    Nothing,
    /// Of users, by the name of its file.
    Specification(PathBuf, Arc<UserSpecification>),
    /// What a look over captured requests has found.
    Requests(RequestParameters, Arc<RequestSurvey>),
    /// What a look over a trace's calls on files has found.
    Events(Box<Workload>, Arc<TraceFiles>),
}

impl Reading {
    /// Reads what a workload needs.
    fn of(loaded: &Loaded, workload: &Workload) -> Result<Self, ProgramError> {
        match (workload, workload.on_files()) {
            (Workload::Events(load), _) => {
                let files = EventTrace::look_over(&loaded.inputs, &load.parameters, &loaded.watch)?;
                Ok(Self::Events(Box::new(workload.clone()), Arc::new(files)))
            }
            (_, Some((_, pattern))) => pattern.read(&loaded.inputs),
            (_, None) => Ok(Self::Nothing),
        }
    }

    fn serves(&self, workload: &Workload) -> bool {
        match (self, workload) {
            (Self::Specification(path, _), Workload::Users(load)) => load.parameters.specification == *path,
            (Self::Requests(parameters, _), Workload::FileTrace(load)) => load.parameters == *parameters,
            (Self::Events(before, _), after) => **before == *after,
            (Self::Nothing, _) => {
                !matches!(workload, Workload::Users(_) | Workload::FileTrace(_) | Workload::Events(_))
            }
            _ => false,
        }
    }
}

/// All that the programs of a scenario need, for every replication.
pub(crate) struct Prepared {
    seed: u64,
    workloads: IndexMap<String, Workload>,
    readings: BTreeMap<String, Reading>,
    /// Its processes that work on files.
    pub(crate) groups: Groups,
    /// Volumes with the files on them, by their position in [`Loaded::volumes`]: of each the first that was asked for.
    layouts: Mutex<BTreeMap<usize, Arc<LaidOut>>>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Prepared {
    /// Reads what the workloads need, as far as it wasn't `before`, and plans them.
    pub(crate) fn of(loaded: &Loaded, before: Option<&Self>) -> Result<Self, Box<NotPrepared>> {
        let mut readings = BTreeMap::new();
        for (name, workload) in &loaded.scenario.workload {
            let known = before.and_then(|before| before.readings.get(name));
            let reading = match known.filter(|reading| reading.serves(workload)) {
                Some(reading) => reading.clone(),
                None => Reading::of(loaded, workload)
                    .map_err(|error| Box::new(NotPrepared { workload: name.clone(), error }))?,
            };
            readings.insert(name.clone(), reading);
        }
        let groups = groups(loaded, &readings, 0, Split::ByPlace)?;
        let (seed, workloads) = (loaded.scenario.seed, loaded.scenario.workload.clone());
        Ok(Self { seed, workloads, readings, groups, layouts: Mutex::default() })
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

    fn is_of(&self, loaded: &Loaded) -> bool {
        self.seed == loaded.scenario.seed && self.workloads == loaded.scenario.workload
    }
}

impl Loaded {
    /// Plans its workloads anew where they, or the seed, were changed after it was loaded, for all runs that follow.
    ///
    /// # Errors
    /// Programs that can't be made.
    pub fn prepare(&mut self) -> Result<(), RunFailure> {
        self.prepared = Some(self.prepared()?);
        Ok(())
    }

    /// What its workloads need.
    pub(crate) fn prepared(&self) -> Result<Arc<Prepared>, Box<NotPrepared>> {
        match &self.prepared {
            Some(prepared) if prepared.is_of(self) => Ok(prepared.clone()),
            before => Ok(Arc::new(Prepared::of(self, before.as_deref())?)),
        }
    }

    /// Where its inputs come from.
    pub const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The specification of a workload's users, as it was read when the scenario was loaded.
    pub fn users_of(&self, workload: &str) -> Option<Arc<UserSpecification>> {
        match self.prepared.as_ref()?.readings.get(workload)? {
            Reading::Specification(_, specification) => Some(specification.clone()),
            _ => None,
        }
    }
}
