//! How many requests each level makes of one, healthy and degraded: counted by hand, and by Linux md.

use super::md::{Algorithm, Io, Md};
use crate::raid::layout::Layout;
use crate::raid::plan::{Health, Lost, Members, Plan};
use crate::raid::planner::Planner;
use crate::raid::{ParityLayout, ParityUpdate, RaidLevel, RaidParameters};
use petrio_colours::Direction;
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Units of 16 pages.
const UNIT: u64 = 128;

pub(super) fn planner(level: RaidLevel, members: usize, change: impl FnOnce(&mut RaidParameters)) -> Planner {
    let mut parameters = RaidParameters::of(level);
    change(&mut parameters);
    let layout = parameters.layout(members).unwrap();
    let RaidParameters { parity_update: update, degraded, granularity, .. } = parameters;
    Planner { layout, update, degraded, grain: granularity.get() / 512 }
}

pub(super) fn with_failed(members: usize, failed: &[usize]) -> Members {
    let mut all = Members::whole(members);
    failed.iter().for_each(|&member| all.0[member] = Health::Gone);
    all
}

/// Reads and writes of members.
pub(super) fn counted(plan: &Plan) -> (usize, usize) {
    let of = |direction| plan.parts.iter().filter(|part| part.direction == direction).count();
    (of(Direction::Read), of(Direction::Write))
}

#[track_caller]
fn writes(planner: &Planner, range: (u64, u64), failed: &[usize], expected: (usize, usize)) {
    let plan = planner.write(range, &with_failed(planner.layout.members(), failed)).unwrap();
    assert_eq!(counted(&plan), expected, "{plan:?}");
}

#[track_caller]
fn reads(planner: &Planner, range: (u64, u64), failed: &[usize], expected: usize) {
    let plan = planner.read(range, &with_failed(planner.layout.members(), failed), |_| 0).unwrap();
    assert_eq!(counted(&plan), (expected, 0), "{plan:?}");
}

#[test]
fn writes_ask_what_the_textbook_counts() {
    let small = (0, 8);
    // Striped: one; mirrored: each member; 1+0: each of the two that hold it.
    writes(&planner(RaidLevel::Striped, 4, |_| {}), small, &[], (0, 1));
    writes(&planner(RaidLevel::Mirrored, 3, |_| {}), small, &[], (0, 3));
    writes(&planner(RaidLevel::MirroredStriped, 4, |_| {}), small, &[], (0, 2));
    // The small-write problem (Patterson et al. 1988): two reads and two writes, at level 6 three and three.
    for (level, reads_and_writes) in
        [(RaidLevel::ParityMember, 2), (RaidLevel::Rotated, 2), (RaidLevel::DoubleRotated, 3)]
    {
        writes(&planner(level, 9, |_| {}), small, &[], (reads_and_writes, reads_and_writes));
    }
    // A whole stripe reads nothing: eight units of data and one of parity; at level 6 seven and two.
    writes(&planner(RaidLevel::ParityMember, 9, |_| {}), (0, 8 * UNIT), &[], (0, 9));
    writes(&planner(RaidLevel::Rotated, 9, |_| {}), (8 * UNIT, 16 * UNIT), &[], (0, 9));
    writes(&planner(RaidLevel::DoubleRotated, 9, |_| {}), (0, 7 * UNIT), &[], (0, 9));
    // All but one of eight: the one is read; three of eight: three old ones and the old parity.
    writes(&planner(RaidLevel::Rotated, 9, |_| {}), (0, 7 * UNIT), &[], (1, 8));
    writes(&planner(RaidLevel::Rotated, 9, |_| {}), (0, 3 * UNIT), &[], (4, 4));
    // Ten whole stripes are one write on each member.
    writes(&planner(RaidLevel::Rotated, 9, |_| {}), (0, 80 * UNIT), &[], (0, 9));
    // Over the border of two units that share no offset: each with the parity beside it.
    writes(&planner(RaidLevel::Rotated, 5, |_| {}), (UNIT - 8, UNIT + 8), &[], (4, 4));
}

