//! What a server knows and does: threads' work at its host's file systems, locks, and what it asks of clients and other servers.
//!
//! ```text
//!   a request on names ─▶ locks of others called back ─▶ the metadata target's file system ─▶ reply, with a lock
//!   data to write      ─▶ (asked for ─▶ come) ─▶ the object storage target's file system ─▶ reply, with grant
//!   data to read       ─▶ the file system ─▶ (data ─▶ acknowledged) ─▶ reply
//!   a lock             ─▶ granted, or answered as blocked: who is in the way is called back, and it is granted when that is gone
//! ```
//!
//! After lustre/mdt, ofd, osd-ldiskfs, target and ldlm. Data are on the disk before a write is answered, past the page cache
//! (`osd_do_bio`), and reads go through it; what changes names is answered once it is in a transaction, which commits by itself. Objects
//! of one
//! file on one target are one local file, made when it is first written: objects are made ahead in batches, which costs messages here and
//! their time when they are first written.

mod inodes;
mod objects;

use super::client::{PAGE, Table};
use super::extents::Locked;
use super::lnet::Lnet;
use super::message::{Object, Packet, Reply, Request, SERVERS, Says, What, Who};
use super::wire;
use crate::address::Address;
use crate::client::Outcome;
use petrio_colours::{AccessFlags, Failure, FileCause, FileId, FileOp, Ledger, Operation, RequestId, Status};
use petrio_host::lustre::{Bits, Procedure, Target, Told};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A target of a server: as whom it asks its host, and which file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Holds {
    pub(super) target: Target,
    pub(super) process: u32,
    pub(super) file_system: u32,
    /// Pages that it has room for.
    pub(super) room: u64,
}

/// What a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum At {
    /// Locks that others have to give back: so many.
    Locks(u32),
    /// Objects that aren't made yet.
    Objects,
    /// Its data.
    Data,
    /// The file system.
    Storage,
    /// The object is being made, in the file system.
    Making,
    /// That its data have been received.
    Ack,
}

/// A request under way.
#[derive(Clone, Debug, Persist)]
struct Session {
    request: Request,
    at: At,
    since: Time,
    ledger: Ledger<FileCause>,
    status: Status,
    /// Bytes that were read.
    read: u64,
}

/// A file that a client has made.
#[derive(Clone, Copy, Debug, Persist)]
struct Made {
    parent: FileId,
    is_directory: bool,
}

/// A size that is asked for, by the number of the callback.
#[derive(Clone, Debug, Persist)]
struct Glimpse {
    request: Box<Request>,
}

/// Objects that are made ahead on a target.
#[derive(Clone, Copy, Debug, Persist)]
struct Ahead {
    left: u32,
    is_asked: bool,
}

/// A server.
#[derive(Clone, Debug, Persist)]
pub(super) struct Server {
    #[persist(keep)]
    table: Arc<Table>,
    own: Address,
    number: u32,
    holds: Vec<Holds>,
    pub(super) lnet: Lnet,
    /// The ends of clients and of other servers, once they have sent something.
    ends: BTreeMap<Who, Address>,
    sessions: Slab<Session>,
    /// What file systems are asked, what threads are to take, and how often one is free.
    pub(super) operations: Vec<FileOp>,
    pub(super) taken: Vec<(Request, Time)>,
    pub(super) freed: Vec<()>,
    extents: BTreeMap<Object, Locked>,
    /// The RPC of each lock that isn't granted yet.
    blocked: BTreeMap<(Who, u32), u32>,
    inodes: BTreeMap<FileId, BTreeMap<Who, Bits>>,
    /// Who waits for a lock on an inode to go back: his session, by the number of the callback.
    called: BTreeMap<u32, u32>,
    glimpses: BTreeMap<u32, Glimpse>,
    next: u32,
    made: BTreeMap<FileId, Made>,
    sizes: BTreeMap<FileId, u64>,
    ends_of: BTreeMap<(Target, FileId), u64>,
    rooms: BTreeMap<Target, u64>,
    grants: BTreeMap<(Target, Who), u64>,
    ahead: BTreeMap<u16, Ahead>,
    starving: VecDeque<u32>,
    /// Requests of its own to others, that make objects ahead: on which target, and how many.
    own_requests: BTreeMap<u32, (u16, u32)>,
    /// Requests of clients that aren't answered.
    open: u64,
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) bulk: u64,
}

