//! Where files and directories go, and what happens when they don't fit.

use super::*;
use petrio_random::generator;
use petrio_units::Bytes;

#[test]
fn files_of_12_13_1036_and_1037_blocks_have_none_one_one_and_three_indirect_blocks() {
    for allocation in [Allocation::Reservation, Allocation::MultiBlock] {
        let parameters =
            FileSystemParameters { allocation: Some(allocation), ..FileSystemParameters::default() };
        for (blocks, above) in [(12, 0), (13, 1), (1036, 1), (1037, 3), (12 + 1024 + 1024 + 1, 4)] {
            let mut log = Log::new(Volume::format(&parameters, 262_144).unwrap());
            let free = log.volume.free_blocks();
            let mut random = generator(1, 0, "volume", "fragmentation");
            log.volume.add_file(FileId(1), FileId::ROOT, blocks * BLOCK_SIZE, &mut random).unwrap();
            assert_eq!(log.volume.blocks_of(FileId(1)), blocks + above);
            assert_eq!(free - log.volume.free_blocks(), blocks + above);
            let needed = log.above(1, blocks - 1).len() as u64;
            assert_eq!(needed, u64::from(blocks > 12) + u64::from(blocks > 1036));
        }
    }
}

/// As the journal of an ext3 lies, which `mke2fs` writes block after block: (IND) before the data it points to.
#[test]
fn a_sequential_file_of_old_ext3_has_its_indirect_blocks_woven_in() {
    let mut log = Log::new(fresh(Family::Ext3, 1024));
    let mut random = generator(1, 0, "volume", "fragmentation");
    log.volume.add_file(FileId(1), FileId::ROOT, 8192 * BLOCK_SIZE, &mut random).unwrap();
    let start = log.block(1, 0);
    let offsets: Vec<u64> = [11, 12, 1035, 1036, 2059, 2060].map(|at| log.block(1, at) - start).into();
    assert_eq!(offsets, [11, 13, 1036, 1039, 2062, 2064]);
    assert_eq!(log.above(1, 12), [start + 12]);
    assert_eq!(log.above(1, 1036), [start + 1037, start + 1038]);
    assert_eq!(log.above(1, 2060), [start + 1037, start + 2063]);
    log.volume.map(FileId(1), 0, 8192, &mut log.mapping);
    assert_eq!(log.mapping.segments.len(), 9);
    assert_eq!(log.mapping.metadata.len(), 9);
}

#[test]
fn a_directory_becomes_an_index_with_its_second_block() {
    let mut log = Log::new(fresh(Family::Ext3, 1024));
    log.operate(Operation::Mkdir, 1, 0);
    // 20 bytes an entry: 203 beside `.` and `..`.
    for file in 0..203 {
        log.operate(Operation::Create, 10 + file, 1);
    }
    assert_eq!(log.volume.size(FileId(1)), 4096);
    log.commit();
    log.operate(Operation::Create, 1000, 1);
    // A root and two leaves, two of them new.
    assert_eq!(log.volume.size(FileId(1)), 3 * 4096);
    let blocks = [0, 1, 2].map(|at| log.block(1, at));
    let (logged, _) = log.commit();
    assert!(blocks.iter().all(|block| logged.contains(block)), "{blocks:?} {logged:?}");
    // A look-up now reads the root of the index, a leaf and the inode.
    log.touched.clear();
    log.operate(Operation::Stat, 1000, 1);
    assert_eq!(log.touched.reads.len(), 3);
    assert_eq!(log.touched.reads[0], blocks[0]);
    for file in 0..203 {
        log.operate(Operation::Unlink, 10 + file, 1);
    }
    log.operate(Operation::Unlink, 1000, 1);
    log.operate(Operation::Rmdir, 1, 0);
}

#[test]
fn two_growing_files_keep_their_windows_apart() {
    let mut log = Log::new(fresh(Family::Ext3, 1024));
    log.operate(Operation::Create, 1, 0);
    log.operate(Operation::Create, 2, 0);
    for _ in 0..8 {
        log.append(1, 1);
        log.append(2, 1);
    }
    for file in [1, 2] {
        log.volume.map(FileId(file), 0, 8, &mut log.mapping);
        assert_eq!(log.mapping.segments.len(), 1, "eight blocks of a window lie together");
    }
    let parameters = FileSystemParameters { reservation: 0, ..FileSystemParameters::default() };
    let mut without = Log::new(Volume::format(&parameters, 262_144).unwrap());
    without.operate(Operation::Create, 1, 0);
    without.operate(Operation::Create, 2, 0);
    for _ in 0..8 {
        without.append(1, 1);
        without.append(2, 1);
    }
    without.volume.map(FileId(1), 0, 8, &mut without.mapping);
    assert_eq!(without.mapping.segments.len(), 8, "without windows they alternate");
}

