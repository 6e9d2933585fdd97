//! Calls that a server's threads do at its host's file system.

use super::changes::AllChanges;
use super::grace::Grace;
use super::message::{Call, Reply, Says, Told};
use super::parameters::ExportMode;
use super::replies::{Replies, Seen};
use crate::client::Outcome;
use crate::failure::Failures;
use crate::server::Client;
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
    /// It is of 1990: what changes names and attributes is on its disk once its file system has done it.
    pub(super) is_of_1990: bool,
}

/// How a server fails, and what it keeps so that nothing is done twice.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    pub(super) failures: Failures,
    /// Replies that are kept.
    pub(super) replies: u32,
    /// It keeps what clients have open (version 4), and gives them time to reclaim that.
    pub(super) grace: Option<Grace>,
}

/// A call under way.
#[derive(Clone, Debug, Persist)]
struct Session {
    call: Call,
    /// Who asked.
    origin: Client,
    /// The instance of the server that it was begun by.
    instance: u32,
    /// When it came.
    since: Time,
    /// What the file system took for it.
    ledger: Ledger<FileCause>,
    /// It is done, and is being put on disk: how it ended, and how many bytes it moved.
    settling: Option<(Status, u64)>,
}

/// Calls under way, and what the file system is to be asked for them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sessions {
    asks: Asks,
    #[persist(keep)]
    failures: Failures,
    sessions: Slab<Session>,
    replies: Replies,
    grace: Option<Grace>,
    /// The instance that replies and grace are of.
    instance: u32,
    changes: AllChanges,
    pub(super) operations: Vec<FileOp>,
    /// Calls that nobody has to be asked for, as they end.
    pub(super) over: Vec<(Client, Reply)>,
    /// Threads that nobody hears anything from.
    pub(super) silent: Vec<()>,
    /// Calls and replies over connections that nobody heard of.
    pub(super) unheard: u64,
    /// Bytes that calls brought to be written, and those that replies took away.
    pub(super) written: u64,
    pub(super) read: u64,
}

impl Sessions {
    pub(super) fn new(asks: Asks, manner: Manner) -> Self {
        let Manner { failures, replies, grace } = manner;
        Self {
            asks,
            failures,
            sessions: Slab::new(),
            replies: Replies::new(replies),
            grace,
            instance: 0,
            changes: AllChanges::default(),
            operations: Vec::new(),
            over: Vec::new(),
            silent: Vec::new(),
            unheard: 0,
            written: 0,
            read: 0,
        }
    }

    /// Calls over connections that are here, and those that nobody heard of.
    pub(super) fn left(&self) -> u64 {
        let counted = self.sessions.iter().filter(|session| session.call.is_counted).count();
        let over = self.over.iter().filter(|(_, reply)| reply.is_counted).count();
        counted as u64 + over as u64 + self.unheard
    }

    /// Whether a call that comes now is heard: nothing reaches a server that is away.
    pub(super) fn hears(&mut self, call: &Call, now: Time) -> bool {
        let is_away = self.failures.is_away(now);
        if is_away {
            self.drops(call);
        }
        !is_away
    }

    /// Nobody hears of a call.
    fn drops(&mut self, call: &Call) {
        if call.is_counted {
            self.unheard += 1;
            self.written += call.data();
        }
    }

    /// A thread is done with a call whose reply nobody hears.
    fn is_silent(&mut self, call: &Call) {
        self.unheard += u64::from(call.is_counted);
        self.silent.push(());
    }

    /// How much longer a call takes that is begun now.
    pub(super) fn slower_by(&self, now: Time) -> Time {
        self.failures.slower_by(now)
    }

    /// Which instance of the server there is now; what an earlier one knew is forgotten.
    fn instance(&mut self, now: Time) -> u32 {
        let instance = self.failures.instance(now);
        if instance != std::mem::replace(&mut self.instance, instance) {
            self.replies.forget();
            if let (Some(grace), Some(started)) = (&mut self.grace, self.failures.started(now)) {
                grace.begin(started);
            }
        }
        instance
    }

    /// A thread begins a call that came at `since`.
    pub(super) fn begin(&mut self, call: Call, origin: Client, (since, now): (Time, Time)) {
        let instance = self.instance(now);
        // What came to an earlier instance went with it.
        if self.failures.is_away(now) || self.failures.instance(since) != instance {
            self.drops(&call);
            self.silent.push(());
            return;
        }
        if call.is_counted {
            self.written += call.data();
        }
        if let Some(says) = self.turns_away(&call, instance, now) {
            let reply = Reply {
                says,
                instance,
                ..ended(&call, Status::DoneFromCache, (0, Ledger::default()), now - since, None)
            };
            self.over.push((origin, reply));
            return;
        }
        match self.replies.see(origin.address, &call) {
            Seen::New => {}
            Seen::Doing => {
                self.is_silent(&call);
                return;
            }
            Seen::Done(reply) => {
                self.over.push((origin, *reply));
                return;
            }
        }
        let nothing = self.does_nothing(&call);
        let Some(operation) = call.operation.filter(|_| !nothing) else {
            let others = self.told(&call);
            let reply = ended(&call, Status::DoneFromCache, (0, Ledger::default()), now - since, others);
            self.over.push((origin, Reply { instance, ..reply }));
            return;
        };
        let (ledger, length) = (Ledger::default(), call.length);
        let slot = self.sessions.insert(Session { call, origin, instance, since, ledger, settling: None });
        self.ask(slot, (operation, length), now);
    }

    /// What is said to a call that isn't done: over a connection that isn't known here nothing is, and while clients reclaim what they had
    /// nothing new is opened.
    fn turns_away(&mut self, call: &Call, instance: u32, now: Time) -> Option<Says> {
        if call.is_counted && call.instance != instance {
            return Some(Says::Unknown);
        }
        let grace = self.grace.as_mut()?;
        grace.hears(call);
        (call.waits_for_grace() && grace.lasts(now)).then_some(Says::Grace)
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
    pub(super) fn done(&mut self, op: &FileOp, now: Time) -> Option<(Client, Reply)> {
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
        let settles = export == ExportMode::Sync && !self.asks.is_of_1990;
        if settles && changes && session.settling.is_none() && works {
            session.settling = Some((op.status, moved));
            self.ask(slot, (Operation::Fsync, 0), now);
            return None;
        }
        let Session { call, origin, instance, since, settling, ledger } = self.sessions.remove(slot)?;
        let missing = op.status == Status::Failed(Failure::NotFound);
        let (status, moved) = match settling {
            // A directory that is gone meanwhile needs no more.
            Some((status, moved)) => (if missing { status } else { status.and(op.status) }, moved),
            None if missing && call.may_find_nothing() => (Status::DoneFromCache, 0),
            None => (op.status, moved),
        };
        if self.instance(now) != instance {
            self.is_silent(&call);
            return None;
        }
        let others = self.told(&call);
        let reply = ended(&call, status, (moved, ledger), now - since, others);
        let reply = Reply { instance, ..reply };
        self.replies.keep(origin.address, &reply);
        // It is done, and only its reply is lost on the way.
        if self.failures.is_away(now) {
            self.is_silent(&call);
            return None;
        }
        if reply.is_counted {
            self.read += reply.data();
        }
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
    let Call { number, procedure, instance, is_counted, .. } = *call;
    let bytes = call.reply_bytes(length);
    let outcome = Outcome { status, length, ledger, span };
    Reply { number, procedure, outcome, others, bytes, says: Says::Over, instance, is_counted }
}
