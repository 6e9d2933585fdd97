//! What a server of PVFS 2 is asked about names and attributes: it looks into its database, writes there, asks other servers, and answers.
//!
//! Its database is a file of its own file system of which a page is read or written for each object (Berkeley DB or LMDB); with
//! `TroveSyncMeta` changes are on the disk before they are answered, and those who wait while it is being synced share the next sync
//! (commit coalescing).

#[cfg(test)]
mod tests;

use super::{Doing, Look, Sessions};
use crate::address::Address;
use crate::client::Outcome;
use crate::pvfs::attempts::{Attempts, Manner, Ready};
use crate::pvfs::message::{AskOfNames, Payload, Reply, Ticket};
use crate::pvfs::metadata::{Kind, Message as Length, children};
use petrio_colours::{AccessFlags, Failure, FileCause, FileId, FileOp, Ledger, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_stage::fast_map::FastMap;
use smallvec::SmallVec;

/// Bytes of a page of the database.
const PAGE: u64 = 4 << 10;
/// Names on a page, and objects.
const NAMES_A_PAGE: u64 = 64;
/// What tells tickets of servers from those of clients.
const OF_SERVERS: u32 = 3 << 30;

/// Requests about names that aren't over.
#[derive(Clone, Debug, Persist)]
pub(super) struct Asked {
    open: FastMap<Ticket, Open>,
    /// Of these, those of clients, and those of other servers.
    of: (u64, u64),
    /// Those that this server has sent to others, the number of the next, and how many are somewhere.
    relays: Attempts<Relaying>,
    next: u32,
    copies: u64,
    /// Who waits for the sync that is under way, and who for the next.
    synced: Vec<Ticket>,
    waits: Vec<Ticket>,
    is_syncing: bool,
}

/// A request to another server: for which of its own.
#[derive(Clone, Debug, Persist)]
pub(super) struct Relaying {
    own: Ticket,
    to: Address,
    ask: AskOfNames,
    bytes: u64,
}

/// A request that a server works on.
#[derive(Clone, Debug, Persist)]
struct Open {
    ask: AskOfNames,
    who: Address,
    connection: u32,
    of_client: bool,
    since: Time,
    ledger: Ledger<FileCause>,
    status: Status,
    /// What is left of its own work, and how many servers haven't answered.
    steps: SmallVec<[Step; 4]>,
    works: bool,
    others: u32,
}

/// What a server does with its own file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Step {
    /// So many pages of the database.
    Read(u64),
    Write(u64),
    /// The database goes to the disk.
    Sync,
    /// The data file.
    Data(Operation),
}

impl Asked {
    pub(super) fn new(relays: Attempts<Relaying>) -> Self {
        Self {
            open: FastMap::default(),
            of: (0, 0),
            relays,
            next: 0,
            copies: 0,
            synced: Vec::new(),
            waits: Vec::new(),
            is_syncing: false,
        }
    }

    pub(super) const fn of_clients(&self) -> u64 {
        self.of.0
    }

    pub(super) const fn of_servers(&self) -> u64 {
        self.of.1
    }

    /// Requests to other servers that are somewhere, or lost with one.
    pub(super) const fn copies(&self) -> u64 {
        self.copies
    }

    /// An answer of another server is heard, or lost.
    pub(super) const fn is_heard(&mut self) {
        self.copies = self.copies.saturating_sub(1);
    }

    /// All requests are lost with the server: how many of clients these were, and how many of other servers.
    pub(super) fn forget(&mut self) -> (u64, u64) {
        self.open.clear();
        self.relays.forget();
        self.synced.clear();
        self.waits.clear();
        std::mem::take(&mut self.of)
    }
}

