//! Who writes a file has it for himself: the inode's lock is held for the whole of a buffered write (ext4_buffered_write_iter,
//! fs/ext4/file.c).

use super::rig::{Rig, access, file, host};
use crate::file_system::{Family, JournalMode};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;

const READ: Time = Time::from_millis(5);

/// A part of a page that has to be read first, and pages that needn't be: of the same file, and of another.
fn writes() -> [FileOp; 3] {
    let by = |process, op: FileOp| FileOp { process, ..op };
    [
        by(1, access(Operation::Write, 2, 100, 1_000)),
        by(2, access(Operation::Write, 2, 1 << 20, 4_096)),
        by(3, access(Operation::Write, 3, 1 << 20, 4_096)),
    ]
}

fn rig() -> Rig {
    let files = [file(2, 4 << 20, false), file(3, 4 << 20, false)];
    Rig::new(Family::Ext4, JournalMode::Ordered, &host(), &files)
}

#[test]
fn writers_of_one_file_come_one_after_the_other_and_those_of_others_meanwhile() {
    let back = rig().together(&writes());
    let order: Vec<usize> = back.iter().map(|(position, _)| *position).collect();
    assert_eq!(order, [2, 0, 1]);
    assert!(back[0].1 < READ, "another file isn't locked: {}", back[0].1);
    assert!(back[1].1 > READ && back[2].1 > back[1].1, "{back:?}");
}

#[test]
fn a_reader_of_a_file_does_not_wait_for_its_writer() {
    let mut rig = rig();
    rig.does(&access(Operation::Read, 2, 2 << 20, 4_096));
    let read = FileOp { process: 2, ..access(Operation::Read, 2, 2 << 20, 4_096) };
    let [write, ..] = writes();
    let back = rig.together(&[write, read]);
    assert_eq!(back[0].0, 1);
    assert!(back[0].1 < READ, "{back:?}");
}

#[test]
fn the_lock_is_free_again_after_the_last_writer() {
    let mut rig = rig();
    rig.together(&writes());
    let alone = rig.does(&writes()[1]);
    assert!(alone < READ, "{alone}");
}
