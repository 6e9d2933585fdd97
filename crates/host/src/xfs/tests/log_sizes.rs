//! Sizes of log writes: `ops.csv`, each operation alone on a file system whose log was just forced. Files carry what was changed of
//! them before, as there: nothing had been written in place.

use super::rig::Rig;
use crate::xfs::{Log, LogParameters};
use petrio_colours::Operation;

/// A directory of twelve files with a block each, all logged.
fn with_files(bytes: u64) -> Rig {
    let mut rig = Rig::new(1_048_576);
    rig.operate(Operation::Mkdir, 1, 0);
    for file in 2..14 {
        rig.create(file, 1);
        if bytes > 0 {
            rig.write(file, 0, bytes);
            rig.write_back(file);
        }
        rig.close(file);
    }
    rig.force();
    rig
}

#[track_caller]
fn is(rig: &mut Rig, kib: &[f64]) {
    assert_eq!(rig.force_kib(), kib);
}

#[test]
fn an_overwrite_logs_an_inode() {
    let mut rig = with_files(4_096);
    rig.write(2, 0, 4_096);
    rig.write_back(2);
    is(&mut rig, &[1.0]);
}

#[test]
fn an_append_logs_its_blocks_too() {
    let mut rig = with_files(4_096);
    rig.write(2, 4_096, 4_096);
    rig.write_back(2);
    is(&mut rig, &[1.5]);
    rig.write(3, 4_096, 65_536);
    rig.write_back(3);
    is(&mut rig, &[1.5]);
}

/// `group.csv`: of 880 appends of 4 KiB 859 made log writes of 1 KiB.
#[test]
fn an_append_into_what_is_allocated_ahead_logs_an_inode() {
    let mut rig = with_files(4_096);
    for append in 1..32 {
        rig.write(2, append * 4_096, 4_096);
        rig.write_back(2);
        let kib = rig.force_kib();
        assert_eq!(kib, [if append < 17 { 1.5 } else { 1.0 }], "append {append}");
    }
}

#[test]
fn a_new_file_logs_its_directory_and_the_trees_of_inodes() {
    let mut rig = with_files(4_096);
    rig.create(20, 1);
    is(&mut rig, &[2.0]);
    rig.create(21, 1);
    rig.write(21, 0, 4_096);
    rig.write_back(21);
    is(&mut rig, &[2.5]);
    rig.operate(Operation::Mkdir, 22, 0);
    is(&mut rig, &[2.5]);
    // A chunk of its group was made for it; the next in that group needs none.
    (23..27).for_each(|directory| rig.operate(Operation::Mkdir, directory, 0));
    rig.force();
    rig.operate(Operation::Mkdir, 27, 0);
    is(&mut rig, &[2.0]);
}

#[test]
fn names_log_directory_and_inodes() {
    let mut rig = with_files(4_096);
    rig.operate(Operation::Rename, 2, 1);
    is(&mut rig, &[1.5]);
    rig.unlink(3);
    is(&mut rig, &[1.5]);
    rig.inactivate();
    rig.force();
    rig.rename_over(4, 1, 5);
    is(&mut rig, &[2.0]);
}

#[test]
fn cutting_a_file_logs_what_becomes_free() {
    for length in [4_096, 0] {
        let mut rig = with_files(65_536);
        rig.truncate(2, length);
        is(&mut rig, &[1.5]);
    }
}

#[test]
fn ten_new_files_log_five_kib() {
    let mut rig = with_files(4_096);
    rig.operate(Operation::Mkdir, 50, 0);
    rig.force();
    (60..70).for_each(|file| {
        rig.create(file, 50);
        rig.write(file, 0, 4_096);
        rig.close(file);
    });
    (60..70).for_each(|file| rig.write_back(file));
    let kib = rig.force_kib();
    assert!(kib.len() == 1 && (4.5..=5.5).contains(&kib[0]), "{kib:?}");
}

/// A thousand empty files: nine log buffers of 32 KiB and 8 or 8.5 more.
#[test]
fn a_large_checkpoint_takes_several_log_buffers() {
    let mut rig = with_files(4_096);
    rig.operate(Operation::Mkdir, 50, 0);
    rig.force();
    (100..1_100).for_each(|file| rig.create(file, 50));
    let writes = rig.force();
    let kib: f64 = writes.iter().map(|write| write.bytes as f64 / 1_024.0).sum();
    assert!((280.0..=315.0).contains(&kib), "{kib}");
    assert!(writes[0].flush_before && !writes[0].commits && writes[writes.len() - 1].commits);
    assert!(writes[1..writes.len() - 1].iter().all(|write| write.bytes == 32 << 10 && !write.flush_before));
}

#[test]
fn nothing_changed_is_nothing_written() {
    let mut rig = with_files(4_096);
    assert!(rig.force().is_empty());
}

#[test]
fn the_log_is_short_once_three_quarters_are_used_and_not_in_place() {
    let mut rig = Rig::new(1_048_576);
    rig.log = Log::new(LogParameters { blocks: 1_280, ..*rig.log.parameters() });
    rig.operate(Operation::Mkdir, 1, 0);
    let mut before = 0;
    for file in 2..20_000 {
        rig.create(file, 1);
        if rig.log.is_full() {
            rig.force();
            let used = rig.log.oldest(usize::MAX).len();
            assert!(used >= before, "nothing goes in place by itself");
            before = used;
        }
    }
    rig.force();
    assert!(rig.log.is_short(), "{before} items");
    for item in rig.log.oldest(usize::MAX) {
        rig.log.in_place(item);
    }
    assert!(!rig.log.is_short() && rig.log.oldest(1).is_empty());
}
