//! Where data and redundancy lie: which member holds a stripe's units, and where.
//!
//! A stripe has units by number: first the data in their order, then parity (P, then Q) or the further copies. Source for
//! levels 4, 5 and 6: `raid5_compute_sector` of Linux's drivers/md/raid5.c; for 1+0: its `near` layout.

use super::copies::Spread;
use super::declustered::Permutations;
use super::parameters::ParityLayout;
use petrio_persist::Persist;
use petrio_stage::divisor::Divisor;
use petrio_units::numbers::as_index;
use std::sync::Arc;

/// What protects the data of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Redundancy {
    /// Nothing.
    None,
    /// So many members hold the same.
    Copies(u64),
    /// So many units of parity.
    Parity(u64),
}

/// How the units of a stripe move from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Rotation {
    /// They don't.
    None,
    /// As parity goes around.
    Parity(ParityLayout),
}

/// Where blocks lie.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Layout {
    /// Blocks in a stripe unit.
    unit: u64,
    members: u64,
    /// Data units of a stripe.
    columns: u64,
    redundancy: Redundancy,
    rotation: Rotation,
    shuffled: Option<Arc<Permutations>>,
    /// Copies that don't fill rows of their own.
    spread: Option<Spread>,
    /// What every request is divided by.
    by_stripe: Divisor,
    by_unit: Divisor,
    by_members: Divisor,
}

/// A place on a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Which member, from 0.
    pub member: usize,
    /// The first block there.
    pub address: u64,
}

impl Layout {
    pub(super) fn new(unit: u64, members: usize, redundancy: Redundancy, rotation: Rotation) -> Self {
        let members = members as u64;
        let columns = match redundancy {
            Redundancy::None => members,
            Redundancy::Copies(copies) => members / copies.max(1),
            Redundancy::Parity(parities) => members - parities,
        };
        Self {
            unit,
            members,
            columns,
            redundancy,
            rotation,
            shuffled: None,
            spread: None,
            by_stripe: Divisor::new(columns.saturating_mul(unit)),
            by_unit: Divisor::new(unit),
            by_members: Divisor::new(members),
        }
    }

    pub(super) fn declustered(unit: u64, members: usize, redundancy: Redundancy, width: usize) -> Self {
        let shuffled = Some(Arc::new(Permutations::new(members)));
        let members = members as u64;
        let by_members = Divisor::new(members);
        Self { members, by_members, shuffled, ..Self::new(unit, width, redundancy, Rotation::None) }
    }

    pub(super) fn spread(spread: Spread) -> Self {
        let Spread { unit, members, copies, .. } = spread;
        // A stripe has a unit of data for each member.
        let by_stripe = Divisor::new(members.saturating_mul(unit));
        let usual = Self::new(unit, as_index(members), Redundancy::Copies(copies), Rotation::None);
        Self { columns: members, by_stripe, spread: Some(spread), ..usual }
    }

    /// Members.
    pub fn members(&self) -> usize {
        as_index(self.members)
    }

    /// Blocks in a stripe unit.
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Data units of a stripe.
    pub fn columns(&self) -> usize {
        as_index(self.columns)
    }

    /// What protects them.
    pub fn redundancy(&self) -> Redundancy {
        self.redundancy
    }

    /// Whether anything does.
    pub fn has_redundancy(&self) -> bool {
        !matches!(self.redundancy, Redundancy::None | Redundancy::Copies(1))
    }

    /// Units of parity of a stripe.
    pub fn parities(&self) -> usize {
        match self.redundancy {
            Redundancy::Parity(parities) => as_index(parities),
            Redundancy::None | Redundancy::Copies(_) => 0,
        }
    }

    /// Units of a stripe, with its redundancy.
    pub fn width(&self) -> usize {
        match self.redundancy {
            Redundancy::None => self.columns(),
            Redundancy::Copies(copies) => as_index(self.columns * copies),
            Redundancy::Parity(parities) => as_index(self.columns + parities),
        }
    }

    /// Blocks of data in a stripe.
    pub fn stripe(&self) -> u64 {
        self.by_stripe.get()
    }

    /// Blocks that the array offers, when its smallest member has `member_blocks`.
    pub fn blocks(&self, member_blocks: u64) -> u64 {
        let rows = member_blocks / self.unit;
        let stripes = match self.shuffled {
            // A slice has as many stripes as members, over as many rows as a stripe has units.
            Some(_) => rows / self.width() as u64 * self.members,
            None => self.spread.map_or(rows, |spread| spread.stripes(rows)),
        };
        stripes * self.stripe()
    }

    /// Blocks of a member that are used when it has so many.
    pub fn used(&self, member_blocks: u64) -> u64 {
        let rows = member_blocks / self.unit;
        let rows = if self.shuffled.is_some() { rows - rows % self.width() as u64 } else { rows };
        let rows = self.spread.map_or(rows, |spread| rows - rows % spread.copies);
        rows * self.unit
    }

