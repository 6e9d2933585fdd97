//! How the pages of a mounted file system lead on: every transition that moves an operation has these arcs.

use super::job::{Job, Next, Then, Turn, Wait, Waiting};
use crate::below::AnyFileSystem;
use crate::copy_cost::PAGE_BYTES;
use crate::kernel_profile::Ring;
use crate::state::{Memory, Mounted, Signals};
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::{Firing, Key, Place, Put, Time, TransitionBuilder, Update};
use petrio_stage::MANY;
use petrio_stage::processor::{Client, Work};

/// The places that operations of one mount move between.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) memory: Place<Memory>,
    pub(crate) fs: Place<Mounted>,
    pub(crate) system: Place<AnyFileSystem>,
    /// Shared by all mounts of the host.
    pub(super) processor: Place<Work>,
    /// Operations of this mount as those who use it.
    pub(super) jobs: Client<Job>,
    /// Where operations go on after a processor.
    pub(super) ready: [Place<Box<Job>>; Then::ALL.len() - 1],
    /// Where operations wait, by what for.
    pub(super) waits: [(Wait, Place<Waiting>); Wait::ALL.len()],
    pub(super) sleeping: Place<(Box<Job>, petrio_colours::FileCause, Then)>,
    pub(super) completions: Place<FileOp>,
    pub(crate) requests: Place<BlockRequest>,
    /// The device that is the journal, where that is one of its own.
    pub(super) log: Option<Place<BlockRequest>>,
    /// Whether reading changes the time of a file's last access.
    pub(super) notes_accesses: bool,
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
    pub(super) age: Time,
}

impl Places {
    /// Where an operation goes on.
    pub(super) fn at(&self, then: Then) -> Place<Box<Job>> {
        self.ready[then as usize]
    }
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

/// Where an operation may go from a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ways {
    /// What it may wait for.
    waits: &'static [Wait],
    /// Where it may go on at the same instant.
    goes: &'static [Then],
    /// Whether it may be held back for a while.
    sleeps: bool,
    /// Whether it may return to its process without using a processor again.
    returns: bool,
    leaves: Leaves,
}

const NOTHING: Leaves = Leaves {
    requests: false,
    logs: false,
    events: false,
    starts: false,
    stops: false,
    commits: false,
    flushes: false,
};
const REQUESTS: Leaves = Leaves { requests: true, ..NOTHING };
const NOTES: Leaves = Leaves { flushes: true, ..CHANGES };
const CHANGES: Leaves = Leaves { starts: true, stops: true, commits: true, ..REQUESTS };

impl Ways {
    /// Nowhere but to a processor.
    const ON: Self = Self { waits: &[], goes: &[], sleeps: false, returns: false, leaves: NOTHING };

    /// From the call, where nothing is waited for yet.
    pub(super) const FROM_CALL: Self = Self { returns: true, ..Self::ON };

