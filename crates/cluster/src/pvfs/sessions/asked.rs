//! What a server of PVFS 2 is asked about names and attributes: it looks into its database, writes there, asks other servers, and answers.
//!
//! Its database is a file of its own file system of which a page is read or written for each object (Berkeley DB or LMDB); with
//! `TroveSyncMeta` changes are on the disk before they are answered, and those who wait while it is being synced share the next sync
//! (commit coalescing).

use super::{Doing, Look, Sessions};
use crate::address::Address;
use crate::client::Outcome;
use crate::pvfs::message::{AskOfNames, Payload, Reply, Ticket};
use crate::pvfs::metadata::{Kind, Message as Length, children};
use petrio_colours::{AccessFlags, Failure, FileCause, FileId, FileOp, Ledger, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use smallvec::SmallVec;

/// Bytes of a page of the database.
const PAGE: u64 = 4 << 10;
/// Names on a page, and objects.
const NAMES_A_PAGE: u64 = 64;
/// What tells tickets of servers from those of clients.
const OF_SERVERS: u32 = 3 << 30;

/// Requests about names that aren't over.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Asked {
    open: FastMap<Ticket, Open>,
    /// Of these, those of clients, and those of other servers.
    of: (u64, u64),
    /// Those that this server has sent to others: for which of its own.
    relays: Slab<Ticket>,
    /// Who waits for the sync that is under way, and who for the next.
    synced: Vec<Ticket>,
    waits: Vec<Ticket>,
    is_syncing: bool,
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
    pub(super) const fn of_clients(&self) -> u64 {
        self.of.0
    }

    pub(super) const fn of_servers(&self) -> u64 {
        self.of.1
    }

    pub(super) fn relays(&self) -> u64 {
        self.relays.iter().count() as u64
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
            self.ask_others(ticket);
        }
        self.next_step(ticket, now);
        true
    }

    /// Other servers are asked for what concerns them: of a tree those of its parts, else each is told.
    fn ask_others(&mut self, ticket: Ticket) {
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
            let Some(&address) = others.first().and_then(|first| self.is.servers.get(*first as usize)) else {
                continue;
            };
            let (kind, length) = match tree {
                Some(of) => (ask.kind, of(others.len() as u64, true)),
                None => (Kind::SetAttributes, Length::set_attributes()),
            };
            let others = if tree.is_some() { others } else { SmallVec::new() };
            let call = self.asked.relays.insert(ticket);
            let server = OF_SERVERS | own;
            let relay = AskOfNames {
                ticket: Ticket { client: self.is.own.host, call, server },
                kind,
                others,
                answer: length.received,
                reply_to: self.is.own.service,
                count: 1,
                ..ask.clone()
            };
            let message = self.is.own.message(address, self.is.process, (length.sent, Payload::Relay(relay)));
            self.outbox.push(message);
            if let Some(open) = self.asked.open.get_mut(&ticket) {
                open.others += 1;
            }
        }
    }

    /// Another server has answered.
    pub(super) fn relayed(&mut self, ticket: Ticket, now: Time) -> Result<(), ()> {
        let own = self.asked.relays.remove(ticket.call).ok_or(())?;
        let open = self.asked.open.get_mut(&own).ok_or(())?;
        open.others = open.others.saturating_sub(1);
        self.answer_asked(own, now);
        Ok(())
    }

    /// The next step of a request's own work.
    fn next_step(&mut self, ticket: Ticket, now: Time) {
        let Some(open) = self.asked.open.get_mut(&ticket) else { return };
        let object = open.ask.object;
        match open.steps.pop() {
            None => {
                open.works = false;
                if !matches!(open.ask.kind, Kind::TreeGetFileSize | Kind::TreeRemove) {
                    self.ask_others(ticket);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pvfs::parameters::{PvfsParameters, ServiceLevels, Version};
    use crate::pvfs::sessions::ServerIs;

    fn server(number: u32, servers: u32) -> Sessions {
        let parameters = PvfsParameters { version: Version::Pvfs2, ..PvfsParameters::default() };
        let addresses: Vec<Address> = (0..servers).map(|host| Address { host, service: 0 }).collect();
        Sessions::new(ServerIs {
            protocol: parameters.protocol(),
            levels: ServiceLevels::default(),
            own: addresses[number as usize],
            process: 7,
            file_system: 0,
            direct: false,
            real_time: false,
            note: (FileId(100), 0),
            number,
            servers: addresses.into(),
            database: 1 << 20,
        })
    }

    fn ask(call: u32, kind: Kind, others: &[u32]) -> AskOfNames {
        AskOfNames {
            ticket: Ticket { client: 50, call, server: 1 << 31 },
            kind,
            object: FileId(10 + call),
            count: 1,
            length: 0,
            others: others.iter().copied().collect(),
            answer: 40,
            reply_to: 0,
        }
    }

    fn ask_and_begin(sessions: &mut Sessions, ask: AskOfNames) {
        let look = sessions.asked_for(ask, (50, 0), true, Time::ZERO);
        assert!(sessions.begin_asked(look.ticket, Time::ZERO));
    }

    /// What the server asks its file system is done, all but syncs where these stay; which operations those were.
    fn done(sessions: &mut Sessions, syncs: bool) -> Vec<Operation> {
        let mut all = Vec::new();
        let mut stay = Vec::new();
        while !sessions.operations.is_empty() {
            let mut op = sessions.operations.remove(0);
            if op.operation == Operation::Fdatasync && !syncs {
                stay.push(op);
                continue;
            }
            all.push(op.operation);
            op.status = Status::Done;
            sessions.done(&op, Time::ZERO);
        }
        sessions.operations = stay;
        all
    }

    #[test]
    fn who_waits_for_a_sync_shares_the_next() {
        let mut sessions = server(0, 4);
        (0..3).for_each(|call| ask_and_begin(&mut sessions, ask(call, Kind::CreateEntry, &[])));
        let first = done(&mut sessions, false);
        assert_eq!(first.iter().filter(|op| **op == Operation::Write).count(), 3);
        assert_eq!(sessions.operations.len(), 1, "one sync at a time");
        let syncs = done(&mut sessions, true);
        assert_eq!(syncs, [Operation::Fdatasync; 2], "the first's, and one for both others");
        assert_eq!(sessions.outbox.len(), 3);
        assert_eq!((sessions.left(), sessions.relays()), (0, 0));
    }

    #[test]
    fn a_tree_is_answered_when_its_parts_are() {
        let mut sessions = server(3, 8);
        ask_and_begin(&mut sessions, ask(1, Kind::TreeGetFileSize, &[3, 4, 2, 1, 0]));
        assert_eq!(sessions.outbox.len(), 2, "two parts of two");
        done(&mut sessions, true);
        let sent = std::mem::take(&mut sessions.outbox);
        let relays = sent.into_iter().map(|message| match *message.payload.open::<Payload>().unwrap() {
            Payload::Relay(ask) => ask,
            other => panic!("{other:?}"),
        });
        for relay in relays.collect::<Vec<_>>() {
            assert_eq!(relay.others.len(), 2);
            assert!(sessions.outbox.is_empty(), "it waits for both");
            sessions.relayed(relay.ticket, Time::ZERO).unwrap();
        }
        assert_eq!(sessions.outbox.len(), 1);
        assert!(sessions.relayed(Ticket { client: 3, call: 9, server: 0 }, Time::ZERO).is_err());
    }
}
