//! What is compared of a trace: its sessions, its calls by kind, the sizes of accesses, and what processes do between
//! their calls.

use crate::users::UsersError;
use petrio_bounds::Headroom;
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_random::{Generator, uniform_below};
use petrio_trace::event::{Event, EventKind};
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_units::numbers::as_index;
use petrio_users::learn::LearnError;
use petrio_users::{SessionUsage, UsageAnalyser, is_login};
use std::collections::BTreeMap;
use std::path::Path;

/// Values of a kind that are kept at most: a uniform sample of all.
const KEPT: usize = 20_000;

/// Calls by turns go to one half and to the other so many at a time: more than a session has, so that halves differ as
/// sessions do.
const TURN: u64 = 2_000;

/// What is compared of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub(super) sessions: Vec<SessionUsage>,
    /// Calls by kind, in two halves of the trace.
    pub(super) calls: [BTreeMap<&'static str, u64>; 2],
    /// Bytes of reads, and of writes.
    pub(super) reads: Vec<f64>,
    pub(super) writes: Vec<f64>,
    /// From the end of a process' call to its next one in the same session, in seconds.
    pub(super) pauses: Vec<f64>,
}

/// A uniform sample of values of which nobody knows how many come (J. Vitter's algorithm R).
struct Reservoir {
    values: Vec<f64>,
    seen: u64,
    generator: Generator,
}

impl Reservoir {
    fn new(name: &str) -> Self {
        Self { values: Vec::new(), seen: 0, generator: petrio_random::generator(1, 0, "alike", name) }
    }

    fn add(&mut self, value: f64) {
        self.seen += 1;
        if self.values.len() < KEPT {
            self.values.push(value);
            return;
        }
        let place = uniform_below(&mut self.generator, self.seen);
        if let Some(kept) = self.values.get_mut(as_index(place)) {
            *kept = value;
        }
    }
}

/// Takes a trace's events as they come.
pub(super) struct Sampler {
    analyser: UsageAnalyser,
    calls: [BTreeMap<&'static str, u64>; 2],
    reads: Reservoir,
    writes: Reservoir,
    pauses: Reservoir,
    /// When each process' last call ended.
    ended: BTreeMap<u32, f64>,
    events: u64,
}

impl Default for Sampler {
    fn default() -> Self {
        let [reads, writes, pauses] = ["reads", "writes", "pauses"].map(Reservoir::new);
        let (analyser, calls, ended) = Default::default();
        Self { analyser, calls, reads, writes, pauses, ended, events: 0 }
    }
}

impl Sampler {
    /// Takes an event.
    pub(super) fn event(&mut self, event: &Event) {
        self.analyser.event(event);
        let turn = self.events / TURN % 2;
        self.events += 1;
        if event.error != 0 || event.kind.is_of_device() {
            return;
        }
        let begun = event.time.as_seconds();
        let end = begun + event.service.map_or(0.0, Time::as_seconds);
        let before = self.ended.insert(event.process, end);
        // A program that is started is asked of nobody's files; whose program it is goes on after it.
        if event.kind == EventKind::Exec {
            return;
        }
        *self.calls[turn as usize].entry(event.kind.name()).or_default() += 1;
        match event.kind {
            EventKind::Read if event.length > 0 => self.reads.add(event.length as f64),
            EventKind::Write if event.length > 0 => self.writes.add(event.length as f64),
            _ => {}
        }
        // Between a user's sessions are no pauses of his sessions.
        if let Some(before) = before.filter(|_| !is_login(event)) {
            self.pauses.add((begun - before).max(0.0));
        }
    }

    /// What it all comes to; `None` where nothing was done with files.
    pub(super) fn finish(self) -> Option<Samples> {
        let usage = self.analyser.finish();
        let [reads, writes, pauses] =
            [self.reads, self.writes, self.pauses].map(|reservoir| reservoir.values);
        let samples = Samples { sessions: usage.sessions, calls: self.calls, reads, writes, pauses };
        (!usage.calls.is_empty()).then_some(samples)
    }
}

impl Samples {
    /// Of a trace.
    pub(super) fn of(inputs: &Inputs, path: &Path, options: &TraceOptions) -> Result<Self, UsersError> {
        let (mut sampler, mut headroom) = (Sampler::default(), Headroom::default());
        for (events, event) in (0..).zip(EventReader::open_in(inputs, path, options)?) {
            sampler.event(&event?);
            headroom.record().map_err(|cause| TraceError::TooMuch { events, cause })?;
        }
        sampler
            .finish()
            .ok_or_else(|| UsersError::Learn { path: path.to_owned(), error: LearnError::NoFiles })
    }
}
