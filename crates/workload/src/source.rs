//! What issues requests: the contract between a workload and the net that serves it.

use crate::due::Due;
use crate::earliest::Earliest;
use crate::program::ProgramError;
use crate::synthetic::SyntheticError;
use miette::Diagnostic;
use petrio_colours::{BlockRequest, Failure, Request, RequestId};
use petrio_persist::Persist;
use petrio_persist::{Kept, persist_boxed};
use petrio_time::Time;
use petrio_trace::TraceError;
use std::collections::BTreeMap;
use thiserror::Error;

/// Which part of a workload something belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Persist)]
pub enum Phase {
    /// Brings the system into the state in which it is to be measured: opening files, a warm-up pass. Never counts.
    Preparation,
    /// What is to be measured.
    #[default]
    Measured,
    /// What is left to do after the last access: making it durable, closing files.
    Closing {
        /// Whether the workload's own measure includes it. A report can show both.
        counted: bool,
    },
}

impl Phase {
    /// Whether the workload's own measure includes it.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Measured | Self::Closing { counted: true })
    }
}

/// A request as a source issues it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceItem<R = BlockRequest> {
    /// The request; its `id` counts from 0 in the source, in order of issue, and its `issued` is set.
    pub request: R,
    /// How long it took on the machine that was traced, where the trace knows: what a validation compares with.
    pub measured: Option<Time>,
    /// Which part of the workload it belongs to.
    pub phase: Phase,
    /// How many of what its process submitted are on their way with it, those among them that are done and that the process hasn't taken
    /// back; 0 where that isn't followed.
    pub depth: u32,
}

/// Why a source can't go on.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The trace.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
    /// The synthetic workload.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Synthetic(#[from] SyntheticError),
    /// A program of file operations.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Program(#[from] ProgramError),
    /// A closed replay of several processes that drift too far apart.
    #[error(
        "closed replay holds {held} requests that wait for slower processes (process {process} is the one furthest behind)"
    )]
    #[diagnostic(help(
        "replay all processes as one (`processes = \"together\"`), replay open, or raise `look_ahead`"
    ))]
    LookAhead {
        /// Requests held.
        held: usize,
        /// The process with the most of them.
        process: u32,
    },
    /// A factor on times that is none.
    #[error("time_scale is {0}; a number greater than zero was expected")]
    #[diagnostic(help("2 makes the trace take twice as long, 0.5 half as long, 1 leaves it as it is"))]
    TimeScale(f64),
    /// A process that may not have a single request in flight.
    #[error("outstanding is 0; a process needs at least one request in flight")]
    #[diagnostic(help("leave `outstanding` out, or make it 1 or more"))]
    NoneOutstanding,
    /// A time beyond the range of model time.
    #[error("the next request would be issued after more than 213 days")]
    #[diagnostic(help(
        "shorten think times and pauses, or the trace with its `time_scale`; or end the run before: [measure] stop = \
         {{ time = … }}"
    ))]
    BeyondHorizon,
}

impl SourceError {
    /// Whether it only says that what comes next comes after the end of model time, which a run that ends before need
    /// not know.
    pub fn is_beyond_horizon(&self) -> bool {
        matches!(self, Self::BeyondHorizon | Self::Synthetic(SyntheticError::BeyondHorizon { .. }))
    }
}

/// Issues requests (block requests, or file operations), open or closed.
///
/// Whoever drives a source asks [`due`](Self::due), issues at that time, and tells of completions:
///
/// ```
/// use petrio_workload::{Due, OpenReplay, RequestSource};
/// use petrio_trace::{TraceOptions, TraceReader};
/// # use petrio_time::Time;
/// let text = "0.0 0 100 8 1\n2.5 0 200 8 1\n";
/// let trace = TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?;
/// let mut source = OpenReplay::new(trace, 1.0)?;
/// let mut issued = Vec::new();
/// while let Due::At(now) = source.due()? {
///     if let Some(item) = source.issue(now)? {
///         issued.push((item.request.address, now));
///         // … the request is served, and at its completion:
///         source.complete(item.request.id, now + Time::from_millis(6))?;
///     }
/// }
/// assert_eq!(issued, [(100, Time::ZERO), (200, Time::from_micros(2_500))]);
/// # Ok::<(), petrio_workload::SourceError>(())
/// ```
///
/// Rules, which every source keeps and every driver may rely on:
///
/// - `due` changes only through `issue` and `complete`. After either, ask again: it may have become *earlier*. A driver
///   with a timer in its net may leave the old timer running: `issue` answers `None` when nothing is due.
/// - `issue(now)` returns at most one request; several may be due at the same time.
/// - `now` never goes back.
pub trait RequestSource<R = BlockRequest>: Kept + Send {
    /// When to ask for the next request.
    ///
    /// # Errors
    /// A trace that can't be read on, or a time beyond the horizon.
    fn due(&mut self) -> Result<Due, SourceError>;

    /// The request that is due, if one is. `None` is no end: ask [`due`](Self::due).
    ///
    /// # Errors
    /// As of [`due`](Self::due).
    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, SourceError>;

    /// Tells that a request has completed. A source that doesn't wait for it takes no notice.
    ///
    /// # Errors
    /// As of [`due`](Self::due).
    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError>;

    /// Tells that a request has come back that could not be done. A source whose requests go on as after any other takes no notice.
    ///
    /// # Errors
    /// As of [`due`](Self::due).
    fn failed(&mut self, id: RequestId, _failure: Failure, now: Time) -> Result<(), SourceError> {
        self.complete(id, now)
    }

    /// Lets a source begin at a time that was made for later; told once, before anything else. One that was made to begin with
    /// the run takes no notice.
    ///
    /// # Errors
    /// As of [`due`](Self::due).
    fn begin(&mut self, _at: Time) -> Result<(), SourceError> {
        Ok(())
    }

