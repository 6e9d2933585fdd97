//! Where files lie: `extents.csv`, its scenarios of one process and those in lockstep.

use super::rig::Rig;
use petrio_colours::{FileId, Operation};

const CALL: u64 = 64 << 10;

/// 64 KiB a call, a file after the other, up to so many bytes each.
fn in_turn(rig: &mut Rig, files: &[u32], bytes: u64, each: u64) {
    for offset in (0..bytes).step_by(CALL as usize) {
        for &file in files {
            rig.write(file, offset, CALL);
            if (offset + CALL).is_multiple_of(each) {
                rig.write_back(file);
            }
        }
    }
    files.iter().for_each(|&file| rig.write_back(file));
}

fn kib(extents: &[(u64, u64, u64)]) -> Vec<(u64, u64, u64)> {
    extents.iter().map(|&(first, block, count)| (first * 4, block * 4, count * 4)).collect()
}

#[test]
fn one_writer_gets_one_extent_and_as_much_behind() {
    let mut rig = Rig::new(1_048_576);
    rig.create(1, 0);
    in_turn(&mut rig, &[1], 64 << 20, u64::MAX);
    assert_eq!(kib(&rig.extents(1)), [(0, 96, 65_536), (65_536, 65_632, 65_472)]);
    rig.close(1);
    assert_eq!(kib(&rig.extents(1)), [(0, 96, 65_536)]);
}

/// In 512 MiB no group has 128 MiB in one piece: the first extent goes to the next group.
#[test]
fn a_file_too_large_for_its_group_begins_in_the_next() {
    let mut rig = Rig::new(131_072);
    rig.create(1, 0);
    in_turn(&mut rig, &[1], 64 << 20, u64::MAX);
    rig.close(1);
    assert_eq!(kib(&rig.extents(1)), [(0, 131_112, 65_536)]);
}

#[test]
fn two_writers_in_lockstep_lie_one_behind_the_other() {
    for blocks in [1_048_576, 131_072] {
        let mut rig = Rig::new(blocks);
        rig.operate(Operation::Mkdir, 1, 0);
        rig.create(2, 1);
        rig.create(3, 1);
        in_turn(&mut rig, &[2, 3], 16 << 20, u64::MAX);
        [2, 3].into_iter().for_each(|file| rig.close(file));
        assert_eq!(kib(&rig.extents(2)), [(0, 96, 16_384)]);
        assert_eq!(kib(&rig.extents(3)), [(0, 32_800, 16_384)]);
    }
}

#[test]
fn fsync_after_each_mib_finds_what_is_promised_by_then() {
    let mut rig = Rig::new(1_048_576);
    rig.operate(Operation::Mkdir, 1, 0);
    rig.create(2, 1);
    rig.create(3, 1);
    in_turn(&mut rig, &[2, 3], 16 << 20, 1 << 20);
    [2, 3].into_iter().for_each(|file| rig.close(file));
    let first = [
        (0, 96, 1_984),
        (1_984, 4_064, 2_048),
        (4_032, 8_160, 4_096),
        (8_128, 16_352, 8_192),
        (16_320, 32_736, 64),
    ];
    let second = [
        (0, 2_080, 1_984),
        (1_984, 6_112, 2_048),
        (4_032, 12_256, 4_096),
        (8_128, 24_544, 8_192),
        (16_320, 49_120, 64),
    ];
    assert_eq!((kib(&rig.extents(2)), kib(&rig.extents(3))), (first.to_vec(), second.to_vec()));
}

#[test]
fn a_hundred_small_files_lie_in_order() {
    let mut rig = Rig::new(1_048_576);
    rig.operate(Operation::Mkdir, 1, 0);
    for file in 2..102 {
        rig.create(file, 1);
        rig.write(file, 0, CALL);
        rig.close(file);
    }
    (2..102).for_each(|file| rig.write_back(file));
    for file in 2..102_u32 {
        assert_eq!(kib(&rig.extents(file)), [(0, 128 + u64::from(file - 2) * 64, 64)], "{file}");
    }
}

#[test]
fn appends_with_fsync_fill_a_gap_and_go_on_behind_the_inodes() {
    let mut rig = Rig::new(1_048_576);
    rig.operate(Operation::Mkdir, 1, 0);
    rig.create(2, 1);
    let expected = [
        (5, vec![(0, 40, 20)]),
        (8, vec![(0, 40, 24), (24, 96, 8)]),
        (17, vec![(0, 40, 24), (24, 96, 44), (68, 140, 60)]),
        (33, vec![(0, 40, 24), (24, 96, 108), (132, 204, 124)]),
        (129, vec![(0, 40, 24), (24, 96, 492), (516, 588, 508)]),
        (200, vec![(0, 40, 24), (24, 96, 776), (800, 872, 224)]),
    ];
    let mut expected = expected.into_iter();
    let mut next = expected.next();
    for append in 1..=200 {
        rig.write(2, (append - 1) * 4_096, 4_096);
        rig.write_back(2);
        if let Some((_, extents)) = next.take_if(|(after, _)| *after == append) {
            assert_eq!(kib(&rig.extents(2)), extents, "after {append}");
            next = expected.next();
        }
    }
    assert!(next.is_none());
}

#[test]
fn a_sparse_file_lies_in_the_order_of_its_writes() {
    let mut rig = Rig::new(1_048_576);
    rig.operate(Operation::Mkdir, 1, 0);
    rig.create(2, 1);
    for block in [768, 256, 512, 0, 257, 767] {
        rig.write(2, block * 4_096, 4_096);
        rig.write_back(2);
    }
    let extents =
        [(0, 52, 4), (1_024, 44, 4), (1_028, 56, 4), (2_048, 48, 4), (3_068, 60, 4), (3_072, 40, 4)];
    assert_eq!(kib(&rig.extents(2)), extents);
}

/// Nine directories of the root and two in each: `directories_9_and_18`.
#[test]
fn directories_take_the_groups_in_turn() {
    let mut rig = Rig::new(1_048_576);
    (1..10).for_each(|directory| rig.operate(Operation::Mkdir, directory, 0));
    for (at, parent) in (1..10).enumerate() {
        rig.operate(Operation::Mkdir, 10 + 2 * at as u32, parent);
        rig.operate(Operation::Mkdir, 11 + 2 * at as u32, parent);
    }
    let group = |directory| rig.volume.group_of(FileId(directory)).unwrap();
    assert_eq!((1..10).map(group).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!((10..16).map(group).collect::<Vec<_>>(), [1, 2, 3, 0, 1, 2]);
    rig.create(100, 1);
    assert_eq!(rig.volume.group_of(FileId(100)), Some(0));
}

#[test]
fn what_is_removed_is_free_again() {
    let mut rig = Rig::new(1_048_576);
    rig.create(1, 0);
    rig.close(1);
    rig.unlink(1);
    rig.inactivate();
    let free = rig.volume.free_blocks();
    for file in 2..200 {
        rig.create(file, 0);
        rig.write(file, 0, u64::from(file) * 5_000);
        rig.write_back(file);
        rig.close(file);
    }
    (2..200).for_each(|file| rig.unlink(file));
    rig.inactivate();
    // Chunks of inodes and the directory's blocks stay.
    assert!(free - rig.volume.free_blocks() < 8 * 4 + 8, "{} of {free}", rig.volume.free_blocks());
}
