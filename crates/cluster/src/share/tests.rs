//! A client's calls and a server's sessions without a net: how operations are cut, to whom calls go, and what comes back.

use super::calls::{Calls, Heard, Mount, Outstanding, Server, Shared};
use super::message::{Call, Reply, Rpc};
use super::parameters::{Connections, ShareCosts, Writes};
use super::placement::{Placement, Rule};
use super::sessions::{Asks, Sessions};
use super::wire;
use crate::address::Address;
use crate::client::Outcome;
use petrio_colours::{AccessFlags, Failure, FileCause, FileId, FileOp, Ledger, Operation, Status};
use petrio_host::copy_cost::CopyCost;
use petrio_host::machine::CopyCurve;
use petrio_kernel::Time;
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;
use std::sync::Arc;

const FILE: FileId = FileId(7);

/// A client of so many servers, of which one may be its own host's.
fn client(placement: Placement, transfer: u64, writes: Writes, own: Option<u32>) -> Calls {
    let page = Duration::new(Time::from_micros(4));
    let curve =
        CopyCurve::Threshold { threshold: Some(Bytes(64 << 10)), page_in_l2: page, page_from_memory: page };
    let copy = || CopyCost::new(&curve, None).unwrap_or_else(|error| panic!("{error}"));
    let servers = (0..placement.servers()).map(|number| Server {
        address: Address { host: number + 1, service: number },
        local: (own == Some(number)).then_some(3),
    });
    Calls::new(Mount {
        transfer,
        writes,
        connections: Connections::Host,
        costs: ShareCosts::NONE,
        servers: servers.collect(),
        placement: Arc::new(placement),
        own: Address { host: 0, service: 99 },
        first_process: 1_000,
        copies: (copy(), copy()),
    })
}

fn operation(operation: Operation, offset: u64, length: u64) -> FileOp {
    FileOp { operation, file: FILE, offset, length, process: 5, ..FileOp::default() }
}

/// The calls that are to be sent, each with the server's host.
fn sent(calls: &mut Calls) -> Vec<(u32, (Call, Outstanding))> {
    let outbox = std::mem::take(&mut calls.outbox);
    let opened = outbox.into_iter().map(|outgoing| {
        let Some(Rpc::Call(call)) = outgoing.message.payload.get::<Rpc>() else {
            panic!("a client answers nobody")
        };
        assert_eq!(outgoing.message.bytes, wire::call(call.operation, call.length));
        (outgoing.message.destination, (call.clone(), outgoing.call))
    });
    opened.collect()
}

/// A call is answered: so many bytes were moved, and so it ended.
fn reply(
    calls: &mut Calls,
    (call, outstanding): &(Call, Outstanding),
    (length, status): (u64, Status),
    shared: &mut Shared,
) {
    let (number, operation) = (call.number, call.operation);
    assert_eq!(number, outstanding.number);
    let outcome = Outcome { status, length, ledger: Ledger::default(), span: Time::ZERO };
    let reply = Reply { number, operation, outcome };
    calls.hear(*outstanding, &Heard { reply, copied: Time::ZERO }, shared, Time::ZERO);
}

/// Answers all calls, local ones too, with what is asked for; the bytes that were asked of each side.
fn answer_all(calls: &mut Calls, shared: &mut Shared) -> (u64, u64) {
    let (mut remote, mut local) = (0, 0);
    loop {
        let out = sent(calls);
        let here = std::mem::take(&mut calls.local.operations);
        if out.is_empty() && here.is_empty() {
            return (remote, local);
        }
        for (_, call) in out {
            let moves = matches!(call.0.operation, Operation::Read | Operation::Write);
            remote += if moves { call.0.length } else { 0 };
            reply(calls, &call, (call.0.length, Status::Done), shared);
        }
        for mut op in here {
            assert_eq!((op.process, op.file_system), (1_005, 3));
            local += if matches!(op.operation, Operation::Read | Operation::Write) { op.length } else { 0 };
            op.status = Status::Done;
            calls.done_here(&op, shared, Time::ZERO);
        }
    }
}

