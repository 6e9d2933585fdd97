//! What holds of every volume after any operations: each block has one owner, counts agree, everything comes back.

use super::directory::Directory;
use super::*;
use petrio_colours::{Fallocate, FileId, FileOp, Operation};
use petrio_random::generator;
use petrio_units::{Bytes, Fraction};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Action {
    Create(u32, u32),
    Mkdir(u32, u32),
    Add(u32, u32, u64),
    Write(u32, u64, u64),
    Truncate(u32, u64),
    Unlink(u32),
    Rmdir(u32),
    Rename(u32, u32, Option<u32>),
    Hold(u32),
    Release(u32),
    Link(u32, u32),
    UnlinkIn(u32, u32),
    Attribute(u32, u64),
    Tmpfile(u32, u32),
    Symlink(u32, u32, u64),
    Allocate(u32, (u64, u64), Fallocate),
    WriteInto(u32, u64, u64),
}

fn step() -> impl Strategy<Value = Action> {
    let file = 1u32..12;
    let directory = prop_oneof![Just(0u32), 12u32..16];
    prop_oneof![
        (file.clone(), directory.clone()).prop_map(|(file, parent)| Action::Create(file, parent)),
        (12u32..16, directory.clone()).prop_map(|(file, parent)| Action::Mkdir(file, parent)),
        (file.clone(), directory.clone(), 0u64..9_000_000)
            .prop_map(|(file, parent, size)| Action::Add(file, parent, size)),
        (file.clone(), 0u64..3000, 1u64..40).prop_map(|(file, at, count)| Action::Write(file, at, count)),
        (file.clone(), 0u64..20, 1u64..1500).prop_map(|(file, at, count)| Action::Write(file, at, count)),
        (file.clone(), 0u64..12_000_000).prop_map(|(file, size)| Action::Truncate(file, size)),
        file.clone().prop_map(Action::Unlink),
        (12u32..16).prop_map(Action::Rmdir),
        (1u32..16, directory, proptest::option::of(1u32..16))
            .prop_map(|(file, parent, other)| Action::Rename(file, parent, other)),
        file.clone().prop_map(Action::Hold),
        file.clone().prop_map(Action::Release),
        rare_step(file),
    ]
}

fn rare_step(file: std::ops::Range<u32>) -> impl Strategy<Value = Action> {
    let directory = prop_oneof![Just(0u32), 12u32..16];
    let mode = prop_oneof![
        Just(Fallocate::Extend),
        Just(Fallocate::KeepSize),
        Just(Fallocate::PunchHole),
        Just(Fallocate::ZeroRange)
    ];
    let range = (0u64..4_000_000, 1u64..4_000_000);
    prop_oneof![
        (file.clone(), directory.clone()).prop_map(|(file, parent)| Action::Link(file, parent)),
        (file.clone(), directory.clone()).prop_map(|(file, parent)| Action::UnlinkIn(file, parent)),
        (file.clone(), prop_oneof![Just(0u64), Just(20), Just(100), 100u64..3_000])
            .prop_map(|(file, length)| Action::Attribute(file, length)),
        (file.clone(), directory.clone()).prop_map(|(file, parent)| Action::Tmpfile(file, parent)),
        (file.clone(), directory, 1u64..200)
            .prop_map(|(file, parent, length)| Action::Symlink(file, parent, length)),
        (file.clone(), range, mode).prop_map(|(file, range, mode)| Action::Allocate(file, range, mode)),
        (file, 0u64..1000, 1u64..1000).prop_map(|(file, at, count)| Action::WriteInto(file, at, count)),
    ]
}