/// How often the database is asked for something, as the state machines of OrangeFS's server do it (src/server: get-attr.sm, lookup.sm,
/// create.sm, crdirent.sm, mkdir.sm, rmdirent.sm, remove.sm, unstuff.sm, readdir.sm, list-attr.sm).
const fn accesses(kind: Kind, count: u64) -> u64 {
    match kind {
        Kind::GetConfig | Kind::SmallIo | Kind::Io => 0,
        Kind::Flush | Kind::Truncate | Kind::SetAttributes | Kind::TreeGetFileSize => 1,
        Kind::LookupPath | Kind::ReadDirectory | Kind::TreeRemove | Kind::Remove => 2,
        Kind::GetAttributes | Kind::RemoveEntry | Kind::ChangeEntry => 3,
        Kind::Create | Kind::CreateEntry | Kind::Unstuff => 4,
        Kind::MakeDirectory => 5,
        Kind::ListAttributes => count,
        Kind::SplitEntries => 2 * count,
    }
}

/// What a server does for a request.
fn steps(ask: &AskOfNames, sync: bool) -> SmallVec<[Step; 4]> {
    let pages = ask.count.div_ceil(NAMES_A_PAGE).max(1);
    let (read, write) = match ask.kind {
        Kind::GetConfig | Kind::SmallIo | Kind::Io => (0, 0),
        Kind::GetAttributes | Kind::LookupPath | Kind::TreeGetFileSize => (1, 0),
        Kind::ReadDirectory | Kind::ListAttributes => (pages, 0),
        Kind::Flush | Kind::Truncate => (0, 0),
        Kind::SetAttributes | Kind::TreeRemove => (1, 1),
        Kind::Create | Kind::CreateEntry | Kind::RemoveEntry | Kind::ChangeEntry => (1, 2),
        Kind::Unstuff | Kind::Remove | Kind::MakeDirectory => (1, 2),
        Kind::SplitEntries => (pages, pages),
    };
    let data = match ask.kind {
        Kind::Truncate => Some(Operation::Truncate),
        Kind::TreeRemove => Some(Operation::Unlink),
        Kind::TreeGetFileSize => Some(Operation::Stat),
        Kind::Flush if ask.object == FileId::ROOT => Some(Operation::Sync),
        Kind::Flush => Some(Operation::Fsync),
        _ => None,
    };
    let data = data.map(Step::Data);
    let read = (read > 0).then_some(Step::Read(read));
    let written = (write > 0).then_some(Step::Write(write));
    let synced = (write > 0 && sync || ask.kind == Kind::Flush).then_some(Step::Sync);
    // The last is done first.
    [synced, written, data, read].into_iter().flatten().collect()
}

impl Sessions {
    /// Somebody asks about names.
    pub(super) fn asked_for(
        &mut self,
        ask: AskOfNames,
        (source, connection): (u32, u32),
        of_client: bool,
        now: Time,
    ) -> Look {
        let look = Look { ticket: ask.ticket, accesses: accesses(ask.kind, ask.count) };
        let who = Address { host: source, service: ask.reply_to };
        let number = if of_client { &mut self.asked.of.0 } else { &mut self.asked.of.1 };
        *number += 1;
        let open = Open {
            steps: steps(&ask, self.is.protocol.sync_names),
            who,
            connection,
            of_client,
            since: now,
            ledger: Ledger::default(),
            status: Status::DoneFromCache,
            works: true,
            others: 0,
            ask,
        };
        self.asked.open.insert(look.ticket, open);
        look
    }

    /// What was asked about names has been looked at, if it is that.
    pub(super) fn begin_asked(&mut self, ticket: Ticket, now: Time) -> bool {
        let Some(open) = self.asked.open.get(&ticket) else { return false };
        if matches!(open.ask.kind, Kind::TreeGetFileSize | Kind::TreeRemove) {
            self.ask_others(ticket, now);
        }
        self.next_step(ticket, now);
        true
    }