proptest! {
    #[test]
    fn calls_ask_for_every_byte_once_and_never_over_the_network_for_what_is_local(
        rule in prop::sample::select(vec![Rule::RoundRobin, Rule::ByFile, Rule::Hashed]),
        servers in 1u32..6,
        own in prop::option::of(0u32..6),
        (partition, transfer) in (1u64..200, 1u64..100),
        (offset, length) in (0u64..2_000, 0u64..2_000),
        writes: bool,
    ) {
        let placement = Placement::new(rule, partition, servers);
        let own = own.filter(|&own| own < servers);
        let mut calls = client(placement.clone(), transfer, Writes::OnSync, own);
        let mut shared = Shared::default();
        let kind = if writes { Operation::Write } else { Operation::Read };
        calls.begin(operation(kind, offset, length), &mut shared, Time::ZERO);
        let of_own = own.map_or(0, |own| {
            placement.below(FILE, own, offset + length) - placement.below(FILE, own, offset)
        });
        prop_assert!(calls.outbox.iter().all(|outgoing| Some(outgoing.message.destination) != own.map(|own| own + 1)));
        for outgoing in &calls.outbox {
            let Some(Rpc::Call(call)) = outgoing.message.payload.get::<Rpc>() else { continue };
            prop_assert!(call.length > 0 && call.length <= transfer);
        }
        prop_assert_eq!(answer_all(&mut calls, &mut shared), (length - of_own, of_own));
        prop_assert_eq!(calls.left(), 0);
        prop_assert_eq!(calls.completed.len(), 1);
        prop_assert_eq!(calls.completed[0].length, length);
    }
}

#[test]
fn what_is_unstable_is_committed_once_and_where_it_was_written() {
    let placement = Placement::new(Rule::RoundRobin, 64, 4);
    for (writes, at_close) in [(Writes::OnClose, 2), (Writes::OnSync, 0), (Writes::Stable, 0)] {
        let mut calls = client(placement.clone(), 64, writes, None);
        let mut shared = Shared::default();
        calls.begin(operation(Operation::Write, 0, 128), &mut shared, Time::ZERO);
        let stable = sent(&mut calls);
        assert!(stable.iter().all(|(_, (call, _))| call.flags.sync == (writes == Writes::Stable)));
        for (_, call) in stable {
            reply(&mut calls, &call, (64, Status::DoneFromCache), &mut shared);
        }
        calls.begin(operation(Operation::Close, 0, 0), &mut shared, Time::ZERO);
        let commits = sent(&mut calls);
        assert_eq!(commits.len(), at_close, "{writes:?}");
        assert!(commits.iter().all(|(_, (call, _))| call.operation == Operation::Fsync));
        for (_, call) in commits {
            reply(&mut calls, &call, (0, Status::Done), &mut shared);
        }
        calls.begin(operation(Operation::Fsync, 0, 0), &mut shared, Time::ZERO);
        let again = sent(&mut calls).len();
        assert_eq!(again, if writes == Writes::OnSync { 2 } else { 0 }, "{writes:?}");
    }
}

