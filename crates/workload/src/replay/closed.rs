//! Closed replay: think times are kept, not arrival times.
//!
//! The think time before a request is its arrival minus the *end* of the request that its process waited for. A trace
//! with response times tells which that was: the one of the same process that completed last before the arrival. So a
//! process with one request outstanding stays one, and one that kept eight in flight keeps eight. In formulas: issue =
//! simulated completion of that request + (arrival − its traced completion) × time scale.
//!
//! A trace without response times doesn't tell. Then a request is issued when its distance from the *issue* before has
//! passed and the process has fewer than `outstanding` (1) requests in flight: the trace's spacing where the device
//! keeps up, and one after the other where it doesn't.
//!
//! Reading ahead: with one process, one record. With several, the trace is read as far as any process may have run
//! ahead of it, and requests of processes that fall behind wait in memory, up to `look_ahead`.

use super::process::{Key, Process, Start};
use super::reread::Reread;
use super::{Record, checked_time_scale, scaled};
use crate::due::Due;
use crate::source::{Phase, RequestSource, SourceError, SourceItem};
use petrio_colours::RequestId;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::{BlockRecord, TraceError, TraceReader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Whether the processes of a trace wait each for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Processes {
    /// Each process waits for its own requests.
    #[default]
    Apart,
    /// All requests are one process's, in the trace's order.
    Together,
}

/// How a trace is replayed closed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClosedReplayOptions {
    /// Factor on think times: 0.5 lets processes think half as long. Positive.
    pub time_scale: f64,
    /// Whether the processes of the trace wait each for itself.
    pub processes: Processes,
    /// The most requests that a process has in flight. Left out: as many as the trace shows where it has response
    /// times, 1 where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u32>,
    /// The most requests held in memory for processes that have fallen behind others.
    pub look_ahead: usize,
}

impl Default for ClosedReplayOptions {
    fn default() -> Self {
        Self { time_scale: 1.0, processes: Processes::Apart, outstanding: None, look_ahead: 1_000_000 }
    }
}

/// Replays a trace closed. See the module's page for what a request waits for.
#[derive(Persist)]
#[persist(bound = "T: Persist, R: Iterator<Item = Result<T, TraceError>>")]
pub struct ClosedReplay<R, T = BlockRecord> {
    records: Reread<R>,
    #[persist(keep)]
    options: ClosedReplayOptions,
    /// The next record of the trace; `None` before it is read, and at the end.
    next: Option<T>,
    ended: bool,
    processes: BTreeMap<u32, Process<T>>,
    /// Processes whose next request has a time, the earliest on top, then in order of number; one entry a process at
    /// most.
    ready: BinaryHeap<Reverse<(Time, u32)>>,
    /// Leads of the processes: how much earlier than in the trace their requests may come.
    leads: BTreeSet<(i128, u32)>,
    lead_of: BTreeMap<u32, i128>,
    in_flight: BTreeMap<RequestId, (u32, Key)>,
    held: usize,
    issued: u64,
}

impl ClosedReplay<TraceReader> {
    /// A replay of one trace. Where its format doesn't tell processes, all its requests are one process's.
    ///
    /// # Errors
    /// As of [`ClosedReplay::new`].
    pub fn of_trace(trace: TraceReader, options: ClosedReplayOptions) -> Result<Self, SourceError> {
        let processes = match options.processes {
            Processes::Apart if trace.format().tells_processes() => Processes::Apart,
            _ => Processes::Together,
        };
        Self::new(trace, ClosedReplayOptions { processes, ..options })
    }
}

impl<T: Record, R: Iterator<Item = Result<T, TraceError>> + Send> ClosedReplay<R, T> {
    /// A replay of `records`, which come in order of time.
    ///
    /// # Errors
    /// A `time_scale` that isn't a number greater than zero, or an `outstanding` of 0.
    pub fn new(records: R, options: ClosedReplayOptions) -> Result<Self, SourceError> {
        checked_time_scale(options.time_scale)?;
        if options.outstanding == Some(0) {
            return Err(SourceError::NoneOutstanding);
        }
        Ok(Self {
            records: Reread::new(records),
            options,
            next: None,
            ended: false,
            processes: BTreeMap::new(),
            ready: BinaryHeap::new(),
            leads: BTreeSet::new(),
            lead_of: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            held: 0,
            issued: 0,
        })
    }

    /// The same, whose records know themselves where they are when a state is written and read: they aren't read again.
    #[must_use]
    pub fn by_place(self) -> Self
    where
        R: Persist,
    {
        Self { records: self.records.by_place(), ..self }
    }

    /// Gives back the records that have not been read.
    pub fn into_inner(self) -> R {
        self.records.records
    }

    /// The records, for a look at a reader's summary.
    pub const fn records(&self) -> &R {
        &self.records.records
    }

    /// The process that a record waits with.
    fn process_of(&self, record: &T) -> u32 {
        match self.options.processes {
            Processes::Apart => record.waiter(),
            Processes::Together => 0,
        }
    }

