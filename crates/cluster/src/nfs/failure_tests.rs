//! What stands where while servers stop, can't be reached, and datagrams are lost: a client and a server without a net, and a model of the
//! server's memory and disk. Nothing that was acknowledged to be durable is ever lost, and every request ends once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::attempts::Patience;
use super::carrier::{Carrier, Manner, Outstanding};
use super::grace::Grace;
use super::message::{Call, Reply};
use super::sessions::{self, Asks, Sessions};
use super::*;
use crate::address::Address;
use crate::failure::{Fails, Failures, ServerFailure};
use crate::server::Client;
use petrio_colours::{
    BlockRequest, Direction, Failure, FileId, FileOp, Operation, Purpose, SECTOR_BYTES, Status,
};
use petrio_host::nfs::{MountOptions, Procedure};
use petrio_kernel::Time;
use petrio_units::Duration;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const OWN: Address = Address { host: 0, service: 0 };
const SERVER: Address = Address { host: 1, service: 1 };
/// Bytes of a WRITE, and device blocks of a file's area (`petrio_host::nfs`).
const PAGE: u64 = 4096;
const AREA: u64 = (1 << 28) * 8;

enum Event {
    ToServer(Box<Call>),
    ToClient(Box<Reply>),
    /// The server's file system has done something that this instance asked for.
    Done(Box<FileOp>, u32),
    Wake,
}

struct World {
    carrier: Carrier,
    sessions: Sessions,
    failures: Failures,
    now: Time,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    outstanding: BTreeMap<u32, Outstanding>,
    over: Vec<BlockRequest>,
    /// Pages of the server's files: on its disk, and in its memory alone.
    durable: BTreeSet<(u32, u64)>,
    volatile: BTreeSet<(u32, u64)>,
    instance: u32,
    /// Which messages of datagrams are lost, by turns.
    lost: Vec<bool>,
    sent: usize,
    done: BTreeMap<&'static str, u32>,
}

impl World {
    fn new(options: &str, failures: &[ServerFailure], (replies, lost): (u32, &[bool])) -> Self {
        let options = MountOptions::parse(options).unwrap();
        Failures::check(failures).unwrap();
        let failures = Failures::new(failures);
        let manner = Manner {
            version: options.version,
            connections: 1,
            slots: 16,
            patience: Patience::of(&options, true),
            failures: failures.clone(),
        };
        let asks =
            Asks { process: 1, file_system: 0, export: ExportMode::Sync, shared: false, is_of_1990: false };
        let grace = options.version.is_4().then(|| Grace::new(Time::from_whole_seconds(90), 1));
        let server = sessions::Manner { failures: failures.clone(), replies, grace };
        Self {
            carrier: Carrier::new(manner, (OWN, SERVER)),
            sessions: Sessions::new(asks, server),
            failures,
            now: Time::ZERO,
            events: BTreeMap::new(),
            count: 0,
            outstanding: BTreeMap::new(),
            over: Vec::new(),
            durable: BTreeSet::new(),
            volatile: BTreeSet::new(),
            instance: 0,
            lost: lost.to_vec(),
            sent: 0,
            done: BTreeMap::new(),
        }
    }

    fn after(&mut self, millis: u64, event: Event) {
        self.count += 1;
        self.events.insert((self.now + Time::from_millis(millis), self.count), event);
    }

    /// Whether the next message is lost on the network: those of connections never are.
    fn loses(&mut self, is_counted: bool) -> bool {
        self.sent += 1;
        !is_counted && self.lost.get((self.sent - 1) % self.lost.len().max(1)).copied().unwrap_or(false)
    }

    fn issue(&mut self, request: BlockRequest) {
        let outstanding = self.carrier.issue(request, self.now).unwrap();
        self.outstanding.insert(outstanding.number, outstanding);
        self.leave();
    }

    /// What a client's step has left.
    fn leave(&mut self) {
        for sending in std::mem::take(&mut self.carrier.outbox) {
            if !self.loses(sending.call.is_counted) {
                self.after(1, Event::ToServer(Box::new(sending.call)));
            }
        }
        for reply in std::mem::take(&mut self.carrier.ended) {
            let outstanding = self.outstanding.remove(&reply.number).expect("a call ends once");
            let request = self.carrier.hear(outstanding, &reply, self.now);
            self.over.push(request);
        }
        if let Some(after) = self.carrier.alarm(self.now) {
            self.count += 1;
            self.events.insert((self.now + after, self.count), Event::Wake);
        }
    }