fn take(volume: &mut Volume, step: &Action, touched: &mut Touched, mapping: &mut Mapping) {
    let op = |operation, file: u32, parent: u32| FileOp {
        operation,
        file: FileId(file),
        parent: FileId(parent),
        ..FileOp::default()
    };
    // Many of these fail, as they should: what counts is what is true afterwards.
    let _ = match *step {
        Action::Create(file, parent) => volume.operate(&op(Operation::Create, file, parent), touched),
        Action::Mkdir(file, parent) => volume.operate(&op(Operation::Mkdir, file, parent), touched),
        Action::Add(file, parent, size) => {
            let mut random = generator(u64::from(file), size, "volume", "fragmentation");
            volume.add_file(FileId(file), FileId(parent), size, &mut random)
        }
        Action::Write(file, at, count) => {
            let file = FileId(file);
            if volume.is_directory(file) {
                return;
            }
            let before = volume.blocks_of(file);
            let given = volume.allocate(file, at, count, mapping, touched);
            if let Ok(given) = given {
                assert!(volume.blocks_of(file) >= before + given);
                assert!(mapping.segments.iter().all(|segment| segment.block.is_some()));
                assert_eq!(mapping.segments.iter().map(|segment| segment.count).sum::<u64>(), count);
                assert_eq!(
                    volume.allocate(file, at, count, mapping, touched),
                    Ok(0),
                    "nothing is given twice"
                );
                volume.grow(file, (at + count) * BLOCK_SIZE);
            }
            Ok(())
        }
        Action::Truncate(file, length) => {
            volume.operate(&FileOp { length, ..op(Operation::Truncate, file, 0) }, touched)
        }
        Action::Unlink(file) => volume.operate(&op(Operation::Unlink, file, 0), touched),
        Action::Rmdir(file) => volume.operate(&op(Operation::Rmdir, file, 0), touched),
        Action::Rename(file, parent, replaced) => volume.operate(
            &FileOp { replaced: replaced.map(FileId), ..op(Operation::Rename, file, parent) },
            touched,
        ),
        Action::Hold(file) => {
            volume.hold(FileId(file));
            Ok(())
        }
        Action::Release(file) => {
            volume.release(FileId(file), touched);
            Ok(())
        }
        ref rare => take_rare(volume, rare, touched, mapping),
    };
}

