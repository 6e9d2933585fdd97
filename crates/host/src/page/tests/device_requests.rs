//! What reaches the device, operation by operation: Linux 6.18 on a loop device (write cache, no FUA), ext3 of 1 GiB made by mke2fs
//! 1.47, observed with the block layer's tracepoints, eight times each.

use super::rig::{DIRECTORY, Rig, access, file, host, host_with, op};
use crate::file_system::{Family, JournalMode};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;
use petrio_units::Bytes;

const KIB: u64 = 1024;

/// What an operation sends to the device, after everything before it has settled.
fn requests(mode: JournalMode, before: &[FileOp], ops: &[FileOp]) -> String {
    let files = [file(2, 16 * KIB, true), file(3, 1 << 20, true), file(4, 64 << 20, false), file(5, 0, true)];
    let mut rig = Rig::new(Family::Ext3, mode, &host(), &files);
    for op in before {
        rig.does(op);
    }
    // As when it was observed: bitmaps are in memory, the log isn't empty, and new inodes don't share the directory's block.
    for number in 100..120 {
        rig.does(&op(Operation::Create, number));
        rig.does(&access(Operation::Write, number, 0, 4 * KIB));
    }
    rig.does(&op(Operation::Sync, 5));
    rig.rests(Time::from_millis(60_000));
    rig.requests();
    for op in ops {
        rig.does(op);
    }
    rig.requests()
}

fn append() -> FileOp {
    access(Operation::Write, 2, 16 * KIB, 4 * KIB)
}

fn overwrite() -> FileOp {
    access(Operation::Write, 3, 400 * KIB, 4 * KIB)
}

const MODES: [JournalMode; 3] = [JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal];

/// The same operations in all three modes against what was observed.
fn observed(ops: &[FileOp], expected: [&str; 3]) {
    for (mode, expected) in MODES.into_iter().zip(expected) {
        assert_eq!(requests(mode, &[], ops), expected, "{mode:?}");
    }
}

const APPENDED: &str = "W4D W16J F W4J F";

#[test]
fn an_append_and_its_fsync() {
    observed(&[append(), op(Operation::Fsync, 2)], [APPENDED, APPENDED, "W20J F W4J F W4D F"]);
    observed(&[append(), op(Operation::Fdatasync, 2)], [APPENDED, APPENDED, "W20J F W4J F W4D F"]);
}

#[test]
fn an_append_of_sixteen_blocks_to_an_empty_file_needs_the_indirect_block() {
    let first = access(Operation::Write, 6, 0, 64 * KIB);
    let all = "W64D W20J F W4J F";
    for (mode, expected) in MODES.into_iter().zip([all, all, "W84J F W4J F W64D F"]) {
        let before = [op(Operation::Create, 6)];
        assert_eq!(requests(mode, &before, &[first.clone(), op(Operation::Fsync, 6)]), expected, "{mode:?}");
    }
}

/// From 16 KiB on: twelve blocks are direct, the thirteenth begins at 48 KiB of the append, and the allocator begins anew at 64 KiB.
#[test]
fn an_append_across_the_first_indirect_block_reads_nothing() {
    let append = access(Operation::Write, 2, 16 * KIB, 64 * KIB);
    // Another file has brought the bitmap of the group into memory in which blocks of large files are sought.
    let before =
        [op(Operation::Create, 6), access(Operation::Write, 6, 0, 256 * KIB), op(Operation::Fsync, 6)];
    let found = requests(JournalMode::Ordered, &before, &[append, op(Operation::Fsync, 2)]);
    assert!(!found.contains('R') && found.ends_with("J F W4J F"), "{found}");
}

#[test]
fn an_overwrite_and_its_fsync_log_the_inode() {
    let logged = "W4D W8J F W4J F";
    observed(&[overwrite(), op(Operation::Fsync, 3)], [logged, logged, "W12J F W4J F W4D F"]);
}

#[test]
fn an_overwrite_and_its_fdatasync_need_no_commit_unless_data_are_logged() {
    observed(&[overwrite(), op(Operation::Fdatasync, 3)], ["W4D F", "W4D F", "W12J F W4J F W4D F"]);
    let large = access(Operation::Write, 3, 256 * KIB, 64 * KIB);
    observed(&[large, op(Operation::Fdatasync, 3)], ["W64D F", "W64D F", "W72J F W4J F W64D F"]);
}

#[test]
fn synchronous_writes_are_followed_by_their_sync() {
    let mut write = overwrite();
    write.flags.sync = true;
    let logged = "W4D W8J F W4J F";
    observed(&[write.clone()], [logged, logged, "W12J F W4J F W4D F"]);
    write.flags = Default::default();
    write.flags.data_sync = true;
    observed(&[write], ["W4D F", "W4D F", "W12J F W4J F W4D F"]);
}

