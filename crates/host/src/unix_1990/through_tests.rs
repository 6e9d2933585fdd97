//! How many writes to the disk a call of an NFS server is, against what `rwip` of SunOS 4 and Juszczak (1994) say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::call::{Event, Job, Next};
use super::state::Host;
use super::{UnixFile, UnixFileSystem, UnixParameters};
use petrio_colours::{AccessFlags, Direction, FileId, FileOp, Operation, Purpose, RequestId, Status};
use petrio_kernel::Time;

const BLOCK: u64 = 8 << 10;
const FILE: FileId = FileId(7);
const SERVER: u32 = 99;

/// A host that is a server, with one file of so many bytes.
fn host(size: u64) -> Host {
    let file = UnixFile { file: FILE, present: true, size, ..UnixFile::default() };
    let files = [file];
    let file_system = UnixFileSystem { name: "files", device_blocks: 1 << 20, files: &files, over: None };
    let mut host = Host::new(&UnixParameters::default(), &[file_system]).unwrap();
    host.serves(SERVER..SERVER + 1);
    host
}

fn asked(operation: Operation, offset: u64, length: u64) -> FileOp {
    let flags = AccessFlags { sync: operation == Operation::Write, ..AccessFlags::default() };
    let file = if operation == Operation::Create { FileId(8) } else { FILE };
    FileOp { process: SERVER, operation, file, parent: FileId(2), offset, length, flags, ..FileOp::default() }
}

/// Carries out a call as the only one: of each round trip to the disk what was sent together, `data` or `metadata`, and its bytes.
fn rounds(host: &mut Host, op: FileOp) -> Vec<Vec<(&'static str, u64)>> {
    let mut job = Job::new(op, Time::ZERO);
    let mut rounds = Vec::new();
    for step in 1.. {
        let next = host.advance(&mut job, Time::from_millis(step));
        host.events.clear();
        let sent = std::mem::take(&mut host.in_flight.outbox);
        if next == Next::Return {
            assert!(sent.is_empty(), "what returns leaves nothing behind: {sent:?}");
            break;
        }
        let words = sent.iter().map(|(_, request)| {
            assert_eq!(request.direction, Direction::Write);
            assert!(request.synchronous);
            let is_metadata = request.purposes == Purpose::Metadata.into();
            (if is_metadata { "metadata" } else { "data" }, request.bytes())
        });
        rounds.push(words.collect());
        sent.iter().for_each(|(volume, request)| {
            assert!(host.complete(*volume, request, Time::from_millis(step)));
        });
    }
    assert_ne!(job.op.status, Status::Failed(petrio_colours::Failure::NoSpace));
    rounds
}

/// Reads what is there, so that it is in the buffers.
fn read(host: &mut Host, offset: u64, length: u64) {
    let mut job = Job::new(asked(Operation::Read, offset, length), Time::ZERO);
    while host.advance(&mut job, Time::ZERO) != Next::Return {
        for (volume, request) in std::mem::take(&mut host.in_flight.outbox) {
            assert!(host.complete(volume, &request, Time::ZERO));
        }
    }
    host.events.clear();
}

#[test]
fn a_write_in_place_is_one_write_to_the_disk() {
    let mut host = host(10 * BLOCK);
    assert_eq!(rounds(&mut host, asked(Operation::Write, 2 * BLOCK, BLOCK)), [[("data", BLOCK)]]);
    read(&mut host, 3 * BLOCK, BLOCK);
    let part = rounds(&mut host, asked(Operation::Write, 3 * BLOCK, 100));
    assert_eq!(part, [[("data", BLOCK)]], "all of the block that is written in part");
}

#[test]
fn one_that_makes_a_file_longer_is_two_its_inode_after_its_data() {
    let mut host = host(0);
    let first = rounds(&mut host, asked(Operation::Write, 0, BLOCK));
    assert_eq!(first, [[("data", BLOCK)], [("metadata", 1 << 10)]]);
    let within = rounds(&mut host, asked(Operation::Write, BLOCK, 100));
    assert_eq!(within, [[("data", 1 << 10)], [("metadata", 1 << 10)]], "a fragment");
    let again = rounds(&mut host, asked(Operation::Write, BLOCK + 100, 100));
    assert_eq!(again, [[("data", 1 << 10)], [("metadata", 1 << 10)]], "in a block that it has");
    let twice = rounds(&mut host, asked(Operation::Write, BLOCK + 100, 100));
    assert_eq!(twice, [[("data", 1 << 10)]], "and in place");
}

