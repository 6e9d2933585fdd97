//! Several processes that write, overwrite, append, truncate and make durable at random moments, over kernels, file systems and journals:
//! the witness of promises is asked at each return, and a broken one ends the run.

use super::rig::{Rig, access, file, host, host_with, op};
use crate::HostParameters;
use crate::file_system::{Family, FileSystemParameters, JournalMode, Journalling};
use petrio_colours::{AccessFlags, FileOp, Operation};
use petrio_kernel::Time;
use petrio_random::{Generator, generator, uniform_below};

const KIB: u64 = 1024;
const KERNELS: [&str; 5] = [
    include_str!("../../../../../catalogue/kernels/linux-2.6.24.toml"),
    include_str!("../../../../../catalogue/kernels/linux-2.6.27.toml"),
    include_str!("../../../../../catalogue/kernels/linux-3.2.toml"),
    include_str!("../../../../../catalogue/kernels/linux-6.1.toml"),
    include_str!("../../../../../catalogue/kernels/linux-6.18.toml"),
];
const FILES: u64 = 4;

/// A call of one of the processes, each of which has a file of its own and writes into those of others.
fn call(random: &mut Generator, process: u32) -> FileOp {
    let mut below = |bound: u64| uniform_below(random, bound);
    let number = match below(3) {
        0 => 2 + below(FILES) as u32,
        _ => 1 + process,
    };
    let (offset, length) = (below(64) * 4 * KIB, (1 + below(48)) * 4 * KIB);
    let write = access(Operation::Write, number, offset, length);
    let flagged = |flags: AccessFlags| FileOp { flags, ..write.clone() };
    let default = AccessFlags::default();
    let call = match below(12) {
        0..=4 => write,
        5 => flagged(AccessFlags { append: true, ..default }),
        6 => flagged(AccessFlags { sync: true, ..default }),
        7 => flagged(AccessFlags { data_sync: true, ..default }),
        8 => flagged(AccessFlags { direct: true, data_sync: true, ..default }),
        9 => FileOp { length: offset, ..op(Operation::Truncate, number) },
        10 => op(Operation::Fsync, number),
        _ => op([Operation::Fdatasync, Operation::Sync][below(2) as usize], number),
    };
    FileOp { process, ..call }
}

/// Runs them; the witness is asked at the end, too.
fn plays(kernel: &str, parameters: FileSystemParameters, seed: u64) {
    let limits = |text: &str| Some(text.parse().unwrap());
    let host = HostParameters {
        dirty_background: limits("256 KiB"),
        dirty_limit: limits("2 MiB"),
        ..host_with(kernel)
    };
    let files = [2, 3, 4, 5].map(|number| file(number, u64::from(number % 2) << 18, true));
    let mut rig = Rig::on(parameters, &host, &files);
    let mut random = generator(seed, 0, "promises", "calls");
    let mut calls = Vec::new();
    for process in 1..=4 {
        let mut at = Time::ZERO;
        for _ in 0..12 {
            at += Time::from_micros(uniform_below(&mut random, 8_000));
            calls.push((at, call(&mut random, process)));
        }
    }
    rig.timed(&calls);
}

#[test]
fn what_was_written_before_is_on_the_device_when_fsync_or_a_synchronous_write_or_sync_returns() {
    let modes = [JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal];
    let mut seed = 0;
    for kernel in KERNELS {
        for family in [Family::Ext3, Family::Ext4] {
            for mode in modes {
                for on in [None, Some("log".to_owned())] {
                    seed += 1;
                    let journal = Journalling { mode, on };
                    let parameters = FileSystemParameters {
                        journal,
                        barriers: seed % 5 > 0,
                        ..FileSystemParameters::of(family)
                    };
                    plays(kernel, parameters, seed);
                }
            }
        }
    }
}

/// `filemap_write_and_wait_range` and `invalidate_inode_pages2_range`: what the cache holds goes first.
#[test]
fn a_write_past_the_cache_takes_nothing_out_of_it_that_was_written_again_while_it_was_on_its_way() {
    let write = |process| FileOp { process, ..access(Operation::Write, 3, 0, 4 * KIB) };
    let past = |op: FileOp| FileOp { flags: AccessFlags { direct: true, ..op.flags }, ..op };
    let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(3, 1 << 20, true)]);
    let ms = Time::from_millis;
    let sync = FileOp { process: 1, ..op(Operation::Fdatasync, 3) };
    let ops = [(ms(0), write(1)), (ms(1), sync), (ms(2), write(2)), (ms(3), past(write(3)))];
    rig.timed(&ops);
    // The first content, the second and the third.
    assert_eq!(rig.kib_of_data(), 12);
}

/// `do_truncate` takes the lock that a writer has.
#[test]
fn a_file_is_not_cut_off_in_the_middle_of_a_write() {
    let mut rig = Rig::new(Family::Ext4, JournalMode::Ordered, &host(), &[file(3, 0, true)]);
    let write = FileOp { process: 1, ..access(Operation::Write, 3, 0, 64 << 20) };
    let cut = FileOp { process: 2, ..op(Operation::Truncate, 3) };
    let back = rig.timed(&[(Time::ZERO, write), (Time::from_micros(100), cut)]);
    assert!(back[1] + Time::from_micros(100) > back[0], "{back:?}");
    rig.does(&op(Operation::Fsync, 3));
    assert_eq!(rig.kib_of_data(), 0, "nothing is left of it");
}
