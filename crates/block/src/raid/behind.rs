//! Members of a mirror that are mostly written (md(4), write-mostly and write-behind): they are read only where no other is left, and
//! who writes needn't wait for them.
//!
//! Source: `read_balance`, `raid1_write_request` and `raid1_end_write_request` of Linux 6.1's drivers/md/raid1.c: with a bitmap, a write is
//! answered once all other members have it, unless as many as may be behind are already. Leaves out: that a write which overlaps one
//! that is behind waits for it (`wait_for_serialization`).

use super::array::Array;
use super::layout::Spot;
use super::outcome::Outcome;
use super::whole::PartState;
use petrio_colours::{BlockRequest, Direction};
use petrio_persist::Persist;
use smallvec::SmallVec;

/// Which members are mostly written, and how many writes may be behind.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct WriteMostly {
    /// By member.
    pub(super) members: Vec<bool>,
    /// `write_behind`; none may be where this is 0.
    pub(super) most: u32,
}

impl WriteMostly {
    fn is(&self, member: usize) -> bool {
        self.members.get(member).is_some_and(|is| *is)
    }

    /// Chooses among those that aren't mostly written, or, where no other is left, among all.
    pub(super) fn choose(&self, spots: &[Spot], choose: impl FnOnce(&[Spot]) -> usize) -> usize {
        let usual = |spot: &Spot| !self.is(spot.member);
        if spots.iter().all(usual) || !spots.iter().any(usual) {
            return choose(spots);
        }
        let (places, spots): (SmallVec<[usize; 4]>, SmallVec<[Spot; 4]>) =
            spots.iter().copied().enumerate().filter(|(_, spot)| usual(spot)).unzip();
        let chosen = if spots.len() == 1 { 0 } else { choose(&spots) };
        places.get(chosen).copied().unwrap_or(0)
    }
}

impl Array {
    /// A write begins: whether members that are mostly written may be behind with it.
    pub(super) fn may_be_behind(&mut self, slot: u32) {
        let mostly = &self.rules.mostly;
        if self.bitmap.is_none() || self.behind >= mostly.most || !mostly.members.contains(&true) {
            return;
        }
        if let Some(whole) = self.wholes.get_mut(slot).filter(|whole| !whole.is_behind) {
            whole.is_behind = true;
            self.behind += 1;
        }
    }

    /// A part is back: whoever waits is answered if only members are left for which he needn't.
    pub(super) fn answer_before(&mut self, slot: u32, part: &BlockRequest, outcome: &mut Outcome) {
        let mostly = &self.rules.mostly;
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        if !whole.is_behind || whole.is_answered || whole.left == 0 || whole.status.failure().is_some() {
            return;
        }
        let rest = whole.parts.iter().filter(|(_, stage)| *stage != PartState::Done);
        if !rest.into_iter().all(|(part, _)| part.direction == Direction::Write && mostly.is(part.member)) {
            return;
        }
        whole.is_answered = true;
        let answer = BlockRequest { status: whole.status, ledger: part.ledger, ..whole.request.clone() };
        outcome.complete.push(answer);
        self.asked -= 1;
    }
}
