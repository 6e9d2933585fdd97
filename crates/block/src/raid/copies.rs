//! How Linux md spreads copies over members at level 1+0, any number of them: `near`, `far` and `offset` (md(4)).
//!
//! Source: `__raid10_find_phys`, `setup_geo` and `raid10_size` of drivers/md/raid10.c. As a stripe counts one unit of data for each
//! member: near copies of it fill as many rows as there are copies, one after the other; offset copies lie in the row below, far ones
//! in a later part of the members, each a member further. Leaves out: copies that are near and far at once.

use super::layout::Spot;
use petrio_persist::Persist;
use petrio_units::numbers::as_index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How copies are spread over the members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum CopiesLayout {
    /// Beside each other, at about the same place of their members.
    #[default]
    Near,
    /// In a later part of the next member, so that reads stream as of level 0 and writes move the arms.
    Far,
    /// On the next member, one row below.
    Offset,
}

/// Copies over any number of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Spread {
    pub(super) layout: CopiesLayout,
    pub(super) copies: u64,
    pub(super) members: u64,
    pub(super) unit: u64,
    /// Blocks of a part of a member that holds one copy, where these are far.
    pub(super) part: u64,
}

impl Spread {
    /// Rows of a stripe, in a part.
    fn rows(&self) -> u64 {
        if self.layout == CopiesLayout::Far { 1 } else { self.copies }
    }

    /// After how many rows copies lie on the same members again, and for how many rows from one on.
    pub(super) fn period(&self, row: u64) -> (u64, u64) {
        let part = (self.part / self.unit).max(1);
        match self.layout {
            CopiesLayout::Near | CopiesLayout::Offset => (self.copies, u64::MAX),
            CopiesLayout::Far => (1, part - row % part),
        }
    }

    /// Stripes, where a member has so many rows.
    pub(super) fn stripes(&self, rows: u64) -> u64 {
        rows / self.copies
    }

    /// Where a copy of a unit lies.
    pub(super) fn spot(&self, stripe: u64, column: u64, copy: u64) -> Spot {
        let around = (column + copy) % self.members;
        let (member, address) = match self.layout {
            CopiesLayout::Near => {
                let place = column * self.copies + copy;
                (place % self.members, stripe * self.rows() + place / self.members)
            }
            CopiesLayout::Offset => (around, stripe * self.rows() + copy),
            CopiesLayout::Far => (around, stripe),
        };
        let part = if self.layout == CopiesLayout::Far { copy * self.part } else { 0 };
        Spot { member: as_index(member), address: part + address * self.unit }
    }

    /// The stripe, column and copy of a unit; none where nothing lies.
    pub(super) fn at(&self, member: u64, address: u64) -> Option<(u64, u64, u64)> {
        let (part, within) = match self.layout {
            CopiesLayout::Far => (address / self.part.max(1), address % self.part.max(1)),
            CopiesLayout::Near | CopiesLayout::Offset => (0, address),
        };
        let (stripe, row) = (within / self.unit / self.rows(), within / self.unit % self.rows());
        let back = |copy: u64| (member + self.members - copy % self.members) % self.members;
        let (column, copy) = match self.layout {
            CopiesLayout::Near => {
                let place = row * self.members + member;
                (place / self.copies, place % self.copies)
            }
            CopiesLayout::Offset => (back(row), row),
            CopiesLayout::Far => (back(part), part),
        };
        (copy < self.copies).then_some((stripe, column, copy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_lie_where_md_puts_them() {
        let places = |layout, members| {
            let spread = Spread { layout, copies: 2, members, unit: 8, part: 800 };
            let row = |spot: Spot| (spot.member, spot.address / 8);
            (0..members)
                .map(|column| [0, 1].map(|copy| row(spread.spot(0, column, copy))))
                .collect::<Vec<_>>()
        };
        // md(4), three members: near A1 A1 A2 / A2 A3 A3, offset A1 A2 A3 / A3 A1 A2, far the same rows apart.
        assert_eq!(places(CopiesLayout::Near, 3), [[(0, 0), (1, 0)], [(2, 0), (0, 1)], [(1, 1), (2, 1)]]);
        assert_eq!(places(CopiesLayout::Offset, 3), [[(0, 0), (1, 1)], [(1, 0), (2, 1)], [(2, 0), (0, 1)]]);
        assert_eq!(
            places(CopiesLayout::Far, 3),
            [[(0, 0), (1, 100)], [(1, 0), (2, 100)], [(2, 0), (0, 100)]]
        );
    }

    #[test]
    fn each_place_holds_one_unit() {
        for layout in [CopiesLayout::Near, CopiesLayout::Far, CopiesLayout::Offset] {
            for (members, copies) in [(2, 2), (3, 2), (5, 2), (4, 3), (5, 3)] {
                let spread = Spread { layout, copies, members, unit: 8, part: 80 };
                for (stripe, column, copy) in (0..4)
                    .flat_map(|stripe| (0..members * copies).map(move |n| (stripe, n / copies, n % copies)))
                {
                    let spot = spread.spot(stripe, column, copy);
                    let found = spread.at(spot.member as u64, spot.address);
                    assert_eq!(found, Some((stripe, column, copy)), "{layout:?} {members} {copies}");
                }
            }
        }
    }
}
