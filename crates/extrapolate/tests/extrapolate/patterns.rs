//! Patterns that are recognised, and those that aren't.

use super::made::{Rank, program, told};
use petrio_extrapolate::{Unfit, extrapolate};
use petrio_time::Time;
use petrio_trace::event::CollectiveKind;

/// What follows for `more` ranks from two numbers of them is what is made for as many.
fn follows(does: &dyn Fn(&mut Rank), two: [u32; 2], more: u32) {
    let recorded = two.map(|ranks| program(ranks, does));
    let foretold = extrapolate(&[&recorded[0], &recorded[1]], more, &[]).unwrap();
    let made = program(more, does);
    let (foretold_told, made_told) = (told(&foretold), told(&made));
    assert_eq!(foretold_told.len(), made_told.len());
    for (rank, steps) in made_told {
        let other = foretold_told[&rank].iter().zip(&steps).position(|(one, other)| one != other);
        let at = other.unwrap_or(0);
        assert_eq!(other, None, "the rank {rank}: {} {}", foretold_told[&rank][at], steps[at]);
        assert_eq!(foretold_told[&rank].len(), steps.len(), "the rank {rank}");
    }
    // What ranks share takes as much less.
    let computed = |events: &[petrio_trace::event::Event]| {
        events.iter().filter_map(|event| event.recorded.as_ref()?.compute).fold(Time::ZERO, |a, b| a + b)
    };
    let (foretold, made) = (computed(&foretold).as_picos() as f64, computed(&made).as_picos() as f64);
    assert!((foretold / made - 1.0).abs() < 0.3, "{foretold} {made}");
}

/// Faces exchanged with both neighbours, not around the ends; a sum of all; a file of each rank's own.
fn halo(rank: &mut Rank) {
    for _ in 0..20 {
        let mut posted = Vec::new();
        let (own, last) = (rank.rank, rank.ranks - 1);
        let below = own.checked_sub(1);
        let above = (own < last).then_some(own + 1);
        posted.extend(below.map(|other| rank.post_receive(other, 800, 1)));
        posted.extend(above.map(|other| rank.post_receive(other, 800, 2)));
        posted.extend(below.map(|other| rank.post_send(other, 800, 2)));
        posted.extend(above.map(|other| rank.post_send(other, 800, 1)));
        posted.into_iter().for_each(|request| rank.wait(request));
        rank.together(CollectiveKind::AllReduce, 8);
    }
    let path = format!("/data/part.{:04}", rank.rank);
    rank.create(&path);
    (0..4).for_each(|at| rank.write(&path, at * 4096, 4096));
    rank.close(&path);
}

#[test]
fn a_halo_exchange_and_a_file_of_each_rank_follow() {
    follows(&halo, [4, 8], 16);
    follows(&halo, [4, 6], 11);
}

#[test]
fn what_a_run_before_has_left_and_a_recording_clears_changes_nothing() {
    let after = |left: bool| {
        move |rank: &mut Rank| {
            let path = format!("/data/part.{:04}", rank.rank);
            if left {
                rank.remove(&path);
            }
            rank.create(&path);
            if left {
                rank.cut(&path);
            }
            rank.write(&path, 0, 4096);
            // What the job itself has written is something else.
            rank.cut(&path);
            rank.close(&path);
            rank.remove(&path);
        }
    };
    let (first, second) = (program(4, &after(false)), program(9, &after(true)));
    let foretold = extrapolate(&[&first, &second], 16, &[]).unwrap();
    assert_eq!(told(&foretold), told(&program(16, &after(false))));
}

/// One file by blocks: of a rank together, and of all by turns, as IOR does both.
fn shared(rank: &mut Rank) {
    let (own, ranks) = (u64::from(rank.rank), u64::from(rank.ranks));
    rank.create("/data/shared");
    (0..8).for_each(|at| rank.write("/data/shared", (own * 8 + at) * 4096, 4096));
    rank.together(CollectiveKind::Barrier, 0);
    (0..8).for_each(|at| rank.write("/data/shared", (at * ranks + own) * 4096, 4096));
    rank.close("/data/shared");
}

#[test]
fn blocks_of_a_shared_file_follow() {
    follows(&shared, [4, 8], 16);
    follows(&shared, [3, 5], 7);
}

/// A hundred and one rows cut into parts that differ by one.
fn uneven(rank: &mut Rank) {
    let (own, ranks) = (u64::from(rank.rank), u64::from(rank.ranks));
    let rows = 101 / ranks + u64::from(own < 101 % ranks);
    let first = own * (101 / ranks) + own.min(101 % ranks);
    rank.create("/data/slabs");
    for step in 0..3 {
        rank.write("/data/slabs", (step * 101 + first) * 800, rows * 800);
        rank.together(CollectiveKind::Barrier, 0);
    }
    rank.close("/data/slabs");
}

#[test]
fn parts_that_differ_by_one_follow() {
    follows(&uneven, [4, 8], 16);
}