    /// Other servers are asked for what concerns them: of a tree those of its parts, else each is told.
    fn ask_others(&mut self, ticket: Ticket, now: Time) {
        let Some(open) = self.asked.open.get(&ticket) else { return };
        let ask = open.ask.clone();
        let tree: Option<fn(u64, bool) -> Length> = match ask.kind {
            Kind::TreeGetFileSize => Some(Length::tree_sizes),
            Kind::TreeRemove => Some(Length::tree_remove),
            _ => None,
        };
        let own = self.is.number;
        let parts: SmallVec<[SmallVec<[u32; 8]>; 2]> = match tree {
            Some(_) => children(own, &ask.others),
            None => ask.others.iter().map(|other| SmallVec::from_iter([*other])).collect(),
        };
        for others in parts {
            let Some(&first) = others.first() else { continue };
            let Some(&to) = self.is.servers.get(first as usize) else { continue };
            let (kind, length) = match tree {
                Some(of) => (ask.kind, of(others.len() as u64, true)),
                None => (Kind::SetAttributes, Length::set_attributes()),
            };
            let others = if tree.is_some() { others } else { SmallVec::new() };
            let call = self.asked.next;
            self.asked.next = call.wrapping_add(1);
            let server = OF_SERVERS | own;
            let relay = AskOfNames {
                ticket: Ticket { client: self.is.own.host, call, server, attempt: 0 },
                kind,
                others,
                answer: length.received,
                reply_to: self.is.own.service,
                count: 1,
                ..ask.clone()
            };
            let relaying = Relaying { own: ticket, to, ask: relay, bytes: length.sent };
            let manner = Manner { again: true, rests: false };
            self.asked.relays.begin(call.into(), relaying, ((self.is.process, first), manner), now);
            self.send_relays(now);
            if let Some(open) = self.asked.open.get_mut(&ticket) {
                open.others += 1;
            }
        }
    }

    /// Requests to other servers go, and those that are given up have failed.
    fn send_relays(&mut self, now: Time) {
        while let Some(ready) = self.asked.relays.ready.pop() {
            match ready {
                Ready::Send { what: Relaying { to, ask, bytes, .. }, number, instance, .. } => {
                    self.asked.copies += 1;
                    let payload = Payload::Relay(ask).sent(number, instance);
                    self.outbox.push(self.is.own.message(to, self.is.process, (bytes, payload)));
                }
                Ready::GivenUp { what, failure, .. } => {
                    self.other_done(what.own, Status::Failed(failure), now);
                }
            }
        }
        self.alarms.extend(self.asked.relays.alarm(now).map(|after| ((), after)));
    }

    /// It is woken: requests to others are sent again, or given up.
    pub(in crate::pvfs) fn wake(&mut self, now: Time) {
        self.lives(now);
        self.asked.relays.wake(now);
        self.send_relays(now);
    }

    /// Another server knows nothing of a connection.
    pub(super) fn reset_relay(&mut self, ticket: Ticket, now: Time) {
        self.asked.relays.reset(ticket.call.into(), ticket.attempt, now);
        self.send_relays(now);
    }

    /// Another server has answered.
    pub(super) fn relayed(&mut self, ticket: Ticket, now: Time) -> Result<(), ()> {
        self.asked.is_heard();
        let answered = self.asked.relays.answered(ticket.call.into(), ticket.attempt);
        let Some(answered) = answered else {
            // What has been given up, or was asked by an earlier life, is answered to nobody.
            return if self.asked.relays.links.may_fail() { Ok(()) } else { Err(()) };
        };
        self.other_done(answered.what.own, Status::DoneFromCache, now);
        Ok(())
    }

    /// Another server has done its part of a request, or hasn't.
    fn other_done(&mut self, own: Ticket, status: Status, now: Time) {
        let Some(open) = self.asked.open.get_mut(&own) else { return };
        open.others = open.others.saturating_sub(1);
        open.status = open.status.and(status);
        self.answer_asked(own, now);
    }

