//! Where machines are run: with what is asked for set in each scenario, for as long as that is wanted; what was run is kept where it is to be
//! written out.

use super::DissertationError;
use super::machine::{Machine, REQUESTS, Work};
use crate::asked::Asked;
use crate::side_by_side::NotSimulated;
use petrio_files::inputs::Inputs;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::simulate;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A scenario's text, with the recorded requests that it plays.
pub(super) type Ran = (String, Option<String>);

/// Where machines are run.
pub(super) struct Site<'a> {
    asked: &'a Asked,
    /// What was run; nothing where nobody wants to know.
    ran: Option<Mutex<BTreeSet<Ran>>>,
}

impl<'a> Site<'a> {
    pub(super) const fn of(asked: &'a Asked) -> Self {
        Self { asked, ran: None }
    }

    /// One that keeps what is run.
    pub(super) fn keeping(asked: &'a Asked) -> Self {
        Self { asked, ran: Some(Mutex::default()) }
    }

    /// What was run since this was last asked, in an order that runs don't change.
    pub(super) fn take(&self) -> BTreeSet<Ran> {
        let taken = |ran: &Mutex<BTreeSet<Ran>>| {
            std::mem::take(&mut *ran.lock().unwrap_or_else(PoisonError::into_inner))
        };
        self.ran.as_ref().map(taken).unwrap_or_default()
    }

    /// Runs work on a machine.
    pub(super) fn report(&self, machine: &Machine, work: &Work) -> Result<Report, DissertationError> {
        let text = machine.scenario(work);
        let inputs = Inputs::none();
        if let Some(requests) = &work.requests {
            inputs.hold(Path::new(REQUESTS), requests.clone().into_bytes());
        }
        let failed = |cause: NotSimulated| match cause {
            NotSimulated::Scenario(problems) => DissertationError::Scenario(Box::new(problems)),
            NotSimulated::Run(failure) => DissertationError::Run(Box::new(failure)),
            NotSimulated::Placing(_) => DissertationError::BrokenOff,
        };
        let loaded = self.asked.load(("dissertation", &text), &inputs, &[]).map_err(failed)?;
        let system = System::build(&loaded).map_err(|error| DissertationError::Run(Box::new(error)))?;
        let report = simulate(&loaded, &system, Sinks::default());
        if let Some(ran) = &self.ran {
            ran.lock().unwrap_or_else(PoisonError::into_inner).insert((text, work.requests.clone()));
        }
        report.map_err(|error| DissertationError::Run(Box::new(error)))
    }

    /// KB (1,024 bytes) a second of it.
    pub(super) fn kb_per_s(&self, machine: &Machine, work: &Work) -> Result<f64, DissertationError> {
        Ok(self.report(machine, work)?.served.throughput_bytes_per_s.value / 1024.0)
    }

    /// Does something with each item, as many at a time as there are processors.
    ///
    /// # Errors
    /// What fails first; that it was broken off before all were done: half of a figure is none.
    pub(super) fn side_by_side<T: Sync, R: Send>(
        &self,
        items: &[T],
        run: impl Fn(&T) -> Result<R, DissertationError> + Sync,
    ) -> Result<Vec<R>, DissertationError> {
        let done = self.asked.side_by_side(items, &mut |_, _| {}, run)?;
        if done.len() < items.len() { Err(DissertationError::BrokenOff) } else { Ok(done) }
    }
}
