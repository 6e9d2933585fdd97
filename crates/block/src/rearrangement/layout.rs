//! Where pieces lie, how often each was used, and where each should lie.

use super::parameters::{PieceOrder, RearrangementParameters};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::collections::BTreeMap;

/// Which piece lies in which slot. As long as nothing is moved, each lies in its own.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct PieceLayout {
    /// The slots of those that lie elsewhere.
    slots: FastMap<u32, u32>,
    /// Who lies in those slots.
    pieces: FastMap<u32, u32>,
}

impl PieceLayout {
    /// Where a piece lies.
    pub(super) fn slot_of(&self, piece: u32) -> u32 {
        self.slots.get(&piece).copied().unwrap_or(piece)
    }

    /// Who lies in a slot.
    pub(super) fn piece_in(&self, slot: u32) -> u32 {
        self.pieces.get(&slot).copied().unwrap_or(slot)
    }

    /// What lies in two slots changes places.
    pub(super) fn exchange(&mut self, (a, b): (u32, u32)) {
        let (in_a, in_b) = (self.piece_in(a), self.piece_in(b));
        self.put(in_a, b);
        self.put(in_b, a);
    }

    fn put(&mut self, piece: u32, slot: u32) {
        if piece == slot {
            self.slots.remove(&piece);
            self.pieces.remove(&slot);
        } else {
            self.slots.insert(piece, slot);
            self.pieces.insert(slot, piece);
        }
    }
}

/// How often pieces were used.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Uses(BTreeMap<u32, f64>);

impl Uses {
    /// A piece is used.
    pub(super) fn count(&mut self, piece: u32) {
        *self.0.entry(piece).or_default() += 1.0;
    }

    /// Where the most used of `pieces` pieces should lie, the most used first. What was counted is forgotten as far as
    /// `parameters` say.
    pub(super) fn wanted(
        &mut self,
        parameters: &RearrangementParameters,
        pieces: u32,
        layout: &PieceLayout,
    ) -> impl Iterator<Item = (u32, u32)> + use<> {
        let centre = self.centre(layout);
        let mut most: Vec<(u32, f64)> =
            self.0.iter().map(|(piece, uses)| (*piece, *uses)).filter(|(_, uses)| *uses > 1.0).collect();
        // Among equals the order of the device stays.
        most.sort_by(|a, b| b.1.total_cmp(&a.1));
        most.truncate(parameters.pieces.map_or(usize::MAX, |most| most.get() as usize));
        let keep = parameters.keep.get();
        self.0.retain(|_, uses| {
            *uses *= keep;
            // What is left of less than a use decides nothing any more.
            *uses > 0.01
        });
        let order = parameters.order;
        most.into_iter()
            .zip(0..pieces)
            .map(move |((piece, _), rank)| (piece, order.slot(rank, (centre, pieces))))
    }

    /// The slot before which half of the uses lie.
    fn centre(&self, layout: &PieceLayout) -> u32 {
        let mut by_slot: Vec<(u32, f64)> =
            self.0.iter().map(|(piece, uses)| (layout.slot_of(*piece), *uses)).collect();
        by_slot.sort_unstable_by_key(|(slot, _)| *slot);
        let half = by_slot.iter().map(|(_, uses)| uses).sum::<f64>() / 2.0;
        let mut so_far = 0.0;
        let at = by_slot.iter().position(|(_, uses)| {
            so_far += uses;
            so_far >= half
        });
        at.map_or(0, |at| by_slot[at].0)
    }
}

impl PieceOrder {
    /// The slot of the piece that is used `rank`-th most of all (0 the most), around a centre, among so many slots; each
    /// has one.
    fn slot(self, rank: u32, (centre, slots): (u32, u32)) -> u32 {
        if self == Self::Front {
            return rank;
        }
        // By turns before and behind the centre, and then on that side where there is room.
        let (before, behind) = (centre, slots - 1 - centre);
        let by_turns = 2 * before.min(behind);
        match rank {
            _ if rank > by_turns && before > behind => slots - 1 - rank,
            _ if rank > by_turns => rank,
            _ if rank.is_multiple_of(2) => centre + rank / 2,
            _ => centre - rank.div_ceil(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_rank_has_a_slot_of_its_own(slots in 1u32..200, centre: u32) {
            let centre = centre % slots;
            for order in [PieceOrder::OrganPipe, PieceOrder::Front] {
                let mut taken: Vec<u32> = (0..slots).map(|rank| order.slot(rank, (centre, slots))).collect();
                taken.sort_unstable();
                prop_assert_eq!(taken, (0..slots).collect::<Vec<_>>(), "{:?}", order);
            }
        }

        #[test]
        fn who_changes_places_is_found(swaps in proptest::collection::vec((0u32..20, 0u32..20), 0..60)) {
            let (mut layout, mut plain) = (PieceLayout::default(), (0..20).collect::<Vec<u32>>());
            for (a, b) in swaps {
                layout.exchange((a, b));
                plain.swap(a as usize, b as usize);
            }
            for (slot, piece) in (0u32..).zip(&plain) {
                prop_assert_eq!(layout.piece_in(slot), *piece);
                prop_assert_eq!(layout.slot_of(*piece), slot);
            }
            let elsewhere = (0u32..).zip(&plain).filter(|(slot, piece)| slot != *piece).count();
            prop_assert_eq!((layout.slots.len(), layout.pieces.len()), (elsewhere, elsewhere));
        }
    }

    #[test]
    fn the_most_used_go_to_the_middle_of_what_is_used_and_the_rest_stays() {
        let mut uses = Uses::default();
        for (piece, times) in [(3, 5), (90, 9), (10, 1), (50, 2)] {
            (0..times).for_each(|_| uses.count(piece));
        }
        let parameters = RearrangementParameters::default();
        let layout = PieceLayout::default();
        // Half of the uses lie before 90, most of what is used.
        let wanted: Vec<_> = uses.clone().wanted(&parameters, 100, &layout).collect();
        assert_eq!(wanted, [(90, 90), (3, 89), (50, 91)]);
        let some = RearrangementParameters { pieces: std::num::NonZeroU32::new(1), ..parameters.clone() };
        assert_eq!(uses.clone().wanted(&some, 100, &layout).collect::<Vec<_>>(), [(90, 90)]);
        // Nothing is kept, or half of it.
        let mut again = uses.clone();
        drop(again.wanted(&parameters, 100, &layout));
        assert_eq!(again.wanted(&parameters, 100, &layout).count(), 0);
        let half = petrio_units::Fraction::new(0.5).unwrap_or_default();
        let half = RearrangementParameters { keep: half, ..parameters };
        drop(uses.wanted(&half, 100, &layout));
        let wanted: Vec<_> = uses.wanted(&half, 100, &layout).collect();
        assert_eq!(wanted, [(90, 90), (3, 89)], "5 and 9 times, halved, are more than once");
    }
}
