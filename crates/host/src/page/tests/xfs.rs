//! What reaches the device under XFS, operation by operation: `ops.csv`, Linux 6.18 on 4 GiB, sizes in KiB (a log write is J).

use super::rig::{DIRECTORY, Rig, access, file, host, op};
use crate::xfs::XfsParameters;
use petrio_colours::{Failure, Fallocate, FileId, FileOp, Operation};
use petrio_kernel::Time;

const KIB: u64 = 1024;

fn rig() -> Rig {
    let files = [
        file(2, 16 * KIB, true),
        file(3, 1 << 20, true),
        file(4, 8 << 20, false),
        file(5, 0, true),
        file(6, 8 << 20, true),
    ];
    let mut rig = Rig::xfs(XfsParameters::default(), &host(), &files);
    // Trees of free space and inodes are in memory, and there are files with a block.
    for number in 100..108 {
        rig.does(&op(Operation::Create, number));
        rig.does(&access(Operation::Write, number, 0, 4 * KIB));
    }
    rig.does(&op(Operation::Sync, 5));
    rig.rests(Time::from_millis(1_000));
    rig.requests();
    rig
}

fn requests(ops: &[FileOp]) -> String {
    let mut rig = rig();
    for op in ops {
        rig.does(op);
    }
    rig.requests()
}

fn sync_directory() -> FileOp {
    FileOp { file: DIRECTORY, ..op(Operation::Fsync, 1) }
}

fn overwrite() -> FileOp {
    access(Operation::Write, 3, 400 * KIB, 4 * KIB)
}

#[test]
fn appends_and_overwrites_with_their_sync() {
    let append = access(Operation::Write, 100, 4 * KIB, 4 * KIB);
    assert_eq!(requests(&[append.clone(), op(Operation::Fsync, 100)]), "W4D F W1.5J F");
    assert_eq!(requests(&[overwrite(), op(Operation::Fsync, 3)]), "W4D F W1J F");
    assert_eq!(requests(&[overwrite(), op(Operation::Fdatasync, 3)]), "W4D F");
    let mut synchronous = append;
    synchronous.flags.sync = true;
    assert_eq!(requests(&[synchronous]), "W4D F W1.5J F");
    assert_eq!(requests(&[op(Operation::Fsync, 3)]), "F");
}

#[test]
fn writes_past_the_cache() {
    let mut direct = overwrite();
    direct.flags.direct = true;
    assert_eq!(requests(&[direct.clone()]), "W4D");
    direct.flags.data_sync = true;
    assert_eq!(requests(&[direct.clone()]), "W4D F");
    direct.flags.sync = true;
    assert_eq!(requests(&[direct]), "W4D F W1J F");
    let mut append = access(Operation::Write, 100, 4 * KIB, 4 * KIB);
    (append.flags.direct, append.flags.data_sync) = (true, true);
    assert_eq!(requests(&[append]), "W4D F W1.5J F");
}

#[test]
fn names_and_their_sync() {
    assert_eq!(requests(&[op(Operation::Create, 7), op(Operation::Fsync, 7)]), "F W2J F");
    assert_eq!(requests(&[op(Operation::Create, 7), sync_directory()]), "F W2J F");
    let write = access(Operation::Write, 7, 0, 4 * KIB);
    assert_eq!(requests(&[op(Operation::Create, 7), write.clone(), sync_directory()]), "F W2J F");
    assert_eq!(requests(&[op(Operation::Create, 7), write, op(Operation::Fsync, 7)]), "W4D F W2.5J F");
    assert_eq!(requests(&[op(Operation::Rename, 107), sync_directory()]), "F W1.5J F");
    assert_eq!(requests(&[op(Operation::Unlink, 107), sync_directory()]), "F W1.5J F");
    let mut cut = op(Operation::Truncate, 3);
    cut.length = 4 * KIB;
    assert_eq!(requests(&[cut, op(Operation::Fsync, 3)]), "F W1.5J F");
}

#[test]
fn attributes_and_further_names_log_inodes() {
    for operation in [Operation::SetAttributes, Operation::SetXattr] {
        let change = FileOp { length: 100, ..op(operation, 100) };
        assert_eq!(requests(&[change, op(Operation::Fsync, 100)]), "F W1J F");
    }
    assert_eq!(requests(&[op(Operation::Link, 100), sync_directory()]), "F W1.5J F");
    // The other name goes, and the file stays.
    let ops = [op(Operation::Link, 100), op(Operation::Unlink, 100), op(Operation::Fsync, 100)];
    assert_eq!(requests(&ops), "F W1.5J F");
    let mut symlink = op(Operation::Symlink, 7);
    symlink.length = 20;
    assert_eq!(requests(&[symlink, sync_directory()]), "F W2J F");
}

#[test]
fn an_attribute_too_large_for_its_inode_gets_a_block() {
    let of = |length| FileOp { length, ..op(Operation::SetXattr, 100) };
    assert_eq!(requests(&[of(250), op(Operation::Fsync, 100)]), "F W1.5J F");
    assert_eq!(requests(&[of(1_000), op(Operation::Fsync, 100)]), "F W5.5J F");
    let taken = [of(1_000), op(Operation::Fsync, 100), of(0), op(Operation::Fsync, 100)];
    assert_eq!(requests(&taken), "F W5.5J F F W1.5J F");
}

