//! Why a run gave no report.

use crate::report::ReportError;
use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_colours::FileId;
use petrio_engine::EngineError;
use petrio_kernel::{NetError, Time};
use petrio_workload::SourceError;
use thiserror::Error;

/// What to do about what can't be.
const REPORT: &str = "this is a bug in petrio; please report it with the scenario";

/// Why a run gave no report.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum RunFailure {
    /// What the System, or who drives it, can't do.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(EngineError),
    /// A state that it can't go on from.
    #[error(transparent)]
    #[diagnostic(transparent)]
    State(#[from] crate::state::StateError),
    /// Nothing asks for anything.
    #[error("the scenario has no workload")]
    #[diagnostic(help("add a part: [workload.w]"))]
    NoWorkload,
    /// The System makes no net: a bug in a model.
    #[error("the System can't be built as a net: {0}")]
    #[diagnostic(help("{REPORT}"))]
    Build(#[from] NetError),
    /// A device whose parameters contradict each other.
    #[error("disk \"{disk}\": {message}")]
    #[diagnostic(help("see the disk's parameters in the catalogue, or the overrides in the scenario"))]
    Device {
        /// The disk's name in the scenario.
        disk: String,
        /// What is wrong.
        message: String,
    },
    /// A host whose parameters contradict each other, or whose file systems don't fit.
    #[error("host \"{host}\": {message}")]
    #[diagnostic(help("see the machine and the kernel in the catalogue, and the changes in the scenario"))]
    Host {
        /// The host's name in the scenario.
        host: String,
        /// What is wrong.
        message: String,
    },
    /// An array or another part between file systems and disks whose parameters contradict each other.
    #[error("\"{part}\": {message}")]
    Storage {
        /// Its name in the scenario.
        part: String,
        /// What is wrong.
        message: String,
    },
    /// A request beyond the end of its disk.
    #[error(
        "{file}, request {number}: workload \"{workload}\" asks for blocks {first} to {last} of \"{disk}\", which has {blocks} blocks"
    )]
    #[diagnostic(help(
        "take a larger disk, or say what to do with such requests: out_of_range = \"wrap\" or \"skip\""
    ))]
    BeyondDevice {
        /// The workload's name.
        workload: String,
        /// The trace file.
        file: String,
        /// Its number in that file, from 1.
        number: u64,
        /// First block.
        first: u64,
        /// Last block.
        last: u64,
        /// The disk's name.
        disk: String,
        /// The disk's size in blocks.
        blocks: u64,
    },
    /// A trace speaks of more devices than the workload has disks.
    #[error(
        "{file}, request {number}: it is for device {device} of the trace, but the workload \"{workload}\" has {disks}"
    )]
    #[diagnostic(help("name more disks in `on`, map devices in `devices`, or pick one with `only_device`"))]
    NoSuchDevice {
        /// The workload's name.
        workload: String,
        /// The trace file.
        file: String,
        /// Its number in that file, from 1.
        number: u64,
        /// The device's number in the trace.
        device: u32,
        /// How many disks the workload goes to, in words.
        disks: String,
    },
    /// More results than can be held.
    #[error("the results of {count} replications are more than can be held: {cause}")]
    #[diagnostic(help(
        "write fewer in measure.replications: the interval of the mean narrows with the root of their number"
    ))]
    TooManyReplications {
        /// Replications.
        count: u64,
        /// Why.
        cause: TooMuch,
    },
    /// The run was over before its warm-up.
    #[error("the run ended at {end}, before its warm-up of {warm_up} was over")]
    #[diagnostic(help("shorten warm_up, or let the workload run longer"))]
    AllWarmUp {
        /// The warm-up asked for.
        warm_up: Time,
        /// When the run ended.
        end: Time,
    },
    /// MSER-5 found no steady state.
    #[error("warm_up = \"auto\" found no steady state in {requests} requests")]
    #[diagnostic(help("run longer, or give warm_up as a span of model time such as \"5 s\""))]
    NoSteadyState {
        /// Requests that completed.
        requests: u64,
    },
    /// A result file.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunFailure {
    /// Somebody stopped it.
    pub const STOPPED: Self = Self::Engine(EngineError::Stopped);

    /// Whether somebody stopped it.
    pub const fn is_stopped(&self) -> bool {
        matches!(self, Self::Engine(EngineError::Stopped))
    }

    /// With files by name, where `name` knows one.
    pub(crate) fn naming(self, name: impl Fn(FileId) -> Option<String>) -> Self {
        match self {
            Self::Engine(error) => Self::Engine(error.naming(name)),
            other => other,
        }
    }
}

impl From<EngineError> for RunFailure {
    fn from(error: EngineError) -> Self {
        match error {
            // What a load or a listener of a scenario couldn't do comes back as it was.
            EngineError::Outside(error) => match error.downcast::<Self>() {
                Ok(own) => *own,
                Err(error) => Self::Engine(EngineError::Outside(error)),
            },
            error => Self::Engine(error),
        }
    }
}

impl From<RunFailure> for EngineError {
    fn from(failure: RunFailure) -> Self {
        match failure {
            RunFailure::Engine(error) => error,
            other => Self::Outside(Box::new(other)),
        }
    }
}

impl From<SourceError> for RunFailure {
    fn from(error: SourceError) -> Self {
        Self::Engine(error.into())
    }
}
