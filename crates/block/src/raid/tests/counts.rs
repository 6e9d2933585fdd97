//! How many requests each level makes of one, counted by the textbook's formulas and not by the planner's: every number of
//! units of a stripe, with every set of its units lost, planned; and a table of the usual cases, planned and run.
//!
//! Sources: Patterson, Gibson and Katz (SIGMOD 1988) for levels 1 to 5, with the small write's two reads and two writes; Chen
//! et al. (ACM Computing Surveys 26, 1994) for level 6 and for reconstruct-writes; Holland and Gibson ("Parity declustering
//! for continuous operation in redundant disk arrays", ASPLOS 1992) for members that are missing: a write to lost data reads
//! the data beside it and writes parity, and one whose parity is lost is one write.

use super::plan::{counted, planner, with_failed};
use super::*;
use crate::raid::planner::Planner;
use crate::raid::{DegradedAccess, MemberFailure};

/// Units of 16 pages.
const UNIT: u64 = 128;
/// A small request.
const SMALL: u64 = 8;

/// A stripe: units of data, of parity, and copies of each unit of data.
#[derive(Clone, Copy, Debug)]
struct Stripe {
    data: usize,
    parity: usize,
    copies: usize,
}

/// Reads and writes of members for a write of the first units of a stripe, of which so many are lost: among those written,
/// beside them, and of the parity. None where too many are.
fn written(stripe: Stripe, units: usize, [on, beside, parity]: [usize; 3]) -> Option<(usize, usize)> {
    let Stripe { data, parity: parities, copies } = stripe;
    if parities == 0 {
        return Some((0, units * copies - on));
    }
    if on + beside + parity > parities {
        return None;
    }
    let kept = parities - parity;
    let writes = units - on + kept;
    if units == data || kept == 0 {
        return Some((0, writes));
    }
    let modify = (on == 0).then_some(units + kept);
    let reconstruct = (beside == 0).then_some(data - units);
    // Neither: as many of the stripe's units as there are data tell all of it.
    let reads = modify.into_iter().chain(reconstruct).min().unwrap_or(data);
    Some((reads, writes))
}

/// Reads of members for a read within the first unit of a stripe, of which so many are lost.
fn read_within(stripe: Stripe, is_lost: bool) -> usize {
    if is_lost && stripe.parity > 0 { stripe.data } else { 1 }
}

fn shape(planner: &Planner) -> Stripe {
    let layout = &planner.layout;
    Stripe { data: layout.columns(), parity: layout.parities(), copies: layout.copies() }
}

/// Members that hold these units of a stripe.
fn holders(planner: &Planner, stripe: u64, units: &[usize]) -> Vec<usize> {
    units.iter().map(|&unit| planner.layout.spot(stripe, unit).member).collect()
}

fn fewest(level: RaidLevel, width: Option<u32>) -> RaidParameters {
    RaidParameters { degraded: DegradedAccess::Fewest, stripe_width: width, ..RaidParameters::of(level) }
}

const LEVELS: [(RaidLevel, usize, Option<u32>); 7] = [
    (RaidLevel::Striped, 8, None),
    (RaidLevel::Mirrored, 3, None),
    (RaidLevel::MirroredStriped, 8, None),
    (RaidLevel::ParityMember, 9, None),
    (RaidLevel::Rotated, 9, None),
    (RaidLevel::DoubleRotated, 9, None),
    // Declustered: stripes of five on 21.
    (RaidLevel::Rotated, 21, Some(5)),
];

/// Every set of up to so many of the numbers below `of`.
fn sets(of: usize, most: usize) -> Vec<Vec<usize>> {
    let all = (0u32..1 << of).filter(|set| set.count_ones() as usize <= most);
    all.map(|set| (0..of).filter(|bit| set >> bit & 1 == 1).collect()).collect()
}

