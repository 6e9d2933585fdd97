//! Attributes, further names and ranges on ext4: what reaches the device (`ops.csv`, and Linux 6.18 on a
//! loop device; sizes in KiB, the journal's are J).

use super::rig::{DIRECTORY, Rig, access, file, host, op};
use crate::file_system::{Family, FileSystemParameters, JournalMode};
use crate::xfs::XfsParameters;
use petrio_colours::{Failure, Fallocate, FileOp, Operation};
use petrio_kernel::Time;

const KIB: u64 = 1024;

fn rig(family: Family) -> Rig {
    let files = [file(2, 16 * KIB, true), file(3, 1 << 20, true), file(4, 8 << 20, false), file(5, 0, true)];
    let mut rig = Rig::new(family, JournalMode::Ordered, &host(), &files);
    for number in 100..120 {
        rig.does(&op(Operation::Create, number));
        rig.does(&access(Operation::Write, number, 0, 4 * KIB));
    }
    rig.does(&FileOp { length: 100, ..op(Operation::SetXattr, 101) });
    rig.does(&op(Operation::Sync, 5));
    rig.rests(Time::from_millis(60_000));
    rig.requests();
    rig
}

fn requests(ops: &[FileOp]) -> String {
    let mut rig = rig(Family::Ext4);
    for op in ops {
        rig.does(op);
    }
    rig.requests()
}

fn sync_directory() -> FileOp {
    FileOp { file: DIRECTORY, ..op(Operation::Fsync, 1) }
}

#[test]
fn attributes_lie_in_the_inode_in_a_block_that_others_share_or_in_one_of_their_own() {
    let set = |length| FileOp { length, ..op(Operation::SetXattr, 100) };
    let sync = op(Operation::Fsync, 100);
    assert_eq!(requests(&[op(Operation::SetAttributes, 100), sync.clone()]), "W8J F W4J F");
    assert_eq!(requests(&[set(20), sync.clone()]), "W8J F W4J F");
    assert_eq!(requests(&[set(100), sync.clone()]), "W12J F W4J F");
    assert_eq!(requests(&[set(1_000), sync.clone()]), "W20J F W4J F");
    assert_eq!(requests(&[set(1_000), sync.clone(), set(0), sync.clone()]), "W20J F W4J F W20J F W4J F");
    // No data need them.
    assert_eq!(requests(&[set(20), op(Operation::Fdatasync, 100)]), "F");
}

#[test]
fn opening_a_file_writes_the_place_of_the_mount_down_and_opening_or_reading_a_directory_does_not() {
    let sends = |ops: &[FileOp]| {
        let mut rig = Rig::new(Family::Ext4, JournalMode::Ordered, &host(), &[file(2, 16 * KIB, true)]);
        ops.iter().for_each(|op| {
            rig.does(op);
        });
        rig.requests();
        rig.does(&op(Operation::Sync, 2));
        rig.requests()
    };
    let of_directory = |operation| FileOp { file: DIRECTORY, ..op(operation, 1) };
    let looks = [Operation::Open, Operation::Readdir, Operation::Close].map(of_directory);
    assert_eq!(sends(&looks), sends(&[]));
    assert_ne!(sends(&[op(Operation::Open, 2)]), sends(&[]));
    assert!(sends(&[op(Operation::Open, 2)]).contains("J F"));
}

#[test]
fn inodes_are_read_around_on_ext4_and_on_an_ext3_that_was_just_mounted() {
    let reads = |family, just_mounted| {
        let parameters = FileSystemParameters { just_mounted, ..FileSystemParameters::of(family) };
        // The directory is in memory, as are the first inodes that mounting reads; those of others aren't.
        let files: Vec<_> = (2..2_000).map(|number| file(number, KIB, false)).collect();
        let mut rig = Rig::on(parameters, &host(), &files);
        rig.requests();
        rig.does(&op(Operation::Stat, 1_900));
        rig.requests()
    };
    let (known, found) = (reads(Family::Ext3, None), reads(Family::Ext3, Some(true)));
    // What lies around an inode is read where nobody has looked for it since the mount.
    assert!(found.split(' ').count() > known.split(' ').count(), "{found} {known}");
    assert_eq!(reads(Family::Ext3, Some(false)), known);
    assert_eq!(reads(Family::Ext4, Some(true)), reads(Family::Ext4, None));
    assert_ne!(reads(Family::Ext4, Some(false)), reads(Family::Ext4, None));
}

#[test]
fn further_names_change_directory_and_inode() {
    assert_eq!(requests(&[op(Operation::Link, 100), sync_directory()]), "W16J F W4J F");
    let mut rig = rig(Family::Ext4);
    rig.does(&op(Operation::Link, 100));
    rig.does(&op(Operation::Unlink, 100));
    rig.does(&op(Operation::Stat, 100));
    rig.does(&op(Operation::Unlink, 100));
    assert_eq!(rig.ends(&op(Operation::Stat, 100)).status.failure(), Some(Failure::NotFound));
    let symlink = FileOp { length: 20, ..op(Operation::Symlink, 7) };
    let made = requests(&[op(Operation::Create, 7), sync_directory()]);
    assert_eq!(requests(&[symlink.clone(), sync_directory()]), made);
    let long = FileOp { length: 200, ..symlink };
    assert_ne!(requests(&[long, sync_directory()]), made);
}

