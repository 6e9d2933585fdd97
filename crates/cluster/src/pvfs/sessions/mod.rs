//! A server's sessions: the parts of calls that it does, and what is left of each.

mod asked;
mod lives;
#[cfg(test)]
mod tests;

use super::attempts::Patience;
use super::message::{Payload, Reply, Request, Ticket};
use super::parameters::{Protocol, ServiceLevels};
use crate::address::Address;
use crate::client::Outcome;
use crate::failure::Failures;
use crate::server::is_done_to_nothing;
use asked::Asked;
use lives::{Lives, relays};
use petrio_colours::{
    AccessFlags, Failure, FileCause, FileId, FileOp, Ledger, Message, Operation, RequestId, Status,
};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;
use std::sync::Arc;

/// Something that a server takes from its receive buffers and does to its own file.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Piece {
    pub(super) ticket: Ticket,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Nothing of its request was done before.
    pub(super) opens: bool,
}

/// A request that a server works on.
#[derive(Clone, Debug, Persist)]
struct Session {
    request: Request,
    /// Who sent it, and on which connection.
    client: Address,
    connection: u32,
    /// Bytes, or things, that aren't done.
    left: u64,
    moved: u64,
    status: Status,
    /// When it had all that it needed.
    since: Time,
    /// What the file system took for its pieces.
    ledger: Ledger<FileCause>,
    flow: Flow,
}

/// Pieces of a read on their way from the file to the client (flowproto-multiqueue.c of OrangeFS): so many buffers, each of
/// which is filled and sent; what is read early waits until it is its turn.
#[derive(Clone, Debug, Default, Persist)]
struct Flow {
    /// Bytes of the request that have been given buffers.
    begun: u64,
    /// Bytes that have been sent.
    sent: u64,
    /// Buffers in use.
    buffers: u32,
    /// Pieces that have been read and wait: their places in the request, how long they are, and what was found of them.
    read: Vec<(u64, u64, u64)>,
}

/// What is asked of the server's own file system, and what for.
#[derive(Clone, Debug, Persist)]
enum Doing {
    /// Data.
    Piece(Access),
    /// What a request about names and attributes needs.
    Step(Ticket),
    /// The database, or all of the file system, for those who wait for it.
    Sync,
}

/// Data that are read or written.
#[derive(Clone, Debug, Persist)]
struct Access {
    piece: Piece,
    /// The file wasn't there, and is made first.
    creates: bool,
    /// What has been done is noted, or put on disk: how it ended, and how much it was.
    notes: Option<(Status, u64)>,
}

/// A server's sessions, and what it has to send and to ask.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sessions {
    is: ServerIs,
    sessions: FastMap<Ticket, Session>,
    accesses: Slab<Doing>,
    asked: Asked,
    lives: Lives,
    pub(super) waiting: u32,
    /// Bytes that came to be written, and those that were sent.
    pub(super) written: u64,
    pub(super) read: u64,
    /// Accesses that are over, so that others may begin.
    pub(super) freed: Vec<()>,
    pub(super) outbox: Vec<Message>,
    pub(super) operations: Vec<FileOp>,
    pub(super) pieces: Vec<Piece>,
    /// What has come and is still on its way, and for how long; and what is sent later.
    pub(super) late: Vec<(Box<Message>, Time)>,
    pub(super) resets: Vec<(Box<Message>, Time)>,
    pub(super) alarms: Vec<((), Time)>,
}

/// What kind of a server it is.
#[derive(Clone, Debug, Persist)]
pub(super) struct ServerIs {
    pub(super) protocol: Protocol,
    pub(super) levels: ServiceLevels,
    pub(super) own: Address,
    /// Its number as a process of its host.
    pub(super) process: u32,
    /// Which file system of its host it keeps its files on.
    pub(super) file_system: u32,
    pub(super) direct: bool,
    pub(super) real_time: bool,
    /// The file in which it notes how long files are, and how much it writes there.
    pub(super) note: (FileId, u64),
    /// Its number among the file system's servers, where these are heard, and how large the database of each is (PVFS 2).
    pub(super) number: u32,
    pub(super) servers: Arc<[Address]>,
    pub(super) database: u64,
    /// When the file system's servers fail, and for how long this one waits for others.
    #[persist(keep)]
    pub(super) failures: Arc<[Failures]>,
    #[persist(keep)]
    pub(super) patience: Patience,
}

/// What has come to a server needs a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) ticket: Ticket,
    /// Times that its database is asked for something.
    pub(super) accesses: u64,
}