#[test]
fn a_write_past_the_cache_is_stable_by_itself_or_by_a_commit_after_all_of_it() {
    let flags = |direct, sync| AccessFlags { direct, sync, ..AccessFlags::default() };
    for (flags, length) in [(flags(true, false), 128), (flags(false, true), 128), (flags(true, false), 64)] {
        let mut calls = client(Placement::new(Rule::ByFile, 64, 1), 64, Writes::OnSync, None);
        let mut shared = Shared::default();
        calls.begin(FileOp { flags, ..operation(Operation::Write, 0, length) }, &mut shared, Time::ZERO);
        let several = length > 64;
        let writes = sent(&mut calls);
        assert_eq!(writes.len() as u64, length / 64);
        assert!(writes.iter().all(|(_, (call, _))| (call.flags.sync || call.flags.data_sync) != several));
        for (_, call) in writes {
            assert!(calls.completed.is_empty());
            reply(&mut calls, &call, (64, Status::Done), &mut shared);
        }
        let commits = sent(&mut calls);
        assert_eq!(commits.len(), usize::from(several), "one commit, after all of it");
        for (_, call) in commits {
            assert_eq!(call.0.operation, Operation::Fsync);
            assert!(calls.completed.is_empty());
            reply(&mut calls, &call, (0, Status::Done), &mut shared);
        }
        assert_eq!(calls.completed.len(), 1);
        assert_eq!(calls.completed[0].length, length);
        calls.begin(operation(Operation::Fsync, 0, 0), &mut shared, Time::ZERO);
        assert!(sent(&mut calls).is_empty(), "nothing is left to be committed");
    }
}

#[test]
fn one_part_that_fails_fails_the_whole_and_the_others_are_waited_for() {
    let mut calls = client(Placement::new(Rule::RoundRobin, 64, 2), 64, Writes::OnClose, None);
    let mut shared = Shared::default();
    calls.begin(operation(Operation::Write, 0, 128), &mut shared, Time::ZERO);
    let [(_, first), (_, second)] =
        <[_; 2]>::try_from(sent(&mut calls)).unwrap_or_else(|all| panic!("{all:?}"));
    let failed = Status::Failed(Failure::NoSpace);
    reply(&mut calls, &first, (0, failed), &mut shared);
    assert!(calls.completed.is_empty());
    reply(&mut calls, &second, (64, Status::Done), &mut shared);
    assert_eq!(calls.completed[0].status, failed);
}

#[test]
fn a_hole_is_read_as_zeros_and_beyond_the_end_is_nothing() {
    let mut calls = client(Placement::new(Rule::RoundRobin, 64, 4), 64, Writes::OnSync, None);
    let mut shared = Shared::default();
    // One byte far away: only its server has anything.
    calls.begin(operation(Operation::Write, 255, 1), &mut shared, Time::ZERO);
    answer_all(&mut calls, &mut shared);
    calls.completed.clear();
    calls.begin(operation(Operation::Read, 0, 1_000), &mut shared, Time::ZERO);
    for (host, call) in sent(&mut calls) {
        let found = if host == calls_host_of(255) && call.0.offset == 0 { 64 } else { 0 };
        reply(&mut calls, &call, (found, Status::Done), &mut shared);
    }
    assert_eq!((calls.completed[0].length, calls.completed[0].cut_short), (256, true));
}

/// The host of the server that has a byte by turns of four.
fn calls_host_of(byte: u64) -> u32 {
    Placement::new(Rule::RoundRobin, 64, 4).server(FILE, byte / 64) + 1
}

/// A call at a server, as a client would ask for it.
fn call(operation: Operation, is_part: bool) -> Call {
    let mut calls = client(Placement::new(Rule::ByFile, 64, 1), 64, Writes::OnSync, None);
    calls.begin(self::operation(operation, 0, 8), &mut Shared::default(), Time::ZERO);
    let (_, (call, _)) = sent(&mut calls).pop().unwrap_or_else(|| panic!("nothing is asked"));
    Call { is_part, ..call }
}

/// What a server asks its file system in turn, given how each ends, and how the call ends.
fn serve(call: Call, ends: &[Status]) -> (Vec<Operation>, Option<Status>) {
    serve_settling(false, call, ends)
}