#[test]
fn the_share_of_scattered_pieces_is_the_one_asked_for() {
    for share in [0.0, 0.1, 0.5, 1.0] {
        let parameters = FileSystemParameters {
            fragmentation: petrio_units::Fraction::new(share).unwrap(),
            fragment: Bytes::from_kib(64),
            ..FileSystemParameters::default()
        };
        let mut volume = Volume::format(&parameters, 1024 * 1024).unwrap();
        let mut random = generator(3, 0, "volume", "fragmentation");
        let (pieces, piece) = (2000, 16);
        volume.add_file(FileId(1), FileId::ROOT, pieces * piece * BLOCK_SIZE, &mut random).unwrap();
        let mut mapping = Mapping::default();
        let mut at = |block| {
            volume.map(FileId(1), block, 1, &mut mapping);
            mapping.segments[0].block.unwrap()
        };
        // Indirect blocks lie between pieces here and there: up to three blocks.
        let scattered = (1..pieces)
            .filter(|&number| at(number * piece).abs_diff(at(number * piece - 1)) > 4)
            .count() as f64;
        let tries = (pieces - 1) as f64;
        // Four standard deviations of a binomial.
        let spread = 4.0 * libm::sqrt(tries * share * (1.0 - share));
        assert!((scattered - tries * share).abs() <= spread + 1.0, "{share}: {scattered} of {tries}");
    }
}

/// Linux 6.18, 4 GiB: 4 KiB written and synced at 3 MiB, 1 MiB, 2 MiB, 0, 1 MiB + 4 KiB and 3 MiB - 4 KiB.
#[test]
fn what_was_looked_for_around_a_block_of_a_file_of_extents_is_kept_for_its_neighbours() {
    let mut log = Log::new(fresh(Family::Ext4, 4096));
    log.operate(Operation::Mkdir, 1, 0);
    log.operate(Operation::Create, 2, 1);
    let file = FileId(2);
    for block in [768, 256, 512, 0, 257, 767] {
        log.volume.grow(file, (block + 1) * BLOCK_SIZE);
        log.volume.allocate(file, block, 1, &mut log.mapping, &mut log.touched).unwrap();
    }
    log.volume.map(file, 0, 769, &mut log.mapping);
    let lies =
        log.mapping.segments.iter().filter_map(|run| Some((run.first, run.block? - 17 * 32_768, run.count)));
    assert_eq!(lies.collect::<Vec<_>>(), [(0, 512, 1), (256, 768, 2), (512, 0, 1), (767, 255, 2)]);
}

/// The same: a large file in the root begins behind the metadata, before any group's buddy bitmaps are in memory; with few groups,
/// which are all looked through, in the second of the flexible group.
#[test]
fn data_are_looked_for_by_powers_of_two_beside_the_group_of_directories() {
    for (mebibytes, lies) in [(4096, 8_743), (512, 32_768 + 2_048)] {
        let mut log = Log::new(fresh(Family::Ext4, mebibytes));
        log.operate(Operation::Create, 1, 0);
        log.volume.grow(FileId(1), 64 << 20);
        log.volume.allocate(FileId(1), 0, 16_384, &mut log.mapping, &mut log.touched).unwrap();
        assert_eq!(log.mapping.segments, [Segment { first: 0, block: Some(lies), count: 16_384 }]);
    }
}

