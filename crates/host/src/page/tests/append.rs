//! O_APPEND: where a write goes is decided when it has its file to itself.

use super::rig::{Rig, access, file, host, op};
use crate::file_system::{Family, JournalMode};
use petrio_colours::{AccessFlags, FileOp, Operation};

fn append(process: u32, length: u64) -> FileOp {
    let flags = AccessFlags { append: true, ..AccessFlags::default() };
    FileOp { process, flags, ..access(Operation::Write, 2, 0, length) }
}

fn read(offset: u64, length: u64) -> FileOp {
    access(Operation::Read, 2, offset, length)
}

#[test]
fn writers_that_begin_together_write_one_behind_the_other() {
    for family in [Family::Ext3, Family::Ext4] {
        let mut rig = Rig::new(family, JournalMode::Ordered, &host(), &[file(2, 5_000, true)]);
        rig.together(&[append(1, 3_000), append(2, 70_000), append(3, 200_000)]);
        let back = rig.ends(&read(0, 1 << 20));
        assert_eq!(back.length, 5_000 + 3_000 + 70_000 + 200_000);
    }
}

#[test]
fn an_operation_comes_back_with_the_place_that_it_wrote_to() {
    let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(2, 5_000, true)]);
    assert_eq!(rig.ends(&append(1, 100)).offset, 5_000);
    assert_eq!(rig.ends(&append(1, 100)).offset, 5_100);
    let direct = AccessFlags { append: true, direct: true, ..AccessFlags::default() };
    assert_eq!(rig.ends(&FileOp { flags: direct, ..append(1, 512) }).offset, 5_200);
    rig.does(&op(Operation::Fsync, 2));
    assert_eq!(rig.ends(&read(0, 1 << 20)).length, 5_712);
}

#[test]
fn without_the_flag_all_write_to_where_they_say() {
    let mut rig = Rig::new(Family::Ext3, JournalMode::Ordered, &host(), &[file(2, 5_000, true)]);
    rig.together(&[1, 2].map(|process| FileOp { flags: AccessFlags::default(), ..append(process, 9_000) }));
    assert_eq!(rig.ends(&read(0, 1 << 20)).length, 9_000);
}
