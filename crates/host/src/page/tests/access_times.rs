//! Reading changes an inode, where the file system is mounted so.

use super::rig::{Rig, access, file, host};
use crate::file_system::{AccessTimes, FileSystemParameters};
use petrio_colours::Operation;
use petrio_kernel::Time;

const KIB: u64 = 1024;

/// What reaches the device after each of several reads of a cached file, and of one after a write to it.
fn after_reads(access_times: AccessTimes) -> Vec<String> {
    let parameters = FileSystemParameters { access_times, ..FileSystemParameters::default() };
    let mut rig = Rig::on(parameters, &host(), &[file(2, 64 * KIB, true)]);
    let mut seen = |operation| {
        rig.does(&access(operation, 2, 0, 4 * KIB));
        rig.rests(Time::from_millis(60_000));
        rig.requests()
    };
    // The first transaction of all writes the log's superblock, too.
    seen(Operation::Write);
    [Operation::Read, Operation::Read, Operation::Write, Operation::Read].map(&mut seen).to_vec()
}

#[test]
fn mounted_without_access_times_reads_change_nothing() {
    let requests = after_reads(AccessTimes::Never);
    assert_eq!([&requests[0], &requests[1], &requests[3]], ["", "", ""]);
    assert!(requests[2].contains("W4D"), "{requests:?}");
}

#[test]
fn relative_times_change_with_the_first_read_after_a_write() {
    let requests = after_reads(AccessTimes::Relative);
    // The inode is logged, and later written in place.
    assert_eq!(requests[0], "W8J F W4J F W4D");
    assert_eq!(requests[1], "");
    assert_eq!(requests[3], "W8J F W4J F W4D");
}

#[test]
fn otherwise_times_change_with_every_read() {
    let requests = after_reads(AccessTimes::Always);
    for read in [0, 1, 3] {
        assert_eq!(requests[read], "W8J F W4J F W4D");
    }
}

#[test]
fn reads_within_a_tick_change_them_once() {
    let parameters =
        FileSystemParameters { access_times: AccessTimes::Always, ..FileSystemParameters::default() };
    let mut rig = Rig::on(parameters, &host(), &[file(2, 64 * KIB, true)]);
    let first = rig.does(&access(Operation::Read, 2, 0, 4 * KIB));
    let second = rig.does(&access(Operation::Read, 2, 0, 4 * KIB));
    assert!(second < first, "{second} {first}");
}
