//! A file operation in the kernel: the token that goes from page to page of a host.

use crate::below::Change;
use crate::page_cache::FileKey;
use crate::read_ahead::Window;
use crate::state::Event;
use crate::stdio::SystemCalls;
use petrio_colours::{Failure, FileCause, FileOp, Operation, Submission};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_units::numbers::whole_part;
use smallvec::SmallVec;

/// An operation under way. As a token it is boxed, because it passes many places, each of which moves its tokens.
#[derive(Clone, Debug, Persist)]
pub(super) struct Job {
    pub(super) op: FileOp,
    /// Next byte of the current system call.
    pub(super) position: u64,
    /// One past its last byte.
    pub(super) end: u64,
    /// System calls of the C library still to be made.
    pub(super) calls: SystemCalls,
    /// A window of slots of the swap space that is being read for it, and since when.
    pub(super) swapped_in: Option<((u64, u64), Time)>,
    /// Up to when its time is accounted for.
    pub(super) charged: Time,
    /// What is being read in.
    pub(super) window: Window,
    /// The runs of its pages that have been put into the cache for it, first page and how many, where they have been.
    pub(super) inserted: Option<Runs>,
    /// What is read in behind it, before the next page is looked up.
    pub(super) behind: Window,
    /// The page before which read-ahead wants to be asked again.
    pub(super) ask_at: u64,
    /// End of the piece that is being written; 0 before the first of a call.
    pub(super) piece: u64,
    /// Its change of the file system, if one has begun: a handle of the journal.
    pub(super) change: Option<Change>,
    /// Where it stands in a sync.
    pub(super) stage: SyncState,
    /// What it still has to send to make durable, the last first.
    pub(super) sends: Vec<Dirty>,
    /// What it has to send again: pages that were being written when they became dirty anew.
    pub(super) again: Vec<Dirty>,
    /// Writes that had been sent when it had sent all of its own: these it waits for.
    pub(super) sent: u64,
    /// The era of promises that it has begun.
    pub(super) era: u64,
    /// Writes that had come back when it had waited for all of its own: these a flush has to cover.
    pub(super) landed: u64,
    /// Whether it waited for a device.
    pub(super) waited: bool,
    /// Whether it has gone to its file's end (O_APPEND).
    pub(super) at_end: bool,
    /// Whether its file system has been asked if what is in memory still holds.
    pub(super) checked: bool,
    /// O_DIRECT, where the file system follows it.
    pub(super) past_cache: bool,
    /// Bytes that a read finds, where that are fewer than it asks for.
    pub(super) found: Option<u64>,
    /// Processor time that it has to spend when it next runs: memory reclaimed for it.
    pub(super) owed: Time,
    /// How much of the processor time that it has now is the way into the kernel.
    pub(super) entry: Time,
    /// Whether it has its file's lock, or will have it when it wakes.
    pub(super) locks: bool,
    /// Whether whoever submitted it is still to be told that it is on its way.
    pub(super) owes_word: bool,
    /// Whether all that is asked of the device for it has been sent: who submits a direct access goes on now.
    pub(super) is_sent: bool,
    /// Why it can't be done.
    pub(super) failure: Option<Failure>,
    /// What it uses a processor for, or used it last.
    pub(super) turn: Turn,
}

/// Runs of a file's pages.
pub(super) type Runs = SmallVec<[(u64, u64); 2]>;
/// Pages of a file of which the dirty ones are to be written: from a first one up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Dirty {
    pub(super) key: FileKey,
    pub(super) from: u64,
    pub(super) to: u64,
}

/// How far a sync has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) enum SyncState {
    /// At its beginning.
    #[default]
    Begin,
    /// Logged data are committed; data are to be written.
    Data,
    /// Data are being sent.
    Sending,
    /// Data are being written; then the log.
    Log,
    /// The transaction is being committed; then a flush, where it is needed.
    Flush {
        /// Whether it is.
        needed: bool,
    },
    /// All is in the log; what it holds is to be written in place (sync(2) alone).
    InPlace,
    /// Done, once what was sent has been written.
    Done,
}

/// Where an operation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Then {
    /// It looks the next page up.
    LookUp,
    /// It brings pages in.
    ReadIn,
    /// It prepares pages for a write.
    Begin,
    /// It copies into them.
    Copy,
    /// It posts what has changed.
    Commit,
    /// It writes pages back because too many are dirty.
    Balance,
    /// It makes a file durable.
    Sync,
    /// It changes or reads a directory.
    Names,
    /// It uses memory of its process.
    Touch,
    /// It returns to the process.
    Return,
}

