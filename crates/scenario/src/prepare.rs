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

use crate::build::{Split, groups};
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::prepared::{EventTrace, NotPrepared, Prepared};
use crate::users::load_users_in;
use crate::workload::{EventReplay, Reading, Workload};
use petrio_users::UserSpecification;
use petrio_workload::program::ProgramError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

impl Reading {
    /// Reads what a workload needs.
    fn of(loaded: &Loaded, workload: &Workload) -> Result<Self, ProgramError> {
        match (workload, workload.pattern()) {
            (Workload::Events(load), _) => {
                let files = EventTrace::look_over(&loaded.inputs, &load.parameters, &loaded.watch)?;
                Ok(Reading::Events(Box::new(load.parameters.clone()), Arc::new(files)))
            }
            (_, Some(pattern)) => pattern.read(&loaded.inputs, load_users_in),
            (_, None) => Ok(Self::Nothing),
        }
    }

    fn serves(&self, workload: &Workload) -> bool {
        match (workload, workload.pattern()) {
            (Workload::Events(load), _) => match self {
                // What a state holds is of its trace, whatever that is called now.
                Self::Events(asked, _) if asked.file.as_os_str().is_empty() => {
                    EventReplay { file: PathBuf::new(), ..load.parameters.clone() } == **asked
                }
                Self::Events(asked, _) => **asked == load.parameters,
                _ => false,
            },
            (_, Some(pattern)) => pattern.serves(self),
            (_, None) => matches!(self, Self::Nothing),
        }
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

    /// The specification of a workload's users, as it was read when the scenario was loaded.
    pub fn users_of(&self, workload: &str) -> Option<Arc<UserSpecification>> {
        match self.prepared.as_ref()?.readings.get(workload)? {
            Reading::Specification(_, specification) => Some(specification.clone()),
            _ => None,
        }
    }
}