    /// What a server's step has left.
    fn answers(&mut self, reply: Option<(Client, Reply)>) {
        self.sessions.silent.clear();
        let over = std::mem::take(&mut self.sessions.over);
        for (_, reply) in over.into_iter().chain(reply) {
            if !self.loses(reply.is_counted) {
                self.after(1, Event::ToClient(Box::new(reply)));
            }
        }
        let instance = self.failures.instance(self.now);
        for op in std::mem::take(&mut self.sessions.operations) {
            self.after(5, Event::Done(Box::new(op), instance));
        }
    }

    /// The next event; whether there was one.
    fn step(&mut self) -> bool {
        let Some(((at, _), event)) = self.events.pop_first() else { return false };
        self.now = at;
        match event {
            Event::ToServer(call) => {
                if self.sessions.hears(&call, self.now) {
                    let client = Client { address: OWN, connection: 0 };
                    self.sessions.begin(*call, client, (self.now, self.now));
                }
                self.answers(None);
            }
            Event::ToClient(reply) => {
                self.carrier.arrives(reply, self.now);
                self.leave();
            }
            Event::Wake => {
                self.carrier.wake(self.now);
                self.leave();
            }
            Event::Done(mut op, by) => {
                let instance = self.failures.instance(self.now);
                if instance != std::mem::replace(&mut self.instance, instance) {
                    self.volatile.clear();
                }
                op.status = if by == instance { self.does(&op) } else { Status::Done };
                let reply = self.sessions.done(&op, self.now);
                self.answers(reply);
            }
        }
        true
    }

    /// What an operation does to the server's files.
    fn does(&mut self, op: &FileOp) -> Status {
        let page = (op.file.0, op.offset / PAGE);
        match op.operation {
            Operation::Write if op.flags.sync => drop(self.durable.insert(page)),
            Operation::Write => drop(self.volatile.insert(page)),
            Operation::Fsync => self.durable.extend(self.volatile.iter().filter(|page| page.0 == op.file.0)),
            Operation::Unlink => {
                let times = self.done.entry("unlinked").or_default();
                *times += 1;
                if *times > 1 {
                    return Status::Failed(Failure::NotFound);
                }
            }
            _ => {}
        }
        Status::Done
    }

    /// Runs until all that was issued is over; requests that are.
    fn finish(&mut self) -> Vec<BlockRequest> {
        while !self.outstanding.is_empty() {
            assert!(self.step(), "{} calls are never answered", self.outstanding.len());
            assert!(self.now < Time::from_whole_seconds(100_000), "nothing comes of it");
        }
        std::mem::take(&mut self.over)
    }
}

fn write(file: u32, page: u64, stable: bool) -> BlockRequest {
    BlockRequest {
        direction: Direction::Write,
        purposes: Purpose::Data.into(),
        file: FileId(file),
        address: u64::from(file) * AREA + page * (PAGE / SECTOR_BYTES),
        blocks: 8,
        force_unit_access: stable,
        ..BlockRequest::default()
    }
}

/// A call without data, by the address that `petrio_host::nfs` has for it.
fn call(procedure: Procedure, file: u32) -> BlockRequest {
    let position = Procedure::ALL.iter().position(|other| *other == procedure).unwrap() as u64;
    let address = position << 58 | 30 << 18 | 30;
    BlockRequest {
        purposes: Purpose::Metadata.into(),
        file: FileId(file),
        address,
        ..BlockRequest::default()
    }
}

fn seconds(millis: u64) -> Duration {
    Duration::new(Time::from_millis(millis))
}

fn failure(at: u64, lasts: u64, what: Fails) -> ServerFailure {
    let slower_by = (what == Fails::Slow).then(|| seconds(30));
    ServerFailure { at: seconds(at), restored_after: Some(seconds(lasts)), what, slower_by }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_that_was_acknowledged_as_durable_is_lost(
        options in prop::sample::select(vec![
            "vers=2,proto=udp", "vers=3,proto=udp", "vers=3", "vers=3,soft,timeo=5,retrans=2", "vers=4.2", "vers=4.0",
        ]),
        gaps in prop::collection::vec((1u64..400, 1u64..900, 0u8..3), 0..4),
        lost in prop::collection::vec(prop::bool::weighted(0.15), 1..40),
        rounds in prop::collection::vec((1u64..6, any::<bool>()), 1..12),
    ) {
        let mut failures = Vec::new();
        let mut at = 0;
        for (after, lasts, what) in gaps {
            at += after;
            let what = [Fails::Stops, Fails::Unreachable, Fails::Slow][usize::from(what)];
            failures.push(failure(at, lasts, what));
            at += lasts + 1;
        }
        // Every sender is heard now and then.
        let lost: Vec<bool> = lost.into_iter().chain([false, false, false]).collect();
        let mut world = World::new(options, &failures, (64, &lost));
        let (mut page, mut issued, mut ended) = (0, 0, 0);
        let mut acknowledged = BTreeSet::new();
        for (writes, stable) in rounds {
            let stable = stable || options.starts_with("vers=2");
            for _ in 0..writes {
                page += 1;
                issued += 1;
                world.issue(write(7, page, stable));
            }
            let over = world.finish();
            ended += over.len();
            let mut done: Vec<(u32, u64)> = over
                .iter()
                .filter(|request| request.status.failure().is_none())
                .map(|request| (7, request.address % AREA * SECTOR_BYTES / PAGE))
                .collect();
            if !stable {
                issued += 1;
                world.issue(call(Procedure::Commit, 7));
                let committed = world.finish();
                ended += committed.len();
                if committed.iter().any(|request| request.status.failure().is_some()) {
                    done.clear();
                }
            }
            acknowledged.extend(done);
            prop_assert!(acknowledged.is_subset(&world.durable), "{acknowledged:?} and {:?}", world.durable);
        }
        prop_assert_eq!(issued, ended);
        prop_assert_eq!(world.carrier.left(), 0);
    }
}

