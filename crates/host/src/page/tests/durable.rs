//! What fsync and its like promise: each byte written before the call is on the device when it returns; and what they don't wait
//! for: what others write meanwhile.

use super::rig::{Rig, access, file, host, host_with, op};
use crate::HostParameters;
use crate::file_system::{Family, JournalMode};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;

const KIB: u64 = 1024;
const MIB: u64 = 1 << 20;
const BOTH: [Family; 2] = [Family::Ext3, Family::Ext4];
const LINUX_3_2: &str = include_str!("../../../../../catalogue/kernels/linux-3.2.toml");
const LINUX_2_6_24: &str = include_str!("../../../../../catalogue/kernels/linux-2.6.24.toml");

fn by(process: u32, op: FileOp) -> FileOp {
    FileOp { process, ..op }
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn limited(background: &str, limit: &str, host: HostParameters) -> HostParameters {
    let (background, limit) = (Some(background.parse().unwrap()), Some(limit.parse().unwrap()));
    HostParameters { dirty_background: background, dirty_limit: limit, ..host }
}

fn rig(family: Family, host: &HostParameters) -> Rig {
    let files = [2, 3, 4, 5].map(|number| file(number, 0, true));
    Rig::new(family, JournalMode::Ordered, host, &[&files[..], &[file(6, MIB, true)]].concat())
}

/// Calls of 1 MiB, one behind the other, of a file that gets longer.
fn stream(process: u32, number: u32, mib: u64) -> Vec<(Time, FileOp)> {
    (0..mib).map(|at| (Time::ZERO, by(process, access(Operation::Write, number, at * MIB, MIB)))).collect()
}

#[test]
fn all_that_several_writers_wrote_is_on_the_device_when_their_fsyncs_or_a_sync_return() {
    for family in BOTH {
        for syncs in [vec![2, 3, 4], vec![]] {
            let mut rig = rig(family, &limited("1 MiB", "32 MiB", host()));
            let streams: Vec<_> =
                [2, 3, 4].into_iter().flat_map(|number| stream(number, number, 8)).collect();
            rig.timed(&streams);
            let syncs: Vec<_> = match syncs.is_empty() {
                true => vec![(Time::ZERO, op(Operation::Sync, 5))],
                false => {
                    syncs.iter().map(|&file| (Time::ZERO, by(file, op(Operation::Fsync, file)))).collect()
                }
            };
            let alone = syncs.len() > 1;
            rig.timed(&syncs);
            let kib = rig.kib_of_data();
            // A sync writes what the commits have left in place, too.
            let metadata = if alone { 0 } else { 512 };
            assert!((24 * 1024..=24 * 1024 + metadata).contains(&kib), "{family:?}: {kib} KiB");
        }
    }
}

/// The commit of an earlier fsync comes by while the pages wait for their blocks.
#[test]
fn what_is_written_while_a_transaction_commits_is_not_taken_for_written() {
    for kernel in [host(), host_with(LINUX_3_2)] {
        let mut rig = rig(Family::Ext4, &kernel);
        let ops = [
            (ms(0), by(1, access(Operation::Write, 2, 0, 64 * KIB))),
            (ms(1), by(1, op(Operation::Fsync, 2))),
            (ms(3), by(2, access(Operation::Write, 2, 64 * KIB, 64 * KIB))),
        ];
        rig.timed(&ops);
        rig.does(&op(Operation::Fsync, 2));
        assert_eq!(rig.kib_of_data(), 128);
    }
}

#[test]
fn a_page_that_is_written_while_its_older_content_is_on_its_way_is_sent_again() {
    let overwrite = |process| by(process, access(Operation::Write, 6, 400 * KIB, 4 * KIB));
    let mut rig = rig(Family::Ext3, &host());
    let sync = |process| by(process, op(Operation::Fdatasync, 6));
    let back = rig.timed(&[(ms(0), overwrite(1)), (ms(1), sync(1)), (ms(2), overwrite(2)), (ms(3), sync(2))]);
    assert_eq!(rig.kib_of_data(), 8);
    // Its page is on the device 6 and 11 ms from the beginning; a flush takes 5 ms and may have to wait for another.
    assert!(back[3] >= ms(13), "{back:?}");
}

#[test]
fn fsync_and_sync_return_while_another_process_goes_on_writing() {
    for family in BOTH {
        for last in [Operation::Fsync, Operation::Sync] {
            let mut rig = rig(family, &limited("4 MiB", "8 MiB", host()));
            let mut ops = stream(1, 3, 200);
            ops.push((ms(100), by(2, access(Operation::Write, 2, 0, 4 * KIB))));
            ops.push((ms(101), by(2, op(last, 2))));
            let back = rig.timed(&ops);
            assert!(back[201] + ms(101) < back[199], "{family:?}, {last:?}: {} of {}", back[201], back[199]);
        }
    }
}

/// Blocks that are found late hold data only once a transaction says so that began when these were there.
#[test]
fn an_fsync_commits_what_has_become_of_its_extents_after_a_commit_that_came_before_its_data() {
    let mut rig = rig(Family::Ext4, &host());
    let ops = [
        (ms(0), by(1, access(Operation::Write, 2, 0, 64 * KIB))),
        (ms(1), by(1, op(Operation::Fsync, 2))),
        (ms(2), by(2, op(Operation::Create, 9))),
        (ms(3), by(2, op(Operation::Fsync, 9))),
    ];
    let back = rig.timed(&ops);
    let requests = rig.requests();
    assert_eq!(requests.matches("F W4J F").count(), 2, "{requests}");
    assert!(back[1] > back[3], "{back:?}");
}

/// `blkdev_issue_flush` of ext3_sync_file and ext4_sync_file, since 2.6.33.
#[test]
fn a_kernel_of_2012_flushes_where_no_commit_does_and_one_of_2008_does_not() {
    for (kernel, family, expected) in [
        (LINUX_3_2, Family::Ext3, "W4D F"),
        (LINUX_3_2, Family::Ext4, "W4D F"),
        (LINUX_2_6_24, Family::Ext3, "W4D"),
    ] {
        let mut rig = rig(family, &host_with(kernel));
        let overwrite = access(Operation::Write, 6, 400 * KIB, 4 * KIB);
        rig.does(&overwrite);
        rig.does(&op(Operation::Fsync, 6));
        rig.requests();
        rig.does(&overwrite);
        rig.does(&op(Operation::Fdatasync, 6));
        assert_eq!(rig.requests(), expected, "{family:?}");
    }
}

/// In 2.6.24 `clear_bdi_congested` wakes those who wait in `congestion_wait` with each request that has been written.
#[test]
fn an_old_kernel_s_writer_beyond_the_limit_goes_on_when_something_was_written() {
    let mut rig = rig(Family::Ext3, &limited("2 MiB", "4 MiB", host_with(LINUX_2_6_24)));
    let took = rig.does(&access(Operation::Write, 2, 0, 64 * MIB));
    // Requests of 512 KiB of 5 ms each: 640 ms, but for the last 4 MiB.
    assert!((ms(560)..ms(900)).contains(&took), "{took}");
}

/// `needs_barrier` of ext4_sync_fs, which came with 3.11: before, sync(2) commits, and flushes where a commit does.
#[test]
fn a_sync_that_finds_nothing_to_commit_flushes_on_a_kernel_of_today_and_not_on_one_of_2012() {
    let all = op(Operation::Sync, 6);
    let flushes = |kernel: &HostParameters, family, first: &FileOp| {
        let mut rig = rig(family, kernel);
        rig.does(first);
        rig.requests();
        rig.does(&all);
        rig.requests().matches('F').count()
    };
    for family in BOTH {
        assert_eq!(flushes(&host(), family, &all), 1, "{family:?}");
        assert_eq!(flushes(&host_with(LINUX_3_2), family, &all), 0, "{family:?}");
        for kernel in [host(), host_with(LINUX_3_2)] {
            assert!(flushes(&kernel, family, &op(Operation::Create, 9)) > 0, "{family:?}: with a commit");
        }
    }
}
