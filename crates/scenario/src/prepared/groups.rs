//! The processes of workloads on files: on which volume they work, and what issues their operations.

use super::events::EventTrace;
use crate::failure::RunFailure;
use crate::given::Given;
use petrio_workload::program::{FilePlan, Placement, PlannedFile, ProgramError, Tables};
use std::sync::Arc;

/// The processes of a workload on one volume.
pub(crate) struct Group {
    /// The volume, as a position in [`PlacedHosts::volumes`](crate::PlacedHosts::volumes).
    pub(crate) volume: usize,
    pub(crate) work: Work,
}

impl Group {
    /// How many processes it has.
    pub(crate) fn processes(&self) -> u32 {
        self.work.processes()
    }
}

/// What issues a workload's operations.
pub(crate) enum Work {
    Programs(Box<dyn FilePlan>, Placement),
    Trace(Box<EventTrace>),
    /// From outside, on the file system of this number on its host.
    Given(Arc<dyn Given>, u32),
    /// Further processes of what comes from outside, on the file system of this number on another host: the first ones' source issues
    /// their operations, too. Where the files are those of another group's, they are told there.
    Beside {
        given: Arc<dyn Given>,
        on: u32,
        tells_files: bool,
    },
}

impl Work {
    pub(crate) fn processes(&self) -> u32 {
        match self {
            Self::Programs(plan, _) => plan.processes(),
            Self::Trace(trace) => trace.processes(),
            Self::Given(given, _) | Self::Beside { given, .. } => given.processes(),
        }
    }

    pub(crate) fn next_file(&self) -> Result<u32, ProgramError> {
        match self {
            Self::Programs(plan, _) => Ok(plan.next_file()),
            Self::Trace(trace) => trace.next_file(),
            Self::Given(given, _) | Self::Beside { given, .. } => Ok(given.table()?.next_file()),
        }
    }

    /// Its files by the number of the file system on its host.
    pub(crate) fn each_file(&self, tell: &mut dyn FnMut(u32, PlannedFile)) -> Result<(), ProgramError> {
        match self {
            Self::Programs(plan, _) => plan.each_file(tell),
            Self::Trace(trace) => {
                for (file_system, table) in trace.tables()? {
                    table.entries().iter().for_each(|entry| tell(file_system, entry.into()));
                }
                Ok(())
            }
            Self::Beside { tells_files: false, .. } => Ok(()),
            Self::Given(given, on) | Self::Beside { given, on, .. } => {
                given.table()?.entries().iter().for_each(|entry| tell(*on, entry.into()));
                Ok(())
            }
        }
    }

    /// The same with their names.
    pub(crate) fn tables(&self) -> Result<Tables, ProgramError> {
        match self {
            Self::Programs(plan, _) => plan.tables(),
            Self::Trace(trace) => trace.tables(),
            Self::Beside { tells_files: false, .. } => Ok(Tables::new()),
            Self::Given(given, on) | Self::Beside { given, on, .. } => {
                Ok(Tables::from([(*on, given.table()?)]))
            }
        }
    }
}

/// A workload whose programs can't be made.
pub(crate) struct NotPrepared {
    pub(crate) workload: String,
    pub(crate) error: ProgramError,
}

impl From<Box<NotPrepared>> for RunFailure {
    fn from(failed: Box<NotPrepared>) -> Self {
        petrio_workload::SourceError::from(failed.error).into()
    }
}

/// Each workload in words, and its processes on each of its volumes.
pub(crate) type Groups = Vec<(String, Vec<Group>)>;
