//! An array that writes down which of its parts may differ between the members: who waits for that, and what is written.

use super::array::Array;
use super::bitmap::{Bitmap, BitmapParameters};
use super::gather::Pieces;
use super::layout::Layout;
use super::outcome::Outcome;
use super::plan::{Extra, Part, Plan};
use super::whole::{Errand, Whole};
use petrio_colours::{BlockRequest, Direction, Purpose, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use smallvec::SmallVec;

/// Blocks of the page of bits that is written, and where: before the data.
const PAGE: (u64, u64) = (0, 8);

impl BitmapParameters {
    /// The bits of an array with redundancy.
    pub(super) fn of(&self, layout: &Layout) -> Option<Bitmap> {
        let chunk = self.chunk.get() / SECTOR_BYTES;
        // With parity a bit stands for a part of a member, of which each data unit of a stripe has one.
        let members = if layout.parities() > 0 { layout.columns() as u64 } else { 1 };
        layout.has_redundancy().then(|| Bitmap::new(chunk.saturating_mul(members)))
    }
}

impl Array {
    /// Whether a write waits until its bits are set; it comes back when they are.
    pub(super) fn waits_for_bits(&mut self, slot: u32, outcome: &mut Outcome) -> bool {
        let (Some(bitmap), Some(whole)) = (&mut self.bitmap, self.wholes.get_mut(slot)) else { return false };
        if whole.is_noted || whole.rebuilds.is_some() || whole.errand != Errand::Asked {
            return false;
        }
        whole.is_noted = true;
        if bitmap.begin(slot, (whole.request.address, whole.request.end())) {
            return false;
        }
        let now = whole.request.issued + whole.request.ledger.total();
        self.tally.waited += 1;
        outcome.waits = Some(slot);
        self.write_bits(now, outcome);
        true
    }

    /// Bits that are wanted are written, unless others are under way.
    fn write_bits(&mut self, now: Time, outcome: &mut Outcome) {
        if self.bitmap.as_mut().is_some_and(Bitmap::write) {
            self.write_page(Errand::SetsBits, now, outcome);
        }
    }

    /// The page of bits goes to all members.
    fn write_page(&mut self, errand: Errand, now: Time, outcome: &mut Outcome) {
        let there = (0..self.members.0.len()).filter(|&member| self.members.writes(member));
        let part = |member| Part {
            member,
            direction: Direction::Write,
            address: PAGE.0,
            blocks: PAGE.1,
            group: 0,
            extra: Extra::All,
        };
        let plan = Plan { parts: there.map(part).collect(), ..Plan::default() };
        let blocks = plan.parts.iter().map(|part| part.blocks).sum();
        let plan = Plan { redundant_written: blocks, ..plan };
        let sets = errand == Errand::SetsBits;
        let whole = Whole {
            request: BlockRequest {
                direction: Direction::Write,
                force_unit_access: sets,
                synchronous: sets,
                purposes: Purpose::Redundancy.into(),
                issued: now,
                ..BlockRequest::default()
            },
            gathered: Pieces::new(),
            parts: SmallVec::new(),
            parity: SmallVec::new(),
            left: 0,
            data_to_come: false,
            rebuilds: None,
            again: false,
            stripes: SmallVec::new(),
            others: 0,
            by_rows: false,
            is_behind: false,
            is_answered: false,
            is_noted: false,
            errand,
            status: Status::DoneFromCache,
        };
        let slot = self.wholes.insert(whole);
        self.tally.planned(&plan, false);
        self.follow(slot, plan, outcome);
    }

    /// The page of bits is on the members.
    pub(super) fn bits_written(&mut self, errand: Errand, now: Time, outcome: &mut Outcome) {
        if let Some(bitmap) = self.bitmap.as_mut().filter(|_| errand == Errand::SetsBits) {
            outcome.granted.append(&mut bitmap.written());
        }
        self.write_bits(now, outcome);
    }

    /// A write has ended.
    pub(super) fn bits_unused(&mut self, range: (u64, u64), outcome: &mut Outcome) {
        outcome.ticks |= self.bitmap.as_mut().is_some_and(|bitmap| bitmap.end(range));
    }

    /// The daemon looks at the bits.
    pub(super) fn tick(&mut self, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let (cleared, again) = self.bitmap.as_mut().map_or((false, false), Bitmap::tick);
        outcome.ticks = again;
        if cleared {
            self.write_page(Errand::ClearsBits, now, &mut outcome);
        }
        outcome
    }
}
