//! A client's calls: which parts of each its servers do, and what is left of it.

mod names;

use super::attempts::{Answered, Attempts, Manner, Patience, Ready};
use super::links::Links;
use super::message::{Payload, Request, Ticket};
use super::metadata::{Known, Site, Stage, data_messages};
use super::parameters::{Protocol, ServiceLevels};
use super::shared::Shared;
use super::striping::{Striping, Turns};
use super::tally::PvfsTally;
use crate::address::Address;
use crate::client::{Outcome, UnderWay};
use petrio_colours::{
    Failure, FileCause, FileId, FileOp, Ledger, Message, Operation, Status, local_operations,
};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A file system as a client has mounted it.
#[derive(Clone, Debug, Persist)]
pub(super) struct Mount {
    pub(super) protocol: Protocol,
    pub(super) levels: ServiceLevels,
    pub(super) striping: Striping,
    pub(super) servers: Arc<[Address]>,
    /// PVFS 1: who has the metadata. PVFS 2 has them on all servers.
    pub(super) manager: Option<Address>,
    /// What PVFS 2 goes by.
    pub(super) site: Site,
    /// By how much the numbers of the manager's files are higher than those of the files that they are about.
    pub(super) metadata: u32,
    /// Where it hears itself.
    pub(super) own: Address,
}

/// A server's part of a call: its number, and of its own file the first byte and how many.
type Part = (u32, u64, u64);

/// What a call does next: it asks about names and attributes, one stage after the other, and then does what follows.
#[derive(Clone, Debug, Default, Persist)]
struct Next {
    stages: VecDeque<Stage>,
    phase: Phase,
}

impl Next {
    fn of(phase: Phase) -> Self {
        Self { stages: VecDeque::new(), phase }
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
enum Phase {
    /// Its parts on the servers that have them.
    Data,
    /// It has been refused.
    Refused(Failure),
    /// What PVFS 2 asks before it writes to the end of a file, once that is known.
    Append,
    /// The manager does it to what it has of the file.
    Manager,
    /// Each of the file's servers does it to its own file.
    Servers,
    /// Each of the file's servers says where its own file ends, before something is written there.
    EndOfFile,
    #[default]
    Nothing,
}

impl Phase {
    /// What a call of PVFS 1 does first, and then.
    const fn of(op: &FileOp) -> [Self; 2] {
        match op.operation {
            Operation::Write if op.flags.append => [Self::EndOfFile, Self::Data],
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
            | Operation::SetAttributes
            | Operation::Readdir => [Self::Manager, Self::Nothing],
            Operation::Compute | Operation::Exchange | Operation::Touch | local_operations!() => {
                [Self::Nothing, Self::Nothing]
            }
        }
    }
}

/// What most requests are: sent again, and at once after a time-out.
const AGAIN: Manner = Manner { again: true, rests: false };

/// A request whose reply hasn't come.
#[derive(Clone, Debug, Persist)]
struct Asking {
    slot: u32,
    address: Address,
    /// The process whose call it is of.
    process: u32,
    part: Part,
    /// What is sent, and how long it is.
    payload: Payload,
    bytes: u64,
}

/// The calls of a client, and what it has to send.
#[derive(Clone, Debug, Persist)]
pub(super) struct Calls {
    mount: Mount,
    /// What differs between runs of the same files: drawn once a run, for all clients.
    pub(super) salt: u64,
    calls: Slab<UnderWay<Next>>,
    /// What the client knows of names and attributes (PVFS 2).
    known: Known,
    /// How many names of a directory a process has listed (PVFS 2).
    listed: BTreeMap<(u32, FileId), u64>,
    /// Requests whose replies haven't come.
    asking: Attempts<Asking>,
    /// Calls of which a request was sent again, or given up.
    again: BTreeSet<u32>,
    tally: PvfsTally,
    /// Requests that were sent less those that were answered: those that are somewhere.
    copies: u64,
    /// Bytes that were sent to be written, and those that came.
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) outbox: Vec<Message>,
    pub(super) completed: Vec<FileOp>,
    /// What has come and is still on its way, and for how long.
    pub(super) late: Vec<(Box<Message>, Time)>,
    pub(super) alarms: Vec<((), Time)>,
}

impl Calls {
    pub(super) fn new(mount: Mount, (patience, links): (Patience, Links)) -> Self {
        Self {
            mount,
            asking: Attempts::new(patience, links),
            again: BTreeSet::new(),
            tally: PvfsTally::default(),
            copies: 0,
            late: Vec::new(),
            alarms: Vec::new(),
            salt: 0,
            calls: Slab::new(),
            known: Known::default(),
            listed: BTreeMap::new(),
            written: 0,
            read: 0,
            outbox: Vec::new(),
            completed: Vec::new(),
        }
    }

