//! How the pages of a mounted file system lead on: every transition that moves an operation has these arcs.

use super::job::{Job, Next, Then, Turn, Wait, Waiting};
use crate::below::{AnyFileSystem, Leaves, Leavings, MountPlaces, no_way, put};
use crate::copy_cost::PAGE_BYTES;
use crate::kernel_profile::Ring;
use crate::state::{Memory, Mounted};
use petrio_colours::{FileCause, FileOp};
use petrio_kernel::{Firing, Place, Put, Time, TransitionBuilder, Update};
use petrio_stage::processor::{Client, Work};

/// The places that operations of one mount move between.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Those that the file system's own threads know, too.
    pub(super) mount: MountPlaces,
    /// Shared by all mounts of the host.
    pub(super) processor: Place<Work>,
    /// Operations of this mount as those who use it.
    pub(super) jobs: Client<Job>,
    /// Where operations go on after a processor.
    pub(super) ready: [Place<Box<Job>>; Then::ALL.len() - 1],
    /// Where operations wait, by what for.
    pub(super) waits: [(Wait, Place<Waiting>); Wait::ALL.len()],
    pub(super) sleeping: Place<(Box<Job>, FileCause, Then)>,
    pub(super) completions: Place<FileOp>,
    /// Whether reading changes the time of a file's last access.
    pub(super) notes_accesses: bool,
}

impl Places {
    /// Where an operation goes on.
    pub(super) fn at(&self, then: Then) -> Place<Box<Job>> {
        self.ready[then as usize]
    }
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
                leaves: Leaves { events: true, stops: true, ..REQUESTS },
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
                let waits = &[Wait::Page, Wait::Write, Wait::Commit, Wait::Lock];
                Self { waits, returns: true, leaves: Leaves { events: true, ..CHANGES }, ..Self::ON }
            }
        }
    }
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
    sleeping: Option<Put<(Box<Job>, FileCause, Then)>>,
    completions: Option<Put<FileOp>>,
    leavings: Leavings,
}

impl Exits {
    pub(super) fn declare(transition: &mut TransitionBuilder<'_>, places: &Places, ways: Ways) -> Self {
        let memory = transition.update(places.mount.memory);
        let fs = transition.update(places.mount.fs);
        let system = transition.update(places.mount.system);
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
            leavings: Leavings::declare(transition, &places.mount, fs, leaves),
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
                let cause = if f.update(self.fs).rules.nature.shared { over_network(cause) } else { cause };
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

/// Who would wait for a device or its journal waits for the network, and what lies behind it, where the file system is a server's.
const fn over_network(cause: FileCause) -> FileCause {
    match cause {
        FileCause::Read | FileCause::Write | FileCause::Journal => FileCause::Network,
        other => other,
    }
}

/// A page's bytes as pages of memory.
pub(super) const fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE_BYTES)
}
