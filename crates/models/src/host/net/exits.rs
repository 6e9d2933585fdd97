//! How the pages of a mounted file system lead on: every transition that moves an operation has these arcs.

use super::job::{Burst, Job, Next, Then, Wait, Waiting, Who};
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::journal::Journal;
use crate::host::state::{Memory, Mounted, Signals};
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::{Firing, Key, Place, Put, Time, TransitionBuilder, Update};

/// The places that operations of one mount move between.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) memory: Place<Memory>,
    pub(super) fs: Place<Mounted>,
    pub(super) journal: Place<Journal>,
    /// Shared by all mounts of the host.
    pub(super) processor: Place<Burst>,
    /// Where operations go on after a processor.
    pub(super) ready: [Place<Box<Job>>; Then::ALL.len() - 1],
    /// Where operations wait, by what for.
    pub(super) waits: [(Wait, Place<Waiting>); Wait::ALL.len()],
    pub(super) sleeping: Place<(Box<Job>, petrio_colours::FileCause, Then)>,
    pub(super) completions: Place<FileOp>,
    pub(super) requests: Place<BlockRequest>,
    /// What has happened that somebody may wait for.
    pub(super) finished: Place<Key>,
    /// Transactions that grow old.
    pub(super) ages: Place<u64>,
    /// A commit has been asked for.
    pub(super) wanted: Place<()>,
    /// The locked transaction has no open handles.
    pub(super) closed: Place<()>,
    /// Log space is short.
    pub(super) short: Place<()>,
    /// The flusher has work.
    pub(super) nudges: Place<()>,
    pub(super) commit_interval: Time,
}

impl Places {
    /// Where an operation goes on.
    pub(super) fn at(&self, then: Then) -> Place<Box<Job>> {
        self.ready[then as usize]
    }
}

/// The arcs of what a step leaves behind: requests, events, signals.
#[derive(Clone, Copy)]
pub(super) struct Leavings {
    fs: Update<Mounted>,
    requests: Put<BlockRequest>,
    finished: Put<Key>,
    ages: Put<u64>,
    wanted: Put<()>,
    closed: Put<()>,
    short: Put<()>,
    nudges: Put<()>,
    commit_interval: Time,
}

/// Tokens at most on an arc in one firing: a step sends a bounded number of requests, but no small one.
const MANY: u32 = u32::MAX;

impl Leavings {
    pub(super) fn declare(
        transition: &mut TransitionBuilder<'_>,
        places: &Places,
        fs: Update<Mounted>,
    ) -> Self {
        Self {
            fs,
            requests: transition.may_put(places.requests, MANY),
            finished: transition.may_put(places.finished, MANY),
            ages: transition.may_put(places.ages, 1),
            wanted: transition.may_put(places.wanted, 1),
            closed: transition.may_put(places.closed, 1),
            short: transition.may_put(places.short, 1),
            nudges: transition.may_put(places.nudges, 1),
            commit_interval: places.commit_interval,
        }
    }

    /// Sends off what a step has left in the mounted file system.
    pub(super) fn send(&self, f: &mut Firing<'_>) {
        let fs = f.update(self.fs);
        if fs.outbox.is_empty() && fs.events.is_empty() && fs.signals.is_silent() {
            return;
        }
        let mut outbox = std::mem::take(&mut fs.outbox);
        let mut events = std::mem::take(&mut fs.events);
        let signals = std::mem::take(&mut fs.signals);
        let flushing = fs.flushing;
        if signals.flush {
            fs.flushing = true;
        }
        for request in outbox.drain(..) {
            f.put(self.requests, request);
        }
        for event in events.drain(..) {
            f.put(self.finished, event.key());
        }
        let fs = f.update(self.fs);
        (fs.outbox, fs.events) = (outbox, events);
        let Signals { began, commit, closed, checkpoint, flush } = signals;
        if let Some(id) = began {
            f.put_at_pace(self.ages, id, self.commit_interval);
        }
        if commit {
            f.put(self.wanted, ());
        }
        if closed {
            f.put(self.closed, ());
        }
        if checkpoint {
            f.put(self.short, ());
        }
        if flush && !flushing {
            f.put(self.nudges, ());
        }
    }
}

/// The arcs of an operation that moves on.
#[derive(Clone, Copy)]
pub(super) struct Exits {
    pub(super) memory: Update<Memory>,
    pub(super) fs: Update<Mounted>,
    pub(super) journal: Update<Journal>,
    processor: Put<Burst>,
    waits: [Put<Waiting>; Wait::ALL.len()],
    sleeping: Put<(Box<Job>, petrio_colours::FileCause, Then)>,
    completions: Put<FileOp>,
    leavings: Leavings,
}

impl Exits {
    pub(super) fn declare(transition: &mut TransitionBuilder<'_>, places: &Places) -> Self {
        let memory = transition.update(places.memory);
        let fs = transition.update(places.fs);
        let journal = transition.update(places.journal);
        Self {
            memory,
            fs,
            journal,
            processor: transition.may_put(places.processor, 1),
            waits: places.waits.map(|(_, place)| transition.may_put(place, 1)),
            sleeping: transition.may_put(places.sleeping, 1),
            completions: transition.may_put(places.completions, 1),
            leavings: Leavings::declare(transition, places, fs),
        }
    }

    /// Does what comes next.
    pub(super) fn leave(&self, f: &mut Firing<'_>, mut job: Box<Job>, next: Next) {
        match next {
            Next::Run { work, cause, cache, then } => {
                let owed = std::mem::take(&mut job.owed);
                let (work, cache) = (work + owed, cache + owed);
                f.put(self.processor, Burst { work, who: Who::Job { job, cause, cache, then } });
            }
            Next::Wait { event, cause, work, then } => {
                let work = work + std::mem::take(&mut job.owed);
                let wait = Wait::of(event, cause);
                f.put(self.waits[wait as usize], Waiting { key: event.key(), job, cause, work, then });
            }
            Next::Sleep { span, cause, then } => {
                f.put_at_pace(self.sleeping, (job, cause, then), span);
            }
            Next::Return => f.put(self.completions, super::call::leave(*job)),
            Next::Fail(message) => {
                f.fail(message);
                f.put(self.completions, super::call::leave(*job));
            }
        }
        self.leavings.send(f);
    }
}

/// A page's bytes as pages of memory.
pub(super) const fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE_BYTES)
}
