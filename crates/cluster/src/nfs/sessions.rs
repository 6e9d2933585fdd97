//! Calls that a server's threads do at its host's file system.

use super::changes::AllChanges;
use super::message::{Call, Reply, Told};
use super::parameters::ExportMode;
use crate::client::Outcome;
use petrio_colours::{AccessFlags, Failure, FileCause, FileOp, Ledger, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;

/// As whom threads ask their host's file system, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Asks {
    /// The process, as the host numbers them.
    pub(super) process: u32,
    /// The file system, as the host numbers them.
    pub(super) file_system: u32,
    /// What is promised of what has been answered.
    pub(super) export: ExportMode,
    /// Several clients have mounted it.
    pub(super) shared: bool,
}

/// A call under way.
#[derive(Clone, Debug, Persist)]
struct Session<T> {
    call: Call,
    /// Who asked.
    origin: T,
    /// When it came.
    since: Time,
    /// What the file system took for it.
    ledger: Ledger<FileCause>,
    /// It is done, and is being put on disk: how it ended, and how many bytes it moved.
    settling: Option<(Status, u64)>,
}

/// Calls under way, and what the file system is to be asked for them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sessions<T> {
    asks: Asks,
    sessions: Slab<Session<T>>,
    changes: AllChanges,
    pub(super) operations: Vec<FileOp>,
    /// Calls that nobody has to be asked for, as they end.
    pub(super) over: Vec<(T, Reply)>,
    /// Bytes that calls brought to be written, and those that replies took away.
    pub(super) written: u64,
    pub(super) read: u64,
}

impl<T: Clone> Sessions<T> {
    pub(super) fn new(asks: Asks) -> Self {
        let (operations, over) = (Vec::new(), Vec::new());
        Self {
            asks,
            sessions: Slab::new(),
            changes: AllChanges::default(),
            operations,
            over,
            written: 0,
            read: 0,
        }
    }

    /// Calls that aren't over.
    pub(super) fn left(&self) -> u64 {
        self.sessions.len() + self.over.len() as u64
    }

    /// A thread begins a call that came at `since`.
    pub(super) fn begin(&mut self, call: Call, origin: T, (since, now): (Time, Time)) {
        self.written += call.data();
        let nothing = self.does_nothing(&call);
        let Some(operation) = call.operation.filter(|_| !nothing) else {
            let others = self.told(&call);
            let reply = ended(&call, Status::DoneFromCache, (0, Ledger::default()), now - since, others);
            self.over.push((origin, reply));
            return;
        };
        let (ledger, length) = (Ledger::default(), call.length);
        let slot = self.sessions.insert(Session { call, origin, since, ledger, settling: None });
        self.ask(slot, (operation, length), now);
    }

    /// What a reply tells of others, if there are any.
    fn told(&self, call: &Call) -> Option<Told> {
        self.asks.shared.then(|| self.changes.told(call))
    }

    /// COMMIT to who promises nothing (`nfsd_commit` of an export that isn't `EX_ISSYNC`).
    fn does_nothing(&self, call: &Call) -> bool {
        self.asks.export == ExportMode::Async && call.operation == Some(Operation::Fsync)
    }

    fn ask(&mut self, slot: u32, (operation, length): (Operation, u64), now: Time) {
        let Asks { process, file_system, export, .. } = self.asks;
        let Some(Session { call, settling, .. }) = self.sessions.get_mut(slot) else { return };
        // As knfsd does (`commit_metadata`, fs/nfsd/vfs.c): of a name, its directory.
        let of_directory = settling.is_some() && call.operation.is_some_and(Operation::changes_names);
        let sync = operation == Operation::Write && call.stable && export == ExportMode::Sync;
        self.operations.push(FileOp {
            id: RequestId(slot.into()),
            process,
            file_system,
            operation,
            file: if of_directory { call.parent } else { call.file },
            parent: call.parent,
            replaced: call.replaced,
            offset: call.offset,
            length,
            flags: AccessFlags { sync, ..AccessFlags::default() },
            class: call.class,
            priority: call.priority,
            issued: now,
            ..FileOp::default()
        });
    }

    /// The file system is done with something; who is to hear what, if its call is over.
    pub(super) fn done(&mut self, op: &FileOp, now: Time) -> Option<(T, Reply)> {
        let slot = low_half(op.id.0);
        let export = self.asks.export;
        let shared = self.asks.shared;
        let session = self.sessions.get_mut(slot)?;
        if shared && session.settling.is_none() && op.status.failure().is_none() {
            self.changes.note(&session.call, op);
        }
        session.ledger.add(&op.ledger);
        let operation = session.call.operation?;
        let changes =
            operation.changes_names() || matches!(operation, Operation::Truncate | Operation::SetAttributes);
        let works = op.status.failure().is_none();
        let moved =
            if matches!(operation, Operation::Read | Operation::Write) && works { op.length } else { 0 };
        if export == ExportMode::Sync && changes && session.settling.is_none() && works {
            session.settling = Some((op.status, moved));
            self.ask(slot, (Operation::Fsync, 0), now);
            return None;
        }
        let Session { call, origin, since, settling, ledger, .. } = self.sessions.remove(slot)?;
        let missing = op.status == Status::Failed(Failure::NotFound);
        let (status, moved) = match settling {
            // A directory that is gone meanwhile needs no more.
            Some((status, moved)) => (if missing { status } else { status.and(op.status) }, moved),
            None if missing && call.may_find_nothing() => (Status::DoneFromCache, 0),
            None => (op.status, moved),
        };
        let others = self.told(&call);
        let reply = ended(&call, status, (moved, ledger), now - since, others);
        self.read += reply.data();
        Some((origin, reply))
    }
}

fn ended(
    call: &Call,
    status: Status,
    (length, ledger): (u64, Ledger<FileCause>),
    span: Time,
    others: Option<Told>,
) -> Reply {
    let Call { number, procedure, .. } = *call;
    let bytes = call.reply_bytes(length);
    Reply { number, procedure, outcome: Outcome { status, length, ledger, span }, others, bytes }
}
