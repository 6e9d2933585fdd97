//! A client's calls: which parts of each its servers do, and what is left of it.

use super::agreed::Agreed;
use super::message::{Answer, Request, Said, Ticket};
use super::parameters::{Protocol, ServiceLevels};
use super::striping::{Striping, Turns};
use crate::address::Address;
use petrio_colours::{FileCause, FileId, FileOp, Message, Operation, Parcel, Status, Verb};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a client knows of its file system.
#[derive(Clone, Debug, Persist)]
pub(super) struct Known {
    pub(super) protocol: Protocol,
    pub(super) levels: ServiceLevels,
    pub(super) striping: Striping,
    pub(super) servers: Arc<[Address]>,
    pub(super) manager: Address,
    /// By how much the numbers of the manager's files are higher than those of the files that they are about.
    pub(super) metadata: u32,
    /// Where it hears itself.
    pub(super) own: Address,
}

/// A server's part of a call: its number, and of its own file the first byte and how many.
type Part = (u32, u64, u64);

/// What a call does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Phase {
    /// Its parts on the servers that have them.
    Data,
    /// The manager does it to what it has of the file.
    Manager,
    /// Each of the file's servers does it to its own file.
    Servers,
    /// Each of the file's servers says where its own file ends, before something is written there.
    Ends,
    Nothing,
}

impl Phase {
    /// What a call does first, and then.
    const fn of(op: &FileOp) -> [Self; 2] {
        match op.operation {
            Operation::Write if op.flags.append => [Self::Ends, Self::Data],
            Operation::Read | Operation::Write => [Self::Data, Self::Nothing],
            Operation::Fsync | Operation::Fdatasync | Operation::Sync | Operation::Truncate => {
                [Self::Servers, Self::Nothing]
            }
            Operation::Create | Operation::Unlink | Operation::Stat => [Self::Manager, Self::Servers],
            Operation::Open
            | Operation::Close
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::Rename
            | Operation::Readdir => [Self::Manager, Self::Nothing],
            Operation::Compute | Operation::Exchange | Operation::Touch => [Self::Nothing, Self::Nothing],
        }
    }
}

#[derive(Clone, Debug, Persist)]
struct Call {
    op: FileOp,
    next: Phase,
    /// Parts that aren't done.
    left: u32,
    /// Bytes that were read or written.
    moved: u64,
    status: Status,
}

/// The calls of a client, and what it has to send.
#[derive(Clone, Debug, Persist)]
pub(super) struct Calls {
    known: Known,
    /// What differs between runs of the same files: drawn once a run, for all clients.
    pub(super) salt: u64,
    calls: Slab<Call>,
    pub(super) outbox: Vec<Message>,
    pub(super) completed: Vec<FileOp>,
}

impl Calls {
    pub(super) fn new(known: Known) -> Self {
        Self { known, salt: 0, calls: Slab::new(), outbox: Vec::new(), completed: Vec::new() }
    }

    /// A call begins.
    pub(super) fn begin(&mut self, op: FileOp, agreed: &mut Agreed, now: Time) {
        let [first, next] = Phase::of(&op);
        let call = Call { op, next, left: 0, moved: 0, status: Status::DoneFromCache };
        let slot = self.calls.insert(call);
        self.send(slot, first, agreed, now);
    }

    fn turns(&self, file: FileId) -> Turns {
        self.known.striping.turns(file, self.salt)
    }