impl Then {
    /// All of them, in the order of their positions.
    pub(super) const ALL: [Self; 10] = [
        Self::LookUp,
        Self::ReadIn,
        Self::Begin,
        Self::Copy,
        Self::Commit,
        Self::Balance,
        Self::Sync,
        Self::Names,
        Self::Touch,
        Self::Return,
    ];

    /// Where an operation goes that is to give up when it comes there: to the step itself, or the next that can give back a
    /// journal handle and a lock.
    pub(super) const fn or_gives_up(self) -> Self {
        match self {
            Self::Copy => Self::Commit,
            step => step,
        }
    }

    /// The page of the step, and its name: the place in which operations are ready for it, and the transition that takes it.
    pub(super) const fn page_and_name(self) -> (&'static str, &'static str) {
        match self {
            Self::LookUp => ("read", "look up"),
            Self::ReadIn => ("read", "read in"),
            Self::Begin => ("write", "begin"),
            Self::Copy => ("write", "copy"),
            Self::Commit => ("write", "commit"),
            Self::Balance => ("write", "balance"),
            Self::Sync => ("sync", "sync"),
            Self::Names => ("names", "change"),
            Self::Touch => ("memory of processes", "touch"),
            Self::Return => ("call", "return"),
        }
    }
}

/// What an operation does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It uses a processor.
    Run {
        /// For so long.
        work: Time,
        /// On what.
        cause: FileCause,
        /// How much of it is work in the page cache rather than that.
        cache: Time,
        /// And goes on there.
        then: Then,
    },
    /// It waits.
    Wait {
        /// For what.
        event: Event,
        /// What the time is charged to.
        cause: FileCause,
        /// What it has to do on a processor when it wakes, beside waking.
        work: Time,
        /// And goes on there.
        then: Then,
    },
    /// It sleeps.
    Sleep {
        /// For so long.
        span: Time,
        /// What the time is charged to.
        cause: FileCause,
        /// And goes on there.
        then: Then,
    },
    /// It goes on there, at the same instant.
    Go(Then),
    /// It returns to the process now.
    Return,
}

/// What an operation uses a processor for.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Turn {
    /// What the time is charged to.
    pub(super) cause: FileCause,
    /// How much of it is work in the page cache rather than that.
    pub(super) cache: Time,
    /// Where it goes on.
    pub(super) then: Then,
    /// Whether it has just been woken, and does what completions are for.
    pub(super) wakes: bool,
}

/// What operations wait for, each in a place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Pages, or metadata, that are being read.
    Page,
    /// Data, or a flush, on their way to the device.
    Write,
    /// A transaction that is being committed, or room in the log.
    Commit,
    /// Fewer writes on their way.
    Room,
    /// Memory that can be reclaimed.
    Memory,
    /// A file that somebody else writes.
    Lock,
}

impl Wait {
    /// All of them, in the order of their positions.
    pub(super) const ALL: [Self; 6] =
        [Self::Page, Self::Write, Self::Commit, Self::Room, Self::Memory, Self::Lock];

    /// The name of the place, and of the row in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Page => "for-page",
            Self::Write => "for-write",
            Self::Commit => "for-commit",
            Self::Room => "for-room",
            Self::Memory => "for-memory",
            Self::Lock => "for-lock",
        }
    }

    /// What an operation waits for that waits for an event, and charges that to a cause.
    pub(super) const fn of(event: Event, cause: FileCause) -> Self {
        match event {
            Event::Group(_) if matches!(cause, FileCause::Read | FileCause::Network) => Self::Page,
            Event::Group(_) | Event::Written(_) => Self::Write,
            Event::Committed(_) | Event::Handle => Self::Commit,
            Event::Room(_) | Event::Uncongested => Self::Room,
            Event::Memory => Self::Memory,
            Event::Lock(_) => Self::Lock,
        }
    }
}

/// Somebody who waits for an event.
#[derive(Clone, Debug, Persist)]
pub(super) struct Waiting {
    pub(super) key: Key,
    pub(super) job: Box<Job>,
    pub(super) cause: FileCause,
    pub(super) work: Time,
    pub(super) then: Then,
}

