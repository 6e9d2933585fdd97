//! A journal on a device of its own: Linux 6.18 with two loop devices, ext3 of 1 GiB made by mke2fs 1.47 with `-J device=`,
//! observed with the block layer's tracepoints.

use super::rig::{DIRECTORY, Rig, access, file, host, op};
use crate::file_system::{FileSystemParameters, JournalMode, Journalling};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;

const KIB: u64 = 1024;

fn rig(mode: JournalMode) -> Rig {
    let journal = Journalling { mode, on: Some("log".to_owned()) };
    let parameters = FileSystemParameters { journal, ..FileSystemParameters::default() };
    let mut rig =
        Rig::on(parameters, &host(), &[file(2, 16 * KIB, true), file(3, 1 << 20, true), file(5, 0, true)]);
    // As when it was observed: bitmaps are in memory, the log isn't empty, and new inodes don't share the directory's block.
    for number in 100..120 {
        rig.does(&op(Operation::Create, number));
        rig.does(&access(Operation::Write, number, 0, 4 * KIB));
    }
    rig.does(&op(Operation::Sync, 5));
    rig.rests(Time::from_millis(60_000));
    rig.requests();
    rig.log_requests();
    rig
}

/// What reaches the device with the data, and what the log.
fn observed(mode: JournalMode, ops: &[FileOp]) -> (String, String) {
    let mut rig = rig(mode);
    for op in ops {
        rig.does(op);
    }
    (rig.requests(), rig.log_requests())
}

#[track_caller]
fn sends(mode: JournalMode, ops: &[FileOp], data: &str, log: &str) {
    assert_eq!(observed(mode, ops), (data.to_owned(), log.to_owned()), "{mode:?}");
}

fn append() -> FileOp {
    access(Operation::Write, 2, 16 * KIB, 4 * KIB)
}

fn overwrite() -> FileOp {
    access(Operation::Write, 3, 400 * KIB, 4 * KIB)
}

#[test]
fn an_fsync_flushes_the_data_before_the_log_commits() {
    for mode in [JournalMode::Ordered, JournalMode::WriteBack] {
        sends(mode, &[append(), op(Operation::Fsync, 2)], "W4D F", "W16D F W4D F");
        sends(mode, &[overwrite(), op(Operation::Fsync, 3)], "W4D F", "W8D F W4D F");
    }
    sends(JournalMode::Journal, &[append(), op(Operation::Fsync, 2)], "W4D F", "W20D F W4D F");
}

#[test]
fn data_that_change_no_metadata_never_reach_the_log() {
    sends(JournalMode::Ordered, &[overwrite(), op(Operation::Fdatasync, 3)], "W4D F", "");
    sends(JournalMode::Journal, &[overwrite(), op(Operation::Fdatasync, 3)], "W4D F", "W12D F W4D F");
}

#[test]
fn a_new_file_is_made_durable_in_the_log_alone_but_for_the_flush() {
    sends(JournalMode::Ordered, &[op(Operation::Create, 50), op(Operation::Fsync, 50)], "F", "W24D F W4D F");
}

#[test]
fn a_transaction_that_grows_old_flushes_only_where_there_are_data() {
    let mut rig = rig(JournalMode::Ordered);
    rig.does(&op(Operation::Mkdir, 60));
    rig.rests(Time::from_millis(6_000));
    let (data, log) = (rig.requests(), rig.log_requests());
    assert!(!data.contains('F') && log.ends_with("F W4D F"), "{data} · {log}");
    rig.does(&append());
    rig.rests(Time::from_millis(6_000));
    assert_eq!((rig.requests(), rig.log_requests()), ("W4D F".to_owned(), "W16D F W4D F".to_owned()));
}

#[test]
fn a_full_log_is_emptied_onto_the_other_device() {
    let mut rig = rig(JournalMode::Journal);
    rig.does(&access(Operation::Write, 3, 0, 256 * KIB));
    for round in 0..120 {
        let file =
            FileOp { parent: DIRECTORY, ..access(Operation::Write, 3, round % 4 * 256 * KIB, 256 * KIB) };
        rig.does(&file);
        rig.does(&op(Operation::Fsync, 3));
    }
    let (data, log) = (rig.requests(), rig.log_requests());
    assert!(data.contains("W256D") && !log.contains('R'), "{data}");
}
