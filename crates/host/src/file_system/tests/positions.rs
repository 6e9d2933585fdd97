//! Fresh volumes against what e2fsprogs prints.
//!
//! Positions are those of `dumpe2fs` and `debugfs` 1.47.0 on fresh images made by `mkfs.ext3 -b 4096` and
//! `mkfs.ext4 -b 4096` of the same version.

use super::*;

#[test]
fn ext3_of_one_gibibyte_lies_where_dumpe2fs_says() {
    let volume = fresh(Family::Ext3, 1024);
    let at = &volume.geometry;
    assert_eq!((at.groups, at.inodes_per_group, volume.free_inodes()), (8, 8192, 65_525));
    assert_eq!((volume.free_blocks(), volume.journal(), at.root), (249_500, 585..585 + 8192, 579));
    let bitmaps: Vec<u64> = (0..8).map(|group| at.block_bitmap(group)).collect();
    assert_eq!(bitmaps, [65, 32_833, 65_536, 98_369, 131_072, 163_905, 196_608, 229_441]);
    let inode_bitmaps: Vec<u64> = (0..4).map(|group| at.inode_bitmap(group)).collect();
    assert_eq!(inode_bitmaps, [66, 32_834, 65_537, 98_370]);
    let tables: Vec<u64> = (0..4).map(|group| at.inode_block(group * 8192 + 1)).collect();
    assert_eq!(tables, [67, 32_835, 65_538, 98_371]);
    let free: Vec<u32> = (0..4).map(|group| volume.taken.free_in(group)).collect();
    assert_eq!(free, [23_982, 32_189, 32_254, 32_189]);
    assert_eq!(at.inode_block(16), 67);
    assert_eq!(at.inode_block(17), 68);
}

#[test]
fn ext3_of_64_mebibytes_has_an_inode_for_each_block() {
    let volume = fresh(Family::Ext3, 64);
    let at = &volume.geometry;
    assert_eq!((at.groups, at.inodes_per_group, volume.free_inodes()), (1, 16_384, 16_373));
    assert_eq!((at.block_bitmap(0), at.inode_bitmap(0), at.inode_block(1)), (5, 6, 7));
    assert_eq!((volume.free_blocks(), volume.journal(), at.root), (14_322, 1037..1037 + 1024, 1031));
}

#[test]
fn ext4_gathers_bitmaps_and_tables_and_has_its_journal_in_the_middle() {
    let volume = fresh(Family::Ext4, 1024);
    let at = &volume.geometry;
    assert_eq!((volume.free_blocks(), volume.journal(), at.root), (249_189, 131_072..139_264, 4241));
    let group = |group| (at.block_bitmap(group), at.inode_bitmap(group), at.inode_block(group * 8192 + 1));
    assert_eq!([group(0), group(1), group(2)], [(129, 137, 145), (130, 138, 657), (131, 139, 1169)]);
    assert_eq!([0, 1, 2].map(|group| volume.taken.free_in(group)), [28_521, 32_639, 32_768]);
    let volume = fresh(Family::Ext4, 8192);
    let at = &volume.geometry;
    let group = |group| (at.block_bitmap(group), at.inode_bitmap(group), at.inode_block(group * 8192 + 1));
    assert_eq!((volume.free_blocks(), volume.journal()), (2_038_641, 1_081_344..1_097_728));
    assert_eq!(
        [group(15), group(16), group(17)],
        [(1040, 1056, 8737), (524_288, 524_304, 524_320), (524_289, 524_305, 524_832)]
    );
    let unwritten: Vec<u32> = (0..64).filter(|&group| !volume.unwritten[group as usize].blocks).collect();
    assert_eq!(unwritten, [0, 16, 32, 33, 48, 63]);
}

#[test]
fn the_journal_of_ext4_begins_where_debugfs_says() {
    let starts =
        [(512, 65_536), (1000, 65_536), (1153, 131_072), (2049, 262_144), (2176, 262_144), (3000, 327_680)];
    for (mebibytes, start) in starts.into_iter().chain([(20_480, 2_655_236)]) {
        assert_eq!(fresh(Family::Ext4, mebibytes).journal().start, start, "{mebibytes} MiB");
    }
    for (mebibytes, start) in [(512, 553), (2049, 650), (3000, 697), (20_480, 1545)] {
        assert_eq!(fresh(Family::Ext3, mebibytes).journal().start, start, "{mebibytes} MiB");
    }
}

#[test]
fn free_blocks_and_inodes_agree_with_dumpe2fs_at_many_sizes() {
    for (family, mebibytes, blocks, inodes, journal) in SIZES {
        let volume = fresh(family, mebibytes);
        let length = volume.journal().end - volume.journal().start;
        let found = (volume.free_blocks(), volume.free_inodes(), length);
        assert_eq!(found, (blocks, inodes, journal), "{family:?} {mebibytes} MiB");
    }
}

