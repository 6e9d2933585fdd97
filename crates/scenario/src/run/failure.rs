//! Why a run gave no report.

use crate::report::ReportError;
use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_colours::{Failure, FileId, Request};
use petrio_kernel::{NetError, RunError, Time};
use petrio_workload::SourceError;
use std::fmt;
use thiserror::Error;

/// What to do about what can't be.
const REPORT: &str = "this is a bug in petrio; please report it with the scenario";

/// Requests that are in flight where nothing comes of it any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StillWaiting {
    /// How many.
    pub in_flight: u64,
    /// Which, of each sort how many and since when: `3 fsyncs of "mail", the first since 12.3 s`; empty where nobody knows.
    pub which: Vec<String>,
    /// The stages at which something waits.
    pub at: Vec<String>,
}

impl fmt::Display for StillWaiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.which.as_slice() {
            [] => write!(f, "{} requests are in flight", self.in_flight)?,
            which => write!(f, "{} wait", which.join(" and "))?,
        }
        match self.at.as_slice() {
            [] => Ok(()),
            at => write!(f, " ({} waited for)", at.join(", ")),
        }
    }
}

/// Why a run gave no report.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum RunFailure {
    /// A workload that can't go on: a trace that can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Workload(#[from] SourceError),
    /// Nothing asks for anything.
    #[error("the scenario has no workload")]
    #[diagnostic(help("add a part: [workload.w]"))]
    NoWorkload,
    /// Somebody stopped it.
    #[error("the run was stopped")]
    Stopped,
    /// The clock's range is over.
    #[error(transparent)]
    #[diagnostic(help("shorten the run: give [measure] a stop"))]
    ClockOver(RunError),
    /// The net refused.
    #[error(transparent)]
    Net(RunError),
    /// What the model holds constant has changed: tokens are lost or made, or a promise of fsync was broken.
    #[error("the model contradicts itself: {0}")]
    #[diagnostic(help("{REPORT}"))]
    Contradiction(RunError),
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
    /// A request that the System can't do.
    #[error("at {now}, {asked}{} by process {process} failed: {failure}", .file.as_ref().map(|file| format!(" of {file}")).unwrap_or_default())]
    #[diagnostic(help(
        "{}; or let the report count what fails: [measure] on_error = \"count\"", failure.advice()
    ))]
    Refused {
        /// When it came back.
        now: Time,
        /// What it asked for.
        asked: String,
        /// The file that it is about.
        file: Option<String>,
        /// That file's number.
        number: Option<FileId>,
        /// Who asked.
        process: u32,
        /// Why it could not be done.
        failure: Failure,
    },
    /// More requests arrive than the System can ever serve.
    #[error("at {now}, {in_flight} requests are in flight: the System can't keep up with this load")]
    #[diagnostic(help(
        "lower the arrival rate, replay closed, take fewer processes or ranks, or a faster disk, or stop earlier: [measure] stop = {{ requests = … }}"
    ))]
    Overload {
        /// When.
        now: Time,
        /// How many.
        in_flight: u64,
    },
    /// Nothing can happen any more though requests are in flight.
    #[error("at {now} nothing can happen any more, though {waiting}")]
    #[diagnostic(help("{REPORT}"))]
    Stalled {
        /// When.
        now: Time,
        /// What waits, since when and where.
        waiting: StillWaiting,
    },
    /// Timers go on, and what waits is served by nobody.
    #[error(
        "at {now}, {waiting}; nobody serves them: no device has one, and nothing has completed for {passed}, in which only timers went on"
    )]
    #[diagnostic(help("{REPORT}"))]
    NobodyServes {
        /// When.
        now: Time,
        /// What waits, since when and where.
        waiting: StillWaiting,
        /// Since something completed.
        passed: Time,
    },
    /// Much happens, and nothing comes of it.
    #[error(
        "at {now}, {in_flight} requests are in flight, and nothing came of the last {firings} steps of the model, in which {passed} \
         passed; most of them were \"{transition}\""
    )]
    #[diagnostic(help("{}", timer_help(transition)))]
    NothingDone {
        /// When.
        now: Time,
        /// How many.
        in_flight: u64,
        /// Firings since something was last done.
        firings: u64,
        /// The model time that they took.
        passed: Time,
        /// The one that fired most.
        transition: String,
    },
    /// Model time passes too slowly to ever come to the next request.
    #[error(
        "at {now}, the next request is due at {next}, which this run never comes to: the last {firings} steps of the model took \
         {passed}; most of them were \"{transition}\""
    )]
    #[diagnostic(help("{}", timer_help(transition)))]
    TimeCrawls {
        /// When.
        now: Time,
        /// Firings since something was last done.
        firings: u64,
        /// The model time that they took.
        passed: Time,
        /// The one that fired most.
        transition: String,
        /// When the next request is due.
        next: Time,
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
    /// The run has taken so much memory that there is none to go on with.
    #[error(
        "at {now}, after {completed} requests and with {in_flight} in flight, the run holds more than it can go on with: {cause}"
    )]
    #[diagnostic(help(
        "make the run shorter ([measure] stop), give it fewer processes or files, or take a larger machine"
    ))]
    TooMuchMemory {
        /// When.
        now: Time,
        /// Requests completed.
        completed: u64,
        /// Requests in flight.
        in_flight: u64,
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
    /// A request came back that could not be done.
    pub(crate) fn refused(request: &impl Request, failure: Failure, now: Time) -> Self {
        let number = request.about();
        Self::Refused {
            now,
            asked: request.asked(),
            file: number.map(|file| format!("file {}", file.0)),
            number,
            process: request.process(),
            failure,
        }
    }

    /// With files by name, where `name` knows one.
    pub(crate) fn naming(self, name: impl Fn(FileId) -> Option<String>) -> Self {
        match self {
            Self::Refused { now, asked, file, number, process, failure } => {
                let file = number.and_then(name).or(file);
                Self::Refused { now, asked, file, number, process, failure }
            }
            other => other,
        }
    }
}

impl From<RunError> for RunFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Overflow { .. } => Self::ClockOver(error),
            RunError::Conservation { .. } => Self::Contradiction(error),
            other => Self::Net(other),
        }
    }
}

/// What sets the pace of a transition that fires again and again.
fn timer_help(transition: &str) -> String {
    let key = TIMERS.iter().find(|(part, _)| transition.split('/').any(|name| name == *part));
    match key {
        Some((_, key)) => format!("make {key} longer: it sets how often this happens"),
        None => "look for a time in the scenario or in its catalogue files that is far too short".to_owned(),
    }
}

/// Parts of a net that are woken by a timer, and what sets it.
const TIMERS: &[(&str, &str)] = &[
    ("flusher", "the kernel's write_back.wake_up"),
    ("journal", "the file system's commit_interval"),
    ("sync", "the Unix host's sync_interval"),
];
