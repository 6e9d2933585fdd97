//! A daemon: its workers take requests, ask its host's file system and other daemons, and answer.
//!
//! ```text
//!  network ─▶ hear ─▶ taken ─▶ begin (a worker) ─▶ (processor) ─▶ begun ─▶ serve ─▶ steps ─┬─▶ operations ⋯ file system ⋯ completions ─▶ store
//!                      data that follow ───────────────────────────────────────────────▶ ┤                                           │
//!                                                                                         ├─▶ requests to others ⋯ network ⋯ hear    │
//!                                                                                         └─▶ answers ◀──────────────────────────────┘
//! ```
//!
//! After storage/source/net/message/session/rw: `incrementalRecvAndWriteStateful` (a worker writes data piece by piece as they come, and
//! passes each on to the secondary of its group), `incrementalReadStatefulAndSendV2` (it reads a piece, sends it behind its length, and
//! reads the next); what metadata servers do stands in `plan.rs`.

mod plan;

use super::asker::{Asker, Table};
use super::message::{Call, Packet, Reply, Request, Target};
use super::procedure::Procedure;
use super::wire;
use crate::address::Address;
use crate::client::Outcome;
use crate::rpc_tally::RpcTally;
use crate::server::is_done_to_nothing;
use petrio_colours::{Failure, FileCause, FileId, FileOp, Ledger, Message, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes read one after the other from which on a server reads piece by piece (`READ_USE_TUNEFILEREAD_TRIGGER`).
const READ_PIECES_FROM: u64 = 4 << 20;
/// What a worker reads at once before (`tuneWorkerBufSize`).
const READ_BUFFER: u64 = 4 << 20;

/// What a daemon's file system is asked.
#[derive(Clone, Copy, Debug, Persist)]
struct Local {
    operation: Operation,
    file: FileId,
    parent: FileId,
    replaced: Option<FileId>,
    length: u64,
    /// It is no failure of the request if it can't be done.
    may_fail: bool,
}

/// A step of a request.
#[derive(Clone, Debug, Persist)]
enum Step {
    /// The file system does something.
    Local(Local),
    /// Others do something, all at once.
    Remote(Vec<Call>),
    /// The data that are here are written, until all are.
    Write,
    /// The next data are read and sent.
    Read,
    /// Who asked is answered, and the rest comes after.
    Reply,
    /// The lock of who appends is taken, or waited for, or goes to who waits.
    Lock,
}

/// A request that has come.
#[derive(Clone, Debug, Persist)]
struct Session {
    request: Request,
    /// When it came, and when a worker took it.
    since: Time,
    taken: Time,
    steps: VecDeque<Step>,
    /// What the current step waits for, and what was passed on to the other one of a group.
    waits: u32,
    forwards: u32,
    /// The request with which its data are passed on.
    forwarded: Option<u32>,
    /// Data that are here and not written; bytes that aren't here, and bytes that are written or read.
    pieces: VecDeque<u64>,
    missing: u64,
    moved: u64,
    /// Of those the ones that the file system is writing.
    writing: u64,
    /// Its chunk file wasn't there, and is made first.
    makes: bool,
    /// The worker for other servers has it.
    by_direct: bool,
    /// Bytes that were read last and go with the answer.
    unsent: u64,
    is_replied: bool,
    status: Status,
    ledger: Ledger<FileCause>,
}

/// What a daemon is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Is {
    pub(super) target: Target,
    pub(super) process: u32,
    pub(super) file_system: u32,
    /// The other one of its mirror group, where it is the first.
    pub(super) secondary: Option<u16>,
    pub(super) connections: u32,
    pub(super) early_unlink: bool,
}

/// A daemon's state: a metadata server, or what serves one target of a storage server.
#[derive(Clone, Debug, Persist)]
pub(super) struct Server {
    #[persist(keep)]
    is: Is,
    pub(super) asker: Asker<(u32, bool)>,
    sessions: Slab<Session>,
    /// Requests whose data haven't all come, by who sent them and their numbers.
    arriving: BTreeMap<(Address, u32), u32>,
    /// Where clients' reads of chunk files ended, and how much they read one after the other.
    readers: BTreeMap<(Address, FileId), (u64, u64)>,
    /// Files that were made and aren't closed yet, by how many.
    writers: BTreeMap<FileId, u32>,
    /// Who appends to a file, and who waits for that.
    appending: BTreeMap<FileId, VecDeque<u32>>,
    pub(super) operations: Vec<FileOp>,
    /// Requests that wait for a worker: of clients, and of other servers.
    pub(super) taken: Vec<u32>,
    pub(super) taken_direct: Vec<u32>,
    /// Workers that are free, and the one for other servers.
    pub(super) freed: Vec<()>,
    pub(super) freed_direct: Vec<()>,
    /// What it asked other servers, by procedure.
    tally: BTreeMap<Procedure, RpcTally>,
    /// Bytes that came to be written, and that went as they were read.
    pub(super) written: u64,
    pub(super) read: u64,
}