#[test]
fn one_of_a_new_block_behind_the_twelfth_is_three() {
    let mut host = host(11 * BLOCK);
    let twelfth = rounds(&mut host, asked(Operation::Write, 11 * BLOCK, BLOCK));
    assert_eq!(twelfth, [[("data", BLOCK)], [("metadata", 1 << 10)]]);
    let indirect = [[("metadata", BLOCK)], [("data", BLOCK)], [("metadata", 1 << 10)]];
    assert_eq!(rounds(&mut host, asked(Operation::Write, 12 * BLOCK, BLOCK)), indirect);
    assert_eq!(rounds(&mut host, asked(Operation::Write, 13 * BLOCK, BLOCK)), indirect);
    assert_eq!(rounds(&mut host, asked(Operation::Write, 12 * BLOCK, BLOCK)), [[("data", BLOCK)]]);
}

#[test]
fn sixty_four_kib_of_eight_writes_are_sixteen_and_behind_the_twelfth_block_twenty_four() {
    for (first, expected) in [(0, 16), (12, 24)] {
        let mut host = host(first * BLOCK);
        let each =
            (0..8).map(|block| rounds(&mut host, asked(Operation::Write, (first + block) * BLOCK, BLOCK)));
        assert_eq!(each.flatten().flatten().count(), expected);
    }
}

#[test]
fn creating_and_removing_are_two_writes_each_the_directory_and_the_inode() {
    let mut host = host(3 * BLOCK);
    for operation in [Operation::Create, Operation::Unlink] {
        let writes: Vec<_> = rounds(&mut host, asked(operation, 0, 0)).concat();
        assert_eq!(writes, [("metadata", 1 << 10); 2], "{operation:?}");
    }
}

#[test]
fn what_a_server_has_made_is_open_nowhere_so_that_removing_it_gives_its_blocks_back() {
    let mut host = host(0);
    let free = |host: &mut Host| {
        let mut probe = host.clone();
        rounds(&mut probe, FileOp { file: FileId(9), ..asked(Operation::Create, 0, 0) });
        rounds(&mut probe, FileOp { file: FileId(9), ..asked(Operation::Write, 0, BLOCK) });
        let file = super::buffer_cache::VolumeFile::new(0, FileId(9));
        probe.files(file).place(FileId(9), 0).unwrap().0
    };
    let before = free(&mut host);
    rounds(&mut host, FileOp { file: FileId(8), ..asked(Operation::Create, 0, 0) });
    for block in 0..14 {
        rounds(&mut host, FileOp { file: FileId(8), ..asked(Operation::Write, block * BLOCK, BLOCK) });
    }
    assert_ne!(free(&mut host), before);
    rounds(&mut host, FileOp { file: FileId(8), ..asked(Operation::Unlink, 0, 0) });
    assert_eq!(free(&mut host), before);
}

#[test]
fn two_writes_of_one_file_come_one_after_the_other_and_of_two_files_together() {
    let mut host = host(10 * BLOCK);
    let begin = |host: &mut Host, id: u64, op: FileOp| {
        let mut job = Job::new(FileOp { id: RequestId(id), ..op }, Time::ZERO);
        let next = host.advance(&mut job, Time::ZERO);
        (job, next, std::mem::take(&mut host.in_flight.outbox))
    };
    let (mut first, _, sent) = begin(&mut host, 1, asked(Operation::Write, 0, BLOCK));
    let (mut second, next, none) = begin(&mut host, 2, asked(Operation::Write, BLOCK, BLOCK));
    assert!(matches!(next, Next::Wait(Event::Unlocked(_))) && none.is_empty());
    let other = FileOp { file: FileId(9), ..asked(Operation::Write, 0, BLOCK) };
    assert_eq!(begin(&mut host, 3, other).2.len(), 1, "another file");
    assert!(host.complete(0, &sent[0].1, Time::ZERO));
    assert_eq!(host.advance(&mut first, Time::ZERO), Next::Return);
    assert!(host.events.iter().any(|event| matches!(event, Event::Unlocked(_))), "who waits hears of it");
    assert!(matches!(host.advance(&mut second, Time::ZERO), Next::Wait(Event::Block(_))));
}
