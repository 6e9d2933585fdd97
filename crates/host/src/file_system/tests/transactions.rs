//! Operations against the blocks that a real kernel logged.
//!
//! Observed on Linux 6.18.44: the operation on a loop device of 1 GiB with a journal of 32 MiB, made by mke2fs 1.47.0,
//! then `debugfs -R "logdump -aO"`, whose descriptor blocks name the blocks logged. The lists in brackets are the
//! observed ones.

use super::*;
use crate::kernel_profile::JournalGeneration;

#[test]
fn appends_log_bitmap_descriptor_and_inode_and_at_the_13th_block_the_indirect_one() {
    let mut log = Log::new(modern(Family::Ext3));
    log.operate(Operation::Create, 1, 0);
    assert_eq!(log.commit(), (vec![1, 66, 67, 579], vec![]));
    for _ in 0..12 {
        log.append(1, 1);
        assert_eq!(log.commit(), (vec![1, 65, 67], vec![]));
    }
    log.append(1, 1);
    let indirect = log.above(1, 12)[0];
    assert_eq!(log.commit(), (vec![1, 65, 67, indirect], vec![]));
    log.append(1, 1);
    assert_eq!(log.commit(), (vec![1, 65, 67, indirect], vec![]));
    assert_eq!(log.above(1, 11), [] as [u64; 0]);
}

#[test]
fn operations_on_ext3_log_the_blocks_that_debugfs_shows() {
    operations_log_what_debugfs_shows(Family::Ext3);
}

#[test]
fn operations_on_ext4_log_the_blocks_that_debugfs_shows() {
    operations_log_what_debugfs_shows(Family::Ext4);
}

/// The names of the blocks are those of the observation; numbers differ where a directory's group hangs on its name's
/// hash.
#[expect(clippy::too_many_lines, reason = "a list of operations and what each logs")]
fn operations_log_what_debugfs_shows(family: Family) {
    let mut log = Log::new(modern(family));
    let at = log.volume.geometry.clone();
    let (inode_bitmap, block_bitmap, table, root) =
        (at.inode_bitmap(0), at.block_bitmap(0), at.inode_block(2), at.root);
    // ext4 puts the first data of group 0's files into group 1: 130 in the observation.
    let data_bitmap = if family == Family::Ext4 { at.block_bitmap(1) } else { block_bitmap };
    let sorted = |mut blocks: Vec<u64>| {
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    };
    let logged = |blocks: &[u64]| (sorted(blocks.to_vec()), Vec::new());
    let descriptors = 1;

    // A file of a block, appended to; one that grows to 13 blocks.
    log.operate(Operation::Create, 1, 0);
    log.append(1, 1);
    log.operate(Operation::Create, 2, 0);
    log.append(2, 12);
    log.commit();
    log.append(2, 1);
    let indirect = log.above(2, 12);
    assert_eq!(indirect.len(), usize::from(family == Family::Ext3));
    let expected = [&[table, data_bitmap, descriptors], &indirect[..]].concat();
    assert_eq!(log.commit(), logged(&expected));

    // create0: [66, 1, 67, 579]; create4k: and the block bitmap.
    log.operate(Operation::Create, 3, 0);
    assert_eq!(log.commit(), logged(&[inode_bitmap, descriptors, table, root]));
    log.operate(Operation::Create, 4, 0);
    log.append(4, 1);
    assert_eq!(log.commit(), logged(&[inode_bitmap, descriptors, table, root, data_bitmap]));

    // mkdir in the root: [65537, 1, 65538, 65536, 66050, 67, 579].
    log.operate(Operation::Mkdir, 5, 0);
    let directory = log.block(5, 0);
    let directory_table = log.volume.inode_block(FileId(5));
    let group = (0..at.groups).find(|&group| at.inode_block(group * 8192 + 1) == directory_table).unwrap();
    let directory_bitmap = at.block_bitmap(at.group_of_block(directory));
    let parts =
        [at.inode_bitmap(group), descriptors, directory_table, directory_bitmap, directory, table, root];
    assert_eq!(log.commit(), logged(&parts));
    assert_eq!(parts.len(), 7);

    // mkdir in it: on ext3 [65537, 1, 65538, 65536, 66051, 66050], on ext4 with two tables.
    log.operate(Operation::Mkdir, 6, 5);
    let nested = log.block(6, 0);
    let nested_table = log.volume.inode_block(FileId(6));
    let nested_group = at.group_of_inode(log.volume.get(FileId(6)).unwrap().number);
    assert_eq!(
        log.commit(),
        logged(&[
            at.inode_bitmap(nested_group),
            descriptors,
            nested_table,
            directory_bitmap,
            nested,
            directory_table,
            directory
        ])
    );

    // rename within the root: [67, 579]; into the other directory: [65538, 66050, 67, 579].
    log.go(&FileOp { operation: Operation::Rename, file: FileId(1), ..FileOp::default() });
    assert_eq!(log.commit(), logged(&[table, root]));
    log.go(&FileOp { operation: Operation::Rename, file: FileId(1), parent: FileId(5), ..FileOp::default() });
    assert_eq!(log.commit(), logged(&[directory_table, directory, table, root]));

    // rename over an empty file: [67, 579, 0, 1, 66].
    log.go(&FileOp {
        operation: Operation::Rename,
        file: FileId(4),
        replaced: Some(FileId(3)),
        ..FileOp::default()
    });
    assert_eq!(log.commit(), logged(&[table, root, 0, descriptors, inode_bitmap]));

    // rename of a directory into the root: [67, 579, 65538, 66050, 66051].
    log.go(&FileOp { operation: Operation::Rename, file: FileId(6), ..FileOp::default() });
    assert_eq!(log.commit(), logged(&[table, root, nested_table, directory_table, directory, nested]));

    // unlink of a file with a block: [579, 67, 0, 65, 1, 66]; with 13: and its indirect block revoked.
    log.operate(Operation::Unlink, 4, 0);
    assert_eq!(log.commit(), logged(&[root, table, 0, data_bitmap, descriptors, inode_bitmap]));
    log.operate(Operation::Unlink, 2, 0);
    let expected = sorted(vec![root, table, 0, data_bitmap, descriptors, inode_bitmap]);
    assert_eq!(log.commit(), (expected, indirect));

    // create and unlink in one transaction: [66, 1, 67, 579, 0].
    log.operate(Operation::Create, 7, 0);
    log.operate(Operation::Unlink, 7, 0);
    assert_eq!(log.commit(), logged(&[inode_bitmap, descriptors, table, root, 0]));

    // rmdir: its block revoked, [579, 0, 65538, 67, 65536, 1, 65537].
    log.operate(Operation::Rmdir, 6, 0);
    let expected =
        [root, 0, nested_table, table, directory_bitmap, descriptors, at.inode_bitmap(nested_group)];
    assert_eq!(log.commit(), (sorted(expected.to_vec()), vec![nested]));
}