    /// Requests that aren't over, as calls count them and as they are waited for.
    pub(super) fn left(&self) -> (u64, u64) {
        (self.calls.iter().map(|call| u64::from(call.left)).sum(), self.asking.len())
    }

    /// Requests that are somewhere between it and its servers, or lost with one.
    pub(super) const fn copies(&self) -> u64 {
        self.copies
    }

    /// What it all came to.
    pub(super) fn tally(&self) -> PvfsTally {
        let super::attempts::Again { sent, given_up, requests, waited } = self.asking.again;
        PvfsTally { sent_again: sent, given_up, waiting: requests, waited, ..self.tally }
    }

    /// A call begins.
    pub(super) fn begin(&mut self, op: FileOp, shared: &mut Shared, now: Time) {
        self.begin_call(op, shared, now);
        self.wakes_up(now);
    }

    fn begin_call(&mut self, op: FileOp, shared: &mut Shared, now: Time) {
        if self.mount.manager.is_none() {
            let slot = self.calls.insert(UnderWay::new(op.clone(), Next::default()));
            return self.begin_names(slot, &op, shared, now);
        }
        let [first, next] = Phase::of(&op);
        let slot = self.calls.insert(UnderWay::new(op, Next::of(next)));
        self.send(slot, Next::of(first), shared, now);
    }

    fn turns(&self, file: FileId) -> Turns {
        self.mount.striping.turns(file, self.salt)
    }

    /// Asks what a call asks next, or does what follows; a phase of nothing is over at once.
    fn send(&mut self, slot: u32, mut next: Next, shared: &mut Shared, now: Time) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        let op = call.op.clone();
        if let Some(stage) = next.stages.pop_front() {
            call.left = names::width(&stage);
            call.next = next;
            return self.ask_about_names(slot, &op, stage, now);
        }
        match next.phase {
            Phase::Nothing => self.end(slot, shared, now),
            Phase::Refused(failure) => {
                call.status = Status::Failed(failure);
                self.end(slot, shared, now);
            }
            Phase::Append => self.begin_append(slot, &op, shared, now),
            Phase::Manager => {
                call.left = 1;
                self.ask_manager(slot, &op, now);
            }
            Phase::Servers => {
                let length = match op.operation {
                    Operation::Truncate => self.mount.striping.most_on_a_server(op.length),
                    _ => op.length,
                };
                let parts = match op.operation {
                    Operation::Sync => {
                        (0..self.mount.striping.servers).map(|server| (server, 0, length)).collect()
                    }
                    _ => self.turns(op.file).servers().map(|server| (server, 0, length)).collect(),
                };
                self.ask_servers(slot, &op, parts, shared, now);
            }
            Phase::EndOfFile => {
                // Each has a length of its own file; the file's follows from them.
                let asks = FileOp { operation: Operation::Stat, length: 0, ..op.clone() };
                let parts = self.turns(op.file).servers().map(|server| (server, 0, 0)).collect();
                self.ask_servers(slot, &asks, parts, shared, now);
            }
            Phase::Data => {
                let op = self.at_its_end(slot, op, shared);
                let turns = self.turns(op.file);
                let parts = turns.parts(op.offset, op.length);
                let parts = parts.map(|part| (part.server, part.offset, part.length)).collect();
                self.ask_servers(slot, &op, parts, shared, now);
            }
        }
    }