/// What few files have.
fn take_rare(
    volume: &mut Volume,
    step: &Action,
    touched: &mut Touched,
    mapping: &mut Mapping,
) -> Result<(), FileError> {
    let op = |operation, file: u32, parent: u32| FileOp {
        operation,
        file: FileId(file),
        parent: FileId(parent),
        ..FileOp::default()
    };
    match *step {
        Action::Link(file, parent) => volume.operate(&op(Operation::Link, file, parent), touched),
        Action::UnlinkIn(file, parent) => volume.operate(&op(Operation::Unlink, file, parent), touched),
        Action::Tmpfile(file, parent) => volume.operate(&op(Operation::Tmpfile, file, parent), touched),
        Action::Attribute(file, length) => {
            volume.operate(&FileOp { length, ..op(Operation::SetXattr, file, 0) }, touched)
        }
        Action::Symlink(file, parent, length) => {
            volume.operate(&FileOp { length, ..op(Operation::Symlink, file, parent) }, touched)
        }
        Action::Allocate(file, (offset, length), fallocate) => {
            let op = FileOp { offset, length, fallocate, ..op(Operation::Allocate, file, 0) };
            let done = volume.operate(&op, touched);
            let (first, end) = (offset / BLOCK_SIZE, op.end().div_ceil(BLOCK_SIZE));
            if done.is_ok() && fallocate != Fallocate::PunchHole {
                volume.map(op.file, first, end - first, mapping);
                assert!(mapping.segments.iter().all(|segment| segment.block.is_some()));
            }
            done
        }
        Action::WriteInto(file, at, count) => {
            let done = volume.write_into(FileId(file), (at, count), touched);
            assert!(done.is_err() || !volume.is_unwritten(FileId(file), at, count));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Every block that a file owns, and whose it is.
fn owners(volume: &Volume) -> BTreeMap<u64, usize> {
    let mut owners = BTreeMap::new();
    for (number, inode) in volume.files.iter() {
        let data =
            inode.extents.iter().flat_map(|extent| extent.block..extent.block + u64::from(extent.count));
        let tree: Vec<u64> = inode.indirect.all().chain(inode.extents.all_nodes()).collect();
        for block in data.chain(tree) {
            assert_eq!(owners.insert(block, number), None, "block {block} has two owners");
            assert!(volume.taken.is_taken(block));
        }
        let extents: Vec<_> = inode.extents.iter().collect();
        for pair in extents.windows(2) {
            assert!(pair[0].end() <= pair[1].first, "extents in order");
        }
        let unwritten = extents.iter().filter(|extent| extent.unwritten);
        let unwritten: u64 = unwritten.map(|extent| u64::from(extent.count)).sum();
        assert_eq!(unwritten > 0, inode.extents.has_unwritten());
        // An ext3 file has exactly the indirect blocks that its data need; a sparse one at most those of a full one.
        let blocks: u64 = extents.iter().map(|extent| u64::from(extent.count)).sum();
        assert_eq!(blocks, inode.extents.blocks());
    }
    for &(block, sharers) in volume.attributes.values() {
        assert_eq!(owners.insert(block, usize::MAX), None, "block {block} of attributes has two owners");
        assert!(sharers > 0);
    }
    owners
}

fn check(volume: &Volume, fresh: &Volume) {
    let owners = owners(volume);
    // The root's block is there from the start.
    assert_eq!(fresh.free_blocks() - volume.free_blocks(), owners.len() as u64 - 1);
    let reserved: u64 = volume
        .files
        .iter()
        .filter_map(|(_, inode)| inode.reserve.as_ref())
        .map(|reserve| {
            let pieces: u64 = reserve.pieces.iter().map(|piece| piece.left).sum();
            reserve.window.left + pieces
        })
        .sum();
    assert_eq!(volume.windowed, reserved + volume.small.left);
    let inodes = volume.files.iter().count() as u64;
    assert_eq!(fresh.free_inodes() - volume.free_inodes(), inodes - 1);
    let numbers: BTreeSet<u32> = volume.files.iter().map(|(_, inode)| inode.number).collect();
    assert_eq!(numbers.len() as u64, inodes);
    // Every name is in its directory, and nothing else.
    let entries: u64 = volume
        .files
        .iter()
        .map(|(_, inode)| inode)
        .filter_map(|inode| inode.directory.as_deref())
        .map(Directory::entries)
        .sum();
    let files = volume.files.iter().filter(|(_, inode)| !inode.orphan).count();
    let (nameless, further) = volume.rare.counted();
    assert_eq!(entries, (files + further - nameless - 1) as u64);
}

fn parameters(family: Family, allocation: Allocation, fragmentation: f64) -> FileSystemParameters {
    FileSystemParameters {
        allocation: Some(allocation),
        fragmentation: Fraction::new(fragmentation).unwrap(),
        fragment: Bytes::from_kib(64),
        // Four entries a block: directories grow.
        name_length: 255,
        ..FileSystemParameters::of(family)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_block_has_one_owner_and_everything_comes_back(
        steps in proptest::collection::vec(step(), 1..60),
        ext4 in any::<bool>(),
        multi_block in any::<bool>(),
        fragmentation in prop_oneof![Just(0.0), Just(0.7)],
    ) {
        let family = if ext4 { Family::Ext4 } else { Family::Ext3 };
        let allocation = if multi_block { Allocation::MultiBlock } else { Allocation::Reservation };
        let fresh = Volume::format(&parameters(family, allocation, fragmentation), 16_384).unwrap();
        let mut volume = fresh.clone();
        let (mut touched, mut mapping) = (Touched::default(), Mapping::default());
        for step in &steps {
            touched.clear();
            let before = owners(&volume);
            take(&mut volume, step, &mut touched, &mut mapping);
            check(&volume, &fresh);
            let once: BTreeSet<u64> = touched.dirtied.iter().copied().collect();
            prop_assert_eq!(once.len(), touched.dirtied.len());
            // What an operation says that it freed had an owner before and has none now, unless it was given out again.
            let after = owners(&volume);
            let freed = touched.freed.iter().flat_map(|&(block, count)| block..block + count);
            if !matches!(step, Action::Add(..)) {
                for block in freed.chain(touched.forgotten.iter().copied()) {
                    prop_assert!(before.contains_key(&block) && !after.contains_key(&block));
                }
                for block in before.keys().filter(|block| !after.contains_key(block)) {
                    let told = touched.forgotten.contains(block)
                        || touched.freed.iter().any(|&(first, count)| (first..first + count).contains(block));
                    prop_assert!(told, "block {} went without a word", block);
                }
            }
        }
        // Everything is removed: held files let go first, directories from the innermost.
        for file in 1..12 {
            for _ in 0..60 {
                volume.release(FileId(file), &mut touched);
            }
            for _ in 0..60 {
                take(&mut volume, &Action::Unlink(file), &mut touched, &mut mapping);
            }
        }
        for _ in 0..4 {
            for directory in 12..16 {
                take(&mut volume, &Action::Rmdir(directory), &mut touched, &mut mapping);
            }
        }
        let root = volume.files.get(0).unwrap();
        let grown = root.extents.blocks() - 1 + root.indirect.all().count() as u64;
        let nodes = root.extents.all_nodes().count() as u64;
        prop_assert_eq!(volume.free_blocks() + grown + nodes, fresh.free_blocks());
        prop_assert_eq!(volume.free_inodes(), fresh.free_inodes());
    }

    /// The mapping against a plain table from file block to block.
    #[test]
    fn the_mapping_agrees_with_a_table(
        writes in proptest::collection::vec((0u64..5000, 1u64..80), 1..80),
        ext4 in any::<bool>(),
        range in (0u64..5000, 0u64..3000),
    ) {
        let family = if ext4 { Family::Ext4 } else { Family::Ext3 };
        let mut volume = Volume::format(&FileSystemParameters::of(family), 262_144).unwrap();
        let (mut touched, mut mapping) = (Touched::default(), Mapping::default());
        let mut table = BTreeMap::new();
        let mut random = generator(1, 0, "volume", "fragmentation");
        volume.add_file(FileId(1), FileId::ROOT, 0, &mut random).unwrap();
        for &(first, count) in &writes {
            volume.allocate(FileId(1), first, count, &mut mapping, &mut touched).unwrap();
            for segment in &mapping.segments {
                for step in 0..segment.count {
                    let block = segment.block.unwrap() + step;
                    let known = *table.entry(segment.first + step).or_insert(block);
                    prop_assert_eq!(known, block, "a block never moves");
                }
            }
        }
        volume.map(FileId(1), range.0, range.1, &mut mapping);
        let mut at = range.0;
        for segment in &mapping.segments {
            prop_assert_eq!(segment.first, at);
            prop_assert!(segment.count > 0);
            for step in 0..segment.count {
                let expected = table.get(&(at + step)).copied();
                prop_assert_eq!(segment.block.map(|block| block + step), expected);
            }
            at += segment.count;
        }
        prop_assert_eq!(at, range.0 + range.1);
        // Each mapped block beyond the first twelve has its indirect block among those said to be needed.
        if family == Family::Ext3 {
            for (&block, _) in table.range(range.0..range.0 + range.1) {
                let mut one = Mapping::default();
                volume.map(FileId(1), block, 1, &mut one);
                prop_assert_eq!(one.metadata.len(), usize::from(block >= 12) + usize::from(block >= 1036));
                for (_, needed) in one.metadata {
                    prop_assert!(mapping.metadata.iter().any(|&(_, other)| other == needed));
                }
            }
        }
    }
}