#[test]
fn truncation_logs_the_superblock_and_revokes_the_indirect_blocks() {
    let mut log = Log::new(modern(Family::Ext3));
    log.operate(Operation::Create, 1, 0);
    log.append(1, 1036);
    let single = log.above(1, 12)[0];
    log.commit();
    // The 1037th block needs a double and another indirect one: [67, 65, 1, 8801, 9298].
    log.append(1, 1);
    let mut all = log.above(1, 1036);
    assert_eq!(all.len(), 2);
    let (logged, _) = log.commit();
    assert_eq!(logged, {
        let mut blocks = [&[1, 65, 67], &all[..]].concat();
        blocks.sort_unstable();
        blocks
    });
    // To 5000 bytes: [0, 67, 65, 1], three blocks revoked.
    let truncate =
        |length| FileOp { operation: Operation::Truncate, file: FileId(1), length, ..FileOp::default() };
    all.push(single);
    all.sort_unstable();
    log.go(&truncate(5000));
    assert_eq!(log.commit(), (vec![0, 1, 65, 67], all));
    log.go(&truncate(0));
    assert_eq!(log.commit(), (vec![0, 1, 65, 67], vec![]));
    // Longer: the inode alone.
    log.go(&truncate(1_000_000));
    assert_eq!(log.commit(), (vec![67], vec![]));
}

/// Where a file of old or new ext3 crosses 64 KiB on a volume of 1 GiB, its data go on in another group: the observed
/// commit then has two block bitmaps (append64k_fsync at 16 KiB: inode, two bitmaps, descriptors, indirect block).
#[test]
fn a_file_of_another_group_goes_on_in_the_first_one_beyond_64_kibibytes() {
    let mut log = Log::new(modern(Family::Ext3));
    log.operate(Operation::Mkdir, 1, 0);
    log.operate(Operation::Create, 2, 1);
    log.append(2, 4);
    log.commit();
    let first = log.block(2, 0);
    let home = log.volume.geometry.group_of_block(first);
    assert_ne!(home, 0);
    log.append(2, 16);
    assert_eq!(log.commit().0.len(), 5);
    let groups: Vec<u32> =
        [15, 16, 19].map(|at| log.block(2, at)).map(|block| log.volume.geometry.group_of_block(block)).into();
    assert_eq!(groups, [home, 0, 0]);
    // The first block beyond the single indirect one: DIND beside IND, in the old group, and data in the new one.
    log.append(2, 1036 - 20);
    log.commit();
    log.append(2, 1);
    assert_eq!(log.commit().0.len(), 6);
}

/// Requests into the journal that the block tracepoints showed (`W20J` is a descriptor and four blocks) for operations
/// in a subdirectory: on 64 MiB its inode shares a block of the table with the files', on 1 GiB it had more than 16
/// files.
#[test]
fn operations_in_a_subdirectory_log_as_many_blocks_as_were_observed() {
    let observed = [
        // create, create and write 4 KiB, append at 0, at 16 KiB, at 48 KiB, mkdir, rename, unlink of 4 KiB
        (64, 0, [4, 5, 3, 3, 4, 6, 2, 6]),
        (1024, 20, [5, 6, 3, 3, 4, 7, 3, 7]),
    ];
    for (mebibytes, before, expected) in observed {
        let parameters = FileSystemParameters::default().under(JournalGeneration::Jbd2);
        let mut log = Log::new(Volume::format(&parameters, mebibytes * MEBI_BLOCKS).unwrap());
        log.operate(Operation::Mkdir, 1, 0);
        for file in 0..before {
            log.operate(Operation::Create, 100 + file, 1);
        }
        log.commit();
        let mut found = Vec::new();
        log.operate(Operation::Create, 2, 1);
        found.push(log.commit().0.len());
        log.operate(Operation::Create, 3, 1);
        log.append(3, 1);
        found.push(log.commit().0.len());
        for (from, to) in [(0, 1), (4, 5), (12, 13)] {
            log.append(2, from - log.volume.size(FileId(2)) / BLOCK_SIZE);
            log.commit();
            log.append(2, to - from);
            found.push(log.commit().0.len());
        }
        log.operate(Operation::Mkdir, 4, 1);
        found.push(log.commit().0.len());
        log.operate(Operation::Rename, 2, 1);
        found.push(log.commit().0.len());
        log.operate(Operation::Unlink, 3, 1);
        found.push(log.commit().0.len());
        assert_eq!(found, expected, "{mebibytes} MiB");
    }
}