#[test]
fn every_part_of_a_stripe_costs_what_the_formulas_say_whatever_is_lost() {
    let mut cases = 0;
    for (level, members, width) in LEVELS {
        let of = fewest(level, width);
        let planner = planner(level, members, |parameters| *parameters = of);
        let stripe = shape(&planner);
        for lost in sets(planner.layout.width(), stripe.parity + 1) {
            // Of copies, one of each unit is left; without any, nothing of what is asked is lost.
            if stripe.parity == 0 && lost.iter().any(|&unit| stripe.copies == 1 || unit < stripe.data) {
                continue;
            }
            for number in [0, 1, 10] {
                let all = with_failed(members, &holders(&planner, number, &lost));
                let first = number * planner.layout.stripe();
                for units in 1..=stripe.data {
                    for blocks in [SMALL, units as u64 * UNIT] {
                        let units = blocks.div_ceil(UNIT) as usize;
                        let count = |from: usize, to: usize| {
                            lost.iter().filter(|&&unit| (from..to).contains(&unit)).count()
                        };
                        let gone = if stripe.parity == 0 {
                            let on = |unit: &&usize| (**unit % stripe.data) < units;
                            [lost.iter().filter(on).count(), 0, 0]
                        } else {
                            [count(0, units), count(units, stripe.data), count(stripe.data, usize::MAX)]
                        };
                        let plan = planner.write((first, first + blocks), &all).ok();
                        let told = plan.as_ref().map(counted);
                        assert_eq!(told, written(stripe, units, gone), "{level} {units} {blocks} {lost:?}");
                        cases += 1;
                    }
                }
                if lost.len() <= stripe.parity || stripe.parity == 0 {
                    let plan = planner.read((first, first + SMALL), &all, |_| 0).unwrap();
                    let is_lost = lost.contains(&0);
                    assert_eq!(counted(&plan), (read_within(stripe, is_lost), 0), "{level} {lost:?}");
                }
            }
        }
    }
    assert!(cases > 4_000, "{cases}");
}

/// What is lost of the first stripe.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Missing {
    Nothing,
    /// Its first unit.
    First,
    /// Its last unit of data.
    Last,
    /// Its (first) parity.
    Parity,
    /// Its first unit and its last of data.
    FirstAndLast,
    /// Its first unit and its parity.
    FirstAndParity,
}

/// By level and what is missing: reads of members for a small read; reads and writes for a small write, for half a stripe
/// and for a whole one.
type Row = (usize, Missing, usize, [(usize, usize); 3]);