    /// When the next record of the trace was issued.
    fn peek(&mut self) -> Result<Option<Time>, SourceError> {
        if self.next.is_none() && !self.ended {
            self.next = self.records.next().transpose()?;
            self.ended = self.next.is_none();
        }
        Ok(self.next.as_ref().map(T::time))
    }

    /// When the next record must have been read, because it might be issued then: its place in the trace minus the
    /// greatest lead. `None` at the end of the trace, and while the only process has a request pending.
    fn must_read_by(&mut self) -> Result<Option<Time>, SourceError> {
        let Some(time) = self.peek()? else { return Ok(None) };
        // The order within a process is kept, so the next request of the only process comes after the pending one.
        let only = self.options.processes == Processes::Together;
        if only && self.held > 0 {
            return Ok(None);
        }
        let place = scaled(time, self.options.time_scale).ok_or(SourceError::BeyondHorizon)?;
        // Stretching rounds; a record read a little early does no harm.
        const ROUNDING: i128 = 10_000;
        let lead = self.leads.last().map_or(0, |&(lead, _)| lead + ROUNDING);
        let by = (i128::from(place.as_picos()) - lead).max(0);
        Ok(Some(Time::from_picos(u64::try_from(by).unwrap_or(u64::MAX))))
    }

    fn read_one(&mut self) -> Result<(), SourceError> {
        let Some(record) = self.next.take() else { return Ok(()) };
        let number = self.process_of(&record);
        let process = self.processes.entry(number).or_default();
        process.read(record);
        let first = process.pending() == 1;
        self.held += 1;
        if self.held > self.options.look_ahead {
            let most = self.processes.iter().max_by_key(|(_, process)| process.pending());
            let process = most.map_or(number, |(&number, _)| number);
            return Err(SourceError::LookAhead { held: self.held, process });
        }
        if first {
            self.schedule(number)?;
        }
        self.note_lead(number);
        Ok(())
    }

    /// Gives the first pending request of a process its time, if it has one now.
    fn schedule(&mut self, number: u32) -> Result<(), SourceError> {
        let options = self.options;
        let Some(process) = self.processes.get_mut(&number) else { return Ok(()) };
        match process.start(|span| scaled(span, options.time_scale), options.outstanding) {
            Start::At(time) if time.is_never() => Err(SourceError::BeyondHorizon),
            Start::At(time) => {
                self.ready.push(Reverse((time, number)));
                Ok(())
            }
            Start::Waiting | Start::Idle => Ok(()),
        }
    }

    fn note_lead(&mut self, number: u32) {
        if self.options.processes == Processes::Together {
            return;
        }
        let time_scale = self.options.time_scale;
        let Some(process) = self.processes.get_mut(&number) else { return };
        let lead = process.lead(|span| scaled(span, time_scale));
        let old = self.lead_of.insert(number, lead);
        if old != Some(lead) {
            if let Some(old) = old {
                self.leads.remove(&(old, number));
            }
            self.leads.insert((lead, number));
        }
    }

    /// Reads what might be issued up to the earliest known issue, or up to `now`, whichever is later.
    fn read_up_to(&mut self, now: Time) -> Result<(), SourceError> {
        while let Some(by) = self.must_read_by()? {
            let known = self.ready.peek().map_or(Time::ZERO, |Reverse((time, _))| *time);
            if by > known.max(now) && !(self.ready.is_empty() && self.in_flight.is_empty()) {
                break;
            }
            self.read_one()?;
        }
        Ok(())
    }
}

impl<T: Record + Persist, R: Iterator<Item = Result<T, TraceError>> + Send> RequestSource<T::Request>
    for ClosedReplay<R, T>
{
    fn due(&mut self) -> Result<Due, SourceError> {
        self.read_up_to(Time::ZERO)?;
        let known = self.ready.peek().map(|Reverse((time, _))| *time);
        let reading = self.must_read_by()?;
        Ok(match known.into_iter().chain(reading).min() {
            Some(time) => Due::At(time),
            None if self.held > 0 => Due::AfterCompletion,
            None => Due::Never,
        })
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<T::Request>>, SourceError> {
        self.read_up_to(now)?;
        let Some(&Reverse((time, number))) = self.ready.peek() else { return Ok(None) };
        if time > now {
            return Ok(None);
        }
        self.ready.pop();
        let Some((record, key)) = self.processes.get_mut(&number).and_then(|process| process.issue(now))
        else {
            return Ok(None);
        };
        self.held -= 1;
        let id = RequestId(self.issued);
        self.issued += 1;
        self.in_flight.insert(id, (number, key));
        self.schedule(number)?;
        self.note_lead(number);
        Ok(Some(SourceItem {
            request: record.request(id, now),
            measured: record.measured(),
            phase: Phase::Measured,
            depth: 0,
        }))
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let Some((number, key)) = self.in_flight.remove(&id) else { return Ok(()) };
        let options = self.options;
        let Some(process) = self.processes.get_mut(&number) else { return Ok(()) };
        let waiting =
            process.start(|span| scaled(span, options.time_scale), options.outstanding) == Start::Waiting;
        process.complete(key, now);
        if waiting {
            self.schedule(number)?;
        }
        self.note_lead(number);
        Ok(())
    }
}