    /// The next step of a request's own work.
    fn next_step(&mut self, ticket: Ticket, now: Time) {
        let Some(open) = self.asked.open.get_mut(&ticket) else { return };
        let object = open.ask.object;
        match open.steps.pop() {
            None => {
                open.works = false;
                if !matches!(open.ask.kind, Kind::TreeGetFileSize | Kind::TreeRemove) {
                    self.ask_others(ticket, now);
                }
                self.answer_asked(ticket, now);
            }
            Some(Step::Sync) => {
                self.asked.waits.push(ticket);
                self.sync(now);
            }
            Some(Step::Read(pages)) => {
                let at = self.page_of(object, pages);
                self.step(ticket, (Operation::Read, self.is.note.0), at, now);
            }
            Some(Step::Write(pages)) => {
                let at = self.page_of(object, pages);
                self.step(ticket, (Operation::Write, self.is.note.0), at, now);
            }
            Some(Step::Data(operation)) => {
                let length = if operation == Operation::Truncate { open.ask.length } else { 0 };
                self.step(ticket, (operation, object), (0, length), now);
            }
        }
    }

    /// Where in the database an object stands: so many pages from somewhere on.
    fn page_of(&self, object: FileId, pages: u64) -> (u64, u64) {
        let all = (self.is.database / PAGE).max(1);
        let pages = pages.min(all);
        let first = finish(u64::from(object.0).wrapping_add(1)) % (all - pages + 1);
        (first * PAGE, pages * PAGE)
    }

    fn step(
        &mut self,
        ticket: Ticket,
        (operation, file): (Operation, FileId),
        (offset, length): (u64, u64),
        now: Time,
    ) {
        let slot = self.accesses.insert(Doing::Step(ticket));
        self.note_asked(slot, operation, file);
        self.own_operation(slot, (operation, file), (offset, length), now);
    }

    fn own_operation(
        &mut self,
        slot: u32,
        (operation, file): (Operation, FileId),
        (offset, length): (u64, u64),
        now: Time,
    ) {
        self.operations.push(FileOp {
            id: RequestId(u64::from(slot)),
            process: self.is.process,
            file_system: self.is.file_system,
            operation,
            file,
            parent: FileId::ROOT,
            offset,
            length,
            flags: AccessFlags { real_time: self.is.real_time, ..AccessFlags::default() },
            issued: now,
            ..FileOp::default()
        });
    }

    /// A step is over.
    pub(super) fn step_done(&mut self, ticket: Ticket, op: &FileOp, now: Time) {
        let Some(open) = self.asked.open.get_mut(&ticket) else { return };
        open.ledger.add(&op.ledger);
        // A data file that nobody has written to isn't there.
        let is_nothing = op.file != self.is.note.0 && op.status == Status::Failed(Failure::NotFound);
        if !is_nothing {
            open.status = open.status.and(op.status);
        }
        self.next_step(ticket, now);
    }

    /// Those who wait are synced, unless a sync is under way: they share the next.
    fn sync(&mut self, now: Time) {
        if self.asked.is_syncing || self.asked.waits.is_empty() {
            return;
        }
        self.asked.is_syncing = true;
        self.asked.synced = std::mem::take(&mut self.asked.waits);
        let slot = self.accesses.insert(Doing::Sync);
        self.own_operation(slot, (Operation::Fdatasync, self.is.note.0), (0, 0), now);
    }

    /// The database has been synced.
    pub(super) fn synced(&mut self, op: &FileOp, now: Time) {
        self.asked.is_syncing = false;
        for ticket in std::mem::take(&mut self.asked.synced) {
            self.step_done(ticket, op, now);
        }
        self.sync(now);
    }

    /// A request is answered once its own work and that of others is done.
    fn answer_asked(&mut self, ticket: Ticket, now: Time) {
        let is_over = |open: &Open| !open.works && open.others == 0;
        let Some(open) = self.asked.open.get(&ticket).filter(|open| is_over(open)) else { return };
        let Open { who, connection, of_client, since, ledger, status, .. } = *open;
        let bytes = open.ask.answer;
        let payload = if of_client {
            let outcome = Outcome { status, length: 0, ledger, span: now - since };
            Payload::Done(Reply { ticket, outcome })
        } else {
            Payload::Relayed(ticket)
        };
        self.outbox.push(self.is.own.message(who, connection, (bytes, payload)));
        self.asked.open.remove(&ticket);
        let number = if of_client { &mut self.asked.of.0 } else { &mut self.asked.of.1 };
        *number = number.saturating_sub(1);
    }
}
