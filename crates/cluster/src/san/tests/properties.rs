//! What holds whatever nodes do.

use super::world::{BLOCK, Shape, World};
use crate::san::parameters::Granularity;
use petrio_colours::{AccessFlags, FileId, FileOp, Operation};
use proptest::prelude::*;

/// Files that are there, and the blocks that operations are about.
const FILES: [(u32, u64); 3] = [(1, 10 * BLOCK), (2, 3 * BLOCK + 100), (3, 0)];
const BLOCKS: u64 = 20;

fn op(operation: Operation, file: u32, offset: u64, length: u64) -> FileOp {
    FileOp { operation, file: FileId(file), offset, length, ..FileOp::default() }
}

fn operation() -> impl Strategy<Value = FileOp> {
    let place = (1u32..4, 0..BLOCKS * BLOCK, 1..5 * BLOCK);
    let whole =
        (1u32..4, 0..BLOCKS, 1u64..5).prop_map(|(file, first, count)| (file, first * BLOCK, count * BLOCK));
    let range = prop_oneof![place, whole];
    (0u8..12, range, any::<bool>()).prop_map(|(sort, (file, offset, length), flag)| match sort {
        0..4 => op(Operation::Read, file, offset, length),
        4..8 => FileOp {
            flags: AccessFlags {
                sync: flag && sort == 4,
                direct: flag && sort == 5,
                ..AccessFlags::default()
            },
            ..op(Operation::Write, file, offset, length)
        },
        8 => FileOp {
            flags: AccessFlags { append: true, ..AccessFlags::default() },
            ..op(Operation::Write, file, 0, length.min(BLOCK))
        },
        9 => op(Operation::Fsync, file, 0, 0),
        10 => op(Operation::Truncate, file, 0, offset),
        _ => op(if flag { Operation::Stat } else { Operation::Open }, file, 0, 0),
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    (1u32..5, any::<bool>(), any::<bool>(), 8usize..24, 0u64..6).prop_map(
        |(nodes, by_file, keeps_tokens, cached, read_ahead)| Shape {
            nodes,
            granularity: if by_file { Granularity::File } else { Granularity::Range },
            keeps_tokens,
            cached,
            read_ahead,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whoever_reads_has_what_was_written_last_and_nobody_waits_for_ever(
        shape in shape(),
        programs in prop::collection::vec(prop::collection::vec(operation(), 1..12), 1..9),
        seed: u64,
    ) {
        let mut world = World::new(shape, &FILES, seed);
        let count: usize = programs.iter().map(Vec::len).sum();
        for (number, program) in programs.into_iter().enumerate() {
            world.program(number % shape.nodes as usize, program);
        }
        world.run().map_err(TestCaseError::fail)?;
        prop_assert_eq!(world.done, count);
        // Each node writes what it still has.
        for node in 0..shape.nodes as usize {
            world.program(node, [op(Operation::Sync, 0, 0, 0)]);
        }
        world.run().map_err(TestCaseError::fail)?;
        prop_assert!(world.is_on_disk());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn of_files_that_have_gone_no_tokens_are_left(shape in shape(), count in 1u32..5, seed: u64) {
        let mut world = World::new(shape, &FILES, seed);
        for node in 0..shape.nodes {
            let life = |file: u32| {
                let own = 100 + node * 10 + file;
                let create = op(Operation::Create, own, 0, 0);
                let write = op(Operation::Write, own, 0, 3 * BLOCK);
                [create, write, op(Operation::Fsync, own, 0, 0), op(Operation::Unlink, own, 0, 0)]
            };
            world.program(node as usize, (0..count).flat_map(life));
        }
        world.run().map_err(TestCaseError::fail)?;
        prop_assert_eq!(world.done as u32, shape.nodes * count * 4);
        // The directory's stay, where any do.
        prop_assert_eq!(world.objects(), usize::from(shape.keeps_tokens));
    }
}

fn shape_of(nodes: u32) -> Shape {
    Shape { nodes, granularity: Granularity::Range, keeps_tokens: true, cached: 24, read_ahead: 4 }
}

fn writes(file: u32, blocks: impl IntoIterator<Item = u64>) -> Vec<FileOp> {
    blocks.into_iter().map(|block| op(Operation::Write, file, block * BLOCK, BLOCK)).collect()
}

fn messages(shape: Shape, programs: Vec<Vec<FileOp>>) -> usize {
    let mut world = World::new(shape, &FILES, 7);
    for (node, program) in programs.into_iter().enumerate() {
        world.program(node, program);
    }
    world.run().unwrap();
    world.messages
}

#[test]
fn who_works_on_a_file_alone_asks_for_it_once() {
    // Each asks, and is granted all of its file; where locks are of ranges, its inode, too.
    let by_file = Shape { granularity: Granularity::File, ..shape_of(3) };
    for (shape, tokens) in [(shape_of(3), 2), (by_file, 1)] {
        for count in [1, 15] {
            let programs = (1..4).map(|file| writes(file, 0..count)).collect();
            assert_eq!(messages(shape, programs), 3 * 2 * tokens);
        }
        let returned = Shape { keeps_tokens: false, ..shape };
        let programs = (1..4).map(|file| writes(file, 0..15)).collect();
        assert_eq!(
            messages(returned, programs),
            3 * 3 * 15 * tokens,
            "asked for, granted and returned by each"
        );
    }
}

#[test]
fn two_who_each_go_through_a_half_of_a_file_stop_asking_and_those_who_mix_do_not() {
    let halves = |count| vec![writes(1, 0..count), writes(1, 10..10 + count)];
    let at_first = messages(shape_of(2), halves(3));
    assert_eq!(messages(shape_of(2), halves(9)), at_first);
    let mixed = |count| vec![writes(1, (0..count).map(|n| 2 * n)), writes(1, (0..count).map(|n| 2 * n + 1))];
    assert!(messages(shape_of(2), mixed(9)) > messages(shape_of(2), mixed(3)));
    let by_file = Shape { granularity: Granularity::File, ..shape_of(2) };
    assert!(messages(by_file, halves(9)) > at_first);
}

#[test]
fn readers_of_one_file_do_not_ask_again() {
    let reads =
        |count| (0..count).map(|block| op(Operation::Read, 1, block * BLOCK, BLOCK)).collect::<Vec<_>>();
    // Three ask the fourth for the inode.
    assert_eq!(messages(shape_of(4), vec![reads(10); 4]), 4 * 2 + 3 * 2);
}

#[test]
fn a_file_that_has_been_closed_goes_to_the_next_whole() {
    let asked = |closes: bool, count: u64| {
        let mut world = World::new(shape_of(2), &FILES, 5);
        let mut first = vec![op(Operation::Open, 1, 0, 0)];
        first.extend(writes(1, 0..10));
        first.extend(closes.then(|| op(Operation::Close, 1, 0, 0)));
        world.program(0, first);
        world.run().unwrap();
        let before = world.messages;
        let reads = (0..count).map(|block| op(Operation::Read, 1, block * BLOCK, BLOCK));
        world.program(1, reads);
        world.run().unwrap();
        world.messages - before
    };
    assert_eq!(asked(true, 1), asked(true, 9));
    assert!(asked(false, 9) > asked(false, 1));
}

#[test]
fn an_inode_is_written_by_one_node_however_many_make_the_file_longer_by_turns() {
    let written = |granularity, count: u64, sync: bool| {
        let mut world = World::new(Shape { granularity, ..shape_of(4) }, &FILES, 11);
        for node in 0..4 {
            let mut own = writes(3, (0..count).map(|turn| 4 * turn + node));
            own.extend(sync.then(|| op(Operation::Fsync, 3, 0, 0)));
            world.program(node as usize, own);
        }
        world.run().unwrap();
        world.inode_writes
    };
    // Nobody has waited for it to be on a disk.
    assert_eq!((written(Granularity::Range, 2, false), written(Granularity::Range, 5, false)), (0, 0));
    let synced = written(Granularity::Range, 5, true);
    assert!((1..=8).contains(&synced), "{synced}");
    let by_file = |count| written(Granularity::File, count, false);
    assert!(by_file(5) > by_file(2) && by_file(2) > 0, "{} {}", by_file(5), by_file(2));
}

#[test]
fn who_asks_how_long_a_file_is_takes_turns_with_those_who_make_it_longer() {
    let growing = writes(3, 0..12);
    let looks: Vec<FileOp> = (0..12).map(|_| op(Operation::Stat, 3, 0, 0)).collect();
    // Each of the two keeps to a half of its own.
    let beyond = writes(3, 24..36);
    let with = |third| messages(shape_of(3), vec![growing.clone(), beyond.clone(), third]);
    let alone = with(Vec::new());
    let opens =
        |count| looks.iter().take(count).map(|op| FileOp { operation: Operation::Open, ..op.clone() });
    // The inode is told to some, once; what each look costs is a turn of the token.
    let (opened, looked) = (with(opens(12).collect()), with(looks.clone()));
    assert!(opened <= alone + 12 && looked > alone + 24, "{alone} {opened} {looked}");
}