#[test]
fn rules_for_parity_are_followed() {
    let rule = |update| planner(RaidLevel::Rotated, 9, |parameters| parameters.parity_update = update);
    let six = (0, 6 * UNIT);
    writes(&rule(ParityUpdate::Fewer), six, &[], (2, 7));
    writes(&rule(ParityUpdate::Reconstruct), (0, UNIT), &[], (7, 2));
    writes(&rule(ParityUpdate::ReadModifyWrite), six, &[], (7, 7));
    writes(&rule(ParityUpdate::ReadModifyWrite), (0, 8 * UNIT), &[], (0, 9));
    let half = ParityUpdate::Below("50 %".parse().unwrap());
    writes(&rule(half), (0, 3 * UNIT), &[], (4, 4));
    writes(&rule(half), (0, 4 * UNIT), &[], (4, 5));
}

#[test]
fn what_is_lost_is_worked_out_of_the_others() {
    let five = planner(RaidLevel::Rotated, 5, |_| {});
    // Stripe 0: data on members 0 to 3, parity on 4.
    reads(&five, (0, 8), &[], 1);
    reads(&five, (0, 8), &[0], 4);
    reads(&five, (0, 8), &[1], 1);
    // The stripe's other units are read anyway.
    reads(&five, (0, 4 * UNIT), &[0], 4);
    // Written on a member that has failed: the others' data, for parity; on another: as ever.
    writes(&five, (0, 8), &[0], (3, 1));
    writes(&five, (UNIT, UNIT + 8), &[0], (2, 2));
    writes(&five, (0, 4 * UNIT), &[0], (0, 4));
    let six = planner(RaidLevel::DoubleRotated, 6, |_| {});
    reads(&six, (0, 8), &[0, 1], 4);
    // Stripe 0 has its data on members 1 to 4, P on 5 and Q on 0. Two lost, one of them written, the other not: all that
    // is left is read. One written and Q lost: the other data.
    writes(&six, (0, 8), &[1, 2], (4, 2));
    writes(&six, (0, 8), &[0, 1], (3, 1));
    let mirror = planner(RaidLevel::MirroredStriped, 4, |_| {});
    reads(&mirror, (0, 8), &[0], 1);
    writes(&mirror, (0, 8), &[0], (0, 1));
}

#[test]
fn too_many_failures_lose_what_lay_there_and_nothing_else() {
    let five = planner(RaidLevel::Rotated, 5, |_| {});
    let two = with_failed(5, &[0, 1]);
    assert_eq!(five.read((0, 8), &two, |_| 0), Err(Lost));
    assert_eq!(five.write((0, 8), &two), Err(Lost));
    assert!(five.read((2 * UNIT, 2 * UNIT + 8), &two, |_| 0).is_ok());
    let mirror = planner(RaidLevel::MirroredStriped, 4, |_| {});
    assert!(mirror.read((0, 2 * UNIT), &with_failed(4, &[0, 3]), |_| 0).is_ok());
    assert_eq!(mirror.read((0, 8), &with_failed(4, &[0, 1]), |_| 0), Err(Lost));
}

#[test]
fn a_member_is_rebuilt_of_as_many_units_as_a_stripe_has_data() {
    let rebuilt = |level, members, width: Option<u32>| {
        let planner = planner(level, members, |parameters| parameters.stripe_width = width);
        let all = with_failed(members, &[1]);
        counted(&planner.rebuild(1, (0, UNIT), &all).unwrap())
    };
    assert_eq!(rebuilt(RaidLevel::Mirrored, 3, None), (1, 1));
    assert_eq!(rebuilt(RaidLevel::Rotated, 9, None), (8, 1));
    assert_eq!(rebuilt(RaidLevel::DoubleRotated, 9, None), (7, 1));
    assert_eq!(rebuilt(RaidLevel::Rotated, 21, Some(5)), (4, 1));
}

/// Sectors that a plan reads and writes.
fn touched(plan: &Plan) -> Io {
    let of = |direction| {
        let parts = plan.parts.iter().filter(|part| part.direction == direction);
        let sectors = |part: &crate::raid::Part| {
            (part.address..part.address + part.blocks).map(|sector| (part.member, sector)).collect::<Vec<_>>()
        };
        parts.flat_map(sectors).collect::<BTreeSet<_>>()
    };
    Io { reads: of(Direction::Read), writes: of(Direction::Write) }
}