#[test]
fn a_full_volume_says_so_and_has_given_its_last_block() {
    for allocation in [Allocation::Reservation, Allocation::MultiBlock] {
        for family in [Family::Ext3, Family::Ext4] {
            let parameters =
                FileSystemParameters { allocation: Some(allocation), ..FileSystemParameters::of(family) };
            let mut volume = Volume::format(&parameters, 16_384).unwrap();
            let (mut mapping, mut touched) = (Mapping::default(), Touched::default());
            let mut random = generator(1, 0, "volume", "fragmentation");
            volume.add_file(FileId(1), FileId::ROOT, 4096, &mut random).unwrap();
            let error = volume.allocate(FileId(1), 0, 20_000, &mut mapping, &mut touched).unwrap_err();
            assert!(matches!(error, FileError::NoSpace { .. }), "{error}");
            assert_eq!(volume.free_blocks(), 0, "{family:?} {allocation:?}");
            assert!(error.to_string().contains("take a larger device"));
            let mut op = FileOp { operation: Operation::Mkdir, file: FileId(2), ..FileOp::default() };
            assert!(matches!(volume.operate(&op, &mut touched), Err(FileError::NoSpace { .. })));
            op = FileOp { operation: Operation::Unlink, file: FileId(1), ..FileOp::default() };
            volume.operate(&op, &mut touched).unwrap();
            assert_eq!(volume.free_blocks(), fresh(family, 64).free_blocks());
        }
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let mut volume = fresh(Family::Ext3, 64);
    let mut touched = Touched::default();
    let mut fails = |volume: &mut Volume, operation, file: u32, parent: u32| {
        let op = FileOp { operation, file: FileId(file), parent: FileId(parent), ..FileOp::default() };
        volume.operate(&op, &mut touched).unwrap_err()
    };
    volume.add_directory(FileId(1), FileId::ROOT).unwrap();
    volume.add_directory(FileId(2), FileId(1)).unwrap();
    let file = |number| FileId(number);
    use FileError::*;
    assert_eq!(fails(&mut volume, Operation::Unlink, 9, 0), NotFound { file: file(9) });
    assert_eq!(fails(&mut volume, Operation::Create, 2, 0), Exists { file: file(2) });
    assert_eq!(fails(&mut volume, Operation::Create, 3, 9), NotFound { file: file(9) });
    assert_eq!(fails(&mut volume, Operation::Unlink, 2, 1), IsADirectory { file: file(2) });
    assert_eq!(fails(&mut volume, Operation::Rmdir, 1, 0), NotEmpty { file: file(1), entries: 1 });
    assert!(matches!(fails(&mut volume, Operation::Rename, 1, 2), Misplaced { .. }));
    assert!(matches!(fails(&mut volume, Operation::Rmdir, 0, 0), Misplaced { .. }));
    let tiny = Volume::format(&FileSystemParameters::default(), 1200).unwrap_err();
    assert!(matches!(tiny, FormatError::TooSmall { .. }), "{tiny}");
    let parameters = FileSystemParameters { name_length: 0, ..FileSystemParameters::default() };
    let error = Volume::format(&parameters, 262_144).unwrap_err();
    assert_eq!(error.to_string(), "`name_length` is 0; take from 1 to 255 bytes");
}

/// ext3_max_size: an inode counts the sectors of its file and of the indirect blocks with 32 bits.
#[test]
fn a_file_of_ext3_has_less_than_two_tebibytes() {
    let two = (2 << 40) / BLOCK_SIZE;
    let old = fresh(Family::Ext3, 1024);
    assert!(old.fits_a_file(FileId(1), two - two / 100).is_ok());
    let refused = old.fits_a_file(FileId(1), two).unwrap_err();
    assert_eq!(refused.failure(), petrio_colours::Failure::TooLarge);
    assert!(modern(Family::Ext4).fits_a_file(FileId(1), 7 * two).is_ok());
    // It is refused for that before it is for want of room, written as well as prepared.
    let mut log = Log::new(old);
    let mut random = generator(1, 0, "volume", "fragmentation");
    let prepared = log.volume.add_file(FileId(1), FileId::ROOT, 5 << 40, &mut random).unwrap_err();
    assert_eq!(prepared.failure(), petrio_colours::Failure::TooLarge);
    log.operate(Operation::Create, 2, 0);
    let (mut mapping, mut touched) = (Mapping::default(), Touched::default());
    let written = log.volume.allocate(FileId(2), two, 1, &mut mapping, &mut touched).unwrap_err();
    assert_eq!(written.failure(), petrio_colours::Failure::TooLarge);
}

/// `extents.csv`, `fallocate`: 4 KiB, 1 MiB and 64 MiB allocated ahead, in 512 MiB and 4 GiB of Linux 6.18.
#[test]
fn what_is_allocated_ahead_lies_where_it_was_seen() {
    for (mebibytes, groups) in [(512, [1, 1, 2]), (4_096, [1, 1, 0])] {
        let mut log = Log::new(fresh(Family::Ext4, mebibytes));
        log.operate(Operation::Mkdir, 1, 0);
        let own = i64::from(log.volume.group_of(FileId(1)).unwrap());
        for (file, length, group) in
            [(2, 4 << 10, groups[0]), (3, 1 << 20, groups[1]), (4, 64 << 20, groups[2])]
        {
            log.operate(Operation::Create, file, 1);
            log.go(&FileOp {
                operation: Operation::Allocate,
                file: FileId(file),
                length,
                ..FileOp::default()
            });
            let first = log.block(file, 0);
            assert_eq!(
                i64::from(log.volume.group_of_block(first)) - own,
                group,
                "{mebibytes} MiB, file {file}"
            );
        }
    }
}
