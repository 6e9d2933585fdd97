//! Parity that checks: every write of a plan carried out on data, whatever has failed, and what can be read then.
//!
//! Each sector is a byte. P is the sum of a stripe's units, Q the sum of their products with powers of two in GF(2⁸), so
//! that any two of them can be worked out again (H. P. Anvin, "The mathematics of RAID-6").

use crate::raid::plan::{Health, Members, Plan};
use crate::raid::planner::Planner;
use crate::raid::{DegradedAccess, ParityLayout, RaidLevel, RaidParameters};
use petrio_colours::Direction;
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What lies on the members, sector by sector; what is absent is zero.
type Disks = BTreeMap<(usize, u64), u8>;

fn times_two(value: u8) -> u8 {
    value << 1 ^ if value & 0x80 != 0 { 0x1d } else { 0 }
}

fn times(value: u8, factor: u8) -> u8 {
    (0..8).rev().fold(0, |sum, bit| times_two(sum) ^ if factor >> bit & 1 == 1 { value } else { 0 })
}

fn weight(column: usize) -> u8 {
    (0..column).fold(1, |weight, _| times_two(weight))
}

fn inverse(value: u8) -> u8 {
    (1..=255).find(|&other| times(value, other) == 1).unwrap()
}

/// The data of a stripe at an offset of its units, of those units that are known.
fn solve(
    planner: &Planner,
    stripe: u64,
    at: u64,
    known: impl Fn(usize, u64) -> Option<u8>,
) -> Option<Vec<u8>> {
    let layout = &planner.layout;
    let value = |index: usize| {
        let spot = layout.spot(stripe, index);
        known(spot.member, spot.address + at)
    };
    let columns = layout.columns();
    let mut data: Vec<Option<u8>> = (0..columns).map(value).collect();
    let missing: Vec<usize> = (0..columns).filter(|&column| data[column].is_none()).collect();
    let p = (layout.parities() > 0).then(|| value(columns)).flatten();
    let q = (layout.parities() > 1).then(|| value(columns + 1)).flatten();
    let there = || data.iter().enumerate().filter_map(|(column, value)| value.map(|value| (column, value)));
    let sum = there().fold(0, |sum, (_, value)| sum ^ value);
    let weighted = there().fold(0, |sum, (column, value)| sum ^ times(value, weight(column)));
    match (missing.as_slice(), p, q) {
        ([], ..) => {}
        (&[column], Some(p), _) => data[column] = Some(sum ^ p),
        (&[column], None, Some(q)) => data[column] = Some(times(weighted ^ q, inverse(weight(column)))),
        (&[first, second], Some(p), Some(q)) => {
            let (p, q) = (p ^ sum, q ^ weighted);
            let both = inverse(weight(first) ^ weight(second));
            let one = times(q ^ times(p, weight(second)), both);
            (data[first], data[second]) = (Some(one), Some(one ^ p));
        }
        _ => return None,
    }
    data.into_iter().collect()
}

/// Carries out a write: all parts that its plan has, and only from what the plan reads or is given.
fn carry_out(planner: &Planner, disks: &mut Disks, plan: &Plan, pieces: &[(u64, u64)], value: u8) {
    let layout = &planner.layout;
    let mut read = BTreeMap::new();
    for part in plan.parts.iter().filter(|part| part.direction == Direction::Read) {
        for sector in part.address..part.address + part.blocks {
            read.insert((part.member, sector), disks.get(&(part.member, sector)).copied().unwrap_or(0));
        }
    }
    let new = |stripe: u64, column: usize, at: u64| {
        let block = stripe * layout.stripe() + column as u64 * layout.unit() + at;
        pieces.iter().any(|&(first, end)| (first..end).contains(&block)).then_some(value ^ block as u8)
    };
    let writes: Vec<_> = plan.parts.iter().filter(|part| part.direction == Direction::Write).collect();
    for part in writes {
        for sector in part.address..part.address + part.blocks {
            let (stripe, index) = layout.at(part.member, sector).unwrap();
            let at = sector % layout.unit();
            let columns = layout.columns();
            let old = solve(planner, stripe, at, |member, sector| read.get(&(member, sector)).copied());
            let told = if index < columns {
                new(stripe, index, at)
                    .or_else(|| read.get(&(part.member, sector)).copied())
                    .or_else(|| old.as_ref().map(|old| old[index]))
            } else {
                let weight = |column| if index == columns { 1 } else { weight(column) };
                // Of all data, as they are now; or else of what changes, and the old parity.
                let now = |column| {
                    let spot = layout.spot(stripe, column);
                    new(stripe, column, at)
                        .or_else(|| read.get(&(spot.member, spot.address + at)).copied())
                        .or_else(|| old.as_ref().map(|old| old[column]))
                };
                let all: Option<Vec<u8>> = (0..columns).map(now).collect();
                let whole = all.map(|all| {
                    all.iter().enumerate().fold(0, |sum, (column, &value)| sum ^ times(value, weight(column)))
                });
                whole.or_else(|| {
                    let mut parity = *read.get(&(part.member, sector))?;
                    for column in 0..columns {
                        let Some(new) = new(stripe, column, at) else { continue };
                        let spot = layout.spot(stripe, column);
                        let old = *read.get(&(spot.member, spot.address + at))?;
                        parity ^= times(new ^ old, weight(column));
                    }
                    Some(parity)
                })
            };
            let told = told.expect("a plan writes only what it knows");
            disks.insert((part.member, sector), told);
        }
    }
}