impl Server {
    pub(super) fn new(
        table: &Arc<Table>,
        (own, number): (Address, u32),
        holds: Vec<Holds>,
        credits: (u32, u32),
    ) -> Self {
        let rooms = holds.iter().map(|each| (each.target, each.room)).collect();
        Self {
            table: Arc::clone(table),
            own,
            number,
            holds,
            lnet: Lnet::new(own, credits),
            ends: BTreeMap::new(),
            sessions: Slab::new(),
            operations: Vec::new(),
            taken: Vec::new(),
            freed: Vec::new(),
            extents: BTreeMap::new(),
            blocked: BTreeMap::new(),
            inodes: BTreeMap::new(),
            called: BTreeMap::new(),
            glimpses: BTreeMap::new(),
            next: 0,
            made: BTreeMap::new(),
            sizes: BTreeMap::new(),
            ends_of: BTreeMap::new(),
            rooms,
            grants: BTreeMap::new(),
            ahead: BTreeMap::new(),
            starving: VecDeque::new(),
            own_requests: BTreeMap::new(),
            open: 0,
            written: 0,
            read: 0,
            bulk: 0,
        }
    }

    /// Requests of clients that aren't answered, and locks that aren't granted.
    pub(super) const fn left(&self) -> u64 {
        self.open
    }

    fn holds(&self, target: Target) -> Option<Holds> {
        self.holds.iter().find(|each| each.target == target).copied()
    }

    fn send(&mut self, to: Who, (bytes, says): (u64, Says), now: Time) {
        let Some(&address) = self.ends.get(&to) else { return };
        // As the sockets of its client are numbered: short, and data to it.
        let service = if to < SERVERS { address.service } else { self.own.service };
        let bulk = if matches!(says, Says::Put { .. }) { 2 } else { 0 };
        self.lnet.send(address, service.wrapping_mul(4) + bulk, (bytes, says), now);
    }

