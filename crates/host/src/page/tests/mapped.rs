//! Mapped files: faults instead of calls.

use super::rig::{Rig, access, file, host, op};
use crate::file_system::{Family, JournalMode};
use petrio_colours::{AccessFlags, Failure, FileOp, Operation};
use petrio_kernel::Time;

const KIB: u64 = 1024;
const PAGE: u64 = 4 * KIB;

fn mapped(operation: Operation, offset: u64, length: u64) -> FileOp {
    let flags = AccessFlags { mapped: true, ..AccessFlags::default() };
    FileOp { flags, ..access(operation, 2, offset, length) }
}

fn rig(mode: JournalMode, cached: bool) -> Rig {
    Rig::new(Family::Ext3, mode, &host(), &[file(2, 4 << 20, cached)])
}

fn store_fault() -> Time {
    host().machine.calls.store_fault.time()
}

fn fault() -> Time {
    host().machine.calls.fault.time()
}

#[test]
fn a_fault_maps_its_neighbours_and_a_second_pass_only_loads() {
    let mut rig = rig(JournalMode::Ordered, true);
    let first = rig.does(&mapped(Operation::Read, 0, 1 << 20));
    let second = rig.does(&mapped(Operation::Read, 0, 1 << 20));
    // 256 pages, sixteen with each fault.
    assert_eq!(first, second + Time::from_picos(16 * fault().as_picos()));
    // No call is made: less time than a read of the same takes.
    assert!(second < rig.does(&access(Operation::Read, 2, 0, 1 << 20)));
    assert_eq!(rig.requests(), "");
}

/// Kibibytes read from the device since the last look.
fn read(rig: &mut Rig) -> u64 {
    let requests = rig.requests();
    requests
        .split(' ')
        .filter_map(|word| word.strip_prefix('R')?.strip_suffix('D')?.parse::<u64>().ok())
        .sum()
}

#[test]
fn pages_that_are_not_there_are_read_around() {
    let mut rig = rig(JournalMode::Ordered, false);
    rig.does(&mapped(Operation::Read, 2 << 20, PAGE));
    let window = host().kernel.read_ahead.max.get() / KIB;
    assert!((window..window + 16).contains(&read(&mut rig)), "a window, and what maps its blocks");
    // Half of it lies before the page.
    rig.does(&mapped(Operation::Read, (2 << 20) - window / 2 * KIB, PAGE));
    assert_eq!(read(&mut rig), 0);
}

#[test]
fn however_far_faults_lie_apart_all_are_read_around() {
    // As Linux 6.18 was seen to do over 400 faults: the neighbours that are mapped with each page outweigh its miss.
    let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(2, 256 << 20, false)]);
    let mut last = 0;
    for fault in 0..140_u64 {
        read(&mut rig);
        rig.does(&mapped(Operation::Read, (fault * 97 % 200) << 20, PAGE));
        last = read(&mut rig);
    }
    assert!(last >= host().kernel.read_ahead.max.get() / KIB, "{last}");
}

#[test]
fn a_store_faults_once_until_the_page_is_written() {
    for mode in [JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal] {
        let mut rig = rig(mode, true);
        let first = rig.does(&mapped(Operation::Write, 0, 8 * PAGE));
        let second = rig.does(&mapped(Operation::Write, 0, 8 * PAGE));
        assert!(
            first >= second + Time::from_picos(8 * store_fault().as_picos()),
            "{mode:?} {first} {second}"
        );
        rig.requests();
        rig.does(&op(Operation::Fdatasync, 2));
        assert!(rig.requests().contains("W32D"), "{mode:?}");
        let third = rig.does(&mapped(Operation::Write, 0, 8 * PAGE));
        assert!(
            third >= second + Time::from_picos(8 * store_fault().as_picos()),
            "{mode:?} {third} {second}"
        );
    }
}

#[test]
fn a_store_into_what_is_not_there_reads_it_first() {
    let mut rig = rig(JournalMode::Ordered, false);
    rig.does(&mapped(Operation::Write, 1 << 20, PAGE));
    assert!(rig.requests().contains('R'));
    rig.does(&op(Operation::Fdatasync, 2));
    assert_eq!(rig.requests(), "W4D F");
}

#[test]
fn beyond_the_end_of_the_file_there_is_no_mapping() {
    let mut rig = rig(JournalMode::Ordered, true);
    let done = rig.ends(&mapped(Operation::Write, (4 << 20) - 10, 20));
    assert_eq!(done.status.failure(), Some(Failure::BeyondMapping));
    let read = rig.ends(&mapped(Operation::Read, (4 << 20) - 10, 20));
    assert_eq!((read.length, read.cut_short), (10, true));
}

#[test]
fn mapped_pages_survive_a_walk_through_more_than_memory() {
    let small = crate::HostParameters { memory: Some("16 MiB".parse().unwrap()), ..host() };
    let again = |touches: bool| {
        let files = [file(2, 1 << 20, true), file(3, 64 << 20, false)];
        let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &small, &files);
        for part in 0..32 {
            if touches {
                rig.does(&mapped(Operation::Read, 0, 1 << 20));
            }
            rig.does(&access(Operation::Read, 3, part << 21, 2 << 20));
        }
        rig.requests();
        rig.does(&mapped(Operation::Read, 0, 1 << 20));
        rig.requests()
    };
    assert_eq!(again(true), "", "used all the time, they are kept");
    assert!(again(false).contains('R'), "unused, they make room");
}