#[test]
fn a_file_without_a_name_gets_one_and_goes_with_its_close_otherwise() {
    let write = access(Operation::Write, 7, 0, 4 * KIB);
    let make = [op(Operation::Tmpfile, 7), write, op(Operation::Fsync, 7)];
    assert_eq!(requests(&make), "W4D F W2J F");
    let named = [&make[..], &[op(Operation::Link, 7), sync_directory(), op(Operation::Close, 7)]].concat();
    assert_eq!(requests(&named), "W4D F W2J F F W2J F");
    let mut rig = rig();
    for number in [7, 8] {
        rig.does(&op(Operation::Tmpfile, number));
    }
    rig.does(&op(Operation::Link, 7));
    for number in [7, 8] {
        rig.does(&op(Operation::Close, number));
    }
    rig.does(&op(Operation::Stat, 7));
    assert_eq!(rig.ends(&op(Operation::Stat, 8)).status.failure(), Some(Failure::NotFound));
}

#[test]
fn what_was_allocated_holds_data_once_they_are_written_and_reads_nothing_before() {
    let allocate = FileOp { length: 1 << 20, ..op(Operation::Allocate, 5) };
    let write = access(Operation::Write, 5, 256 * KIB, 4 * KIB);
    let sync = op(Operation::Fdatasync, 5);
    let ops = [allocate.clone(), op(Operation::Fsync, 5), write.clone(), sync.clone(), write, sync];
    assert_eq!(requests(&ops), "F W1.5J F W4D F W1J F W4D F");
    assert_eq!(requests(&[allocate.clone(), access(Operation::Read, 5, 0, 64 * KIB)]), "");
    let hole = FileOp { fallocate: Fallocate::PunchHole, ..allocate };
    assert_eq!(requests(&[FileOp { file: FileId(3), ..hole }, access(Operation::Read, 3, 0, 64 * KIB)]), "");
}

#[test]
fn a_range_is_written_and_nothing_else() {
    let range = access(Operation::SyncRange, 3, 400 * KIB, 4 * KIB);
    let beside = access(Operation::Write, 3, 0, 4 * KIB);
    assert_eq!(requests(&[overwrite(), beside, range]), "W4D");
}

#[test]
fn a_sync_writes_data_and_one_checkpoint_and_nothing_in_place() {
    let mut all: Vec<FileOp> = Vec::new();
    for number in 20..30 {
        all.extend([
            op(Operation::Create, number),
            access(Operation::Write, number, 0, 4 * KIB),
            op(Operation::Close, number),
        ]);
    }
    all.push(op(Operation::Sync, 5));
    let found = requests(&all);
    // Ten inodes of 256 bytes and an extent each, the directory, which becomes one of a block, and the trees' blocks.
    assert_eq!(found, "W40D F W6J F");
    assert_eq!(requests(&[op(Operation::Sync, 5)]), "");
}

#[test]
fn a_large_overwrite_logs_no_more_than_a_small_one() {
    let write = access(Operation::Write, 6, 0, 8 << 20);
    let found = requests(&[write, op(Operation::Fsync, 6)]);
    assert!(found.ends_with("F W1J F"), "{found}");
}

#[test]
fn many_new_files_fill_several_log_buffers() {
    let mut all: Vec<FileOp> = (1_000..2_000).map(|number| op(Operation::Create, number)).collect();
    all.push(sync_directory());
    let found = requests(&all);
    // Measured: seven, a flush, two, and the one with the commit record, of 8 or 8.5 KiB.
    let before = "W32J ".repeat(7) + "F W32J W32J F W";
    assert!(found.starts_with(&before) && found.ends_with("J F"), "{found}");
    assert_eq!(found.split(' ').count(), 13, "{found}");
}

#[test]
fn after_half_a_minute_what_was_logged_is_written_in_place() {
    let mut rig = rig();
    rig.does(&op(Operation::Create, 7));
    rig.does(&op(Operation::Fsync, 7));
    rig.requests();
    rig.rests(Time::from_whole_seconds(31));
    let found = rig.requests();
    assert!(!found.contains('J') && found.contains("W16D"), "{found}");
    rig.rests(Time::from_whole_seconds(90));
    assert_eq!(rig.requests(), "F W1J F W0.5D F W1J F W0.5D");
    rig.rests(Time::from_whole_seconds(300));
    assert_eq!(rig.requests(), "", "it is quiet");
}

/// `xfs_file_fsync` flushes the device of the data, and so does the write of a log apart; then the log's own is flushed.
#[test]
fn a_log_apart_is_written_after_the_data_are_flushed() {
    let parameters = XfsParameters { log: Some("log".to_owned()), ..XfsParameters::default() };
    let mut rig = Rig::xfs(parameters, &host(), &[file(3, 1 << 20, true)]);
    rig.does(&overwrite());
    rig.does(&op(Operation::Fsync, 3));
    assert_eq!(rig.requests(), "W4D F F");
    assert_eq!(rig.log_requests(), "F W1D F");
    rig.does(&op(Operation::Fsync, 3));
    assert_eq!((rig.requests().as_str(), rig.log_requests().as_str()), ("F", ""));
}
