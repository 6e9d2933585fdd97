//! Who is told of what happens in a run.

use crate::error::{EngineError, StillWaiting};
use crate::visits::Visit;
use petrio_colours::Failure;
use petrio_kernel::{Simulation, Time};
use petrio_workload::SourceItem;

/// Who is told of the requests of a colour as they come and go, and measures them.
pub trait Listener<R> {
    /// A request of a workload, by its number, is about to be issued.
    ///
    /// # Errors
    /// What can't be measured.
    fn issued(
        &mut self,
        _workload: usize,
        _item: &SourceItem<R>,
        _run: &mut Simulation,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// A request of a workload, by its number, has completed.
    ///
    /// # Errors
    /// What can't be measured, or written.
    fn completed(&mut self, workload: usize, request: &R, run: &mut Simulation) -> Result<(), EngineError>;

    /// Something has been done that isn't of storage: computing, messages.
    fn beside(&mut self, _request: &R, _now: Time) {}

    /// A request came back that could not be done.
    ///
    /// # Errors
    /// What can't be measured.
    fn failed(&mut self, _request: &R, _failure: Failure, _run: &mut Simulation) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Who looks at a run as a whole.
pub trait Onlooker {
    /// Whether it wants to hear of what reaches the devices.
    fn hears_devices(&self) -> bool {
        false
    }

    /// Whether what reaches them now counts.
    fn counts_devices(&self) -> bool {
        true
    }

    /// A request has been at a device, by its position in the engine's list; they come in the order of their arrival.
    ///
    /// # Errors
    /// What can't be written.
    fn visited(&mut self, _visit: &Visit) -> Result<(), EngineError> {
        Ok(())
    }

    /// The run is about to begin.
    fn begins(&mut self, _run: &mut Simulation) {}

    /// When it has to look at the run, whatever happens there.
    fn looks_at(&self) -> Time {
        Time::NEVER
    }

    /// It is that time, or somewhat later.
    fn look(&mut self, _run: &mut Simulation) {}

    /// What is in flight, for who has to be told that nothing comes of it.
    fn waiting(&self, _run: &Simulation, in_flight: u64) -> StillWaiting {
        StillWaiting { in_flight, ..StillWaiting::default() }
    }
}
