//! A client and servers of PVFS 2 without a net, and a model of the memory and the disk of each server's host.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::calls::{Calls, Mount};
use super::links::Links;
use super::message::Ticket;
use super::metadata::Namespace;
use super::parameters::PvfsRetries;
use super::sessions::{Piece, ServerIs, Sessions};
use super::shared::Shared;
use super::*;
use crate::address::Address;
use crate::failure::{Fails, FailureOfOne, Failures};
use petrio_colours::{FileId, FileOp, Message, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_units::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const CLIENT: Address = Address { host: 100, service: 0 };
pub(super) const FILE: FileId = FileId(7);
const DATABASE: FileId = FileId(1_000);
pub(super) const PAGE: u64 = 4096;

enum Event {
    ToServer(usize, Box<Message>),
    ToClient(Box<Message>),
    Grant(usize, Ticket),
    Ask(usize, Piece),
    /// A server's file system has done something that was asked when its host had been started so often.
    Done(usize, Box<FileOp>, u32),
    WakeClient,
    WakeServer(usize),
}

/// The memory and the disk of a server's host.
#[derive(Default)]
pub(super) struct Storage {
    pub(super) durable: BTreeSet<u64>,
    /// How often the host had stopped when a page was written last.
    pub(super) written: BTreeMap<u64, u32>,
    pub(super) volatile: BTreeSet<u64>,
    /// Pages that were in memory alone as the host stopped.
    pub(super) lost: u64,
    forgotten: u32,
}

pub(super) struct World {
    pub(super) calls: Calls,
    shared: Shared,
    sessions: Vec<Sessions>,
    striping: Striping,
    pub(super) failures: Arc<[Failures]>,
    pub(super) now: Time,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    pub(super) storage: Vec<Storage>,
    /// A planted mistake: flushes are answered, and nothing is written.
    pub(super) flushes_lie: bool,
    pub(super) issued: u64,
    over: Vec<FileOp>,
}

pub(super) fn time(millis: u64) -> Duration {
    Duration::new(Time::from_millis(millis))
}

/// Time-outs of ten seconds.
pub(super) fn soon() -> PvfsRetries {
    let ten = time(10_000);
    PvfsRetries { client_time_out: ten, client_flow_time_out: ten, ..PvfsRetries::default() }
}

pub(super) fn failure(server: u32, at: u64, lasts: Option<u64>, what: Fails) -> FailureOfOne {
    let slower_by = (what == Fails::Slow).then(|| time(30));
    FailureOfOne { server, at: time(at), restored_after: lasts.map(time), what, slower_by }
}

impl World {
    pub(super) fn new(servers: u32, retries: PvfsRetries, failures: &[FailureOfOne]) -> Self {
        let parameters = PvfsParameters {
            version: Version::Pvfs2,
            retries,
            failures: failures.to_vec(),
            ..PvfsParameters::default()
        };
        let striping = parameters.striping(servers).unwrap();
        let site = parameters.metadata(striping);
        let addresses: Arc<[Address]> = (0..servers).map(|host| Address { host, service: 1 }).collect();
        let failures: Arc<[Failures]> =
            (0..servers).map(|server| Failures::new(&FailureOfOne::of(failures, server))).collect();
        let is = |number: u32| ServerIs {
            protocol: parameters.protocol(),
            levels: ServiceLevels::default(),
            own: addresses[number as usize],
            process: 1,
            file_system: 0,
            direct: false,
            real_time: false,
            note: (DATABASE, 0),
            number,
            servers: Arc::clone(&addresses),
            database: 1 << 20,
            failures: Arc::clone(&failures),
            patience: retries.of_servers(),
        };
        let mount = Mount {
            protocol: parameters.protocol(),
            levels: ServiceLevels::default(),
            striping,
            servers: Arc::clone(&addresses),
            manager: None,
            site,
            metadata: 1 << 20,
            own: CLIENT,
        };
        let mut names = Namespace::default();
        names.is_there(&site, FILE, FileId::ROOT, (false, 1 << 30));
        Self {
            calls: Calls::new(mount, (retries.of_clients(), Links::new(Arc::clone(&failures)))),
            shared: Shared { salt: Some(0), names, ..Shared::default() },
            sessions: (0..servers).map(|number| Sessions::new(is(number))).collect(),
            striping,
            failures,
            now: Time::ZERO,
            events: BTreeMap::new(),
            count: 0,
            storage: (0..servers).map(|_| Storage::default()).collect(),
            flushes_lie: false,
            issued: 0,
            over: Vec::new(),
        }
    }

    fn after(&mut self, after: Time, event: Event) {
        self.count += 1;
        self.events.insert((self.now.saturating_add(after), self.count), event);
    }

    fn soon(&mut self, millis: u64, event: Event) {
        self.after(Time::from_millis(millis), event);
    }

    fn sent(&mut self, message: Box<Message>, after: Time) {
        let to = message.destination;
        let event = match to == CLIENT.host {
            true => Event::ToClient(message),
            false => Event::ToServer(to as usize, message),
        };
        self.after(after, event);
    }

    /// What a client's step has left.
    fn leave(&mut self) {
        for message in std::mem::take(&mut self.calls.outbox) {
            self.sent(Box::new(message), Time::from_millis(1));
        }
        for (message, after) in std::mem::take(&mut self.calls.late) {
            self.after(after, Event::ToClient(message));
        }
        for ((), after) in std::mem::take(&mut self.calls.alarms) {
            self.after(after, Event::WakeClient);
        }
        self.over.append(&mut self.calls.completed);
    }

    /// What a server's step has left.
    fn leave_server(&mut self, number: usize) {
        let server = &mut self.sessions[number];
        let (outbox, resets, late) = (
            std::mem::take(&mut server.outbox),
            std::mem::take(&mut server.resets),
            std::mem::take(&mut server.late),
        );
        let (pieces, operations) =
            (std::mem::take(&mut server.pieces), std::mem::take(&mut server.operations));
        let alarms = std::mem::take(&mut server.alarms);
        server.freed.clear();
        for message in outbox {
            self.sent(Box::new(message), Time::from_millis(1));
        }
        for (message, after) in resets {
            self.sent(message, after);
        }
        for (message, after) in late {
            self.after(after, Event::ToServer(number, message));
        }
        for ((), after) in alarms {
            self.after(after, Event::WakeServer(number));
        }
        let slower = self.sessions[number].slower_by(self.now);
        for piece in pieces {
            self.after(Time::from_millis(1) + slower, Event::Ask(number, piece));
        }
        let forgotten = self.failures[number].forgotten(self.now);
        for op in operations {
            self.soon(5, Event::Done(number, Box::new(op), forgotten));
        }
    }

    /// The next event; whether there was one.
    fn step(&mut self) -> bool {
        let Some(((at, _), event)) = self.events.pop_first() else { return false };
        self.now = at;
        self.stops();
        let number = match event {
            Event::ToClient(message) => {
                assert!(self.calls.receive(message, &mut self.shared, at));
                self.leave();
                return true;
            }
            Event::WakeClient => {
                self.calls.wake(&mut self.shared, at);
                self.leave();
                return true;
            }
            Event::ToServer(number, message) => {
                if let Some(look) = self.sessions[number].receive(*message, at).unwrap() {
                    self.soon(1, Event::Grant(number, look.ticket));
                }
                number
            }
            Event::Grant(number, ticket) => {
                self.sessions[number].grant(ticket, at);
                number
            }
            Event::Ask(number, piece) => {
                self.sessions[number].ask(piece, at);
                number
            }
            Event::Done(number, mut op, by) => {
                if by == self.storage[number].forgotten {
                    self.does(number, &op);
                }
                op.status = Status::Done;
                self.sessions[number].done(&op, at);
                number
            }
            Event::WakeServer(number) => {
                self.sessions[number].wake(at);
                number
            }
        };
        self.leave_server(number);
        true
    }

    /// What hosts have in memory alone goes as they stop.
    fn stops(&mut self) {
        for (storage, failures) in self.storage.iter_mut().zip(self.failures.iter()) {
            let forgotten = failures.forgotten(self.now);
            if forgotten != std::mem::replace(&mut storage.forgotten, forgotten) {
                storage.lost += storage.volatile.len() as u64;
                storage.volatile.clear();
            }
        }
    }

    /// What an operation does to a server's files.
    fn does(&mut self, number: usize, op: &FileOp) {
        let Storage { durable, volatile, written, forgotten, .. } = &mut self.storage[number];
        match op.operation {
            Operation::Write if op.file != DATABASE => {
                let pages = op.offset / PAGE..(op.offset + op.length).div_ceil(PAGE);
                volatile.extend(pages.clone());
                written.extend(pages.map(|page| (page, *forgotten)));
            }
            Operation::Fsync | Operation::Sync if !self.flushes_lie => durable.append(volatile),
            _ => {}
        }
    }

    /// An operation begins, and the world goes on until all are over.
    pub(super) fn issue(&mut self, operation: Operation, offset: u64, length: u64) -> FileOp {
        self.issued += 1;
        let id = RequestId(self.issued);
        let op = FileOp { id, operation, file: FILE, offset, length, issued: self.now, ..FileOp::default() };
        self.calls.begin(op, &mut self.shared, self.now);
        self.leave();
        while self.over.is_empty() {
            assert!(self.step(), "{operation:?} never ends");
            assert!(self.now < Time::from_whole_seconds(100_000), "nothing comes of it");
        }
        assert_eq!(self.over.len(), 1, "an operation ends once");
        self.over.remove(0)
    }

    pub(super) fn waits_until(&mut self, millis: u64) {
        let until = Time::from_millis(millis);
        while self.events.first_key_value().is_some_and(|((at, _), _)| *at <= until) {
            self.step();
        }
        self.now = self.now.max(until);
        self.stops();
    }

    /// The server of a page of the file, and the page's number there.
    pub(super) fn place(&self, page: u64) -> (usize, u64) {
        let part = self.striping.turns(FILE, 0).parts(page * PAGE, PAGE).next().unwrap();
        (part.server as usize, part.offset / PAGE)
    }

    /// Bytes that servers say that they have lost.
    pub(super) fn told_lost(&self) -> u64 {
        self.sessions.iter().map(|server| server.lost(self.now)).sum()
    }

    /// Pages of these that are nowhere.
    pub(super) fn missing(&self, pages: &BTreeSet<u64>) -> u64 {
        let is_missing = |page: &&u64| {
            let (server, own) = self.place(**page);
            let Storage { durable, volatile, .. } = &self.storage[server];
            !durable.contains(&own) && !volatile.contains(&own)
        };
        pages.iter().filter(is_missing).count() as u64
    }
}
