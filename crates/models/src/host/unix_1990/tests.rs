//! What a Unix host of 1990 asks of its disk, operation by operation, and that everything that is asked for ends.

#![allow(clippy::unwrap_used)]
use super::call::{Event, Job, Next};
use super::state::Host;
use super::*;
use crate::device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_colours::{AccessFlags, BlockRequest, Direction, FileId, FileOp, Operation, RequestId, Status};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::{Blocks, Bytes};
use proptest::prelude::*;

const BLOCK: u64 = 8 << 10;
const FILE: FileId = FileId(7);

fn parameters() -> UnixParameters {
    UnixParameters { metadata: false, ..UnixParameters::default() }
}

/// A host with one file of ten blocks.
fn host(parameters: &UnixParameters) -> Host {
    let file = UnixFile { file: FILE, present: true, size: 10 * BLOCK, ..UnixFile::default() };
    Host::new(parameters, 1 << 20, &[file]).unwrap()
}

fn op(operation: Operation, offset: u64, length: u64) -> FileOp {
    FileOp { operation, file: FILE, offset, length, ..FileOp::default() }
}

/// Begins a call; what comes next, and the requests that it sent: direction and length in KiB.
fn begin(host: &mut Host, op: FileOp, at: Time) -> (Job, Next, Vec<(Direction, u64)>) {
    let mut job = Job::new(op, at);
    let next = host.advance(&mut job, at);
    let sent = sent(host).iter().map(|request| (request.direction, request.bytes() >> 10)).collect();
    (job, next, sent)
}

fn sent(host: &mut Host) -> Vec<BlockRequest> {
    std::mem::take(&mut host.outbox)
}

fn seconds(count: u64) -> Time {
    Time::from_millis(count * 1_000)
}

#[test]
fn a_block_written_to_its_end_goes_out_at_once_and_a_shorter_write_with_the_daemon() {
    let mut host = host(&parameters());
    let (_, next, sent_now) = begin(&mut host, op(Operation::Write, 0, 2 * BLOCK + 100), seconds(1));
    assert!(matches!(next, Next::Wait(Event::Block(_))), "for the block that is written in part");
    assert_eq!(sent_now[..2], [(Direction::Write, 8), (Direction::Write, 8)]);
    assert_eq!(sent_now[2..], [(Direction::Read, 8)], "of which the rest has to be kept");
    let mut host = self::host(&parameters());
    let (_, next, sent_now) = begin(&mut host, op(Operation::Write, 10 * BLOCK, 100), seconds(1));
    assert_eq!((next, sent_now), (Next::Return, Vec::new()), "a new block is not read");
    let (_, _, again) = begin(&mut host, op(Operation::Write, 10 * BLOCK + 100, 100), seconds(2));
    assert!(again.is_empty(), "combined");
    host.sync_daemon(seconds(30));
    assert!(sent(&mut host).is_empty(), "delayed for 29 s");
    host.sync_daemon(seconds(60));
    let late = sent(&mut host);
    assert_eq!(late.len(), 1);
    assert_eq!((late[0].direction, late[0].bytes()), (Direction::Write, 1 << 10), "one fragment");
}

#[test]
fn of_a_deleted_file_nothing_is_written_any_more() {
    let mut host = host(&parameters());
    begin(&mut host, op(Operation::Write, 10 * BLOCK, 100), seconds(1));
    begin(&mut host, op(Operation::Unlink, 0, 0), seconds(2));
    host.sync_daemon(seconds(60));
    assert!(sent(&mut host).is_empty());
}

#[test]
fn a_file_without_a_name_lives_until_its_last_close() {
    let mut host = host(&parameters());
    begin(&mut host, op(Operation::Open, 0, 0), seconds(1));
    begin(&mut host, op(Operation::Unlink, 0, 0), seconds(2));
    let (_, next, _) = begin(&mut host, op(Operation::Read, 0, 100), seconds(3));
    assert!(matches!(next, Next::Wait(_)), "it can still be read");
    begin(&mut host, op(Operation::Close, 0, 0), seconds(4));
    let (_, next, _) = begin(&mut host, op(Operation::Read, BLOCK, 100), seconds(5));
    assert_eq!(next, Next::Return, "nothing is left to be read");
}

#[test]
fn a_sequential_reader_has_two_reads_in_progress_and_another_one() {
    let mut host = host(&parameters());
    let (mut job, next, sent_now) = begin(&mut host, op(Operation::Read, 0, BLOCK), seconds(1));
    assert_eq!(sent_now, [(Direction::Read, 8), (Direction::Read, 8)]);
    assert!(matches!(next, Next::Wait(Event::Block(_))));
    let requests: Vec<BlockRequest> = (0..2u64)
        .map(|tag| BlockRequest { tag, direction: Direction::Read, ..BlockRequest::default() })
        .collect();
    assert!(host.complete(&requests[0], Time::ZERO));
    assert_eq!(host.advance(&mut job, seconds(2)), Next::Return);
    // Not in sequence: block 5, and nothing else.
    let (_, _, jump) = begin(&mut host, op(Operation::Read, 5 * BLOCK, 100), seconds(3));
    assert_eq!(jump, [(Direction::Read, 8)]);
}