    /// Whether it waits for others to end, and may begin whenever one of them has.
    fn waits_for_others(&self) -> bool {
        false
    }

    /// Tells that what was submitted is on its way: whoever asked goes on. A source that doesn't wait for it takes no notice.
    ///
    /// # Errors
    /// As of [`due`](Self::due).
    fn submitted(&mut self, _id: RequestId, _now: Time) -> Result<(), SourceError> {
        Ok(())
    }

    /// Of several sources as one, which of them issued a request that hasn't completed yet.
    fn source_of(&self, _id: RequestId) -> usize {
        0
    }

    /// A process that has ended with the last completion, by its number; each is told once. Replayed traces don't know.
    fn ended_process(&mut self) -> Option<u32> {
        None
    }

    /// Whether one of several sources as one, or the only one, has nothing more to ask for, ever.
    fn has_ended(&mut self, _source: usize) -> bool {
        matches!(self.due(), Ok(Due::Never))
    }
}

persist_boxed!([R: 'static] dyn RequestSource<R>, "a source of requests");

impl<R: 'static> RequestSource<R> for Box<dyn RequestSource<R>> {
    fn due(&mut self) -> Result<Due, SourceError> {
        (**self).due()
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, SourceError> {
        (**self).issue(now)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        (**self).complete(id, now)
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), SourceError> {
        (**self).failed(id, failure, now)
    }

    fn begin(&mut self, at: Time) -> Result<(), SourceError> {
        (**self).begin(at)
    }

    fn waits_for_others(&self) -> bool {
        (**self).waits_for_others()
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        (**self).submitted(id, now)
    }

    fn source_of(&self, id: RequestId) -> usize {
        (**self).source_of(id)
    }

    fn ended_process(&mut self) -> Option<u32> {
        (**self).ended_process()
    }

    fn has_ended(&mut self, source: usize) -> bool {
        (**self).has_ended(source)
    }
}

/// Several sources as one: requests are numbered together in order of issue; where several are due at the same time,
/// the source that was given first goes first.
#[derive(Persist)]
pub struct Sources<R: 'static = BlockRequest> {
    sources: Vec<Box<dyn RequestSource<R>>>,
    /// Each source's own answer, kept until it changes.
    due: Earliest,
    /// Sources whose answer may have changed.
    unasked: Vec<usize>,
    in_flight: BTreeMap<RequestId, (usize, RequestId)>,
    /// Sources that wait for others to end.
    waiting: Vec<usize>,
    /// The source of the last completion, whose processes may have ended.
    completed: usize,
    next: u64,
}

impl<R: Request> Sources<R> {
    /// Joins sources. Their processes and devices must be numbered apart by whoever makes them.
    pub fn new(sources: Vec<Box<dyn RequestSource<R>>>) -> Self {
        let (due, unasked) = (Earliest::new(sources.len()), (0..sources.len()).rev().collect());
        let waiting = (0..sources.len()).filter(|&index| sources[index].waits_for_others()).collect();
        Self { sources, due, unasked, in_flight: BTreeMap::new(), waiting, completed: 0, next: 0 }
    }

    fn earliest(&mut self) -> Result<(Due, usize), SourceError> {
        // Those before may have ended since they were asked.
        for at in (0..self.waiting.len()).rev() {
            let index = self.waiting[at];
            self.forget(index);
            if !self.sources[index].waits_for_others() {
                self.waiting.swap_remove(at);
            }
        }
        // From the end: the first that is given is asked first, so that of several failures its own is told.
        while let Some(&index) = self.unasked.last() {
            self.due.set(index, self.sources[index].due()?);
            self.unasked.pop();
        }
        Ok(self.due.first())
    }

    /// A source is to be asked anew.
    fn forget(&mut self, index: usize) {
        let at = self.unasked.partition_point(|&other| other > index);
        if self.unasked.get(at) != Some(&index) {
            self.unasked.insert(at, index);
        }
    }
}

impl<R: Request> RequestSource<R> for Sources<R> {
    fn due(&mut self) -> Result<Due, SourceError> {
        self.earliest().map(|(due, _)| due)
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, SourceError> {
        // A source that was due for a look only answers nothing; the next one may have a request.
        while let (Due::At(time), index) = self.earliest()? {
            if time > now {
                break;
            }
            let item = self.sources[index].issue(now)?;
            let due = self.sources[index].due()?;
            let stuck = item.is_none() && due == Due::At(time);
            self.due.set(index, due);
            if let Some(mut item) = item {
                let id = RequestId(self.next);
                self.next += 1;
                self.in_flight.insert(id, (index, item.request.id()));
                item.request.set_id(id);
                return Ok(Some(item));
            }
            if stuck {
                break;
            }
        }
        Ok(None)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        if let Some((index, own)) = self.in_flight.remove(&id) {
            self.sources[index].complete(own, now)?;
            self.completed = index;
            self.forget(index);
        }
        Ok(())
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), SourceError> {
        if let Some((index, own)) = self.in_flight.remove(&id) {
            self.sources[index].failed(own, failure, now)?;
            self.completed = index;
            self.forget(index);
        }
        Ok(())
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        if let Some(&(index, own)) = self.in_flight.get(&id) {
            self.sources[index].submitted(own, now)?;
            self.forget(index);
        }
        Ok(())
    }

    fn source_of(&self, id: RequestId) -> usize {
        self.in_flight.get(&id).map_or(0, |&(index, _)| index)
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.sources.get_mut(self.completed)?.ended_process()
    }

    fn has_ended(&mut self, source: usize) -> bool {
        self.sources.get_mut(source).is_none_or(|source| matches!(source.due(), Ok(Due::Never)))
    }
}
