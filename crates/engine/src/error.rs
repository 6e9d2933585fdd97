//! Why a System can't be driven on.

use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_colours::{Failure, FileId, Request};
use petrio_kernel::{RunError, Time};
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

/// Why a System can't be driven on.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A workload that can't go on: a trace that can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Workload(#[from] SourceError),
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
    /// A submission at a time that is over.
    #[error("submitted for {at}, when it is {now} already")]
    #[diagnostic(help("submit at `now()` or later; to go back, restore a checkpoint"))]
    Past {
        /// The time asked for.
        at: Time,
        /// The clock.
        now: Time,
    },
    /// A submission to a part that the System doesn't have.
    #[error("there is no {part} in this System, which has {there}")]
    NoSuchPart {
        /// What was asked.
        part: String,
        /// What there is.
        there: String,
    },
    /// A System that holds something which can't be written down.
    #[error("this can't be saved: {0}")]
    #[diagnostic(help("save before it begins, or after it has ended"))]
    NotSaved(#[from] petrio_persist::Refusal),
    /// What was saved can't be read.
    #[error("the saved state is damaged, or of another version: {0}")]
    #[diagnostic(help("save it again"))]
    Damaged(petrio_persist::Damage),
    /// What the state rests on isn't there.
    #[error("{0}")]
    #[diagnostic(help(
        "a state rests on its traces: as they were when it was saved, or what is left of each behind what was read"
    ))]
    OtherInput(String),
    /// A checkpoint of another System.
    #[error("the checkpoint is of another System")]
    #[diagnostic(help(
        "a checkpoint belongs to the System that it was taken of; a saved state to one that is built alike"
    ))]
    OtherSystem,
    /// What whoever loads or listens can't do.
    #[error(transparent)]
    Outside(Box<dyn std::error::Error + Send + Sync>),
}

impl EngineError {
    /// Nothing can happen any more.
    pub(crate) const fn stalled(now: Time, waiting: StillWaiting) -> Self {
        Self::Stalled { now, waiting }
    }

    /// A request came back that could not be done.
    pub fn refused(request: &impl Request, failure: Failure, now: Time) -> Self {
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
    #[must_use]
    pub fn naming(self, name: impl Fn(FileId) -> Option<String>) -> Self {
        match self {
            Self::Refused { now, asked, file, number, process, failure } => {
                let file = number.and_then(name).or(file);
                Self::Refused { now, asked, file, number, process, failure }
            }
            other => other,
        }
    }
}

impl From<RunError> for EngineError {
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