#[test]
fn recorded_misses_are_read_each_time() {
    let missed = UnixParameters { reads: RecordedReads::Missed, read_ahead: false, ..parameters() };
    for (parameters, again) in [(parameters(), 0), (missed, 1)] {
        let parameters = UnixParameters { read_ahead: false, ..parameters };
        let mut host = host(&parameters);
        let (mut job, _, _) = begin(&mut host, op(Operation::Read, 0, 100), seconds(1));
        assert!(host.complete(&BlockRequest { tag: 0, ..BlockRequest::default() }, Time::ZERO));
        assert_eq!(host.advance(&mut job, seconds(2)), Next::Return);
        let (_, _, sent_now) = begin(&mut host, op(Operation::Read, 0, 100), seconds(3));
        assert_eq!(sent_now.len(), again);
    }
}

#[test]
fn a_full_cache_writes_its_oldest_delayed_block_before_it_is_used_again() {
    let small = UnixParameters { memory: Bytes(40 * BLOCK), ..parameters() };
    let mut host = host(&small);
    // Four buffers, each with a delayed write.
    for number in 0..4u64 {
        begin(&mut host, op(Operation::Write, (10 + number) * BLOCK, BLOCK - 1), seconds(number));
    }
    let (_, next, sent_now) = begin(&mut host, op(Operation::Write, 14 * BLOCK, 1), seconds(5));
    assert_eq!(next, Next::Wait(Event::Room));
    assert_eq!(sent_now.len(), 4, "all of them are old: none can be had before it is written");
}

#[test]
fn a_synchronous_write_waits_for_the_disk() {
    let mut host = host(&parameters());
    let sync = FileOp {
        flags: AccessFlags { sync: true, ..AccessFlags::default() },
        ..op(Operation::Write, 0, BLOCK)
    };
    let (mut job, next, _) = begin(&mut host, sync, seconds(1));
    assert_eq!(next, Next::Wait(Event::Written(FILE)));
    assert!(host.complete(
        &BlockRequest { tag: 0, direction: Direction::Write, ..BlockRequest::default() },
        Time::ZERO
    ));
    assert_eq!(host.advance(&mut job, seconds(2)), Next::Return);
}

#[test]
fn directories_and_inodes_are_written_synchronously_where_they_are_at_all() {
    let with = UnixParameters::default();
    let mut host = host(&with);
    let create = FileOp { file: FileId(9), ..op(Operation::Create, 0, 0) };
    let (_, next, sent_now) = begin(&mut host, create, seconds(1));
    assert_eq!(next, Next::Wait(Event::Metadata(RequestId(0))));
    assert_eq!(sent_now, [(Direction::Write, 1), (Direction::Write, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_asked_for_ends(
        ops in proptest::collection::vec((0u8..8, 1u32..4, 0u64..200_000, 1u64..40_000), 1..60),
        buffers in 4u64..20,
    ) {
        let parameters = UnixParameters { memory: Bytes(buffers * 10 * BLOCK), ..UnixParameters::default() };
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let ports = UnixPorts {
            operations: page.fifo("operations"),
            completions: page.fifo("completions"),
            requests: page.fifo("requests"),
            request_completions: page.fifo("back"),
        };
        let device = ConstantRateParameters {
            name: "disk".to_owned(),
            source: "made up".to_owned(),
            blocks: Blocks(1 << 20),
            latency: "5 ms".parse().unwrap(),
            part: None,
            rate: None,
            write_cache: false,
            flush: None,
        };
        constant_rate_page(&mut page, "disk", &device, ports.requests, ports.request_completions);
        let files: Vec<UnixFile> = (1..4)
            .map(|file| UnixFile { file: FileId(file), present: true, size: 100_000, ..UnixFile::default() })
            .collect();
        unix_1990_page(&mut page, "host", &parameters, (1 << 20, &files), ports).unwrap();
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        let count = ops.len();
        for (number, (kind, file, offset, length)) in ops.into_iter().enumerate() {
            let operation = [
                Operation::Read, Operation::Write, Operation::Fsync, Operation::Unlink, Operation::Create,
                Operation::Truncate, Operation::Sync, Operation::Close,
            ][kind as usize];
            let op = FileOp {
                id: RequestId(number as u64),
                operation,
                file: FileId(file),
                offset,
                length,
                issued: Time::from_millis(number as u64),
                ..FileOp::default()
            };
            run.inject(ports.operations, op, Time::from_millis(number as u64)).unwrap();
        }
        run.run_until(Time::from_millis(600_000)).unwrap();
        let done: Vec<FileOp> = run.drain(ports.completions).collect();
        prop_assert_eq!(done.len(), count);
        for op in done {
            prop_assert!(op.status == Status::Done || op.status == Status::DoneFromCache);
        }
        run.check_conservation().unwrap();
    }
}