#[test]
fn a_file_without_a_name_is_on_the_list_of_orphans_until_it_is_linked() {
    let write = access(Operation::Write, 7, 0, 4 * KIB);
    let make = [op(Operation::Tmpfile, 7), write, op(Operation::Fsync, 7)];
    assert_eq!(requests(&make), "W4D W24J F W4J F");
    let link = [op(Operation::Link, 7), sync_directory(), op(Operation::Close, 7), op(Operation::Stat, 7)];
    assert_eq!(requests(&[&make[..], &link[..]].concat()), "W4D W24J F W4J F W20J F W4J F");
    let mut rig = rig(Family::Ext4);
    rig.does(&op(Operation::Tmpfile, 8));
    rig.does(&op(Operation::Close, 8));
    assert_eq!(rig.ends(&op(Operation::Stat, 8)).status.failure(), Some(Failure::NotFound));
}

#[test]
fn what_was_allocated_holds_data_once_they_are_written_and_reads_nothing_before() {
    let allocate = FileOp { length: 1 << 20, ..op(Operation::Allocate, 5) };
    let (sync, data) = (op(Operation::Fsync, 5), op(Operation::Fdatasync, 5));
    let write = |kib: u64| access(Operation::Write, 5, kib * KIB, 4 * KIB);
    let ops = [allocate.clone(), sync, write(256), data.clone(), write(256), data.clone(), write(768), data];
    // The third extent of data needs a block for the tree.
    assert_eq!(requests(&ops), "W16J F W4J F W4D W8J F W4J F W4D F W4D W20J F W4J F");
    assert_eq!(requests(&[allocate.clone(), access(Operation::Read, 5, 0, 64 * KIB)]), "");
    let of_three = FileOp { file: FileOp::default().file, ..allocate.clone() };
    assert_eq!(rig(Family::Ext4).ends(&of_three).status.failure(), Some(Failure::IsADirectory));
    assert_eq!(rig(Family::Ext3).ends(&allocate).status.failure(), Some(Failure::NotImplemented));
}

#[test]
fn holes_and_zeros_are_read_without_the_device_and_keep_the_length() {
    for fallocate in [Fallocate::PunchHole, Fallocate::ZeroRange] {
        let change = FileOp { length: 64 * KIB, fallocate, ..op(Operation::Allocate, 3) };
        let logged = if fallocate == Fallocate::PunchHole { "W16J F W4J F" } else { "W8J F W4J F" };
        assert_eq!(requests(&[change.clone(), op(Operation::Fsync, 3)]), logged, "{fallocate:?}");
        assert_eq!(requests(&[change, access(Operation::Read, 3, 0, 64 * KIB)]), "", "{fallocate:?}");
    }
    let beyond = FileOp { length: 2 << 20, fallocate: Fallocate::KeepSize, ..op(Operation::Allocate, 5) };
    let mut rig = rig(Family::Ext4);
    rig.does(&beyond);
    let read = rig.ends(&access(Operation::Read, 5, 0, 4 * KIB));
    assert_eq!((read.length, read.cut_short), (0, true));
}

#[test]
fn a_range_is_written_and_nothing_else() {
    let range = access(Operation::SyncRange, 3, 400 * KIB, 4 * KIB);
    let writes = [400, 0].map(|kib: u64| access(Operation::Write, 3, kib * KIB, 4 * KIB));
    assert_eq!(requests(&[&writes[..], &[range]].concat()), "W4D");
}

/// A file that was made without a name has none to take away, to move or to be replaced at, until it is linked.
#[test]
fn what_has_no_name_is_not_found_by_one() {
    let on = |kind: usize| match kind {
        0 => Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(5, 0, true)]),
        1 => Rig::new(Family::Ext4, JournalMode::Ordered, &host(), &[file(5, 0, true)]),
        _ => Rig::xfs(XfsParameters::default(), &host(), &[file(5, 0, true)]),
    };
    for kind in 0..3 {
        let mut rig = on(kind);
        rig.does(&op(Operation::Create, 6));
        rig.does(&op(Operation::Tmpfile, 7));
        let onto = FileOp { replaced: Some(petrio_colours::FileId(7)), ..op(Operation::Rename, 6) };
        for named in [op(Operation::Unlink, 7), op(Operation::Rename, 7), onto.clone()] {
            assert_eq!(rig.ends(&named).status.failure(), Some(Failure::NotFound), "{kind}: {named:?}");
        }
        rig.does(&op(Operation::Link, 7));
        rig.does(&onto);
        rig.does(&op(Operation::Rename, 6));
        rig.does(&op(Operation::Unlink, 6));
    }
}
