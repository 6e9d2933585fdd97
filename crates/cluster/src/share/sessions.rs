//! Calls that are done at a host's own file system, by a server or for a client that is on the same host.

use super::message::{Call, Reply};
use crate::client::Outcome;
use petrio_colours::{Failure, FileCause, FileOp, Ledger, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;

/// Who asks a host's file system, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Asks {
    /// The process, as the host numbers them.
    pub(super) process: u32,
    /// The file system, as the host numbers them.
    pub(super) file_system: u32,
    /// Whether changes of names are on disk before calls end.
    pub(super) settles_names: bool,
}

/// A call under way.
#[derive(Clone, Debug, Persist)]
struct Session<T> {
    call: Call,
    asks: Asks,
    /// What its end is told with.
    origin: T,
    /// When it came, and when a thread took it.
    since: Time,
    taken: Time,
    /// What the file system took for it.
    ledger: Ledger<FileCause>,
    /// Its file wasn't there, and is made first.
    makes: bool,
    /// It is done, and is being put on disk: how it ended.
    settling: Option<Status>,
}

/// Time of threads after which what they did before counts half: a few hundred calls that are served from memory, or a few from disks.
const LATELY: Time = Time::from_millis(100);

/// Calls under way, and what the file system is to be asked for them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sessions<T> {
    sessions: Slab<Session<T>>,
    pub(super) operations: Vec<FileOp>,
    /// Bytes that calls brought to be written, and those that replies took away.
    pub(super) written: u64,
    pub(super) read: u64,
    /// What threads have done lately. Whoever waits for one waits for that.
    lately: Ledger<FileCause>,
}

impl<T> Sessions<T> {
    pub(super) fn new() -> Self {
        let (sessions, operations) = (Slab::new(), Vec::new());
        Self { sessions, operations, written: 0, read: 0, lately: Ledger::default() }
    }

    /// Calls that aren't over.
    pub(super) fn left(&self) -> u64 {
        self.sessions.len()
    }

    /// Begins a call that came at `since`, and that a thread took at `taken`.
    pub(super) fn begin(
        &mut self,
        call: Call,
        asks: Asks,
        origin: T,
        (since, taken, now): (Time, Time, Time),
    ) {
        let (operation, length) = (call.operation, call.length);
        self.written += call.data();
        let ledger = Ledger::default();
        let session = Session { call, asks, origin, since, taken, ledger, makes: false, settling: None };
        let slot = self.sessions.insert(session);
        self.ask(slot, (operation, length), now);
    }

    fn ask(&mut self, slot: u32, (operation, length): (Operation, u64), now: Time) {
        let Some(Session { call, asks, settling, .. }) = self.sessions.get_mut(slot) else { return };
        let moves = matches!(operation, Operation::Read | Operation::Write);
        // As knfsd does (`commit_metadata`, fs/nfsd/vfs.c): of a name, its directory.
        let of_directory = settling.is_some() && call.operation.changes_names();
        self.operations.push(FileOp {
            id: RequestId(slot.into()),
            process: asks.process,
            file_system: asks.file_system,
            operation,
            file: if of_directory { call.parent } else { call.file },
            parent: call.parent,
            replaced: call.replaced,
            offset: if moves { call.offset } else { 0 },
            length,
            flags: call.flags,
            class: call.class,
            priority: call.priority,
            issued: now,
            ..FileOp::default()
        });
    }

    /// The file system is done with something; how the call ended, if it has.
    pub(super) fn done(&mut self, op: &FileOp, now: Time) -> Option<(T, Call, Reply)> {
        let slot = low_half(op.id.0);
        let session = self.sessions.get_mut(slot)?;
        session.ledger.add(&op.ledger);
        let missing = op.status == Status::Failed(Failure::NotFound);
        let (operation, length) = (session.call.operation, session.call.length);
        if missing && session.call.makes() && !session.makes {
            session.makes = true;
            self.ask(slot, (Operation::Create, 0), now);
            return None;
        }
        // Two calls may find it missing at once: one of them makes it.
        let made = matches!(op.status, Status::Failed(Failure::Exists)) || op.status.failure().is_none();
        if session.makes && op.operation == Operation::Create && made {
            self.ask(slot, (operation, length), now);
            return None;
        }
        let changes =
            operation.changes_names() || matches!(operation, Operation::Truncate | Operation::SetAttributes);
        if session.asks.settles_names
            && changes
            && session.settling.is_none()
            && op.status.failure().is_none()
        {
            session.settling = Some(op.status);
            self.ask(slot, (Operation::Fsync, 0), now);
            return None;
        }
        let Session { call, origin, since, taken, settling, ledger, .. } = self.sessions.remove(slot)?;
        let status = match settling {
            None => op.status,
            // A directory that is gone meanwhile needs no more.
            Some(status) if missing => status,
            Some(status) => status.and(op.status),
        };
        let missing = status == Status::Failed(Failure::NotFound);
        let nothing = missing && call.may_find_nothing();
        let moves = matches!(operation, Operation::Read | Operation::Write);
        let outcome = Outcome {
            status: if nothing { Status::DoneFromCache } else { status },
            length: if moves && !nothing && op.status.failure().is_none() { op.length } else { 0 },
            ledger: self.spent(ledger, (since, taken, now)),
            span: now - since,
        };
        let reply = Reply { number: call.number, operation, outcome };
        self.read += reply.data();
        Some((origin, call, reply))
    }

    /// Where a call's time at the server went, given what its file system took of it: the rest of its thread's time is the server's
    /// own, and the wait for that thread went for what threads did meanwhile.
    fn spent(
        &mut self,
        mut ledger: Ledger<FileCause>,
        (since, taken, now): (Time, Time, Time),
    ) -> Ledger<FileCause> {
        ledger.charge(FileCause::Server, (now - taken).saturating_sub(ledger.total()));
        if self.lately.total() > LATELY {
            self.lately = self.lately.divides(Time::from_picos(LATELY.as_picos() / 2), FileCause::Server);
        }
        self.lately.add(&ledger);
        if taken > since {
            ledger.add(&self.lately.divides(taken - since, FileCause::Server));
        }
        ledger
    }
}