    /// A message has come.
    pub(super) fn hear(&mut self, host: u32, packet: Packet, now: Time) -> Result<(), &'static str> {
        let from = Lnet::sender(host, &packet);
        self.lnet.came(from, &packet, now);
        match packet.says {
            Says::Request(request) => {
                self.ends.insert(request.client, from);
                self.receive(*request, now);
            }
            Says::Reply(reply) => self.answered(&reply, now),
            Says::Data { number, bytes } => {
                self.bulk += bytes;
                let slot = self.sessions.numbered().find(|(_, session)| {
                    session.at == At::Data
                        && session.request.number == number
                        && self.ends.get(&session.request.client) == Some(&from)
                });
                let Some((slot, _)) = slot else {
                    return Err("data come that nobody asked for: a mistake in the model");
                };
                self.store(slot, now);
            }
            Says::Ack { number } => {
                let slot = self.sessions.numbered().find(|(_, session)| {
                    session.at == At::Ack
                        && session.request.number == number
                        && self.ends.get(&session.request.client) == Some(&from)
                });
                if let Some((slot, _)) = slot {
                    self.end(slot, now);
                }
            }
            Says::Heard { number: Some(number), size } => self.glimpsed(number, size, now),
            Says::Heard { number: None, .. } | Says::Credits => {}
            Says::Get { .. } | Says::Put { .. } | Says::Callback { .. } | Says::Granted { .. } => {
                return Err("a server of Lustre hears what only clients do: a mistake in the model");
            }
        }
        Ok(())
    }

    /// A request has come: a thread takes it, or what it is about is known.
    fn receive(&mut self, request: Request, now: Time) {
        self.open += u64::from(request.is_clients());
        if request.takes_a_thread() {
            self.taken.push((request, now));
            return;
        }
        match request.call.procedure {
            Procedure::Cancel => self.cancelled(&request, now),
            Procedure::Glimpse => self.glimpse(request, now),
            _ => self.lock(&request, now),
        }
    }

    /// A thread begins a request that came at `since`.
    pub(super) fn begin(&mut self, (request, since): (Request, Time), now: Time) {
        self.written += request.writes();
        let session = Session {
            request,
            at: At::Storage,
            since,
            ledger: Ledger::default(),
            status: Status::DoneFromCache,
            read: 0,
        };
        let what = session.request.what;
        let slot = self.sessions.insert(session);
        match what {
            What::Data { writes: true, is_short: false } => {
                let (client, number) = self.whose(slot);
                self.set(slot, At::Data);
                self.send(client, (wire::LNET, Says::Get { number }), now);
            }
            What::Data { .. } => self.store(slot, now),
            What::Call if self.is_of_metadata(slot) => self.revoke(slot, now),
            What::Call | What::Destroy => self.store(slot, now),
            What::Precreate(_) => self.end(slot, now),
        }
    }

    fn is_of_metadata(&self, slot: u32) -> bool {
        self.sessions.get(slot).is_some_and(|session| session.request.call.procedure.is_of_metadata())
    }

    fn whose(&self, slot: u32) -> (Who, u32) {
        self.sessions.get(slot).map_or((0, 0), |session| (session.request.client, session.request.number))
    }

    fn set(&mut self, slot: u32, at: At) {
        self.sessions.get_mut(slot).into_iter().for_each(|session| session.at = at);
    }

    /// Asks the target's file system for what a request wants of it; one that wants nothing is over.
    fn store(&mut self, slot: u32, now: Time) {
        self.set(slot, At::Storage);
        match self.sessions.get(slot).and_then(|session| self.wants(&session.request)) {
            Some(op) => self.ask(slot, op, now),
            None => self.end(slot, now),
        }
    }

    fn ask(&mut self, slot: u32, op: FileOp, now: Time) {
        let Some(session) = self.sessions.get(slot) else { return };
        let Request { call, class, priority, .. } = &session.request;
        let Some(Holds { process, file_system, .. }) = self.holds(call.target) else { return };
        let (class, priority) = (*class, *priority);
        let id = RequestId(slot.into());
        self.operations.push(FileOp { id, process, file_system, class, priority, issued: now, ..op });
    }

    /// The operation that a request is on a target's file system.
    fn wants(&self, request: &Request) -> Option<FileOp> {
        let Request { what, call, offset, bytes, .. } = request;
        let (striping, target) = (&self.table.striping, call.target);
        // What a metadata target doesn't hold the directory of lies in its root.
        let parent = match target {
            Target::Mdt(own) if striping.mdt_of(call.parent) == own => call.parent,
            _ => FileId::ROOT,
        };
        let begins = || striping.begins((call.file, call.parent), call.object) * PAGE;
        let of = |operation| FileOp { operation, file: call.file, parent, ..FileOp::default() };
        Some(match (what, call.procedure) {
            (What::Data { writes, .. }, _) => {
                let operation = if *writes { Operation::Write } else { Operation::Read };
                let flags = AccessFlags { direct: *writes, ..AccessFlags::default() };
                let length = if *writes { bytes.next_multiple_of(PAGE) } else { *bytes };
                FileOp { offset: begins() + offset, length, flags, ..of(operation) }
            }
            (What::Destroy, _) => of(Operation::Unlink),
            (What::Precreate(_), _) => return None,
            (What::Call, procedure) => match procedure {
                Procedure::GetAttributes => of(Operation::Stat),
                Procedure::Open => of(Operation::Open),
                Procedure::Create => of(Operation::Create),
                Procedure::SetAttributes | Procedure::Layout => of(Operation::SetAttributes),
                Procedure::Unlink => of(Operation::Unlink),
                Procedure::MakeDirectory => of(Operation::Mkdir),
                Procedure::RemoveDirectory => of(Operation::Rmdir),
                Procedure::SymbolicLink => FileOp { length: 1, ..of(Operation::Symlink) },
                Procedure::Rename => FileOp { replaced: call.replaced(), ..of(Operation::Rename) },
                Procedure::ReadPage => of(Operation::Readdir),
                Procedure::MetadataSync | Procedure::Sync => of(Operation::Fsync),
                Procedure::Punch => {
                    FileOp { length: begins() + call.numbers.0 * PAGE, ..of(Operation::Truncate) }
                }
                _ => return None,
            },
        })
    }

    /// A file system is done with something.
    pub(super) fn done(&mut self, op: &FileOp, now: Time) {
        let slot = low_half(op.id.0);
        let Some(session) = self.sessions.get_mut(slot) else { return };
        session.ledger.add(&op.ledger);
        let missing = op.status == Status::Failed(Failure::NotFound);
        let writes = session.request.writes() > 0;
        if missing && writes && session.at == At::Storage {
            let file = session.request.call.file;
            session.at = At::Making;
            let make =
                FileOp { operation: Operation::Create, file, parent: FileId::ROOT, ..FileOp::default() };
            return self.ask(slot, make, now);
        }
        // Somebody else may have made it meanwhile.
        if session.at == At::Making {
            return self.store(slot, now);
        }
        let finds_nothing = missing && session.request.call.procedure != Procedure::Create;
        session.status = if finds_nothing { Status::DoneFromCache } else { op.status };
        let procedure = session.request.call.procedure;
        let is_read = session.request.what == What::Data { writes: false, is_short: false };
        if session.status.failure().is_none() {
            session.read = match session.request.what {
                What::Data { writes: false, .. } => session.request.bytes,
                What::Call if procedure == Procedure::ReadPage => session.request.call.numbers.1 * PAGE,
                _ => 0,
            };
        }
        let bytes = session.read;
        if bytes > 0 && (is_read || procedure == Procedure::ReadPage) {
            let (client, number) = self.whose(slot);
            self.set(slot, At::Ack);
            self.send(client, (wire::LNET + bytes, Says::Put { number, bytes }), now);
        } else {
            self.end(slot, now);
        }
    }

    /// A request is over: its reply, and what follows.
    fn end(&mut self, slot: u32, now: Time) {
        let Some(Session { request, since, ledger, status, read, .. }) = self.sessions.remove(slot) else {
            return;
        };
        self.freed.push(());
        let works = status.failure().is_none();
        let (told, grant) = if works { self.follows(&request, now) } else { Default::default() };
        let is_short = matches!(request.what, What::Data { is_short: true, writes: false });
        let is_data = matches!(request.what, What::Data { writes: false, .. });
        let bytes = match request.what {
            What::Destroy | What::Precreate(_) => wire::between_servers().1,
            _ => wire::lengths(request.call.procedure, self.table.layout).1,
        };
        let length = request.writes() + if is_data { read } else { 0 };
        let outcome = Outcome { status, length, ledger, span: now - since };
        let reply = Reply {
            number: request.number,
            client: request.client,
            outcome,
            told,
            is_blocked: false,
            grant,
            read: if is_data { read } else { 0 },
            bytes: bytes + if is_short { read } else { 0 },
        };
        self.read += reply.read;
        self.reply(reply, now);
    }

    fn reply(&mut self, reply: Reply, now: Time) {
        let client = reply.client;
        self.open -= u64::from(client < SERVERS && !reply.is_blocked);
        if client == SERVERS + self.number {
            return self.answered(&reply, now);
        }
        self.send(client, (reply.bytes, Says::Reply(Box::new(reply))), now);
    }

    /// What a request changes, what its reply tells, and grants.
    fn follows(&mut self, request: &Request, now: Time) -> (Told, u64) {
        let Request { what, ref call, client, end, .. } = *request;
        match what {
            What::Data { writes: true, .. } => {
                let size = self.sizes.entry(call.file).or_default();
                *size = (*size).max(end);
                (Told::default(), self.grant(request))
            }
            What::Data { .. } | What::Precreate(_) => Default::default(),
            What::Destroy => {
                self.sizes.remove(&call.file);
                let objects: Vec<Object> = self
                    .extents
                    .range((call.file, 0)..=(call.file, u16::MAX))
                    .map(|(&object, _)| object)
                    .collect();
                objects.into_iter().for_each(|object| self.forget(call.target, object, now));
                Default::default()
            }
            What::Call if call.procedure.is_of_metadata() => (self.changed(call, client, now), 0),
            What::Call => Default::default(),
        }
    }

    /// Sends a request of its own to another server, or takes it itself.
    fn ask_server(&mut self, request: Request, now: Time) {
        let Some(to) = self.table.end_of(request.call.target) else { return };
        if to.host == self.own.host {
            return self.receive(request, now);
        }
        let connection = self.own.service.wrapping_mul(4);
        let bytes = wire::between_servers().0;
        self.lnet.send(to, connection, (bytes, Says::Request(Box::new(request))), now);
    }

    fn own_request(&mut self, what: What, file: FileId, target: Target) -> Request {
        self.next = self.next.wrapping_add(1);
        Request {
            number: self.next,
            client: SERVERS + self.number,
            what,
            call: petrio_host::lustre::Call::of(Procedure::Sync, (file, file), target),
            offset: 0,
            bytes: 0,
            end: 0,
            class: Default::default(),
            priority: 4,
        }
    }

    /// A request of its own is answered.
    fn answered(&mut self, reply: &Reply, now: Time) {
        if let Some((ost, objects)) = self.own_requests.remove(&reply.number) {
            self.made_ahead(ost, objects, now);
        }
    }
}