fn serve_settling(settles_names: bool, call: Call, ends: &[Status]) -> (Vec<Operation>, Option<Status>) {
    let mut sessions = Sessions::new();
    let asks = Asks { process: 1, file_system: 0, settles_names };
    sessions.begin(call, asks, (), (Time::ZERO, Time::ZERO, Time::ZERO));
    let (mut asked, mut status) = (Vec::new(), None);
    for end in ends {
        let Some(mut op) = sessions.operations.pop() else { break };
        asked.push(op.operation);
        op.status = *end;
        status = sessions.done(&op, Time::ZERO).map(|(_, _, reply)| reply.outcome.status);
    }
    assert!(sessions.operations.is_empty());
    (asked, status)
}

#[test]
fn a_part_that_is_not_there_is_made_or_is_nothing_and_a_file_is_an_error() {
    use Operation::{Create, Read, Write};
    let missing = Status::Failed(Failure::NotFound);
    let exists = Status::Failed(Failure::Exists);
    let full = Status::Failed(Failure::NoSpace);
    let done = Status::Done;
    let all = [
        (Write, true, vec![missing, done, done], vec![Write, Create, Write], done),
        // Another call has made it meanwhile.
        (Write, true, vec![missing, exists, done], vec![Write, Create, Write], done),
        (Write, true, vec![missing, full], vec![Write, Create], full),
        (Read, true, vec![missing], vec![Read], Status::DoneFromCache),
        (Read, false, vec![missing], vec![Read], missing),
        (Write, false, vec![missing], vec![Write], missing),
        (Write, false, vec![full], vec![Write], full),
    ];
    for (operation, is_part, ends, asked, status) in all {
        assert_eq!(serve(call(operation, is_part), &ends), (asked, Some(status)), "{operation:?} {is_part}");
    }
}

#[test]
fn a_name_is_on_disk_before_its_call_is_answered_where_the_server_promises_that() {
    use Operation::{Create, Fsync, Rename, Stat, Unlink, Write};
    let (done, full) = (Status::Done, Status::Failed(Failure::NoSpace));
    let gone = Status::Failed(Failure::NotFound);
    for operation in [Create, Unlink, Rename, Operation::Truncate] {
        let call = || call(operation, false);
        assert_eq!(serve_settling(true, call(), &[done, done]), (vec![operation, Fsync], Some(done)));
        // Its directory may have gone meanwhile.
        if operation.changes_names() {
            assert_eq!(serve_settling(true, call(), &[done, gone]), (vec![operation, Fsync], Some(done)));
        }
        assert_eq!(serve_settling(true, call(), &[full]), (vec![operation], Some(full)));
        assert_eq!(serve_settling(false, call(), &[done]), (vec![operation], Some(done)));
    }
    for operation in [Stat, Write] {
        assert_eq!(serve_settling(true, call(operation, false), &[done]).0, [operation]);
    }
}

#[test]
fn a_wait_for_a_thread_is_divided_as_what_the_threads_did_and_all_that_a_call_asks_for_counts() {
    let mut sessions = Sessions::new();
    let asks = Asks { process: 1, file_system: 0, settles_names: false };
    let ms = Time::from_millis;
    let mut serve = |(since, taken, ends): (u64, u64, u64), reads: u64| {
        sessions.begin(call(Operation::Read, false), asks, (), (ms(since), ms(taken), ms(taken)));
        let mut op = sessions.operations.pop().expect("something is asked");
        op.status = Status::Done;
        op.ledger.charge(FileCause::Read, ms(reads));
        sessions.done(&op, ms(ends)).expect("it is over").2.outcome
    };
    // Nobody has to wait: eight of ten for the disk.
    let first = serve((0, 0, 10), 8);
    assert_eq!((first.ledger.of(FileCause::Read), first.ledger.of(FileCause::Server)), (ms(8), ms(2)));
    // In memory, after ten behind that one.
    let second = serve((0, 10, 11), 0);
    let (reads, server) = (second.ledger.of(FileCause::Read), second.ledger.of(FileCause::Server));
    // A part of what threads did is the call's own.
    assert!(reads > ms(7) && reads < ms(8) && reads + server == ms(11), "{reads} {server}");
    assert_eq!(second.span, ms(11));
}