/// Of the levels above, by number. Worked out by hand.
const TABLE: [Row; 28] = [
    (0, Missing::Nothing, 1, [(0, 1), (0, 4), (0, 8)]),
    // One unit to a stripe: half of it is half a unit.
    (1, Missing::Nothing, 1, [(0, 3), (0, 3), (0, 3)]),
    (1, Missing::First, 1, [(0, 2), (0, 2), (0, 2)]),
    (2, Missing::Nothing, 1, [(0, 2), (0, 4), (0, 8)]),
    (2, Missing::First, 1, [(0, 1), (0, 3), (0, 7)]),
    (2, Missing::Last, 1, [(0, 2), (0, 4), (0, 7)]),
    // Half of eight: four others are read, one less than four and the parity.
    (3, Missing::Nothing, 1, [(2, 2), (4, 5), (0, 9)]),
    (3, Missing::First, 8, [(7, 1), (4, 4), (0, 8)]),
    (3, Missing::Last, 1, [(2, 2), (5, 5), (0, 8)]),
    (3, Missing::Parity, 1, [(0, 1), (0, 4), (0, 8)]),
    (4, Missing::Nothing, 1, [(2, 2), (4, 5), (0, 9)]),
    (4, Missing::First, 8, [(7, 1), (4, 4), (0, 8)]),
    (4, Missing::Last, 1, [(2, 2), (5, 5), (0, 8)]),
    (4, Missing::Parity, 1, [(0, 1), (0, 4), (0, 8)]),
    // Three and a half of seven are three: four others, or three and two parities.
    (5, Missing::Nothing, 1, [(3, 3), (4, 5), (0, 9)]),
    (5, Missing::First, 7, [(6, 2), (4, 4), (0, 8)]),
    (5, Missing::Last, 1, [(3, 3), (5, 5), (0, 8)]),
    (5, Missing::Parity, 1, [(2, 2), (4, 4), (0, 8)]),
    (5, Missing::FirstAndLast, 7, [(7, 2), (7, 4), (0, 7)]),
    (5, Missing::FirstAndParity, 7, [(6, 1), (4, 3), (0, 7)]),
    (6, Missing::Nothing, 1, [(2, 2), (2, 3), (0, 5)]),
    (6, Missing::First, 4, [(3, 1), (2, 2), (0, 4)]),
    (6, Missing::Last, 1, [(2, 2), (3, 3), (0, 4)]),
    (6, Missing::Parity, 1, [(0, 1), (0, 2), (0, 4)]),
    // With the unit that is written and the one beside it gone, or a member too many, nothing can be kept.
    (0, Missing::Last, 1, [(0, 1), (0, 4), (usize::MAX, 0)]),
    (3, Missing::FirstAndLast, usize::MAX, [(usize::MAX, 0); 3]),
    (4, Missing::FirstAndParity, usize::MAX, [(usize::MAX, 0); 3]),
    (6, Missing::FirstAndLast, usize::MAX, [(usize::MAX, 0); 3]),
];

#[test]
fn a_running_array_asks_its_members_what_the_table_says() {
    for (level, missing, read_costs, write_costs) in TABLE {
        let (level, members, width) = LEVELS[level];
        let parameters = fewest(level, width);
        let planner = planner(level, members, |of| *of = parameters.clone());
        let (data, parity) = (planner.layout.columns(), planner.layout.columns());
        let lost: &[usize] = match missing {
            Missing::Nothing => &[],
            Missing::First => &[0],
            Missing::Last => &[data - 1],
            Missing::Parity => &[parity],
            Missing::FirstAndLast => &[0, data - 1],
            Missing::FirstAndParity => &[0, parity],
        };
        let failed = holders(&planner, 0, lost);
        let failures = |&member: &usize| MemberFailure { member: member as u32, at: "0 s".parse().unwrap() };
        let parameters = RaidParameters { failures: failed.iter().map(failures).collect(), ..parameters };
        let stripe = planner.layout.stripe();
        let half = if data == 1 { UNIT / 2 } else { (data / 2) as u64 * UNIT };
        let asked = [
            (Direction::Read, SMALL, (read_costs, 0)),
            (Direction::Write, SMALL, write_costs[0]),
            (Direction::Write, half, write_costs[1]),
            (Direction::Write, stripe, write_costs[2]),
        ];
        for (direction, blocks, expected) in asked {
            let mut bench = Bench::of(members, &parameters);
            let request = BlockRequest { direction, ..read(1, 0, blocks as u32) };
            bench.inject(request, Time::from_millis(1));
            let done = bench.finish();
            let case = format!("{level} of {members}: {missing:?}, {direction:?} of {blocks}");
            assert_eq!(done.len(), 1, "{case}");
            assert_eq!(done[0].status.failure().is_some(), expected.0 == usize::MAX, "{case}");
            let of = |direction: Direction| -> usize {
                let seen = (0..members).map(|member| {
                    bench.seen(member).iter().filter(|(asked, ..)| *asked == direction).count()
                });
                seen.sum()
            };
            if expected.0 != usize::MAX {
                assert_eq!((of(Direction::Read), of(Direction::Write)), expected, "{case}");
            }
            assert!(
                failed.iter().all(|&member| bench.seen(member).is_empty()),
                "{case}: a lost member is asked"
            );
        }
    }
}