impl Job {
    pub(super) fn new(op: FileOp) -> Self {
        Self {
            position: op.offset,
            end: op.end(),
            calls: SystemCalls::new(),
            swapped_in: None,
            charged: op.issued,
            window: Window::NONE,
            inserted: None,
            behind: Window::NONE,
            ask_at: 0,
            piece: 0,
            change: None,
            stage: SyncState::Begin,
            sends: Vec::new(),
            again: Vec::new(),
            sent: 0,
            era: 0,
            landed: 0,
            waited: false,
            at_end: false,
            checked: false,
            past_cache: false,
            found: None,
            owed: Time::ZERO,
            entry: Time::ZERO,
            locks: false,
            owes_word: matches!(op.flags.submission, Submission::Native | Submission::Ring),
            is_sent: false,
            failure: None,
            turn: Turn { cause: FileCause::Call, cache: Time::ZERO, then: Then::Return, wakes: false },
            op,
        }
    }

    /// Charges the time since the last charge.
    pub(super) fn charge(&mut self, cause: FileCause, now: Time) {
        self.op.ledger.charge(cause, now - self.charged);
        self.charged = now;
    }

    /// Charges so much of the time since the last charge to a cause, and at most all of it.
    pub(super) fn charge_part(&mut self, cause: FileCause, span: Time, now: Time) {
        let span = span.min(now - self.charged);
        self.op.ledger.charge(cause, span);
        self.charged += span;
    }

    /// Charges processor time, of which `cache` went into the page cache, and the rest of the time since the last charge to
    /// waiting for a processor. Gives what went into the way into the kernel, into the page cache, and into the rest.
    pub(super) fn charge_work(&mut self, cause: FileCause, cache: Time, work: Time, now: Time) -> [Time; 3] {
        let elapsed = now - self.charged;
        let worked = work.min(elapsed);
        // A faster processor shortens all parts of its work alike.
        let part = |part: Time| match worked == work {
            true => part,
            false => {
                let share = worked.as_picos() as f64 / work.as_picos() as f64;
                Time::from_picos(whole_part(part.as_picos() as f64 * share))
            }
        };
        let (cache, entry) = (part(cache), part(std::mem::take(&mut self.entry)));
        self.op.ledger.charge(FileCause::Call, entry);
        self.op.ledger.charge(FileCause::Cache, cache);
        self.op.ledger.charge(cause, worked - cache - entry);
        self.op.ledger.charge(FileCause::Processor, elapsed - worked);
        self.charged = now;
        [entry, cache, worked - cache - entry]
    }

    /// What of a turn is recorded as what, in the order of [`charge_work`](Self::charge_work)'s parts.
    pub(super) fn functions(&self) -> [Function; 3] {
        let in_cache = match (self.op.operation, self.turn.then) {
            (Operation::Touch, _) | (_, Then::Touch) => Function::Memory,
            (_, Then::Names) => Function::Names,
            (Operation::Read, _) => Function::PageCacheReads,
            (Operation::Write, _) => Function::PageCacheWrites,
            (Operation::Fsync | Operation::Fdatasync | Operation::Sync, _) => Function::Sync,
            (Operation::Compute | Operation::Exchange, _) => Function::Computing,
            _ => Function::Names,
        };
        let rest = match (self.turn.cause, self.op.operation) {
            (_, Operation::Compute) => Function::Computing,
            (FileCause::Copy, Operation::Read) => Function::CopyToUser,
            (FileCause::Copy, _) => Function::CopyFromUser,
            (FileCause::Write | FileCause::Throttle, _) => Function::WriteBack,
            (FileCause::Cache, _) => in_cache,
            _ if self.turn.wakes => Function::WakeUps,
            _ => Function::SystemCalls,
        };
        [Function::SystemCalls, if self.turn.wakes { Function::WakeUps } else { in_cache }, rest]
    }

    /// Word for whoever submitted it that it is on its way, if it is time for it: it has to wait, and either all is sent, or a
    /// thread of the kernel waits for it, which has so much work to wake up.
    pub(super) fn word(&mut self, thread: Time) -> Option<FileOp> {
        let ring = self.op.flags.submission == Submission::Ring;
        if !self.owes_word || !(ring || self.is_sent) {
            return None;
        }
        self.owes_word = false;
        let waits_in_thread = ring && !self.is_sent;
        self.owed += if waits_in_thread { thread } else { Time::ZERO };
        Some(FileOp { is_word: true, ..self.op.clone() })
    }

    /// Its file's key.
    pub(super) fn key(&self, mount: u32) -> FileKey {
        crate::state::file_key(mount, self.op.file)
    }
}
