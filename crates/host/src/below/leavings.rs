//! What a step leaves behind beside its operation: block requests, events, signals; and where it leaves them.

use super::AnyFileSystem;
use crate::state::{Memory, Mounted, Signals};
use petrio_colours::BlockRequest;
use petrio_kernel::{Firing, Key, Place, Put, Time, TransitionBuilder, Update};
use petrio_stage::MANY;

/// The places of a mounted file system on its host's page, where steps and threads leave what they have done.
#[derive(Clone, Debug)]
pub(crate) struct MountPlaces {
    pub(crate) memory: Place<Memory>,
    pub(crate) fs: Place<Mounted>,
    pub(crate) system: Place<AnyFileSystem>,
    pub(crate) requests: Place<BlockRequest>,
    /// The device that is the journal, where that is one of its own.
    pub(crate) log: Option<Place<BlockRequest>>,
    /// What has happened that somebody may wait for.
    pub(crate) finished: Place<Key>,
    /// What has begun and grows old: transactions.
    pub(crate) ages: Place<u64>,
    /// The log is wanted on the device.
    pub(crate) wanted: Place<()>,
    /// What is being committed has no open changes.
    pub(crate) closed: Place<()>,
    /// Log space is short.
    pub(crate) short: Place<()>,
    /// The flusher has work.
    pub(crate) nudges: Place<()>,
    /// How old what has begun becomes before its thread looks after it.
    pub(crate) age: Time,
}

/// What a step may leave behind beside its operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leaves {
    /// Block requests.
    pub(crate) requests: bool,
    /// Block requests to the log, wherever that lies.
    pub(crate) logs: bool,
    /// Something has happened that somebody may wait for.
    pub(crate) events: bool,
    /// It starts handles of the journal: a transaction may begin, or lack room in the log, and a commit be asked for.
    pub(crate) starts: bool,
    /// It stops handles: a locked transaction may be closed.
    pub(crate) stops: bool,
    /// It may ask for a commit.
    pub(crate) commits: bool,
    /// It may wake the flusher.
    pub(crate) flushes: bool,
}

/// The arcs of what a step leaves behind: requests, events, signals.
#[derive(Clone, Copy)]
pub(crate) struct Leavings {
    fs: Update<Mounted>,
    requests: Option<Put<BlockRequest>>,
    log: Option<Put<BlockRequest>>,
    finished: Option<Put<Key>>,
    ages: Option<Put<u64>>,
    wanted: Option<Put<()>>,
    closed: Option<Put<()>>,
    short: Option<Put<()>>,
    nudges: Option<Put<()>>,
    age: Time,
}

impl Leavings {
    pub(crate) fn declare(
        transition: &mut TransitionBuilder<'_>,
        places: &MountPlaces,
        fs: Update<Mounted>,
        leaves: Leaves,
    ) -> Self {
        let Leaves { requests, logs, events, starts, stops, commits, flushes } = leaves;
        Self {
            fs,
            requests: (requests || logs).then(|| transition.may_put(places.requests, MANY)),
            log: places.log.filter(|_| logs).map(|log| transition.may_put(log, MANY)),
            finished: events.then(|| transition.may_put(places.finished, MANY)),
            ages: starts.then(|| transition.may_put(places.ages, 1)),
            wanted: (starts || commits).then(|| transition.may_put(places.wanted, 1)),
            closed: stops.then(|| transition.may_put(places.closed, 1)),
            short: starts.then(|| transition.may_put(places.short, 1)),
            nudges: flushes.then(|| transition.may_put(places.nudges, 1)),
            age: places.age,
        }
    }

    /// Sends off what a step has left in the mounted file system.
    pub(crate) fn send(&self, f: &mut Firing<'_>) {
        let fs = f.update(self.fs);
        if fs.outbox.is_empty() && fs.log_outbox.is_empty() && fs.events.is_empty() && fs.signals.is_silent()
        {
            return;
        }
        let mut outbox = std::mem::take(&mut fs.outbox);
        let mut to_log = std::mem::take(&mut fs.log_outbox);
        let mut events = std::mem::take(&mut fs.events);
        let signals = std::mem::take(&mut fs.signals);
        let flushing = fs.flushing;
        if signals.flush {
            fs.flushing = true;
        }
        for request in outbox.drain(..) {
            put(f, self.requests, request);
        }
        for request in to_log.drain(..) {
            put(f, self.log, request);
        }
        for event in events.drain(..) {
            put(f, self.finished, event.key());
        }
        let fs = f.update(self.fs);
        (fs.outbox, fs.log_outbox, fs.events) = (outbox, to_log, events);
        let Signals { began, commit, closed, checkpoint, flush } = signals;
        if let Some(id) = began {
            match self.ages {
                Some(ages) => {
                    f.put_at_pace(ages, id, self.age);
                }
                None => no_way(f),
            }
        }
        if commit {
            put(f, self.wanted, ());
        }
        if closed {
            put(f, self.closed, ());
        }
        if checkpoint {
            put(f, self.short, ());
        }
        if flush && !flushing {
            put(f, self.nudges, ());
        }
    }
}

pub(crate) fn put<T: petrio_kernel::Colour>(f: &mut Firing<'_>, way: Option<Put<T>>, token: T) {
    match way {
        Some(way) => f.put(way, token),
        None => no_way(f),
    }
}

/// A model that goes a way which its step hasn't: what follows would be wrong.
#[cold]
pub(crate) fn no_way(f: &mut Firing<'_>) {
    f.fail("a step of a host's page leads where the page has no arc: a mistake in the model of the host");
}