#[test]
fn a_call_that_comes_twice_is_done_once_where_its_reply_is_kept_and_fails_where_it_isnt() {
    // The second message, which is the first reply, is lost.
    let lost = [false, true, false, false, false, false, false, false];
    let unlink = |replies| {
        let mut world = World::new("vers=3,proto=udp", &[], (replies, &lost));
        world.issue(call(Procedure::Remove, 3));
        let over = world.finish();
        (world.done["unlinked"], over[0].status.failure())
    };
    assert_eq!(unlink(16), (1, None));
    assert_eq!(unlink(0), (2, Some(Failure::NotFound)));
}

#[test]
fn what_a_restarted_server_has_forgotten_is_written_again_before_it_counts_as_durable() {
    // It stops after the WRITEs are answered and before the COMMIT is sent.
    let mut world = World::new("vers=3", &[failure(50, 300, Fails::Stops)], (64, &[]));
    for page in 0..3 {
        world.issue(write(7, page, false));
    }
    assert_eq!(world.finish().len(), 3);
    world.now = Time::from_millis(400);
    world.issue(call(Procedure::Commit, 7));
    world.finish();
    assert_eq!(world.durable.len(), 3, "{:?}", world.durable);
    let writes = world.carrier.tallies().find(|(name, _)| *name == "COMMIT").unwrap().1;
    assert_eq!((writes.calls, writes.repeated), (1, 1), "a connection that isn't known, and then done");
}

#[test]
fn a_soft_mount_fails_and_a_hard_one_waits_for_a_server_that_comes_back() {
    let failures = [failure(1, 60_000, Fails::Stops)];
    let run = |options: &str| {
        let mut world = World::new(options, &failures, (64, &[]));
        world.now = Time::from_millis(10);
        world.issue(write(7, 1, true));
        let over = world.finish();
        (over[0].status.failure(), world.now.as_seconds())
    };
    let (failed, at) = run("vers=3,proto=udp,soft,timeo=11,retrans=3");
    assert_eq!(failed, Some(Failure::NoAnswer));
    assert!((5.0..20.0).contains(&at), "{at}");
    assert_eq!(run("vers=3,proto=udp,softerr,timeo=11,retrans=3").0, Some(Failure::TimedOut));
    for hard in ["vers=3,proto=udp", "vers=3", "vers=4.2"] {
        let (failed, at) = run(hard);
        assert_eq!(failed, None, "{hard}");
        assert!((60.0..180.0).contains(&at), "{hard}: {at}");
    }
}

#[test]
fn a_client_of_version_4_gets_back_what_it_had_open_before_it_goes_on() {
    let mut world = World::new("vers=4.1", &[failure(100, 500, Fails::Stops)], (64, &[]));
    world.issue(call(Procedure::Open, 7));
    world.finish();
    world.now = Time::from_millis(1_000);
    world.issue(call(Procedure::Open, 8));
    world.finish();
    assert!(
        world.now < Time::from_whole_seconds(2),
        "all have reclaimed, so that the grace is over: {:?}",
        world.now
    );
    let mut old = World::new("vers=4.0", &[failure(100, 500, Fails::Stops)], (64, &[]));
    old.now = Time::from_millis(1_000);
    old.issue(call(Procedure::Open, 8));
    old.finish();
    let at = old.now.as_seconds();
    assert!((90.0..120.0).contains(&at), "clients of 4.0 don't say that they are done: {at}");
}