/// `Free blocks:`, `Free inodes:` and `Total journal blocks:` of `dumpe2fs`, by size in MiB.
const SIZES: [(Family, u64, u64, u64, u64); 22] = [
    (Family::Ext3, 24, 4_724, 6_133, 1024),
    (Family::Ext3, 100, 22_959, 25_589, 1024),
    (Family::Ext3, 200, 43_861, 51_189, 4096),
    (Family::Ext3, 511, 118_426, 130_805, 4096),
    (Family::Ext3, 512, 124_810, 32_757, 4096),
    (Family::Ext3, 1000, 247_557, 63_989, 4096),
    (Family::Ext3, 1153, 281_705, 73_861, 8192),
    (Family::Ext3, 2049, 498_867, 131_317, 16384),
    (Family::Ext3, 2176, 531_089, 139_253, 16384),
    (Family::Ext3, 3000, 738_411, 191_989, 16384),
    (Family::Ext3, 20480, 5_116_558, 1_310_709, 32768),
    (Family::Ext4, 24, 4_724, 6_133, 1024),
    (Family::Ext4, 100, 22_954, 25_589, 1024),
    (Family::Ext4, 200, 43_842, 51_189, 4096),
    (Family::Ext4, 511, 118_335, 130_805, 4096),
    (Family::Ext4, 512, 124_719, 32_757, 4096),
    (Family::Ext4, 1000, 247_252, 63_989, 4096),
    (Family::Ext4, 1153, 281_354, 73_861, 8192),
    (Family::Ext4, 2049, 498_116, 131_317, 16384),
    (Family::Ext4, 2176, 530_290, 139_253, 16384),
    (Family::Ext4, 3000, 737_306, 191_989, 16384),
    (Family::Ext4, 20480, 5_116_558, 1_310_709, 32768),
];

#[test]
fn ext4_of_300_tebibytes_has_its_descriptors_scattered() {
    // mke2fs of 1.47.0 on an empty file of 300 TiB.
    let volume = fresh(Family::Ext4, 300 << 20);
    let at = &volume.geometry;
    assert_eq!((at.groups, at.inodes_per_group), (2_457_600, 1744));
    let group = |group| {
        (
            at.descriptor(group),
            at.block_bitmap(group),
            at.inode_bitmap(group),
            at.inode_block(group * 1744 + 1),
        )
    };
    assert_eq!([group(0), group(1)], [(1, 2, 18, 34), (1, 3, 19, 143)]);
    assert_eq!(group(63), (1, 1_572_879, 1_572_895, 1_574_531));
    assert_eq!(group(64), (2_097_152, 2_097_153, 2_097_169, 2_097_185));
    assert_eq!(group(127), (2_097_152, 3_670_031, 3_670_047, 3_671_683));
    let free = [0, 1, 2, 63, 64, 65].map(|group| volume.taken.free_in(group));
    assert_eq!(free, [30_985, 32_766, 32_768, 32_767, 30_991, 32_767]);
}

/// Blocks of a file with indirect blocks that are written in another order than they lie in: what is kept is kept for just these (filefrag(8) of
/// files on ext3, Linux 6.18: after 25 blocks in order, 40, 35, 32, 26 and 33 lay at 8, 3, 0 and 1 behind where 32 did, and 26 by 10
/// behind the seventeenth; 60, 61 and 127 to 140 of another file at one distance).
#[test]
fn blocks_that_are_written_out_of_order_lie_where_they_would_in_order() {
    let mut log = Log::new(modern(Family::Ext3));
    let places = |log: &mut Log, file: u32, order: &[u64]| -> Vec<u64> {
        log.operate(Operation::Create, file, 0);
        log.append(file, 25);
        for &at in order {
            log.volume.allocate(FileId(file), at, 1, &mut log.mapping, &mut log.touched).unwrap();
            let size = log.volume.size(FileId(file)).max((at + 1) * BLOCK_SIZE);
            log.volume.grow(FileId(file), size);
        }
        order.iter().map(|&at| log.block(file, at)).collect()
    };
    let order = [28, 30, 27, 26, 25, 29, 31];
    let placed = places(&mut log, 1, &order);
    let seventeenth = log.block(1, 16);
    assert_eq!(placed, order.map(|at| seventeenth + at - 16));

    let placed = places(&mut log, 2, &[40, 35, 32, 26, 33]);
    let seventeenth = log.block(2, 16);
    assert_eq!(placed[3], seventeenth + 10);
    assert_eq!([placed[0], placed[1], placed[4]].map(|block| block - placed[2]), [8, 3, 1]);

    let order = [140, 135, 131, 129, 128];
    let placed = places(&mut log, 3, &order);
    assert_eq!(placed, order.map(|at| placed[4] + at - 128));
}
