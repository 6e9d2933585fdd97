//! Ranks of MPI under virtual time.
//!
//! A rank tells what it is about to do (`shim/ranks.c`, loaded into it); petrio holds it until that may be done in virtual time: a receive
//! until its message has been sent, a collective operation until all have come. Then the library does it, with the real data, and its
//! waits are short: what it needs is there.
//!
//! ```text
//!   program ─ tells ─▶ held, in order ─▶ sent? all there? ──▶ its clock: when the message comes ─▶ the library's call ─▶ tells it is over
//!                                            └─ not yet: waits, as for a pipe
//! ```
//!
//! - [`mail`]: messages by their times; [`gathering`]: what ranks do together; [`speed`]: what both cost.
//! - [`windows`]: accesses to other ranks' memory, and who may have it.
//! - [`carried`]: all of it where the scenario's network carries messages between its hosts.
//! - [`calls`]: what becomes of what is told; [`waiting`]: who waits for what.
//! - [`inside`]: system calls within the library, which cost nothing, and ranks that spin there: one that has done nothing but yield
//!   for a while, since anybody else did something, holds nobody up.
//!
//! What starts ranks (`mpirun` and its daemons) is none of the program's: its calls go by unseen, and it takes no time.

mod calls;
mod carried;
mod figures;
mod gathering;
mod inside;
mod mail;
mod speed;
pub(crate) mod tell;
mod waiting;
mod windows;

pub use speed::MessageSpeed;

use gathering::Gathering;
use mail::Mail;
use petrio_time::Time;
use std::collections::{BTreeMap, BTreeSet};
use waiting::Pending;

/// After so many yields in which nobody does anything, those who wait are let go on.
const IN_VAIN: u32 = 50_000;

/// What a rank's time went into, and what it moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankTold {
    /// Computing.
    pub computed: Time,
    /// Waiting for messages and for others, and sending.
    pub messages: Time,
    /// Operations on storage.
    pub storage: Time,
    /// From when MPI was set up until it was taken down.
    pub elapsed: Time,
    /// Bytes that it read from storage, and wrote there.
    pub read_bytes: u64,
    /// Written.
    pub written_bytes: u64,
    /// Messages that it sent to one other, and their bytes.
    pub sent: u64,
    /// Of these.
    pub sent_bytes: u64,
    /// Which of the places of the execution it is at.
    pub place: usize,
    /// Operations of several ranks together that it took part in.
    pub together: u64,
    /// Accesses of its to other ranks' memory, and their bytes, there and back.
    pub accesses: u64,
    /// Of these.
    pub accessed_bytes: u64,
}

/// A rank of a job: the job's number, in the order in which they begin, and its own.
pub(crate) type RankName = (u32, u32);

/// Where a rank's thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The library is being set up, or taken down.
    Setup,
    /// In a call of the library's.
    Messages,
    /// In one that accesses files together with others.
    Files,
    /// In one of which nothing is told: it only yields.
    Unknown,
}

/// A thread in a call of the library's.
#[derive(Debug)]
struct Inside {
    mode: Mode,
    /// How often it has yielded and done nothing else, since anybody did something.
    yields: u32,
    /// Whether it spins, and holds nobody up any more.
    idles: bool,
    /// Whether it has done so since it entered.
    has_idled: bool,
    /// What it had used when it yielded last, nanoseconds.
    used: u64,
    /// Whether it was asked to look after what others want of it.
    is_away: bool,
    pending: Option<Pending>,
    /// What it waited for is there: since when, and what it is told.
    result: Option<(Time, i64)>,
    /// Its clock says exactly when it goes on, however long the library spins.
    is_exact: bool,
    /// What it waits for before it leaves, and since when it does: a message of its own that a network carries.
    owes: Option<(u64, Time)>,
    leaves: bool,
}

impl Inside {
    const fn new(mode: Mode) -> Self {
        Self {
            mode,
            yields: 0,
            idles: false,
            has_idled: false,
            used: 0,
            is_away: false,
            pending: None,
            result: None,
            is_exact: false,
            owes: None,
            leaves: false,
        }
    }
}

/// A job.
#[derive(Debug, Default)]
struct Job {
    mail: BTreeMap<u32, Mail>,
    /// From when on the next message of a rank can leave.
    free: BTreeMap<u32, Time>,
    /// By those who take part, their communicator, and how many they had done together before.
    gatherings: BTreeMap<(Vec<u32>, u32, u64), Gathering>,
    /// How many a rank has come to, by those who take part, and their communicator.
    counts: BTreeMap<(Vec<u32>, u32, u32), u64>,
    /// Memory that others access.
    windows: windows::Windows,
    /// When each rank began.
    began: BTreeMap<u32, Time>,
    /// The number of each rank's process towards the simulated hosts.
    seats: BTreeMap<u32, u32>,
}

/// All jobs.
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    speed: MessageSpeed,
    jobs: Vec<Job>,
    /// Jobs by what they call themselves.
    names: BTreeMap<u64, u32>,
    of_process: BTreeMap<u32, RankName>,
    inside: BTreeMap<u32, Inside>,
    /// Processes that are none of the program's: they start its ranks.
    outside: BTreeSet<u32>,
    /// Whether those who wait were asked to look after others, since anybody did something.
    nudged: bool,
    /// The numbers of receives that are waited for at once.
    receives: u64,
    /// Whether what came last was only the yield of one that holds nobody up.
    has_spun: bool,
    /// Nothing was due a moment ago, though it had been. Ranks that spin may come with something at that same time, and whoever asked is to
    /// ask again instead of thinking that nothing gets on.
    pub(crate) has_nothing: bool,
    /// How many of these came since anybody did something.
    spins: u32,
    /// What the scenario's network carries.
    pub(crate) carried: carried::Carried,
}

impl Ranks {
    pub(crate) fn new(speed: MessageSpeed) -> Self {
        Self { speed, ..Self::default() }
    }

    /// Whether a thread is in a call of the library's: what it computes there isn't the program's.
    pub(crate) fn is_inside(&self, thread: u32) -> bool {
        self.inside.contains_key(&thread)
    }

    /// Whether what came last was nothing but that somebody spins, who holds nobody up.
    pub(crate) fn has_spun(&mut self) -> bool {
        std::mem::take(&mut self.has_spun)
    }

    /// Whether they have spun so often that nothing will come of it.
    pub(crate) fn spins_in_vain(&mut self) -> bool {
        let is_so = self.spins > IN_VAIN;
        if is_so {
            self.spins = 0;
        }
        is_so
    }

    /// Whether a process only starts ranks.
    pub(crate) fn is_outside(&self, process: u32) -> bool {
        self.outside.contains(&process)
    }

    /// The rank that a process is.
    pub(crate) fn name(&self, process: u32) -> Option<RankName> {
        self.of_process.get(&process).copied()
    }

    /// A thread is gone, and perhaps its process.
    pub(crate) fn gone(&mut self, thread: u32, process: Option<u32>) {
        self.inside.remove(&thread);
        if let Some(process) = process {
            self.of_process.remove(&process);
            self.outside.remove(&process);
        }
    }
}
