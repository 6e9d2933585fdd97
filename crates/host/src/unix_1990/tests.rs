//! What a Unix host of 1990 asks of its disk, operation by operation, and that everything that is asked for ends.

#![allow(clippy::unwrap_used)]
use super::buffer_cache::VolumeFile;
use super::call::{Event, Job, Next};
use super::state::Host;
use super::*;
use petrio_colours::{AccessFlags, BlockRequest, Direction, FileId, FileOp, Operation, RequestId, Status};
use petrio_device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::{Blocks, Bytes};
use proptest::prelude::*;

const BLOCK: u64 = 8 << 10;
const FILE: FileId = FileId(7);
/// The process of a server.
const SERVER: u32 = 99;

fn parameters() -> UnixParameters {
    UnixParameters { metadata: false, ..UnixParameters::default() }
}

/// A host with one file of ten blocks.
fn host(parameters: &UnixParameters) -> Host {
    let file = UnixFile { file: FILE, present: true, size: 10 * BLOCK, ..UnixFile::default() };
    Host::new(parameters, &[file_system("files", &[file])]).unwrap()
}

fn file_system<'a>(name: &'a str, files: &'a [UnixFile]) -> UnixFileSystem<'a> {
    UnixFileSystem { name, device_blocks: 1 << 20, files, over: None }
}

/// A host with so many file systems, each with one file of ten blocks, which has the same number on all.
fn host_of(parameters: &UnixParameters, file_systems: usize) -> Host {
    let file = UnixFile { file: FILE, present: true, size: 10 * BLOCK, ..UnixFile::default() };
    let files = [file];
    Host::new(parameters, &vec![file_system("files", &files); file_systems]).unwrap()
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
    sent_to(host).into_iter().map(|(_, request)| request).collect()
}

/// The requests that were sent, each with its file system's number.
fn sent_to(host: &mut Host) -> Vec<(u32, BlockRequest)> {
    std::mem::take(&mut host.in_flight.outbox)
}

/// Begins a call on a file system; what comes next, and the requests that it sent.
fn begin_on(
    host: &mut Host,
    file_system: u32,
    op: FileOp,
    at: Time,
) -> (Job, Next, Vec<(u32, BlockRequest)>) {
    let mut job = Job::new(FileOp { file_system, ..op }, at);
    let next = host.advance(&mut job, at);
    (job, next, sent_to(host))
}