    /// From a step; and whether reading changes the time of a file's last access.
    pub(super) const fn from(step: Then, notes_accesses: bool) -> Self {
        match step {
            Then::LookUp | Then::ReadIn if notes_accesses => Self {
                waits: &[Wait::Page, Wait::Write, Wait::Commit, Wait::Memory],
                goes: &[Then::Begin],
                sleeps: true,
                returns: true,
                leaves: NOTES,
            },
            Then::LookUp | Then::ReadIn => Self {
                waits: &[Wait::Page, Wait::Write, Wait::Memory],
                goes: &[Then::Begin],
                sleeps: true,
                returns: true,
                leaves: Leaves { flushes: true, ..REQUESTS },
            },
            Then::Begin => Self {
                waits: &[Wait::Page, Wait::Write, Wait::Commit, Wait::Memory, Wait::Lock],
                goes: &[Then::Sync, Then::LookUp],
                returns: true,
                leaves: Leaves { events: true, flushes: true, ..CHANGES },
                ..Self::ON
            },
            Then::Copy => Self::ON,
            Then::Commit => Self {
                goes: &[Then::Begin, Then::Balance, Then::Sync],
                returns: true,
                leaves: Leaves { events: true, stops: true, ..NOTHING },
                ..Self::ON
            },
            Then::Balance => Self {
                waits: &[Wait::Room, Wait::Commit],
                goes: &[Then::Begin],
                sleeps: true,
                returns: true,
                leaves: Leaves { flushes: true, ..CHANGES },
            },
            Then::Sync => {
                let waits = &[Wait::Write, Wait::Commit, Wait::Room];
                Self { waits, returns: true, leaves: CHANGES, ..Self::ON }
            }
            Then::Touch => Self {
                waits: &[Wait::Page, Wait::Write, Wait::Memory],
                returns: true,
                leaves: Leaves { flushes: true, ..REQUESTS },
                ..Self::ON
            },
            Then::Names | Then::Return => {
                let waits = &[Wait::Page, Wait::Commit, Wait::Lock];
                Self { waits, returns: true, leaves: Leaves { events: true, ..CHANGES }, ..Self::ON }
            }
        }
    }
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
        places: &Places,
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

fn put<T: petrio_kernel::Colour>(f: &mut Firing<'_>, way: Option<Put<T>>, token: T) {
    match way {
        Some(way) => f.put(way, token),
        None => no_way(f),
    }
}

/// A model that goes a way which its step hasn't: what follows would be wrong.
#[cold]
fn no_way(f: &mut Firing<'_>) {
    f.fail("a step of a host's page leads where the page has no arc: a mistake in the model of the host");
}

/// The arcs of an operation that moves on.
#[derive(Clone, Copy)]
pub(super) struct Exits {
    pub(super) memory: Update<Memory>,
    pub(super) fs: Update<Mounted>,
    pub(super) system: Update<AnyFileSystem>,
    processor: Put<Work>,
    jobs: Client<Job>,
    ready: [Option<Put<Box<Job>>>; Then::ALL.len() - 1],
    waits: [Option<Put<Waiting>>; Wait::ALL.len()],
    sleeping: Option<Put<(Box<Job>, petrio_colours::FileCause, Then)>>,
    completions: Option<Put<FileOp>>,
    leavings: Leavings,
}

impl Exits {
    pub(super) fn declare(transition: &mut TransitionBuilder<'_>, places: &Places, ways: Ways) -> Self {
        let memory = transition.update(places.memory);
        let fs = transition.update(places.fs);
        let system = transition.update(places.system);
        let Ways { waits, goes, sleeps, returns, leaves } = ways;
        Self {
            memory,
            fs,
            system,
            processor: transition.may_put(places.processor, 1),
            jobs: places.jobs,
            ready: std::array::from_fn(|step| {
                let goes = goes.iter().any(|&then| then as usize == step);
                goes.then(|| transition.may_put(places.ready[step], 1))
            }),
            waits: places
                .waits
                .map(|(wait, place)| waits.contains(&wait).then(|| transition.may_put(place, 1))),
            sleeping: sleeps.then(|| transition.may_put(places.sleeping, 1)),
            completions: returns.then(|| transition.may_put(places.completions, 1)),
            leavings: Leavings::declare(transition, places, fs, leaves),
        }
    }

    /// Tells whoever submitted an operation that it is on its way, if it is.
    #[cold]
    fn give_word(&self, f: &mut Firing<'_>, job: &mut Job) {
        let (wake_up, ring) = (f.update(self.memory).costs.wake_up, f.update(self.fs).rules.kernel.ring);
        let read = job.op.operation == petrio_colours::Operation::Read;
        let thread = if read && ring == Ring::ThreadsButReads { Time::ZERO } else { wake_up };
        if let Some(word) = job.word(thread) {
            put(f, self.completions, word);
        }
    }

    /// Does what comes next.
    pub(super) fn leave(&self, f: &mut Firing<'_>, mut job: Box<Job>, next: Next) {
        if job.owes_word && matches!(next, Next::Wait { .. } | Next::Sleep { .. }) {
            self.give_word(f, &mut job);
        }
        match next {
            Next::Run { work, cause, cache, then } => {
                let owed = std::mem::take(&mut job.owed);
                let (work, cache) = (work + owed, cache + owed);
                job.turn = Turn { cause, cache, then, wakes: false };
                f.put(self.processor, self.jobs.work(work, job));
            }
            Next::Wait { event, cause, work, then } => {
                let work = work + std::mem::take(&mut job.owed);
                let wait = Wait::of(event, cause);
                put(f, self.waits[wait as usize], Waiting { key: event.key(), job, cause, work, then });
            }
            Next::Sleep { span, cause, then } => match self.sleeping {
                Some(sleeping) => {
                    f.put_at_pace(sleeping, (job, cause, then), span);
                }
                None => no_way(f),
            },
            Next::Go(then) => put(f, self.ready.get(then as usize).copied().flatten(), job),
            Next::Return => put(f, self.completions, super::call::leave(*job)),
        }
        self.leavings.send(f);
    }
}

/// A page's bytes as pages of memory.
pub(super) const fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE_BYTES)
}