    /// The stripe of a block, the number of its unit there, and where in the unit it lies.
    pub fn find(&self, block: u64) -> (u64, usize, u64) {
        let (stripe, within) = self.by_stripe.divide(block);
        let (column, within) = self.by_unit.divide(within);
        (stripe, as_index(column), within)
    }

    /// Where a unit of a stripe lies.
    pub fn spot(&self, stripe: u64, index: usize) -> Spot {
        if let Some(shuffled) = &self.shuffled {
            let (slice, number) = (stripe / self.members, stripe % self.members);
            let (width, members) = (self.width() as u64, self.members);
            let slot = number * width + index as u64;
            let (row, slot) = (slot / members, slot % members);
            let member = shuffled.member(slice, as_index(slot));
            return Spot { member, address: (slice * width + row) * self.unit };
        }
        if let Some(spread) = &self.spread {
            let (column, copy) = (index as u64 % self.columns, index as u64 / self.columns);
            return spread.spot(stripe, column, copy);
        }
        Spot { member: as_index(self.member(stripe, index as u64)), address: stripe * self.unit }
    }

    fn member(&self, stripe: u64, index: u64) -> u64 {
        let (members, columns) = (self.members, self.columns);
        if let Redundancy::Copies(copies) = self.redundancy {
            return index % columns * copies + index / columns;
        }
        let Rotation::Parity(layout) = self.rotation else { return index };
        let around = |number: u64| self.by_members.divide(number).1;
        let turn = around(stripe);
        let first = match layout {
            ParityLayout::LeftSymmetric | ParityLayout::LeftAsymmetric => members - 1 - turn,
            ParityLayout::RightSymmetric | ParityLayout::RightAsymmetric => turn,
        };
        if index >= columns {
            return around(first + index - columns);
        }
        let parities = members - columns;
        match layout {
            ParityLayout::LeftSymmetric | ParityLayout::RightSymmetric => around(first + parities + index),
            ParityLayout::LeftAsymmetric | ParityLayout::RightAsymmetric => {
                // Parity that goes on at the first member takes its place there.
                let over = (first + parities).saturating_sub(members);
                let index = index + over;
                if index >= first { index + parities - over } else { index }
            }
        }
    }

    /// The stripe that has a unit at an address of a member, and its number there; none where the array leaves blocks
    /// unused.
    pub fn at(&self, member: usize, address: u64) -> Option<(u64, usize)> {
        let row = address / self.unit;
        if let Some(shuffled) = &self.shuffled {
            let width = self.width() as u64;
            let (slice, row) = (row / width, row % width);
            let slot = row * self.members + shuffled.slot(slice, member) as u64;
            return Some((slice * self.members + slot / width, as_index(slot % width)));
        }
        if let Some(spread) = &self.spread {
            let (stripe, column, copy) = spread.at(member as u64, address)?;
            return Some((stripe, as_index(column + copy * self.columns)));
        }
        (0..self.width())
            .find(|&index| self.member(row, index as u64) == member as u64)
            .map(|index| (row, index))
    }

    /// After how many rows the members of a row's stripes are the same again, and for how many rows from there on.
    pub(super) fn period(&self, row: u64) -> (u64, u64) {
        if let Some(shuffled) = &self.shuffled {
            return (self.width() as u64 * shuffled.slices(), u64::MAX);
        }
        if let Some(spread) = &self.spread {
            return spread.period(row);
        }
        match self.rotation {
            Rotation::None => (1, u64::MAX),
            Rotation::Parity(_) => (self.members, u64::MAX),
        }
    }

    /// The first place of a member's part of a range, and how much of it lies there: for parts below that want to know
    /// where files lie. Data only, as one piece.
    pub fn part(&self, first: u64, end: u64, member: usize) -> Option<(u64, u64)> {
        let (mut from, mut to) = (u64::MAX, 0);
        let last = end.saturating_sub(1) / self.unit;
        // What is long has a unit on each member in every round: its first and last rounds say it all.
        let around = self.members * self.columns.max(1);
        let units = first / self.unit..=last;
        let long = last.saturating_sub(first / self.unit) > 2 * around;
        for number in units.filter(|&at| !long || at <= first / self.unit + around || at + around >= last) {
            let (begin, stop) = ((number * self.unit).max(first), ((number + 1) * self.unit).min(end));
            let (stripe, column, within) = self.find(begin);
            for copy in 0..self.copies() {
                let spot = self.spot(stripe, column + copy * self.columns());
                if spot.member == member && begin < stop {
                    from = from.min(spot.address + within);
                    to = to.max(spot.address + within + stop - begin);
                }
            }
        }
        (to > from).then_some((from, to - from))
    }

    /// Members that hold the same.
    pub fn copies(&self) -> usize {
        match self.redundancy {
            Redundancy::Copies(copies) => as_index(copies),
            Redundancy::None | Redundancy::Parity(_) => 1,
        }
    }
}