const LAYOUTS: [(ParityLayout, Algorithm); 4] = [
    (ParityLayout::LeftSymmetric, Algorithm::LeftSymmetric),
    (ParityLayout::LeftAsymmetric, Algorithm::LeftAsymmetric),
    (ParityLayout::RightSymmetric, Algorithm::RightSymmetric),
    (ParityLayout::RightAsymmetric, Algorithm::RightAsymmetric),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Sector by sector, whatever has failed.
    #[test]
    fn linux_md_reads_and_writes_the_same(
        level in 4u32..=6,
        layout in 0usize..4,
        members in 4usize..=9,
        pages in 0u32..4,
        first in 0u64..3_000,
        sectors in 1u64..600,
        aligned in any::<bool>(),
        failed in prop::collection::vec(0usize..9, 0..=3),
    ) {
        let unit = 8u64 << pages;
        let (layout, algorithm) = LAYOUTS[layout];
        let raid_level = match level {
            4 => RaidLevel::ParityMember,
            5 => RaidLevel::Rotated,
            _ => RaidLevel::DoubleRotated,
        };
        let planner = planner(raid_level, members, |parameters| {
            parameters.stripe_unit = Bytes(unit * 512);
            parameters.layout = layout;
            parameters.granularity = Bytes::from_kib(4);
        });
        let md = Md { level, algorithm, members, chunk_sectors: unit };
        let (first, sectors) = if aligned { (first / 8 * 8, sectors.next_multiple_of(8)) } else { (first, sectors) };
        let mut gone = vec![false; members];
        failed.iter().filter(|&&member| member < members).for_each(|&member| gone[member] = true);
        let all = Members(
            gone.iter().map(|&gone| if gone { Health::Gone } else { Health::Whole }).collect(),
        );
        for sector in [first, first + sectors - 1] {
            let (stripe, column, within) = planner.layout.find(sector);
            let spot = planner.layout.spot(stripe, column);
            prop_assert_eq!((spot.member, spot.address + within), md.place(sector));
            let (p, q) = md.parity(spot.address);
            let parity = |number: usize| planner.layout.spot(stripe, planner.layout.columns() + number).member;
            prop_assert_eq!((p, q), (parity(0), (level == 6).then(|| parity(1))));
        }
        let read = planner.read((first, first + sectors), &all, |_| 0).ok();
        prop_assert_eq!(read.as_ref().map(touched), md.read(first, sectors, &gone));
        let write = planner.write((first, first + sectors), &all).ok();
        prop_assert_eq!(write.as_ref().map(touched), md.write(first, sectors, &gone));
        // Nothing is asked twice.
        for plan in read.iter().chain(&write) {
            let blocks: u64 = plan.parts.iter().map(|part| part.blocks).sum();
            let Io { reads, writes } = touched(plan);
            prop_assert_eq!(blocks, (reads.len() + writes.len()) as u64);
        }
    }

    /// Every place of a member belongs to one unit of one stripe, and `at` finds it.
    #[test]
    fn every_unit_has_a_place_of_its_own(
        members in 4usize..20,
        width in 3u32..20,
        double in any::<bool>(),
        declustered in any::<bool>(),
        stripes in 1u64..200,
    ) {
        let level = if double { RaidLevel::DoubleRotated } else { RaidLevel::Rotated };
        let width = width.clamp(if double { 4 } else { 3 }, members as u32);
        let planner = planner(level, members, |parameters| {
            parameters.stripe_width = declustered.then_some(width);
        });
        let layout: &Layout = &planner.layout;
        let mut seen = BTreeSet::new();
        for stripe in 0..stripes {
            let mut of_stripe = BTreeSet::new();
            for index in 0..layout.width() {
                let spot = layout.spot(stripe, index);
                prop_assert!(of_stripe.insert(spot.member), "two units of a stripe on one member");
                prop_assert!(seen.insert(spot), "two units at one place");
                prop_assert_eq!(layout.at(spot.member, spot.address), Some((stripe, index)));
            }
        }
        // What the array offers fits on its members.
        let blocks = layout.blocks(100 * layout.unit() + 5);
        if blocks > 0 {
            let (stripe, ..) = layout.find(blocks - 1);
            for index in 0..layout.width() {
                prop_assert!(layout.spot(stripe, index).address + layout.unit() <= layout.used(100 * layout.unit() + 5));
            }
        }
    }
}