    /// Asks for what a phase of a call needs; a phase of nothing is over at once.
    fn send(&mut self, slot: u32, phase: Phase, agreed: &mut Agreed, now: Time) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        let op = call.op.clone();
        match phase {
            Phase::Nothing => self.end(slot, agreed, now),
            Phase::Manager => {
                call.left = 1;
                self.ask_manager(slot, &op);
            }
            Phase::Servers => {
                let length = match op.operation {
                    Operation::Truncate => self.known.striping.most_on_a_server(op.length),
                    _ => op.length,
                };
                let parts = match op.operation {
                    Operation::Sync => {
                        (0..self.known.striping.servers).map(|server| (server, 0, length)).collect()
                    }
                    _ => self.turns(op.file).servers().map(|server| (server, 0, length)).collect(),
                };
                self.ask_servers(slot, &op, parts, agreed, now);
            }
            Phase::Ends => {
                // Each has a length of its own file; the file's follows from them.
                let asks = FileOp { operation: Operation::Stat, length: 0, ..op.clone() };
                let parts = self.turns(op.file).servers().map(|server| (server, 0, 0)).collect();
                self.ask_servers(slot, &asks, parts, agreed, now);
            }
            Phase::Data => {
                let op = self.at_its_end(slot, op, agreed);
                let turns = self.turns(op.file);
                let parts = turns.parts(op.offset, op.length);
                let parts = parts.map(|part| (part.server, part.offset, part.length)).collect();
                self.ask_servers(slot, &op, parts, agreed, now);
            }
        }
    }

    /// A call that appends, with where its file ends by what servers have just told. Who else has asked meanwhile writes
    /// there, too: nothing holds the end for anybody.
    fn at_its_end(&mut self, slot: u32, op: FileOp, agreed: &Agreed) -> FileOp {
        let Some(call) = self.calls.get_mut(slot).filter(|_| op.flags.append) else { return op };
        call.op.offset = agreed.ends.end_of(op.file, op.offset);
        // Servers write where they are told to.
        call.op.flags.append = false;
        call.op.clone()
    }

    /// Asks servers for their parts of a call; where there are none it is over.
    fn ask_servers(
        &mut self,
        slot: u32,
        op: &FileOp,
        parts: SmallVec<[Part; 8]>,
        agreed: &mut Agreed,
        now: Time,
    ) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        call.left = parts.len() as u32;
        if parts.is_empty() {
            return self.end(slot, agreed, now);
        }
        parts.into_iter().for_each(|part| self.ask(slot, op, part));
    }

    fn ask_manager(&mut self, slot: u32, op: &FileOp) {
        let Known { metadata, manager, protocol, .. } = self.known;
        let of = |file: FileId| if file == FileId::ROOT { file } else { FileId(file.0 + metadata) };
        let request = Request {
            file: of(op.file),
            parent: of(op.parent),
            replaced: op.replaced.map(of),
            // No server has that number.
            ..self.request(slot, op, (u32::MAX, 0, op.length))
        };
        self.tell(manager, op.process, protocol.request, Said::Request(request));
    }

    /// Asks a server for its part of a call; of a write, the data follow as its protocol has it.
    fn ask(&mut self, slot: u32, op: &FileOp, part: Part) {
        let (server, _, length) = part;
        let protocol = self.known.protocol;
        let Some(&address) = self.known.servers.get(server as usize) else { return };
        let writes = op.operation == Operation::Write;
        let with_data = writes && length <= protocol.small_write;
        let request = Request { with_data, ..self.request(slot, op, part) };
        let ticket = request.ticket;
        let bytes = protocol.request + if with_data { length } else { 0 };
        self.tell(address, op.process, bytes, Said::Request(request));
        if writes && !with_data && !protocol.asks_to_write {
            self.write(address, op.process, ticket, part);
        }
    }

    /// What a server is asked for a part of a call.
    fn request(&self, slot: u32, op: &FileOp, (server, offset, length): Part) -> Request {
        let own = self.known.own;
        Request {
            ticket: Ticket { client: own.host, call: slot, server },
            operation: op.operation,
            file: op.file,
            parent: FileId::ROOT,
            replaced: None,
            offset,
            length,
            flags: op.flags,
            class: op.class,
            priority: op.priority,
            with_data: false,
            reply_to: own.service,
        }
    }

    /// Sends the data of a part of a write.
    fn write(&mut self, address: Address, process: u32, ticket: Ticket, (_, offset, length): Part) {
        let Protocol { piece, data_header, .. } = self.known.protocol;
        let mut at = 0;
        while at < length {
            let next = piece.min(length - at);
            let said = Said::Written { ticket, offset: offset + at, length: next };
            self.tell(address, process, next + data_header, said);
            at += next;
        }
    }

    fn tell(&mut self, to: Address, process: u32, bytes: u64, said: Said) {
        self.outbox.push(Message {
            source: self.known.own.host,
            destination: to.host,
            connection: process,
            service: to.service,
            verb: Verb::Send,
            service_level: said.level(self.known.levels),
            bytes,
            payload: Parcel::new(Box::new(said)),
        });
    }

    /// A server says something; whether that makes sense.
    pub(super) fn hear(&mut self, said: Said, agreed: &mut Agreed, now: Time) -> bool {
        match said {
            Said::MayWrite(ticket) => {
                let Some(call) = self.calls.get_mut(ticket.call) else { return false };
                let FileOp { file, process, offset, length, .. } = call.op;
                let part = self.turns(file).parts(offset, length).find(|part| part.server == ticket.server);
                let address = self.known.servers.get(ticket.server as usize).copied();
                let (Some(part), Some(address)) = (part, address) else { return false };
                self.write(address, process, ticket, (part.server, part.offset, part.length));
                true
            }
            Said::Reads | Said::Read { answer: None } => true,
            Said::Read { answer: Some(answer) } | Said::Done(answer) => self.answered(&answer, agreed, now),
            Said::Request(_) | Said::Written { .. } => false,
        }
    }

    /// A part of a call is done.
    fn answered(&mut self, answer: &Answer, agreed: &mut Agreed, now: Time) -> bool {
        let slot = answer.ticket.call;
        let Some(call) = self.calls.get_mut(slot) else { return false };
        call.status = call.status.and(answer.status);
        call.moved += answer.length;
        call.left = call.left.saturating_sub(1);
        if call.left > 0 {
            return true;
        }
        // What was waited for last is what the time went for: at its server as that says, and on the way.
        let spent = (now - call.op.issued).saturating_sub(call.op.ledger.total());
        let at_server = answer.ledger.within(spent, FileCause::Server);
        call.op.ledger.add(&at_server);
        let told = at_server.total();
        let server = answer.span.saturating_sub(told).min(spent - told);
        call.op.ledger.charge(FileCause::Server, server);
        call.op.ledger.charge(FileCause::Network, spent - told - server);
        let next = if call.status.failure().is_some() { Phase::Nothing } else { call.next };
        call.next = Phase::Nothing;
        self.send(slot, next, agreed, now);
        true
    }

    /// A call returns.
    fn end(&mut self, slot: u32, agreed: &mut Agreed, now: Time) {
        let Some(Call { mut op, moved, status, .. }) = self.calls.remove(slot) else { return };
        if op.operation == Operation::Read && moved < op.length && status.failure().is_none() {
            (op.length, op.cut_short) = (moved, true);
        }
        let rest = (now - op.issued).saturating_sub(op.ledger.total());
        op.ledger.charge(FileCause::Processor, rest);
        op.status = status;
        agreed.ends.note(&op);
        self.completed.push(op);
    }
}
