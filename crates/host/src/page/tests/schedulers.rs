//! What a scheduler makes of one writer who waits: where a kernel's own code idles for nobody, the order is the same.

use super::rig::{Rig, file, host_with, op};
use crate::file_system::{Family, JournalMode};
use petrio_colours::{AccessFlags, FileOp, Operation};

const KERNELS: [(&str, &str); 3] = [
    ("2.6.24", include_str!("../../../../../catalogue/kernels/linux-2.6.24.toml")),
    ("2.6.27", include_str!("../../../../../catalogue/kernels/linux-2.6.27.toml")),
    ("3.2", include_str!("../../../../../catalogue/kernels/linux-3.2.toml")),
];

/// How long twelve overwrites of 4 KiB take, each followed by fsync, or written with O_SYNC.
fn took(kernel: &str, mode: JournalMode, scheduler: &str, sync: bool) -> f64 {
    let mut rig =
        Rig::scheduled(scheduler, (Family::Ext3, mode), &host_with(kernel), &[file(2, 1 << 20, true)]);
    let one = |at: u64| {
        let flags = AccessFlags { sync, ..AccessFlags::default() };
        let write = FileOp { offset: at * 8_192, length: 4_096, flags, ..op(Operation::Write, 2) };
        let mut seconds = rig.does(&write).as_seconds();
        if !sync {
            seconds += rig.does(&op(Operation::Fsync, 2)).as_seconds();
        }
        seconds
    };
    (0..12).map(one).sum()
}

/// The data of fsync and the log went out as plain writes before 2.6.30, for which cfq doesn't idle; from 2.6.33 on both stand in
/// the tree that is left at once for whoever comes to it. Only kjournald's record in 2.6.27, by sync_dirty_buffer, is of a queue
/// that cfq_arm_slice_timer idles for, until its think time is known to be longer than 8 ms (cfq_update_idle_window): three
/// commits, which are within the tolerance.
#[test]
fn one_writer_that_waits_is_as_fast_under_cfq_as_under_noop_and_deadline() {
    for (name, kernel) in KERNELS {
        for mode in [JournalMode::Ordered, JournalMode::WriteBack, JournalMode::Journal] {
            for sync in [false, true] {
                let noop = took(kernel, mode, "noop", sync);
                for scheduler in ["deadline", "cfq"] {
                    let ratio = took(kernel, mode, scheduler, sync) / noop;
                    assert!(
                        (0.8..=1.2).contains(&ratio),
                        "{scheduler} on {name}, {mode:?}, O_SYNC {sync}: {ratio}"
                    );
                }
            }
        }
    }
}