impl Server {
    pub(super) fn new(table: &Arc<Table>, own: Address, is: Is) -> Self {
        Self {
            is,
            asker: Asker::new(table, own, is.connections),
            sessions: Slab::new(),
            arriving: BTreeMap::new(),
            readers: BTreeMap::new(),
            writers: BTreeMap::new(),
            appending: BTreeMap::new(),
            operations: Vec::new(),
            taken: Vec::new(),
            taken_direct: Vec::new(),
            freed: Vec::new(),
            freed_direct: Vec::new(),
            tally: BTreeMap::new(),
            written: 0,
            read: 0,
        }
    }

    /// What it asked other servers came to, by procedure.
    pub(super) fn tally(&self) -> &BTreeMap<Procedure, RpcTally> {
        &self.tally
    }

    /// Requests that aren't answered.
    pub(super) fn left(&self) -> u64 {
        self.sessions.iter().map(|session| u64::from(!session.is_replied)).sum()
    }

    /// Something has come.
    pub(super) fn hear(&mut self, message: Message, now: Time) -> Result<(), &'static str> {
        let Some(packet) = message.payload.open::<Packet>() else {
            return Err("a server of BeeGFS hears what isn't its own: a mistake in the model");
        };
        match *packet {
            Packet::Request(request) => self.came(*request, now),
            Packet::Data { from, number, bytes } => return self.followed((from, number), bytes, now),
            Packet::Reply(reply) => {
                let Some(answered) = self.asker.hear(&reply, now) else {
                    return Err("an answer to what no server of BeeGFS has asked: a mistake in the model");
                };
                if let Some(tally) = answered.tally {
                    self.tally.entry(answered.procedure).or_default().add(&tally);
                    self.answered(answered.of, reply.outcome.status, now);
                }
            }
        }
        Ok(())
    }

    fn came(&mut self, request: Request, now: Time) {
        let (key, missing) = ((request.from, request.number), request.call.data());
        let is_direct = self.asker.table.is_server(request.from);
        let session = Session {
            request,
            since: now,
            taken: now,
            steps: VecDeque::new(),
            waits: 1,
            forwards: 0,
            forwarded: None,
            pieces: VecDeque::new(),
            missing,
            moved: 0,
            writing: 0,
            makes: false,
            by_direct: false,
            unsent: 0,
            is_replied: false,
            status: Status::DoneFromCache,
            ledger: Ledger::default(),
        };
        let slot = self.sessions.insert(session);
        if missing > 0 {
            self.arriving.insert(key, slot);
        }
        if is_direct { self.taken_direct.push(slot) } else { self.taken.push(slot) }
    }

    /// Data of a request have come: they are passed on and written.
    fn followed(&mut self, key: (Address, u32), bytes: u64, now: Time) -> Result<(), &'static str> {
        self.written += bytes;
        let Some(&slot) = self.arriving.get(&key) else {
            return Err("data of no request come to a server of BeeGFS: a mistake in the model");
        };
        let Some(session) = self.sessions.get_mut(slot) else { return Ok(()) };
        session.pieces.push_back(bytes);
        session.missing = session.missing.saturating_sub(bytes);
        if session.missing == 0 {
            self.arriving.remove(&key);
        }
        if let Some(number) = session.forwarded {
            self.asker.follow(number, bytes);
        }
        self.go_on(slot, now);
        Ok(())
    }

    /// A worker has taken a request.
    pub(super) fn begin(&mut self, slot: u32, by_direct: bool, now: Time) {
        let Some(session) = self.sessions.get(slot) else { return };
        let call = session.request.call;
        let steps = self.plan(&call);
        let forward = self.is.secondary.filter(|_| call.procedure.is_mirrored() && !call.is_secondary);
        let Some(session) = self.sessions.get_mut(slot) else { return };
        (session.taken, session.steps, session.waits) = (now, steps, 0);
        session.by_direct = by_direct;
        if let Some(secondary) = forward {
            session.forwards += 1;
            let own = Call { target: Target::Storage(secondary), is_secondary: true, ..call };
            let pieces: Vec<u64> = session.pieces.iter().copied().collect();
            let number = self.asker.forward((slot, true), own, now);
            pieces.into_iter().for_each(|bytes| self.asker.follow(number, bytes));
            self.sessions.get_mut(slot).into_iter().for_each(|session| session.forwarded = Some(number));
        }
        self.go_on(slot, now);
    }

    /// Does what can be done of a request.
    fn go_on(&mut self, slot: u32, now: Time) {
        loop {
            let Some(session) = self.sessions.get_mut(slot) else { return };
            if session.waits > 0 {
                return;
            }
            let failed = session.status.failure().is_some();
            match session.steps.pop_front() {
                Some(Step::Write) => {
                    let Some(bytes) = session.pieces.pop_front() else {
                        if session.missing > 0 {
                            session.steps.push_front(Step::Write);
                            return;
                        }
                        continue;
                    };
                    session.steps.push_front(Step::Write);
                    if !failed {
                        let (call, moved) = (session.request.call, session.moved);
                        (session.moved, session.writing) = (moved + bytes, bytes);
                        session.waits = 1;
                        self.moves((slot, &call), Operation::Write, (call.offset + moved, bytes), now);
                    }
                }
                Some(Step::Read) if !failed => return self.read_on(slot, now),
                Some(Step::Local(local)) if !failed => {
                    let call = session.request.call;
                    session.waits = 1;
                    self.asks((slot, &call), &local, now);
                }
                Some(Step::Remote(calls)) if !failed => {
                    session.waits = u32::try_from(calls.len()).unwrap_or(u32::MAX);
                    calls.into_iter().for_each(|call| self.asker.ask((slot, false), call, now));
                }
                Some(Step::Reply) => self.reply(slot, now),
                Some(Step::Lock) if !failed => {
                    if self.lock(slot, now) {
                        return;
                    }
                }
                Some(_) => {}
                None if session.forwards > 0 => return,
                None => {
                    let by_direct = session.by_direct;
                    self.reply(slot, now);
                    self.sessions.remove(slot);
                    if by_direct {
                        self.freed_direct.push(());
                    } else {
                        self.freed.push(());
                    }
                    return;
                }
            }
        }
    }

    /// Takes the lock of who appends; whether it has to be waited for, by no worker. One that goes is the next one's.
    fn lock(&mut self, slot: u32, now: Time) -> bool {
        let Some(session) = self.sessions.get(slot) else { return false };
        let (file, takes) = (session.request.call.file, session.request.call.length > 0);
        let all = self.appending.entry(file).or_default();
        if takes {
            all.push_back(slot);
            let waits = all.len() > 1;
            if waits {
                self.freed.push(());
                self.sessions.get_mut(slot).into_iter().for_each(|session| session.waits = 1);
            }
            return waits;
        }
        all.pop_front();
        match all.front().copied() {
            // Who waited has no worker any more: he is answered, and that is all.
            Some(next) => {
                self.reply(next, now);
                self.sessions.remove(next);
            }
            None => drop(self.appending.remove(&file)),
        }
        false
    }

    /// The next piece of a read.
    fn read_on(&mut self, slot: u32, now: Time) {
        let Some(session) = self.sessions.get_mut(slot) else { return };
        let (call, moved, from) = (session.request.call, session.moved, session.request.from);
        session.waits = 1;
        let at = call.offset + moved;
        let (next, read) = self.readers.get(&(from, call.file)).copied().unwrap_or((0, 0));
        let is_large = next == at && read >= READ_PIECES_FROM;
        let most = if is_large { self.asker.table.read_piece } else { READ_BUFFER };
        let bytes = most.max(1).min(call.length - moved);
        self.moves((slot, &call), Operation::Read, (at, bytes), now);
    }

    fn moves(
        &mut self,
        (slot, call): (u32, &Call),
        operation: Operation,
        (offset, length): (u64, u64),
        now: Time,
    ) {
        let op = self.operation((slot, call), operation, now);
        self.operations.push(FileOp { offset, length, flags: call.flags, parent: FileId::ROOT, ..op });
    }

    fn asks(&mut self, (slot, call): (u32, &Call), local: &Local, now: Time) {
        let op = self.operation((slot, call), local.operation, now);
        let Local { file, parent, replaced, length, .. } = *local;
        self.operations.push(FileOp { file, parent, replaced, length, ..op });
        // What may fail is known by standing first among the steps again.
        if local.may_fail {
            let steps = self.sessions.get_mut(slot).map(|session| &mut session.steps);
            steps.into_iter().for_each(|steps| steps.push_front(Step::Local(*local)));
        }
    }

    fn operation(&self, (slot, call): (u32, &Call), operation: Operation, now: Time) -> FileOp {
        FileOp {
            id: RequestId(slot.into()),
            process: self.is.process,
            file_system: self.is.file_system,
            operation,
            file: call.file,
            class: call.class,
            priority: call.priority,
            issued: now,
            ..FileOp::default()
        }
    }

    /// The file system has done something.
    pub(super) fn done(&mut self, op: &FileOp, now: Time) -> u64 {
        let slot = low_half(op.id.0);
        let Some(session) = self.sessions.get_mut(slot) else { return 0 };
        session.ledger.add(&op.ledger);
        session.waits = 0;
        let moves = matches!(op.operation, Operation::Read | Operation::Write);
        let is_own = moves && matches!(session.request.call.procedure, Procedure::Read | Procedure::Write);
        let could_fail = match session.steps.front() {
            Some(Step::Local(local)) if local.may_fail && local.operation == op.operation && !moves => {
                session.steps.pop_front();
                true
            }
            _ => false,
        };
        let missing = op.status == Status::Failed(Failure::NotFound);
        if missing && op.operation == Operation::Write && !session.makes {
            session.makes = true;
            (session.waits, session.moved) = (1, session.moved - session.writing);
            session.pieces.push_front(session.writing);
            let made =
                FileOp { operation: Operation::Create, parent: FileId::ROOT, issued: now, ..op.clone() };
            let ledger = Ledger::default();
            self.operations.push(FileOp { ledger, offset: 0, length: 0, status: Status::default(), ..made });
            return 0;
        }
        // Two may find it missing at once: one of them makes it.
        let is_made = op.operation == Operation::Create
            && op.status == Status::Failed(Failure::Exists)
            && session.makes;
        let is_nothing =
            missing && is_done_to_nothing(op.operation) && matches!(self.is.target, Target::Storage(_));
        if !(could_fail || is_made || is_nothing) {
            session.status = session.status.and(op.status);
        }
        let moved = if moves && op.status.failure().is_none() { op.length } else { 0 };
        if is_own && op.operation == Operation::Read {
            self.was_read(slot, moved);
        }
        self.go_on(slot, now);
        moved
    }

    /// A piece was read: it goes behind its length, and the next is read unless the file ends here.
    fn was_read(&mut self, slot: u32, bytes: u64) {
        let Some(session) = self.sessions.get_mut(slot) else { return };
        let (call, from) = (session.request.call, session.request.from);
        let at = call.offset + session.moved;
        session.moved += bytes;
        let (number, connection) = (session.request.number, session.request.connection);
        let (next, read) = self.readers.get(&(from, call.file)).copied().unwrap_or((0, 0));
        let read = if next == at { read + bytes } else { bytes };
        self.readers.insert((from, call.file), (at + bytes, read));
        let is_failed = session.status.failure().is_some();
        if bytes == 0 || session.moved >= call.length || is_failed {
            session.unsent = bytes;
            return;
        }
        session.steps.push_front(Step::Read);
        self.read += bytes;
        let outcome =
            Outcome { status: session.status, length: 0, ledger: Ledger::default(), span: Time::ZERO };
        let reply = Reply { number, outcome, data: bytes, is_last: false, bytes: wire::LENGTH + bytes };
        self.asker.reply((from, connection), reply);
    }

    /// Others have done something.
    fn answered(&mut self, (slot, is_forward): (u32, bool), status: Status, now: Time) {
        let Some(session) = self.sessions.get_mut(slot) else { return };
        session.status = session.status.and(status);
        if is_forward {
            session.forwards = session.forwards.saturating_sub(1);
        } else {
            session.waits = session.waits.saturating_sub(1);
        }
        self.go_on(slot, now);
    }

    /// Answers who asked, unless that is done.
    fn reply(&mut self, slot: u32, now: Time) {
        let Some(session) = self.sessions.get_mut(slot) else { return };
        if std::mem::replace(&mut session.is_replied, true) {
            return;
        }
        let Request { number, from, connection, call } = session.request;
        let sent = session.unsent;
        let listed = if call.procedure == Procedure::ListDirectory { call.length } else { 0 };
        let mut ledger = session.ledger;
        ledger.charge(FileCause::Server, (now - session.taken).saturating_sub(ledger.total()));
        let moves = matches!(call.procedure, Procedure::Read | Procedure::Write);
        let length = if moves && session.status.failure().is_none() { session.moved } else { 0 };
        let outcome = Outcome { status: session.status, length, ledger, span: now - session.since };
        let lengths = if sent > 0 { wire::LENGTH + sent } else { 0 };
        let bytes = wire::reply(call.procedure, self.asker.table.striping.per_file.into(), listed) + lengths;
        self.read += sent;
        self.asker.reply((from, connection), Reply { number, outcome, data: sent, is_last: true, bytes });
    }
}
