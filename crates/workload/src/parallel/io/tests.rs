//! Datatypes against a list of their bytes, and accesses against what ROMIO makes of them.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::parallel::act::{Act, Acts, Direction};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::member::{Member, World};
use crate::parallel::mounted::Mounted;
use petrio_colours::{FileId, Operation};
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which bytes a view shows up to an offset, one by one.
fn shown(view: &View, until: u64) -> Vec<u64> {
    let mut bytes = Vec::new();
    for index in 0.. {
        let (at, left) = view.run(index);
        assert!(left > 0);
        if at >= until {
            break;
        }
        bytes.push(at);
    }
    bytes
}

/// Any datatype, with the bytes that it means, counted naively.
fn datatypes() -> impl Strategy<Value = (Arc<Datatype>, Vec<u64>)> {
    let leaf =
        (1u64..9).prop_map(|size| (Arc::new(Datatype::bytes(size).unwrap()), (0..size).collect::<Vec<_>>()));
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), 1u64..4, 0u64..6).prop_map(|((of, bytes), count, gap)| {
                let stride = of.extent() + gap;
                let all =
                    (0..count).flat_map(|at| bytes.iter().map(move |byte| at * stride + byte)).collect();
                (Arc::new(Datatype::repeated(count, stride, &of).unwrap()), all)
            }),
            (proptest::collection::vec((inner.clone(), 0u64..5), 1..4)).prop_map(|parts| {
                let (mut at, mut all, mut placed) = (0, Vec::new(), Vec::new());
                for ((of, bytes), gap) in parts {
                    at += gap;
                    all.extend(bytes.iter().map(|byte| at + byte));
                    let extent = of.extent();
                    placed.push((at, of));
                    at += extent;
                }
                (Arc::new(Datatype::placed(placed).unwrap()), all)
            }),
            (inner, 1u64..3, 0u64..3, 1u64..3, 0u64..3).prop_map(
                |((of, bytes), width, left, height, below)| {
                    let (columns, rows) = (left + width + 1, below + height + 2);
                    let extent = of.extent();
                    let all = (below..below + height)
                        .flat_map(|row| {
                            (left..left + width).map(move |column| (row * columns + column) * extent)
                        })
                        .flat_map(|start| bytes.iter().map(move |byte| start + byte))
                        .collect();
                    let of =
                        Datatype::subarray(&[columns, rows], &[width, height], &[left, below], &of).unwrap();
                    (Arc::new(of), all)
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn a_view_shows_what_its_nested_datatype_means((datatype, bytes) in datatypes(), displacement in 0u64..20) {
        let extent = datatype.extent();
        prop_assert_eq!(datatype.size(), bytes.len() as u64);
        let view = View::new(displacement, Arc::clone(&datatype));
        let expected: Vec<u64> =
            (0..2).flat_map(|time| bytes.iter().map(move |byte| displacement + time * extent + byte)).collect();
        prop_assert_eq!(&shown(&view, displacement + 2 * extent), &expected);
        for offset in 0..displacement + 2 * extent {
            let before = expected.iter().filter(|byte| **byte < offset).count() as u64;
            prop_assert_eq!(view.before(offset), before, "at {}", offset);
        }
        // Pieces as runs tell them: how many begin before an offset and how many end there or before.
        let (mut runs, mut index) = (Vec::new(), 0);
        while index < expected.len() as u64 {
            let (at, left) = view.run(index);
            runs.push((at, at + left));
            index += left;
        }
        for offset in 0..displacement + 2 * extent {
            let pieces = view.pieces_at(offset);
            prop_assert_eq!(pieces.begun, runs.iter().filter(|run| run.0 < offset).count() as u64);
            prop_assert_eq!(pieces.ended, runs.iter().filter(|run| run.1 <= offset).count() as u64);
        }
    }
}

#[test]
fn datatypes_that_mpi_refuses_for_files_are_refused() {
    let double = Arc::new(Datatype::bytes(8).unwrap());
    assert!(Datatype::bytes(0).is_err());
    assert!(Datatype::repeated(2, 7, &double).is_err());
    assert!(Datatype::indexed(&[[4, 2], [5, 1]], &double).is_err());
    assert!(Datatype::indexed(&[], &double).is_err());
    assert!(Datatype::subarray(&[10], &[5], &[6], &double).is_err());
    assert!(Datatype::repeated(1 << 40, 1 << 40, &double).is_err());
    assert!(Datatype::bytes(16).unwrap().resized(15).is_err());
    // 3 of 4 doubles, every 6: the vector of MPI's standard.
    let vector = Datatype::vector(3, 4, 6, &double).unwrap();
    assert_eq!((vector.size(), vector.extent(), vector.pieces()), (96, 128, 3));
}

/// The calls of an access by one rank to what its view shows, on a file system of its own.
fn sieved(hints: &Hints, direction: Direction, view: View) -> Calls {
    sieved_on(Mounted::LOCAL, hints, direction, view)
}

fn sieved_on(mounted: Mounted, hints: &Hints, direction: Direction, view: View) -> Calls {
    let shares = Arc::new(AnyShares::View(ViewShares { views: Arc::new([view]), times: 0, covered: None }));
    let world = World { ranks: 1, aggregators: Vec::new(), hints: hints.clone(), mounted };
    let member = Member { world: Arc::new(world), rank: 0, board: Arc::default() };
    let mut sieve = Sieve::new(&member, direction, FileId(1), Runs::of(shares, 0));
    let mut calls = Vec::new();
    while let Some(act) = sieve.next(petrio_time::Time::ZERO).unwrap() {
        let Act::Call(call) = act else { panic!("a sieve makes calls") };
        calls.push((call.operation, call.offset, call.length));
    }
    calls
}

#[test]
fn where_nothing_can_be_locked_no_byte_is_written_that_is_not_meant() {
    let hints = Hints { romio_ds_write: Switch::Enable, ..Hints::default() };
    let writes = sieved_on(Mounted::PVFS, &hints, Direction::Write, every_other_kib());
    assert_eq!(writes.len(), 1000);
    assert!(writes.iter().all(|&(operation, _, length)| operation == Operation::Write && length == 1024));
    // What is read in between harms nobody.
    let reads = sieved_on(Mounted::PVFS, &hints, Direction::Read, every_other_kib());
    assert!(reads.len() < 10 && reads == sieved(&hints, Direction::Read, every_other_kib()));
    assert!(sieved(&hints, Direction::Write, every_other_kib()).len() < 20);
}

#[test]
fn who_would_write_into_another_ones_window_waits_until_it_is_written_back() {
    let hints = Hints { ind_wr_buffer_size: Bytes(100_000), ..Hints::default() };
    let world = World { ranks: 3, aggregators: Vec::new(), hints, mounted: Mounted::LOCAL };
    let (world, board) = (Arc::new(world), Arc::default());
    // The first two among each other; the third far behind.
    let of = Arc::new(Datatype::bytes(1024).unwrap());
    let view = |from: u64| View::new(from, Arc::new(Datatype::repeated(40, 2048, &of).unwrap()));
    let views: Arc<[View]> = Arc::new([view(0), view(1024), view(1 << 20)]);
    let mut sieves: Vec<Sieve> = (0..3)
        .map(|rank| {
            let member = Member { world: Arc::clone(&world), rank, board: Arc::clone(&board) };
            let shares = ViewShares { views: Arc::clone(&views), times: 0, covered: None };
            let shares = Arc::new(AnyShares::View(shares));
            Sieve::new(&member, Direction::Write, FileId(1), Runs::of(shares, rank))
        })
        .collect();
    let mut next = |rank: usize| match sieves[rank].next(petrio_time::Time::ZERO).unwrap() {
        None => "over".to_owned(),
        Some(Act::Call(call)) => call.operation.name().to_owned(),
        Some(Act::Exchange(exchange)) => format!("{:?} {:?}", exchange.sends, exchange.receives),
        Some(_) => panic!("something else"),
    };
    assert_eq!([next(0), next(1), next(2)], ["read", "[] [0]", "read"]);
    // The second goes on once it is told.
    assert_eq!([next(0), next(2)], ["write", "write"]);
    assert_eq!([next(0), next(2)], ["[(1, 0)] []", "over"]);
    assert_eq!([next(1), next(1), next(1), next(0)], ["read", "write", "over", "over"]);
}

fn every_other_kib() -> View {
    let of = Arc::new(Datatype::bytes(1024).unwrap());
    View::new(4096, Arc::new(Datatype::repeated(1000, 2048, &of).unwrap()))
}

#[test]
fn a_sieve_reads_all_between_and_a_written_one_reads_first() {
    use Operation::{Read, Write};
    let hints = Hints::default();
    let length = 999 * 2048 + 1024;
    assert_eq!(sieved(&hints, Direction::Read, every_other_kib()), [(Read, 4096, length)]);
    let window = 512 << 10;
    let mut expected = Vec::new();
    for number in 0..4 {
        let (start, end) = (number * window, length.min((number + 1) * window));
        expected.extend([(Read, 4096 + start, end - start), (Write, 4096 + start, end - start)]);
    }
    assert_eq!(sieved(&hints, Direction::Write, every_other_kib()), expected);
    let never = Hints { romio_ds_write: Switch::Disable, ..Hints::default() };
    let calls = sieved(&never, Direction::Write, every_other_kib());
    assert_eq!(
        (calls.len(), calls[0], calls[999]),
        (1000, (Write, 4096, 1024), (Write, 4096 + 999 * 2048, 1024))
    );
}

#[test]
fn what_lies_together_is_one_call_without_a_sieve() {
    let of = Arc::new(Datatype::bytes(3 << 20).unwrap());
    let view = View::new(10, Arc::new(Datatype::contiguous(2, &of).unwrap()));
    assert_eq!(sieved(&Hints::default(), Direction::Write, view), [(Operation::Write, 10, 6 << 20)]);
}

proptest! {
    #[test]
    fn a_sieve_accesses_all_that_is_meant_and_writes_only_what_it_has_read(
        (datatype, bytes) in datatypes(),
        buffer in 1u64..40,
    ) {
        let hints = Hints {
            ind_rd_buffer_size: Bytes(buffer),
            ind_wr_buffer_size: Bytes(buffer),
            ..Hints::default()
        };
        for direction in [Direction::Read, Direction::Write] {
            let calls = sieved(&hints, direction, View::new(0, Arc::clone(&datatype)));
            let last = direction.operation();
            for byte in &bytes {
                let within = |call: &&(Operation, u64, u64)| (call.1..call.1 + call.2).contains(byte);
                let times = calls.iter().filter(|call| call.0 == last).filter(within).count();
                prop_assert_eq!(times, 1);
            }
            let sieves = calls.len() > 1 || calls.iter().any(|call| call.0 == Operation::Read);
            if direction == Direction::Write && sieves {
                let pairs = calls.chunks(2);
                prop_assert!(pairs.into_iter().all(|pair| pair.len() == 2
                    && (pair[0].0, pair[1].0) == (Operation::Read, Operation::Write)
                    && (pair[0].1, pair[0].2) == (pair[1].1, pair[1].2)));
            }
        }
    }
}

#[test]
fn file_domains_are_even_or_end_at_stripes() {
    assert_eq!(domains::split(&(100..1100), 4, None), [100..350, 350..600, 600..850, 850..1100]);
    assert_eq!(domains::split(&(100..1100), 4, Some(128)), [100..384, 384..640, 640..896, 896..1100]);
    assert_eq!(domains::split(&(0..3), 4, None), [0..1, 1..2, 2..3, 3..3]);
    assert_eq!(domains::split(&(0..10), 3, Some(1000)), [0..0, 0..0, 0..10]);
}

#[test]
fn aggregators_are_one_a_host_up_to_as_many_as_wanted() {
    let of = |hints: Hints, hosts: &[u32]| hints.aggregators(hosts);
    assert_eq!(of(Hints::default(), &[5, 5, 2, 2, 5, 9]), [0, 2, 5]);
    assert_eq!(of(Hints { cb_nodes: Some(2), ..Hints::default() }, &[5, 5, 2, 2, 9]), [0, 2]);
    assert_eq!(of(Hints { aggregators_per_host: 2, ..Hints::default() }, &[5, 5, 2, 2, 9]), [0, 2, 4, 1, 3]);
}

/// Calls: what, from which byte on, how many bytes.
type Calls = Vec<(Operation, u64, u64)>;

/// Carries out a collective access of views and gives its calls by rank, and what each rank sent.
fn together(
    hints: &Hints,
    direction: Direction,
    views: &[View],
    hosts: &[u32],
) -> (BTreeMap<u32, Calls>, u64) {
    let ranks = views.len() as u32;
    let world = Arc::new(World {
        ranks,
        aggregators: hints.aggregators(hosts),
        hints: hints.clone(),
        mounted: Mounted::LOCAL,
    });
    let shares = Arc::new(AnyShares::View(ViewShares { views: views.into(), times: 0, covered: None }));
    let mut calls: BTreeMap<u32, Calls> = BTreeMap::new();
    let mut flows: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let mut sent = 0;
    for rank in 0..ranks {
        let member = Member { world: Arc::clone(&world), rank, board: Arc::default() };
        let mut within: Vec<AnyActs> =
            vec![TwoPhase::new(member, direction, FileId(1), Arc::clone(&shares)).into()];
        while let Some(top) = within.last_mut() {
            match top.next(petrio_time::Time::ZERO).unwrap() {
                None => drop(within.pop()),
                Some(Act::Within(acts)) => within.push(acts),
                Some(Act::Call(call)) => {
                    calls.entry(rank).or_default().push((call.operation, call.offset, call.length));
                }
                Some(Act::Exchange(exchange)) => {
                    for (to, bytes) in exchange.sends {
                        sent += bytes;
                        flows.entry((rank, to)).or_default().0 += 1;
                    }
                    for from in exchange.receives {
                        flows.entry((from, rank)).or_default().1 += 1;
                    }
                }
                Some(_) => panic!("an access computes nothing"),
            }
        }
    }
    assert!(flows.values().all(|(sends, receives)| sends == receives), "{flows:?}");
    (calls, sent)
}

/// Rank r sees every `ranks`-th piece of so many bytes, from the r-th on.
fn dealt_out(ranks: u64, piece: u64, pieces: u64) -> Vec<View> {
    let of = Arc::new(Datatype::bytes(piece).unwrap());
    let datatype = Arc::new(Datatype::repeated(pieces, ranks * piece, &of).unwrap());
    (0..ranks).map(|rank| View::new(rank * piece, Arc::clone(&datatype))).collect()
}

#[test]
fn interleaved_pieces_are_written_by_aggregators_in_long_calls() {
    let hints = Hints { cb_buffer_size: Bytes::from_kib(64), ..Hints::default() };
    let hosts = [0, 0, 1, 1];
    let (calls, sent) = together(&hints, Direction::Write, &dealt_out(4, 1000, 100), &hosts);
    // 400,000 B on two hosts: each 200,000 B in calls of 64 KiB.
    assert_eq!(calls.keys().copied().collect::<Vec<_>>(), [0, 2]);
    let own = |start: u64| {
        let piece = 65_536;
        vec![
            (Operation::Write, start, piece),
            (Operation::Write, start + piece, piece),
            (Operation::Write, start + 2 * piece, piece),
            (Operation::Write, start + 3 * piece, 200_000 - 3 * piece),
        ]
    };
    assert_eq!((&calls[&0], &calls[&2]), (&own(0), &own(200_000)));
    // All but what the aggregators have themselves goes to them: 300,000 B, and words about it.
    assert!((300_000..320_000).contains(&sent), "{sent}");
}

#[test]
fn holes_are_read_before_they_are_written_over() {
    let of = Arc::new(Datatype::bytes(100).unwrap());
    let datatype = Arc::new(Datatype::repeated(10, 400, &of).unwrap());
    let views = [View::new(0, Arc::clone(&datatype)), View::new(100, datatype)];
    let (calls, _) = together(&Hints::default(), Direction::Write, &views, &[0, 0]);
    let length = 9 * 400 + 200;
    assert_eq!(calls[&0], [(Operation::Read, 0, length), (Operation::Write, 0, length)]);
    let (calls, _) = together(&Hints::default(), Direction::Read, &views, &[0, 0]);
    assert_eq!(calls[&0], [(Operation::Read, 0, length)]);
}

#[test]
fn pieces_in_order_are_accessed_by_each_rank_itself() {
    let block = Arc::new(Datatype::bytes(1 << 20).unwrap());
    let views: Vec<View> = (0..3).map(|rank| View::new(rank << 20, Arc::clone(&block))).collect();
    let (calls, _) = together(&Hints::default(), Direction::Write, &views, &[0, 1, 2]);
    assert!((0..3u32).all(|rank| calls[&rank] == [(Operation::Write, u64::from(rank) << 20, 1 << 20)]));
    let always = Hints { romio_cb_write: Switch::Enable, cb_nodes: Some(1), ..Hints::default() };
    let (calls, _) = together(&always, Direction::Write, &views, &[0, 1, 2]);
    assert_eq!(calls.into_iter().collect::<Vec<_>>(), [(0, vec![(Operation::Write, 0, 3 << 20)])]);
    let never = Hints { romio_cb_write: Switch::Disable, ..Hints::default() };
    let (calls, _) = together(&never, Direction::Write, &dealt_out(3, 10, 5), &[0, 1, 2]);
    assert_eq!(calls.len(), 3);
}

proptest! {
    #[test]
    fn a_collective_write_covers_what_is_meant_once_and_moves_it_once(
        ranks in 1u64..7,
        hosts in 1u32..4,
        piece in 1u64..50,
        pieces in 1u64..30,
        buffer in 1u64..500,
        unit in proptest::option::of(1u64..200),
    ) {
        let hints = Hints {
            cb_buffer_size: Bytes(buffer),
            romio_cb_write: Switch::Enable,
            striping_unit: unit.map(Bytes),
            ..Hints::default()
        };
        let hosts: Vec<u32> = (0..ranks as u32).map(|rank| rank % hosts).collect();
        let (calls, sent) = together(&hints, Direction::Write, &dealt_out(ranks, piece, pieces), &hosts);
        let mut written: Vec<(u64, u64)> = Vec::new();
        for call in calls.values().flatten() {
            prop_assert_eq!(call.0, Operation::Write);
            prop_assert!(call.2 <= buffer);
            written.push((call.1, call.2));
        }
        written.sort_unstable();
        prop_assert!(crate::parallel::testing::tile(&written, ranks * piece * pieces));
        // A rank's bytes for another rank's domain cross the network once.
        prop_assert!(ranks == 1 || sent >= ranks * piece * pieces / ranks);
    }
}

/// Blocks of a file, dealt out to ranks at random; some are nobody's.
fn scattered(ranks: u32) -> impl Strategy<Value = Vec<(u32, u64, u64)>> {
    proptest::collection::vec((0..ranks + 1, 0u64..30, 1u64..40), 1..40).prop_map(move |blocks| {
        let mut at = 0;
        let place = |(rank, gap, length): (u32, u64, u64)| {
            let start = at + gap;
            at = start + length;
            (rank, start, length)
        };
        blocks.into_iter().map(place).filter(|block| block.0 < ranks).collect()
    })
}

proptest! {
    #[test]
    fn a_collective_access_with_holes_touches_all_that_is_meant_and_reads_what_it_writes_over(
        blocks in scattered(4),
        buffer in 1u64..200,
        hosts in 1u32..5,
        unit in proptest::option::of(1u64..64),
    ) {
        let byte = Arc::new(Datatype::bytes(1).unwrap());
        let view = |rank: u32| {
            let own: Vec<[u64; 2]> =
                blocks.iter().filter(|block| block.0 == rank).map(|block| [block.1, block.2]).collect();
            Datatype::indexed(&own, &byte).ok().map(|datatype| View::new(0, Arc::new(datatype)))
        };
        // A rank that means nothing has no view; such a draw says nothing here.
        let views: Option<Vec<View>> = (0..4).map(view).collect();
        prop_assume!(views.is_some());
        let hints = Hints {
            cb_buffer_size: Bytes(buffer),
            romio_cb_write: Switch::Enable,
            romio_cb_read: Switch::Enable,
            striping_unit: unit.map(Bytes),
            ..Hints::default()
        };
        let hosts: Vec<u32> = (0..4).map(|rank| rank % hosts).collect();
        let views = views.unwrap();
        let meant = |at: u64| blocks.iter().any(|&(_, start, length)| (start..start + length).contains(&at));
        for direction in [Direction::Read, Direction::Write] {
            let (calls, _) = together(&hints, direction, &views, &hosts);
            let all: Calls = calls.values().flatten().copied().collect();
            let moved: Calls = all.iter().filter(|call| call.0 == direction.operation()).copied().collect();
            for &(_, start, length) in &blocks {
                for at in start..start + length {
                    let times = moved.iter().filter(|call| (call.1..call.1 + call.2).contains(&at)).count();
                    prop_assert_eq!(times, 1, "{:?} of byte {}", direction, at);
                }
            }
            prop_assert!(moved.iter().all(|call| call.2 <= buffer));
            if direction == Direction::Write {
                for call in &moved {
                    let has_hole = (call.1..call.1 + call.2).any(|at| !meant(at));
                    let was_read = all.contains(&(Operation::Read, call.1, call.2));
                    prop_assert_eq!(has_hole, was_read);
                }
            }
        }
    }
}