/// Everything that was sent comes back.
fn settle(host: &mut Host, sent: &[(u32, BlockRequest)], at: Time) {
    for (file_system, request) in sent {
        assert!(host.complete(*file_system, request, at));
    }
    host.events.clear();
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
    assert!(host.complete(0, &requests[0], Time::ZERO));
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
        assert!(host.complete(0, &BlockRequest { tag: 0, ..BlockRequest::default() }, Time::ZERO));
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
    assert_eq!(next, Next::Wait(Event::Written(VolumeFile::new(0, FILE))));
    assert!(host.complete(
        0,
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
    assert!(matches!(next, Next::Wait(Event::Metadata(_))));
    assert_eq!(sent_now, [(Direction::Write, 1), (Direction::Write, 1)]);
}

#[test]
fn what_one_file_system_has_in_memory_the_others_have_not() {
    let parameters = UnixParameters { read_ahead: false, ..parameters() };
    let mut host = host_of(&parameters, 3);
    let read = op(Operation::Read, 0, 100);
    for file_system in [0, 2] {
        let (mut job, next, asked) = begin_on(&mut host, file_system, read.clone(), seconds(1));
        assert!(matches!(next, Next::Wait(Event::Block(_))), "the file has the same number on each");
        assert_eq!(asked.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [file_system]);
        settle(&mut host, &asked, seconds(2));
        assert_eq!(host.advance(&mut job, seconds(2)), Next::Return);
    }
    for (file_system, misses) in [(0, 0), (1, 1), (2, 0)] {
        let (_, _, asked) = begin_on(&mut host, file_system, read.clone(), seconds(3));
        assert_eq!(asked.len(), misses, "{file_system}");
    }
}

#[test]
fn a_reader_of_one_file_system_takes_the_buffers_of_another() {
    // Eight buffers: what one file system reads leaves as many to the other as it doesn't need.
    let small = UnixParameters { memory: Bytes(80 * BLOCK), read_ahead: false, ..parameters() };
    let kept = |read_of_other: u64| {
        let mut host = host_of(&small, 2);
        for (file_system, blocks) in [(0, 4), (1, read_of_other)] {
            for block in 0..blocks {
                let (_, _, asked) =
                    begin_on(&mut host, file_system, op(Operation::Read, block * BLOCK, 1), seconds(1));
                settle(&mut host, &asked, seconds(1));
            }
        }
        // From the newest on, so that a miss takes no buffer of what is still to be looked for.
        let hit = |block: &u64| {
            let read = op(Operation::Read, block * BLOCK, 1);
            begin_on(&mut host, 0, read, seconds(2)).2.is_empty()
        };
        (0..4).rev().filter(hit).count()
    };
    assert_eq!([0, 4, 6, 8, 10].map(kept), [4, 4, 2, 0, 0]);
}

#[test]
fn sync_and_its_daemon_write_what_all_file_systems_have_delayed_and_fsync_one_file() {
    let delayed = op(Operation::Write, 10 * BLOCK, 100);
    let devices = |sent: &[(u32, BlockRequest)]| sent.iter().map(|(to, _)| *to).collect::<Vec<_>>();
    let written = || {
        let mut host = host_of(&parameters(), 3);
        for file_system in [2, 0, 1] {
            let (_, next, asked) = begin_on(&mut host, file_system, delayed.clone(), seconds(1));
            assert_eq!((next, asked), (Next::Return, Vec::new()));
        }
        host
    };
    let mut host = written();
    let (mut fsync, next, asked) = begin_on(&mut host, 1, op(Operation::Fsync, 0, 0), seconds(2));
    assert_eq!(devices(&asked), [1], "a file of the same number on the others isn't it");
    assert_eq!(next, Next::Wait(Event::Written(VolumeFile::new(1, FILE))));
    settle(&mut host, &asked, seconds(3));
    assert_eq!(host.advance(&mut fsync, seconds(3)), Next::Return);

    let mut host = written();
    let (mut sync, next, asked) = begin_on(&mut host, 1, op(Operation::Sync, 0, 0), seconds(2));
    assert_eq!((next, devices(&asked)), (Next::Wait(Event::AllWritten), vec![2, 0, 1]), "the oldest first");
    settle(&mut host, &asked[..2], seconds(3));
    assert_eq!(host.advance(&mut sync, seconds(3)), Next::Wait(Event::AllWritten), "and for each of them");
    settle(&mut host, &asked[2..], seconds(4));
    assert_eq!(host.advance(&mut sync, seconds(4)), Next::Return);

    let mut host = written();
    host.sync_daemon(seconds(60));
    assert_eq!(devices(&sent_to(&mut host)), [2, 0, 1]);
}

#[test]
fn each_file_system_has_groups_and_inodes_of_its_own() {
    // Alike file systems place alike files alike, and what one is full of the other has room for.
    let with = UnixParameters { cylinder_group: Bytes(16 * BLOCK), ..UnixParameters::default() };
    let little = UnixFileSystem { name: "little", device_blocks: 16 * (BLOCK / 512), files: &[], over: None };
    let mut host = Host::new(&with, &[little, file_system("large", &[])]).unwrap();
    let create = op(Operation::Create, 0, 0);
    let inodes: Vec<(u32, u64)> = (0..2)
        .flat_map(|file_system| begin_on(&mut host, file_system, create.clone(), seconds(1)).2)
        .map(|(to, request)| (to, request.address))
        .collect();
    assert_eq!(inodes.len(), 4, "{inodes:?}");
    assert_eq!(inodes[..2].iter().map(|(_, at)| *at).collect::<Vec<_>>(), {
        inodes[2..].iter().map(|(_, at)| *at).collect::<Vec<_>>()
    });
    assert_eq!(inodes.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [0, 0, 1, 1]);
    // Fifteen blocks of one group of sixteen hold files.
    let fill = op(Operation::Write, 0, 16 * BLOCK);
    let (little, _, _) = begin_on(&mut host, 0, fill.clone(), seconds(2));
    let (large, _, _) = begin_on(&mut host, 1, fill, seconds(2));
    assert_eq!(little.failure.map(petrio_colours::Failure::errno), Some("ENOSPC"));
    assert_eq!(large.failure, None);
}

#[test]
fn a_file_system_that_is_none_has_no_files_and_a_request_comes_back_from_where_it_went() {
    let mut host = host_of(&parameters(), 2);
    let (job, next, asked) = begin_on(&mut host, 2, op(Operation::Read, 0, 1), seconds(1));
    assert_eq!((next, asked), (Next::Return, Vec::new()));
    assert_eq!(job.failure.map(petrio_colours::Failure::errno), Some("ENOENT"));
    let (_, _, asked) = begin_on(&mut host, 1, op(Operation::Read, 5 * BLOCK, 1), seconds(1));
    assert!(!host.complete(0, &asked[0].1, seconds(2)), "from another device");
    assert!(host.complete(1, &asked[0].1, seconds(2)));
    assert!(!host.complete(1, &asked[0].1, seconds(2)), "and once");
}

#[test]
fn of_several_file_systems_the_one_is_named_that_is_too_small() {
    let none = UnixFileSystem { name: "tmp", device_blocks: 100, files: &[], over: None };
    let error = Host::new(&parameters(), &[file_system("root", &[]), none]).unwrap_err();
    assert!(error.to_string().starts_with("of its file system \"tmp\": the files need more"), "{error}");
    let error = Host::new(&parameters(), &[none]).unwrap_err();
    assert!(error.to_string().starts_with("the files need more"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_asked_for_ends(
        ops in proptest::collection::vec((0u8..10, 0u32..3, 1u32..4, 0u64..200_000, 1u64..40_000), 1..60),
        buffers in 4u64..20,
        file_systems in 1u32..4,
    ) {
        let parameters = UnixParameters { memory: Bytes(buffers * 10 * BLOCK), ..UnixParameters::default() };
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (operations, completions) = (page.fifo("operations"), page.fifo("completions"));
        let ports = UnixPorts { operations, completions, servers: vec![std::ops::Range { start: SERVER, end: SERVER + 1 }] };
        let device = ConstantRateParameters {
            name: "disk".to_owned(),
            source: "made up".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            blocks: Blocks(1 << 20),
            latency: "5 ms".parse().unwrap(),
            part: None,
            rate: None,
            write_cache: false,
            flush: None,
        };
        let files: Vec<UnixFile> = (1..4)
            .map(|file| UnixFile { file: FileId(file), present: true, size: 100_000, ..UnixFile::default() })
            .collect();
        let names = ["a", "b", "c"];
        let volumes: Vec<UnixVolume<'_>> = names[..file_systems as usize].iter().map(|name| {
            let requests = page.fifo(&format!("requests-{name}"));
            let request_completions = page.fifo(&format!("back-{name}"));
            constant_rate_page(&mut page, &format!("disk-{name}"), &device, requests, request_completions);
            UnixVolume { file_system: file_system(name, &files), requests, request_completions }
        }).collect();
        unix_1990_page(&mut page, "host", &parameters, &volumes, (ports, None)).unwrap();
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        let count = ops.len();
        for (number, (kind, on, file, offset, length)) in ops.into_iter().enumerate() {
            let operation = [
                Operation::Read, Operation::Write, Operation::Fsync, Operation::Unlink, Operation::Create,
                Operation::Truncate, Operation::Sync, Operation::Close, Operation::Write, Operation::Create,
            ][kind as usize];
            let asks = kind > 7;
            let op = FileOp {
                id: RequestId(number as u64),
                operation,
                process: if asks { SERVER } else { 0 },
                flags: AccessFlags { sync: asks, ..AccessFlags::default() },
                file_system: on % file_systems,
                file: FileId(file),
                offset,
                length,
                issued: Time::from_millis(number as u64),
                ..FileOp::default()
            };
            run.inject(operations, op, Time::from_millis(number as u64)).unwrap();
        }
        run.run_until(Time::from_millis(600_000)).unwrap();
        let done: Vec<FileOp> = run.drain(completions).collect();
        prop_assert_eq!(done.len(), count);
        for op in done {
            prop_assert!(op.status == Status::Done || op.status == Status::DoneFromCache);
        }
        run.check_conservation().unwrap();
    }
}