/// Pieces that are written together with one: how far behind the one before, and how long.
fn further() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((1u64..20, 1u64..20), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn data_survive_whatever_the_level_promises(
        double in any::<bool>(),
        rotates in any::<bool>(),
        members in 4usize..9,
        width in prop::option::of(3u32..9),
        right in any::<bool>(),
        grain in 0u32..3,
        writes in prop::collection::vec((0u64..200, 1u64..90, any::<u8>(), further()), 1..25),
        failures in prop::collection::vec((0usize..25, 0usize..9), 0..3),
        rebuild_at in 0usize..25,
        fewest in any::<bool>(),
    ) {
        let level = match (double, rotates) {
            (true, _) => RaidLevel::DoubleRotated,
            (false, true) => RaidLevel::Rotated,
            (false, false) => RaidLevel::ParityMember,
        };
        let width = width.filter(|_| level != RaidLevel::ParityMember);
        let parameters = RaidParameters {
            stripe_unit: Bytes(8 * 512),
            stripe_width: width.map(|width| width.clamp(if double { 4 } else { 3 }, members as u32)),
            layout: if right { ParityLayout::RightAsymmetric } else { ParityLayout::LeftSymmetric },
            granularity: Bytes(512 << grain),
            ..RaidParameters::of(level)
        };
        let layout = parameters.layout(members).unwrap();
        let degraded = if fewest { DegradedAccess::Fewest } else { DegradedAccess::AllThatIsLeft };
        let planner = Planner { layout, update: parameters.parity_update, degraded, grain: 1 << grain };
        let mut all = Members::whole(members);
        let mut disks = Disks::new();
        let mut expected = BTreeMap::new();
        for (index, &(first, blocks, value, ref further)) in writes.iter().enumerate() {
            for &(_, member) in failures.iter().filter(|&&(at, member)| at == index && member < members) {
                let gone = all.0.iter().filter(|&&health| health != Health::Whole).count();
                if gone < planner.layout.parities() && all.0[member] == Health::Whole {
                    all.0[member] = Health::Gone;
                    disks.retain(|(on, _), _| *on != member);
                }
            }
            if index == rebuild_at {
                // A spare takes the place of one, and is half rebuilt.
                if let Some(member) = all.0.iter().position(|&health| health == Health::Gone) {
                    all.0[member] = Health::Rebuilding(0);
                    let to = 40;
                    let plan = planner.rebuild(member, (0, to), &all).unwrap();
                    rebuild(&planner, &mut disks, &plan);
                    all.0[member] = Health::Rebuilding(to);
                }
            }
            // One piece, as somebody asks for it; or several, as a controller's memory gathers them.
            let mut pieces = vec![(first, first + blocks)];
            for &(after, blocks) in further {
                let from = pieces.last().unwrap().1 + after;
                pieces.push((from, from + blocks));
            }
            let plan = match pieces.as_slice() {
                [piece] => planner.write(*piece, &all),
                pieces => planner.gather(pieces, &all),
            };
            carry_out(&planner, &mut disks, &plan.unwrap(), &pieces, value);
            for block in pieces.into_iter().flat_map(|(from, to)| from..to) {
                expected.insert(block, value ^ block as u8);
            }
        }
        for block in 0..400u64 {
            let plan = planner.read((block, block + 1), &all, |_| 0).unwrap();
            let read = |member: usize, sector: u64| {
                let asked = plan.parts.iter().any(|part| {
                    part.member == member && (part.address..part.address + part.blocks).contains(&sector)
                });
                asked.then(|| disks.get(&(member, sector)).copied().unwrap_or(0))
            };
            let (stripe, column, within) = planner.layout.find(block);
            let spot = planner.layout.spot(stripe, column);
            let value = read(spot.member, spot.address + within)
                .or_else(|| solve(&planner, stripe, within, read).map(|data| data[column]));
            prop_assert_eq!(value, Some(expected.get(&block).copied().unwrap_or(0)), "block {}", block);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn copies_hold_the_same_whatever_fails_and_is_rebuilt(
        all_the_same in any::<bool>(),
        groups in 1usize..4,
        copies in 2usize..4,
        writes in prop::collection::vec((0u64..100, 1u64..60, any::<u8>()), 1..25),
        failures in prop::collection::vec((0usize..25, 0usize..9), 0..4),
        rebuild_at in 0usize..25,
        choice in 0usize..4,
    ) {
        let (level, members) =
            if all_the_same { (RaidLevel::Mirrored, copies) } else { (RaidLevel::MirroredStriped, groups * copies) };
        let parameters =
            RaidParameters { stripe_unit: Bytes(8 * 512), copies: copies as u32, ..RaidParameters::of(level) };
        let layout = parameters.layout(members).unwrap();
        let RaidParameters { parity_update: update, degraded, .. } = parameters;
        let planner = Planner { layout, update, degraded, grain: 1 };
        let group = |member: usize| member / copies;
        let mut all = Members::whole(members);
        let mut disks = Disks::new();
        let mut expected = BTreeMap::new();
        for (index, &(first, blocks, value)) in writes.iter().enumerate() {
            for &(_, member) in failures.iter().filter(|&&(at, member)| at == index && member < members) {
                let whole = |other: &usize| group(*other) == group(member) && all.0[*other] == Health::Whole;
                if all.0[member] == Health::Whole && (0..members).filter(whole).count() > 1 {
                    all.0[member] = Health::Gone;
                    disks.retain(|(on, _), _| *on != member);
                }
            }
            if index == rebuild_at
                && let Some(member) = all.0.iter().position(|&health| health == Health::Gone)
            {
                all.0[member] = Health::Rebuilding(0);
                let plan = planner.rebuild(member, (0, 30), &all).unwrap();
                let from = plan.parts.iter().filter(|part| part.direction == Direction::Read);
                let copied: Vec<_> = from
                    .flat_map(|part| (part.address..part.address + part.blocks).map(|at| (part.member, at)))
                    .map(|(on, at)| ((member, at), disks.get(&(on, at)).copied().unwrap_or(0)))
                    .collect();
                prop_assert_eq!(copied.len(), 30);
                disks.extend(copied);
                all.0[member] = Health::Rebuilding(30);
            }
            let range = (first, first + blocks);
            let plan = planner.write(range, &all).unwrap();
            for part in &plan.parts {
                prop_assert_eq!(part.direction, Direction::Write);
                for sector in part.address..part.address + part.blocks {
                    let (stripe, unit) = planner.layout.at(part.member, sector).unwrap();
                    let column = (unit % planner.layout.columns()) as u64;
                    let unit = planner.layout.unit();
                    let block = stripe * planner.layout.stripe() + column * unit + sector % unit;
                    prop_assert!((first..first + blocks).contains(&block), "a write beside what was asked");
                    disks.insert((part.member, sector), value ^ block as u8);
                }
            }
            (first..first + blocks).for_each(|block| { expected.insert(block, value ^ block as u8); });
        }
        for block in 0..160u64 {
            let plan = planner.read((block, block + 1), &all, |spots| choice % spots.len()).unwrap();
            let part = plan.parts[0];
            prop_assert_eq!((plan.parts.len(), part.blocks), (1, 1));
            let value = disks.get(&(part.member, part.address)).copied().unwrap_or(0);
            prop_assert_eq!(value, expected.get(&block).copied().unwrap_or(0), "block {}", block);
        }
    }
}

/// Carries out a rebuild.
fn rebuild(planner: &Planner, disks: &mut Disks, plan: &Plan) {
    let layout = &planner.layout;
    let known = |member: usize, sector: u64| {
        let asked = plan.parts.iter().any(|part| {
            let range = part.address..part.address + part.blocks;
            part.direction == Direction::Read && part.member == member && range.contains(&sector)
        });
        asked.then(|| disks.get(&(member, sector)).copied().unwrap_or(0))
    };
    let mut written = Disks::new();
    for part in plan.parts.iter().filter(|part| part.direction == Direction::Write) {
        for sector in part.address..part.address + part.blocks {
            let (stripe, index) = layout.at(part.member, sector).unwrap();
            let data = solve(planner, stripe, sector % layout.unit(), known).unwrap();
            let weight = |column| if index == layout.columns() + 1 { weight(column) } else { 1 };
            let parity = || {
                data.iter().enumerate().fold(0, |sum, (column, &value)| sum ^ times(value, weight(column)))
            };
            written.insert((part.member, sector), data.get(index).copied().unwrap_or_else(parity));
        }
    }
    disks.append(&mut written);
}