    /// A call that appends, with where its file ends by what servers have just told. Who else has asked meanwhile writes
    /// there, too: nothing holds the end for anybody.
    fn at_its_end(&mut self, slot: u32, op: FileOp, shared: &Shared) -> FileOp {
        let Some(call) = self.calls.get_mut(slot).filter(|_| op.flags.append) else { return op };
        call.op.offset = shared.ends.end_of(op.file, op.offset);
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
        shared: &mut Shared,
        now: Time,
    ) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        call.left = as_number(parts.len());
        if parts.is_empty() {
            return self.end(slot, shared, now);
        }
        // Small accesses are small on all servers, or none is (sys-io.sm).
        let Protocol { small_write, small_read, .. } = self.mount.protocol;
        let most = if op.operation == Operation::Write { small_write } else { small_read };
        let is_small = parts.iter().all(|(_, _, length)| *length <= most);
        let files = self.mount.manager.is_none().then(|| shared.names.data_files(&self.mount.site, op.file));
        parts.into_iter().for_each(|part| self.ask(slot, op, part, (is_small, files), now));
    }

    fn ask_manager(&mut self, slot: u32, op: &FileOp, now: Time) {
        let Mount { metadata, manager, protocol, .. } = self.mount;
        let Some(manager) = manager else { return };
        let of = |file: FileId| if file == FileId::ROOT { file } else { FileId(file.0 + metadata) };
        // No server has that number.
        let part = (u32::MAX, 0, op.length);
        let request = Request {
            file: of(op.file),
            parent: of(op.parent),
            replaced: op.replaced.map(of),
            ..self.request(slot, op, part)
        };
        let (ticket, payload, bytes) = (request.ticket, Payload::Request(request), protocol.request);
        let asking = Asking { slot, address: manager, process: op.process, part, payload, bytes };
        self.asks(ticket, asking, (part.0, AGAIN), now);
    }

    /// A request begins.
    fn asks(&mut self, ticket: Ticket, asking: Asking, (server, manner): (u32, Manner), now: Time) {
        let between = (asking.process, server);
        self.asking.begin(ticket.key(), asking, (between, manner), now);
        self.sends();
    }

    /// Sends what is ready to be sent; what is given up stays.
    fn sends(&mut self) {
        let mut ready = std::mem::take(&mut self.asking.ready);
        ready.retain(|ready| {
            let Ready::Send { what, number, instance, .. } = ready else { return true };
            let &Asking { address, process, bytes, ref payload, .. } = what;
            self.copies += 1;
            self.send_to(address, process, bytes, payload.clone().sent(*number, *instance));
            false
        });
        self.asking.ready = ready;
    }

    /// Asks a server for its part of a call; of a write, the data follow as its protocol has it.
    fn ask(&mut self, slot: u32, op: &FileOp, part: Part, (is_small, files): (bool, Option<u32>), now: Time) {
        let (server, _, length) = part;
        let protocol = self.mount.protocol;
        let Some(&address) = self.mount.servers.get(server as usize) else { return };
        let writes = op.operation == Operation::Write;
        let with_data = writes && is_small && protocol.small_write > 0;
        let message = files.map(|files| data_messages(files.into(), is_small));
        let answer = message.map_or(protocol.answer, |message| message.received);
        let request = Request { with_data, is_small, answer, ..self.request(slot, op, part) };
        let own = message.map_or(protocol.request, |message| message.sent);
        let bytes = own + if with_data { length } else { 0 };
        let (ticket, process) = (request.ticket, op.process);
        let asking = Asking { slot, address, process, part, payload: Payload::Request(request), bytes };
        // An access whose data flow is begun anew by sys-io.sm, after a rest.
        self.asks(ticket, asking, (server, Manner { rests: !is_small, ..AGAIN }), now);
        if writes && !with_data && !protocol.asks_to_write {
            self.write(ticket, (address, process), part);
        }
    }

    /// What a server is asked for a part of a call.
    fn request(&self, slot: u32, op: &FileOp, (server, offset, length): Part) -> Request {
        let own = self.mount.own;
        Request {
            ticket: Ticket { client: own.host, call: slot, server, attempt: 0 },
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
            is_small: false,
            answer: self.mount.protocol.answer,
            reply_to: own.service,
            instance: 0,
        }
    }

    /// Sends the data of a part of a write.
    fn write(&mut self, ticket: Ticket, (address, process): (Address, u32), (_, offset, length): Part) {
        let Protocol { piece, data_header, .. } = self.mount.protocol;
        let reply_to = self.mount.own.service;
        let mut at = 0;
        while at < length {
            let next = piece.min(length - at);
            let data = Payload::Data { ticket, offset: offset + at, length: next, reply_to };
            self.send_to(address, process, next + data_header, data);
            at += next;
        }
    }

    fn send_to(&mut self, to: Address, process: u32, bytes: u64, payload: Payload) {
        self.written += payload.data_out();
        let service_level = payload.level(self.mount.levels);
        let message = self.mount.own.message(to, process, (bytes, payload));
        self.outbox.push(Message { service_level, ..message });
    }

    /// A server sends something; whether that makes sense.
    pub(super) fn receive(&mut self, message: Box<Message>, shared: &mut Shared, now: Time) -> bool {
        let Some(ticket) = message.payload.get().and_then(Payload::told) else { return false };
        let key = ticket.key();
        let between = self.asking.between(key);
        let held = between.and_then(|between| self.asking.links.holds(between, now));
        if let Some(until) = held.filter(|until| !until.is_never()) {
            self.late.push((message, until - now));
            return true;
        }
        let Some(payload) = message.payload.open::<Payload>() else { return false };
        self.read += payload.data_in();
        self.copies = self.copies.saturating_sub(u64::from(payload.ends()));
        if held.is_some() {
            return true;
        }
        match *payload {
            Payload::MayWrite(_) => {
                if let Some(&Asking { address, process, part, .. }) = self.asking.get(key, ticket.attempt) {
                    self.asking.goes_on(key, now);
                    self.write(ticket, (address, process), part);
                }
            }
            Payload::Reset(_) => self.asking.reset(key, ticket.attempt, now),
            Payload::Done(reply) | Payload::ReadData { reply: Some(reply), .. } => {
                // An answer to an attempt that has been given up is nothing to anybody.
                if let Some(Answered { what, waited }) = self.asking.answered(key, ticket.attempt) {
                    self.is_over(what.slot, &reply.outcome, waited, (shared, now));
                }
            }
            _ if self.asking.get(key, ticket.attempt).is_some() => self.asking.goes_on(key, now),
            _ => {}
        }
        self.settles(shared, now);
        true
    }

    /// It is woken: requests are sent again, or given up.
    pub(super) fn wake(&mut self, shared: &mut Shared, now: Time) {
        self.asking.wake(now);
        self.settles(shared, now);
    }

    /// What is ready is done.
    fn settles(&mut self, shared: &mut Shared, now: Time) {
        loop {
            self.sends();
            let Some(Ready::GivenUp { what, failure, waited }) = self.asking.ready.pop() else { break };
            let status = Status::Failed(failure);
            let outcome = Outcome { status, length: 0, ledger: Ledger::default(), span: Time::ZERO };
            self.is_over(what.slot, &outcome, Some(waited), (shared, now));
        }
        self.wakes_up(now);
    }

    /// A request is over, before which others were waited for in vain.
    fn is_over(
        &mut self,
        slot: u32,
        outcome: &Outcome,
        waited: Option<Time>,
        (shared, now): (&mut Shared, Time),
    ) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        let span = outcome.span.saturating_add(waited.unwrap_or(Time::ZERO));
        if waited.is_some() {
            self.again.insert(slot);
        }
        if let Some(next) = call.answered(&Outcome { span, ..outcome.clone() }, Time::ZERO, now) {
            self.send(slot, next, shared, now);
        }
    }

    /// When it has to be woken next.
    fn wakes_up(&mut self, now: Time) {
        self.alarms.extend(self.asking.alarm(now).map(|after| ((), after)));
    }

    /// A call returns.
    fn end(&mut self, slot: u32, shared: &mut Shared, now: Time) {
        let Some(call) = self.calls.remove(slot) else { return };
        let mut op = call.over(0);
        let rest = (now - op.issued).saturating_sub(op.ledger.total());
        op.ledger.charge(FileCause::Processor, rest);
        if self.again.remove(&slot) {
            let is_done = op.status.failure().is_none();
            *(if is_done { &mut self.tally.retried } else { &mut self.tally.failed }) += 1;
        }
        shared.ends.note(&op);
        self.completed.push(op);
    }
}