impl Sessions {
    pub(super) fn new(is: ServerIs) -> Self {
        let (lives, relays) = (Lives::new(&is.failures, is.number), relays(&is.failures, is.patience));
        Self {
            is,
            sessions: FastMap::default(),
            accesses: Slab::new(),
            asked: Asked::new(relays),
            lives,
            late: Vec::new(),
            resets: Vec::new(),
            alarms: Vec::new(),
            waiting: 0,
            written: 0,
            read: 0,
            freed: Vec::new(),
            outbox: Vec::new(),
            operations: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Requests that aren't over, and those that never will be.
    pub(super) fn left(&self) -> u64 {
        self.sessions.len() as u64 + self.asked.of_clients() + self.lives.unheard.0
    }

    /// Requests to other servers, and of other servers, that aren't over.
    pub(super) const fn relays(&self) -> u64 {
        self.asked.copies()
    }

    /// See there.
    pub(super) fn relays_of_others(&self) -> u64 {
        self.asked.of_servers() + self.lives.unheard.1
    }

    /// Something comes from a client, or from another server. What has to be looked at first is returned: a write whose data aren't
    /// wanted yet, and what is asked about names.
    pub(super) fn receive(&mut self, message: Message, now: Time) -> Result<Option<Look>, ()> {
        let Some(message) = self.hears(message, now) else { return Ok(None) };
        let Message { source, connection, .. } = message;
        let payload = message.payload.open::<Payload>().ok_or(())?;
        self.written += payload.data_out();
        match *payload {
            Payload::Request(request) => {
                let client = Address { host: source, service: request.reply_to };
                Ok(self
                    .requested(request, client, connection, now)
                    .map(|ticket| Look { ticket, accesses: 0 }))
            }
            Payload::Ask(ask) => Ok(Some(self.asked_for(ask, (source, connection), true, now))),
            Payload::Relay(ask) => Ok(Some(self.asked_for(ask, (source, connection), false, now))),
            Payload::Relayed(ticket) => self.relayed(ticket, now).map(|()| None),
            Payload::Reset(ticket) => {
                self.reset_relay(ticket, now);
                Ok(None)
            }
            Payload::Data { ticket, offset, length, .. } => {
                let opens = self.arrived(ticket, now);
                self.wait(Piece { ticket, offset, length, opens });
                Ok(None)
            }
            _ => Err(()),
        }
    }

    fn wait(&mut self, piece: Piece) {
        self.waiting += 1;
        self.pieces.push(piece);
    }

    fn requested(&mut self, request: Request, client: Address, connection: u32, now: Time) -> Option<Ticket> {
        let Request { ticket, operation, offset, length, with_data, is_small, answer, .. } = request;
        let moves = matches!(operation, Operation::Read | Operation::Write);
        let left = if moves { length } else { 1 };
        let status = Status::DoneFromCache;
        let flow = Flow::default();
        let session = Session {
            request,
            client,
            connection,
            left,
            moved: 0,
            status,
            since: now,
            ledger: Ledger::default(),
            flow,
        };
        self.sessions.insert(ticket, session);
        match operation {
            Operation::Write if with_data => self.wait(Piece { ticket, offset, length, opens: true }),
            Operation::Write if self.is.protocol.asks_to_write => return Some(ticket),
            // Its data follow.
            Operation::Write => {}
            Operation::Read => {
                if !is_small {
                    self.send(ticket, answer, Payload::ReadFollows(ticket));
                }
                if self.is.protocol.flow_buffers.is_some() {
                    self.begin_piece(ticket);
                    return None;
                }
                let mut at = 0;
                while at < length {
                    let next = self.is.protocol.piece.min(length - at);
                    self.wait(Piece { ticket, offset: offset + at, length: next, opens: at == 0 });
                    at += next;
                }
            }
            _ => self.wait(Piece { ticket, offset, length, opens: true }),
        }
        None
    }

    /// The next piece of a read gets a buffer, if there is one.
    fn begin_piece(&mut self, ticket: Ticket) {
        let Protocol { piece, flow_buffers, .. } = self.is.protocol;
        let Some(session) = self.sessions.get_mut(&ticket) else { return };
        let (flow, request) = (&mut session.flow, &session.request);
        if flow.begun == request.length || flow_buffers.is_some_and(|most| flow.buffers >= most) {
            return;
        }
        let (offset, opens) = (request.offset + flow.begun, flow.begun == 0);
        let length = piece.min(request.length - flow.begun);
        flow.begun += length;
        flow.buffers += 1;
        self.wait(Piece { ticket, offset, length, opens });
    }

    /// A piece of a read has been read: it and those that wait for it are sent, `reply` with the last, and their buffers
    /// take the next ones.
    fn send_in_order(&mut self, piece: Piece, moved: u64, mut reply: Option<Reply>) {
        let Piece { ticket, offset, length, .. } = piece;
        let Protocol { data_header, .. } = self.is.protocol;
        let Some(session) = self.sessions.get_mut(&ticket) else { return };
        let Request { length: whole, is_small, answer, .. } = session.request;
        let header = if is_small { answer } else { data_header };
        session.flow.read.push((offset - session.request.offset, length, moved));
        loop {
            let Some(Session { flow, .. }) = self.sessions.get_mut(&ticket) else { return };
            let Some(next) = flow.read.iter().position(|read| read.0 == flow.sent) else { return };
            let (_, length, moved) = flow.read.swap_remove(next);
            flow.sent += length;
            flow.buffers -= 1;
            let reply = if flow.sent == whole { reply.take() } else { None };
            self.send(ticket, moved + header, Payload::ReadData { ticket, bytes: moved, reply });
            self.begin_piece(ticket);
        }
    }

    /// Data of a write have come; whether they are the first.
    fn arrived(&mut self, ticket: Ticket, now: Time) -> bool {
        let asks = self.is.protocol.asks_to_write;
        self.sessions.get_mut(&ticket).is_some_and(|session| {
            session.since = now;
            session.left == session.request.length && !asks
        })
    }

    /// What was asked has been looked at: the data of a write may come, or names and attributes are worked on.
    pub(super) fn grant(&mut self, ticket: Ticket, now: Time) {
        self.lives(now);
        if self.begin_asked(ticket, now) {
            return;
        }
        let Some(session) = self.sessions.get(&ticket) else { return };
        self.send(ticket, session.request.answer, Payload::MayWrite(ticket));
    }

    fn send(&mut self, ticket: Ticket, bytes: u64, payload: Payload) {
        let Some(session) = self.sessions.get(&ticket) else { return };
        self.read += payload.data_in();
        let service_level = payload.level(self.is.levels);
        let message = self.is.own.message(session.client, session.connection, (bytes, payload));
        self.outbox.push(Message { service_level, ..message });
    }

    /// A piece is done to the server's own file.
    pub(super) fn ask(&mut self, piece: Piece, now: Time) {
        self.lives(now);
        let Some(session) = self.sessions.get(&piece.ticket) else {
            // It was lost with an earlier life of the server.
            self.freed.push(());
            return;
        };
        let request = session.request.clone();
        let slot = self.accesses.insert(Doing::Piece(Access { piece, creates: false, notes: None }));
        self.operation(slot, &request, (request.operation, piece.offset, piece.length), now);
        // Buffers are given out one after the other: the next one is once this one's read has been asked for.
        if request.operation == Operation::Read && self.is.protocol.flow_buffers.is_some() {
            self.begin_piece(piece.ticket);
        }
    }

    fn operation(
        &mut self,
        slot: u32,
        request: &Request,
        (operation, offset, length): (Operation, u64, u64),
        now: Time,
    ) {
        let moves = matches!(operation, Operation::Read | Operation::Write);
        self.operations.push(FileOp {
            id: RequestId(u64::from(slot)),
            process: self.is.process,
            file_system: self.is.file_system,
            operation,
            file: request.file,
            parent: request.parent,
            replaced: request.replaced,
            offset: if moves { offset } else { 0 },
            length,
            // What makes a call wait for the medium holds for its parts; mapping and buffering are its client's.
            flags: AccessFlags {
                direct: self.is.direct && moves,
                real_time: self.is.real_time,
                sync: request.flags.sync,
                data_sync: request.flags.data_sync,
                ..AccessFlags::default()
            },
            class: request.class,
            priority: request.priority,
            issued: now,
            ..FileOp::default()
        });
    }

    /// The server's own file system is done with something.
    pub(super) fn done(&mut self, op: &FileOp, now: Time) {
        self.lives(now);
        self.note_done(low_half(op.id.0), op);
        match self.accesses.remove(low_half(op.id.0)) {
            Some(Doing::Piece(access)) => {
                let goes_on = self.goes_on(access, op, now);
                self.freed.extend((!goes_on).then_some(()));
            }
            Some(Doing::Step(ticket)) => self.step_done(ticket, op, now),
            Some(Doing::Sync) => self.synced(op, now),
            None => {}
        }
    }

    /// What follows when the server's own file system is done with something; whether it has to do more for the same piece.
    fn goes_on(&mut self, Access { piece, creates, notes }: Access, op: &FileOp, now: Time) -> bool {
        let Some(session) = self.sessions.get(&piece.ticket) else { return false };
        let request = session.request.clone();
        if let Some((status, length)) = notes {
            self.finish(piece, status.and(op.status), length, op.ledger, now);
            return false;
        }
        let missing = op.status == Status::Failed(Failure::NotFound);
        if missing && request.operation == Operation::Write && !creates {
            // A data file is made with the first write to it.
            let slot = self.accesses.insert(Doing::Piece(Access { piece, creates: true, notes: None }));
            self.operation(slot, &request, (Operation::Create, 0, 0), now);
            return true;
        }
        if creates && op.operation == Operation::Create && op.status.failure().is_none() {
            let (offset, length) = (piece.offset, piece.length);
            let slot = self.accesses.insert(Doing::Piece(Access { piece, creates: true, notes: None }));
            self.operation(slot, &request, (Operation::Write, offset, length), now);
            return true;
        }
        let (database, note) = self.is.note;
        if self.is.direct && note > 0 && op.operation == Operation::Write && op.status.failure().is_none() {
            let notes = Some((op.status, op.length));
            let slot = self.accesses.insert(Doing::Piece(Access { piece, creates, notes }));
            let request = Request { file: database, ..request };
            self.operation(slot, &request, (Operation::Write, 0, note), now);
            return true;
        }
        let of_manager = request.ticket.server == u32::MAX;
        if self.is.protocol.sync_names
            && of_manager
            && request.operation.changes_names()
            && op.status.failure().is_none()
        {
            let notes = Some((op.status, op.length));
            let slot = self.accesses.insert(Doing::Piece(Access { piece, creates, notes }));
            let request = Request { file: request.parent, ..request };
            self.operation(slot, &request, (Operation::Fsync, 0, 0), now);
            return true;
        }
        // What was never written holds nothing.
        let nothing = missing && nothing_there(&request);
        let status = if nothing { Status::DoneFromCache } else { op.status };
        self.finish(piece, status, if nothing { 0 } else { op.length }, op.ledger, now);
        false
    }

    fn finish(&mut self, piece: Piece, status: Status, moved: u64, ledger: Ledger<FileCause>, now: Time) {
        let Piece { ticket, length, .. } = piece;
        let Some(session) = self.sessions.get_mut(&ticket) else { return };
        let operation = session.request.operation;
        let moves = matches!(operation, Operation::Read | Operation::Write);
        session.status = session.status.and(status);
        session.ledger.add(&ledger);
        session.moved += if moves { moved } else { 0 };
        session.left = session.left.saturating_sub(if moves { length } else { 1 });
        let (left, total, since) = (session.left, session.moved, session.since);
        let (status, ledger, span) = (session.status, session.ledger, now - since);
        let outcome = Outcome { status, length: total, ledger, span };
        let reply = (left == 0).then_some(Reply { ticket, outcome });
        let Request { is_small, answer, .. } = session.request;
        let Protocol { data_header, flow_buffers, .. } = self.is.protocol;
        if operation == Operation::Read && flow_buffers.is_some() {
            self.send_in_order(piece, moved, reply);
        } else if operation == Operation::Read {
            let header = if is_small { answer } else { data_header };
            self.send(ticket, moved + header, Payload::ReadData { ticket, bytes: moved, reply });
        } else if let Some(reply) = reply {
            self.send(ticket, answer, Payload::Done(reply));
        }
        if left == 0
            && let Some(Session { request, status, .. }) = self.sessions.remove(&ticket)
        {
            let Request { file, offset, length, flags, .. } = request;
            let in_memory = !flags.sync && !flags.data_sync && !self.is.direct;
            let works = operation == Operation::Write && status.failure().is_none();
            if works && in_memory && self.lives.forgets() {
                self.lives.unsynced.written(file, offset, length);
            }
        }
    }
}

/// Whether a file that a server hasn't got is one that nobody has written to there.
fn nothing_there(request: &Request) -> bool {
    let of_data = request.ticket.server != u32::MAX && request.file != FileId::ROOT;
    of_data && is_done_to_nothing(request.operation)
}