/// To each other one in its turn, and to those whose number differs by a bit.
fn to_all(rank: &mut Rank) {
    let (own, ranks) = (rank.rank, rank.ranks);
    for turn in 1..ranks {
        rank.send((own + turn) % ranks, 100, 7);
        rank.receive((own + ranks - turn) % ranks, 100, 7);
    }
    for bit in 0..ranks.ilog2() {
        rank.send(own ^ (1 << bit), 64, 8);
        rank.receive(own ^ (1 << bit), 64, 8);
    }
    rank.together(CollectiveKind::AllToAll, 65_536 / u64::from(ranks * ranks));
}

#[test]
fn exchanges_of_all_with_all_follow() {
    follows(&to_all, [4, 8], 16);
}

/// BT-IO's: q cells a rank along the diagonals of a cube of 13 points a side, a stage for each, and rows of one file.
fn cells(rank: &mut Rank) {
    const POINTS: u32 = 13;
    let q = rank.ranks.isqrt();
    let (i, j) = (rank.rank % q, rank.rank / q);
    let length = |part: u32| POINTS / q + u32::from(part < POINTS % q);
    let begin = |part: u32| part * (POINTS / q) + part.min(POINTS % q);
    let next = (i + 1) % q + q * j;
    let before = (i + q - 1) % q + q * j;
    rank.create("/data/cube");
    for step in 0..4 {
        for stage in 0..q - 1 {
            // The cell whose x is at the stage.
            let face =
                |stage: u32| u64::from(length((i + j + q - stage) % q) * length((stage + q - i) % q)) * 240;
            let sent = rank.post_send(next, face(stage), 5);
            let received = rank.post_receive(before, face(stage + 1), 5);
            rank.wait(sent);
            rank.wait(received);
        }
        for c in 0..q {
            let (x, y, z) = ((i + c) % q, (j + q - c) % q, c);
            for plane in begin(z)..begin(z) + length(z) {
                for row in begin(y)..begin(y) + length(y) {
                    let offset = ((step * POINTS + plane) * POINTS + row) * POINTS + begin(x);
                    rank.write("/data/cube", u64::from(offset) * 40, u64::from(length(x)) * 40);
                }
            }
        }
    }
    rank.close("/data/cube");
}

#[test]
fn cells_along_the_diagonals_of_a_cube_follow() {
    follows(&cells, [4, 9], 16);
    follows(&cells, [4, 9], 36);
}

#[test]
fn where_laws_that_fit_differ_nothing_is_told() {
    // Of 13 points, two, three and four parts are alike but for one; five aren't: which of them are longer was never seen.
    let recorded = [4, 9].map(|ranks| program(ranks, &cells));
    let refused = extrapolate(&[&recorded[0], &recorded[1]], 25, &[]).unwrap_err();
    assert!(matches!(refused, Unfit::Whole { ranks: 25, .. }), "{refused}");
}

#[test]
fn ranks_of_a_square_are_no_twelve() {
    let recorded = [4, 9].map(|ranks| program(ranks, &cells));
    let refused = extrapolate(&[&recorded[0], &recorded[1]], 12, &[]).unwrap_err();
    assert!(matches!(refused, Unfit::Shape { ranks: 12, .. }), "{refused}");
}

#[test]
fn one_number_of_ranks_says_nothing_of_others() {
    let recorded = program(4, &halo);
    assert_eq!(extrapolate(&[&recorded], 8, &[]).unwrap_err(), Unfit::One { ranks: 4 });
    assert_eq!(extrapolate(&[&recorded, &recorded], 8, &[]).unwrap_err(), Unfit::One { ranks: 4 });
    let other = program(6, &halo);
    assert_eq!(extrapolate(&[&recorded, &other, &other], 8, &[]).unwrap_err(), Unfit::Twice);
}

/// Work is given to whoever is done: which that is, no law says.
fn workers(rank: &mut Rank) {
    let (own, others) = (rank.rank, rank.ranks - 1);
    // As the numbers of a generator would have it.
    let served: Vec<u32> = (0..30).map(|at| 1 + (at * at * 7 + at * 3 + others) % others).collect();
    for worker in served {
        if own == 0 {
            rank.send(worker, 40, 1);
            rank.receive(worker, 100, 2);
        } else if own == worker {
            rank.receive(0, 40, 1);
            rank.send(0, 100, 2);
        }
    }
}

#[test]
fn a_master_and_workers_are_refused() {
    let recorded = [4, 8].map(|ranks| program(ranks, &workers));
    let refused = extrapolate(&[&recorded[0], &recorded[1]], 16, &[]).unwrap_err();
    assert!(matches!(refused, Unfit::Roles { .. } | Unfit::Law { .. } | Unfit::Loops { .. }), "{refused}");
}

#[test]
fn bytes_that_differ_by_no_law_are_refused() {
    let odd = |rank: &mut Rank| {
        let bytes = u64::from((rank.rank * rank.rank * 13 + rank.ranks * 5) % 17);
        rank.send((rank.rank + 1) % rank.ranks, 100 + bytes, 1);
        rank.receive((rank.rank + rank.ranks - 1) % rank.ranks, 200, 1);
    };
    let recorded = [4, 8].map(|ranks| program(ranks, &odd));
    let refused = extrapolate(&[&recorded[0], &recorded[1]], 16, &[]).unwrap_err();
    assert!(refused.to_string().contains("the bytes of \"send with tag 1\" follows no law"), "{refused}");
}
