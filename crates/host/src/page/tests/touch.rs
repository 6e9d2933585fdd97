//! Memory of processes: what has gone to swap space has to come back before it is used.

use super::rig::{Rig, access, file, host};
use crate::HostParameters;
use crate::file_system::{Family, JournalMode};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;

const MIB: u64 = 1 << 20;

/// 64 MiB of memory, and swap space.
fn small(swap_mib: u64) -> HostParameters {
    let swap = (swap_mib > 0).then(|| format!("{swap_mib} MiB").parse().unwrap());
    HostParameters { memory: Some("64 MiB".parse().unwrap()), swap, swappiness: 100, ..host() }
}

fn rig(host: &HostParameters) -> Rig {
    Rig::new(Family::Ext4, JournalMode::Ordered, host, &[file(2, 96 * MIB, false)])
}

fn touch(segment: u32, offset: u64, length: u64) -> FileOp {
    access(Operation::Touch, segment, offset, length)
}

/// Bytes of each direction in what was asked of the device.
fn moved(requests: &str) -> [usize; 2] {
    ['R', 'W'].map(|way| requests.split(' ').filter(|word| word.starts_with(way)).count())
}

#[test]
fn memory_that_is_there_costs_nothing_and_new_memory_a_fault_a_page() {
    let mut rig = rig(&small(0));
    let first = rig.does(&touch(1, 0, 8 * MIB));
    assert!(first > Time::from_micros(500) && first < Time::from_millis(20), "{first}");
    assert_eq!(rig.does(&touch(1, 0, 8 * MIB)), Time::ZERO);
    assert_eq!(rig.requests(), "");
}

#[test]
fn what_does_not_fit_goes_to_swap_space_and_comes_back_when_it_is_used() {
    let mut rig = rig(&small(128));
    rig.does(&touch(1, 0, 40 * MIB));
    assert_eq!(moved(&rig.requests()), [0, 0]);
    rig.does(&touch(2, 0, 40 * MIB));
    let [read, written] = moved(&rig.requests());
    assert!(read == 0 && written > 0, "{read} reads, {written} writes");
    // The first one's memory went, the second's is there.
    assert_eq!(rig.does(&touch(2, 39 * MIB, MIB)), Time::ZERO);
    let took = rig.does(&touch(1, 0, MIB));
    let [read, _] = moved(&rig.requests());
    // A window of eight pages a request, of 5 ms each.
    assert!((25..=40).contains(&read), "{read} reads");
    assert!(took > Time::from_millis(120), "{took}");
    // Given back, it leaves room for the other.
    rig.does(&touch(2, 0, 0));
    rig.does(&touch(1, 0, 40 * MIB));
    rig.requests();
    assert_eq!(rig.does(&touch(1, 0, 40 * MIB)), Time::ZERO);
}

#[test]
fn two_that_need_more_than_there_is_together_wait_for_the_device_at_each_turn() {
    let turns = |memory: &str| {
        let mut rig = rig(&HostParameters { memory: Some(memory.parse().unwrap()), ..small(256) });
        (0..6)
            .map(|turn| rig.does(&touch(1 + turn % 2, 0, 48 * MIB)))
            .fold(Time::ZERO, |sum, took| sum + took)
    };
    let [thrashes, fits] = ["64 MiB", "256 MiB"].map(turns);
    assert!(thrashes.as_seconds() > fits.as_seconds() * 20.0, "{thrashes} and {fits}");
}

#[test]
fn a_reader_of_files_takes_memory_that_nobody_uses_and_its_owner_waits_for_it() {
    let mut rig = rig(&small(128));
    rig.does(&touch(1, 0, 40 * MIB));
    // What is read again and again is worth more than what nobody uses; a stream is not.
    let read = |rig: &mut Rig, times: u64, mib: u64| {
        (0..times * mib).for_each(|at| _ = rig.does(&access(Operation::Read, 2, at % mib * MIB, MIB)));
    };
    read(&mut rig, 1, 96);
    rig.requests();
    assert_eq!(rig.does(&touch(1, 0, 40 * MIB)), Time::ZERO);
    read(&mut rig, 20, 36);
    rig.requests();
    let waits = rig.does(&touch(1, 0, 40 * MIB));
    assert!(waits > Time::from_millis(50), "{waits}");
}