/// A direct write changes the modification time, which fsync commits and fdatasync doesn't; where data go through the journal it goes
/// through the cache, too.
#[test]
fn a_direct_overwrite_and_its_sync() {
    let mut write = overwrite();
    write.flags.direct = true;
    let logged = "W4D W8J F W4J F";
    let through_cache = "W12J F W4J F W4D F";
    observed(&[write.clone(), op(Operation::Fsync, 3)], [logged, logged, through_cache]);
    observed(&[write, op(Operation::Fdatasync, 3)], ["W4D F", "W4D F", through_cache]);
}

#[test]
fn names_are_committed_with_bitmaps_inodes_and_directory() {
    observed(&[op(Operation::Create, 7), op(Operation::Fsync, 7)], ["W24J F W4J F"; 3]);
    let mut sync = op(Operation::Fsync, 7);
    sync.file = DIRECTORY;
    observed(&[op(Operation::Mkdir, 7), sync.clone()], ["W32J F W4J F"; 3]);
    observed(&[op(Operation::Rename, 119), sync.clone()], ["W16J F W4J F"; 3]);
    observed(&[op(Operation::Unlink, 119), sync], ["W32J F W4J F"; 3]);
}

#[test]
fn a_new_file_with_a_block() {
    let ops = [op(Operation::Create, 7), access(Operation::Write, 7, 0, 4 * KIB), op(Operation::Fsync, 7)];
    let all = "W4D W28J F W4J F";
    observed(&ops, [all, all, "W32J F W4J F W4D F"]);
}

#[test]
fn a_sync_of_nothing_flushes_the_write_cache() {
    observed(&[op(Operation::Fsync, 3)], ["F"; 3]);
}

#[test]
fn cold_reads_bring_what_read_ahead_decides() {
    observed(&[access(Operation::Read, 4, 0, 4 * KIB)], ["R16D"; 3]);
    let random: Vec<FileOp> =
        [9, 3, 12].map(|mib: u64| access(Operation::Read, 4, mib << 20, 4 * KIB)).into_iter().collect();
    // Each is the first beyond its indirect block.
    assert!(requests(JournalMode::Ordered, &[], &random).matches("R4D").count() >= 3);
}

/// What reading a file of 64 KiB that isn't in memory from its beginning sends, in calls of so many KiB and then of 10 KiB, as tar does, with a
/// window of read-ahead of at most 2 MiB.
fn read_through(kernel: &str, family: Family, first: u64) -> String {
    let mut host = host_with(kernel);
    host.kernel.read_ahead.max = Bytes::from_mib(2);
    let mut rig = Rig::new(family, JournalMode::Ordered, &host, &[file(2, 64 * KIB, false)]);
    let mut at = 0;
    while at < 64 * KIB {
        let length = if at == 0 { first * KIB } else { (10 * KIB).min(64 * KIB - at) };
        rig.does(&access(Operation::Read, 2, at, length));
        at += length;
    }
    rig.requests()
}

const LINUX_2_6_24: &str = include_str!("../../../../../catalogue/kernels/linux-2.6.24.toml");
const LINUX_6_12: &str = include_str!("../../../../../catalogue/kernels/linux-6.12.toml");
const LINUX_6_18: &str = include_str!("../../../../../catalogue/kernels/linux-6.18.toml");

/// Four blocks lie behind the indirect one. A folio that is a map of its own is sent before; what begins with other folios, or is in single
/// pages, waits for it, and goes as one request with what lies behind. All three observed with a tar of 150 files.
#[test]
fn data_before_an_indirect_block_are_sent_before_it_where_they_are_a_folio() {
    assert_eq!(read_through(LINUX_6_18, Family::Ext3, 7), "R32D R16D R4D R16D");
    assert_eq!(read_through(LINUX_6_18, Family::Ext3, 4), "R16D R4D R48D");
    assert_eq!(read_through(LINUX_6_18, Family::Ext3, 9), "R4D R64D");
}

/// fs/mpage.c sends them in any case, and the block with them, which lies behind them there; fs/ext4/readpage.c with single pages only where
/// a map has one block.
#[test]
fn other_kernels_send_them_always_or_never() {
    assert_eq!(read_through(LINUX_2_6_24, Family::Ext3, 7), "R32D R20D R16D");
    assert_eq!(read_through(LINUX_6_12, Family::Ext3, 7), "R32D R4D R32D");
}

#[test]
fn extents_have_no_such_block() {
    assert_eq!(read_through(LINUX_6_18, Family::Ext4, 4), "R16D R48D");
}

/// Whoever reads past the cache sends what it knows, too; both ways it gets every byte once.
#[test]
fn a_direct_read_sends_what_lies_before_an_indirect_block_with_it() {
    let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(2, 64 * KIB, false)]);
    let mut read = access(Operation::Read, 2, 8 * KIB, 48 * KIB);
    read.flags.direct = true;
    let took = rig.does(&read);
    assert_eq!(rig.requests(), "R40D R4D R8D");
    assert!(took >= Time::from_millis(10), "{took:?}");
    assert!(rig.does(&read) < took, "the indirect block is in memory");
    assert_eq!(rig.requests(), "R48D");
}
