//! What a transaction of a database costs the device, as its system calls: beside real ones on ext4 of Linux 6.18, on a disk with
//! a write cache and on one without (SQLite 3.40, PostgreSQL 15 and RocksDB 7.8 of Debian 12).

use super::rig::{Rig, access, file, host, op};
use crate::file_system::{Family, FileSystemParameters};
use petrio_colours::{FileOp, Operation};

const KIB: u64 = 1024;
/// The table's file, with its blocks, and one beside it: a journal or a log.
const TABLE: u32 = 2;
const JOURNAL: u32 = 3;

fn write(number: u32, offset: u64, length: u64) -> FileOp {
    access(Operation::Write, number, offset, length)
}

/// A row of a table changed under a rollback journal: its three pages as they were, the journal's header when these are durable,
/// the table's pages when that is.
fn rolled_back(before: Option<FileOp>, after: &[FileOp]) -> Vec<FileOp> {
    let changed = [
        write(JOURNAL, 0, 512),
        write(JOURNAL, 512, 3 * 4_104),
        op(Operation::Fdatasync, JOURNAL),
        write(JOURNAL, 0, 12),
        op(Operation::Fdatasync, JOURNAL),
        write(TABLE, 0, 4 * KIB),
        write(TABLE, 400 * KIB, 4 * KIB),
        op(Operation::Fdatasync, TABLE),
    ];
    before.into_iter().chain(changed).chain(after.iter().cloned()).collect()
}

/// Writes and flushes of one of many such transactions, in steady state.
fn costs(barriers: bool, transaction: impl Fn(u64) -> Vec<FileOp>) -> (f64, f64) {
    const MANY: u64 = 20;
    let parameters = FileSystemParameters { barriers, ..FileSystemParameters::of(Family::Ext4) };
    let mut rig = Rig::on(parameters, &host(), &[file(TABLE, 1 << 20, true), file(4, 1 << 20, true)]);
    rig.does(&op(Operation::Create, JOURNAL));
    rig.does(&op(Operation::Fsync, JOURNAL));
    let run = |rig: &mut Rig, numbers: std::ops::Range<u64>| {
        numbers.flat_map(&transaction).for_each(|op| {
            rig.does(&op);
        });
    };
    run(&mut rig, 0..2);
    rig.requests();
    run(&mut rig, 2..2 + MANY);
    let requests = rig.requests();
    let each = |letter: char| requests.matches(letter).count() as f64 / MANY as f64;
    (each('W'), each('F'))
}

#[track_caller]
fn measured(transaction: impl Fn(u64) -> Vec<FileOp>, (writes, flushes): (f64, f64)) {
    let near = |found: f64, measured: f64| (found - measured).abs() <= 0.05 * measured;
    let cached = costs(true, &transaction);
    assert!(near(cached.0, writes) && near(cached.1, flushes), "{cached:?}, measured {writes}, {flushes}");
    // A disk without a write cache gets no flushes; to a mount it is one that sends none.
    let through = costs(false, &transaction);
    assert!(near(through.0, writes) && through.1 == 0.0, "{through:?}, measured {writes}");
}

/// Measured: 6.00 writes a transaction; with a cache 8.00 of which 2.00 are flushes that nothing else brings, 4.00 flushes.
#[test]
fn sqlite_with_a_journal_that_is_deleted() {
    let ended = [op(Operation::Unlink, JOURNAL)];
    let transaction = |number| match number {
        0 => rolled_back(None, &ended),
        _ => rolled_back(Some(op(Operation::Create, JOURNAL)), &ended),
    };
    measured(transaction, (6.0, 4.0));
}

/// Measured: 8.28 and 10.00 with 2.00 flushes among them; 6.00 flushes.
#[test]
fn sqlite_with_a_journal_that_is_truncated() {
    let ended = [op(Operation::Truncate, JOURNAL), op(Operation::Fdatasync, JOURNAL)];
    measured(|_| rolled_back(None, &ended), (8.0, 6.0));
}

/// Measured: SQLite's WAL 3.005 writes and 2.00 flushes, RocksDB 3.04 writes.
#[test]
fn a_log_that_gets_longer_with_each_transaction() {
    let append = |number| vec![write(JOURNAL, number * 4_120, 4_120), op(Operation::Fdatasync, JOURNAL)];
    measured(append, (3.0, 2.0));
}

/// Measured: 1.00 write without a cache; with one 2.02, of which one is a flush, and 1.01 flushes.
#[test]
fn postgresql_with_its_log_s_files_there_before() {
    let overwrite = |number| vec![write(4, number % 100 * 8 * KIB, 8 * KIB), op(Operation::Fdatasync, 4)];
    measured(overwrite, (1.0, 1.0));
}
