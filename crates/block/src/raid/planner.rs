//! Which requests to its members an array makes of one that it is asked: a pure function of layout, rules and health.
//!
//! A stripe that is written in part is cut where different units of it are written (`segments`), and for each segment
//! the old data and parity are read (*read-modify-write*), or the data that aren't written (*reconstruct*). What can't be
//! read because its member has failed is worked out from as many other units as there are data in a stripe.

use super::degraded::DegradedAccess;
use super::layout::{Layout, Redundancy, Spot};
use super::parameters::ParityUpdate;
use super::plan::{Extra, Lost, Members, Part, Plan};
use petrio_colours::Direction;
use petrio_persist::Persist;
use petrio_units::numbers::as_index;
use smallvec::SmallVec;

/// How an array goes about its work.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Planner {
    /// Where everything lies.
    pub layout: Layout,
    /// What is read for parity.
    #[persist(keep)]
    pub update: ParityUpdate,
    /// What is read where members are missing.
    pub degraded: DegradedAccess,
    /// Blocks of the pieces in which parity is made.
    pub grain: u64,
}

/// What a request does to a unit in a segment of its stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    No,
    /// Some of the segment is written: the rest must be known.
    InPart,
    Whole,
}

/// A unit of a stripe, in a segment of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) index: usize,
    pub(super) spot: Spot,
    pub(super) touched: Touched,
    pub(super) readable: bool,
    pub(super) writable: bool,
}

pub(super) type Units = SmallVec<[Unit; 16]>;

/// Of what parity is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParitySource {
    /// Of the old data and the old parity.
    Old,
    /// Of the data that aren't written.
    Others,
    /// Of all that is left of the stripe.
    Stripe,
}

impl Planner {
    /// What a read of these blocks asks of the members. Of those that hold the same, `choose` says which is read: it is
    /// given where the data lie on each that can be.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn read(
        &self,
        (first, end): (u64, u64),
        members: &Members,
        mut choose: impl FnMut(&[Spot]) -> usize,
    ) -> Result<Plan, Lost> {
        let layout = &self.layout;
        let mut plan = Plan::default();
        // The copy that is read of each column: a request stays with it.
        let mut chosen = SmallVec::<[Option<usize>; 8]>::from_elem(None, layout.columns());
        // What may have to be worked out is read by whole pieces.
        let by_pieces = layout.parities() > 0 && !members.are_whole();
        let grain = if by_pieces { self.grain } else { 1 };
        let (asked, first, end) = (end - first, first / grain * grain, end.next_multiple_of(grain));
        let mut at = first;
        while at < end {
            let (stripe, column, within) = layout.find(at);
            let here = (end - at).min(layout.stripe() - column as u64 * layout.unit() - within);
            let mut missing = SmallVec::<[(u64, u64); 2]>::new();
            let mut left = here;
            let (mut column, mut within) = (column, within);
            while left > 0 {
                let blocks = left.min(layout.unit() - within);
                match self.copy_to_read(stripe, column, (within, blocks), members, &mut chosen, &mut choose) {
                    Some(spot) => {
                        let from = spot.address + within;
                        plan.add(Part {
                            member: spot.member,
                            direction: Direction::Read,
                            address: from,
                            blocks,
                            group: 0,
                            extra: Extra::None,
                        });
                    }
                    None => missing.push((within, within + blocks)),
                }
                (left, column, within) = (left - blocks, column + 1, 0);
            }
            for range in missing {
                self.work_out(&mut plan, stripe, range, members)?;
            }
            at += here;
        }
        let read: u64 = plan.parts.iter().map(|part| part.blocks).sum();
        plan.extra_read = read.saturating_sub(asked);
        Ok(plan)
    }

    /// Where a unit is read; none where it must be worked out.
    fn copy_to_read(
        &self,
        stripe: u64,
        column: usize,
        (within, blocks): (u64, u64),
        members: &Members,
        chosen: &mut [Option<usize>],
        choose: &mut impl FnMut(&[Spot]) -> usize,
    ) -> Option<Spot> {
        let layout = &self.layout;
        let end = |spot: Spot| spot.address + within + blocks;
        if layout.copies() == 1 {
            let spot = layout.spot(stripe, column);
            return members.reads(spot.member, end(spot)).then_some(spot);
        }
        let spots: SmallVec<[Spot; 4]> = (0..layout.copies())
            .map(|copy| layout.spot(stripe, column + copy * layout.columns()))
            .filter(|&spot| members.reads(spot.member, end(spot)))
            .collect();
        let before = chosen[column].and_then(|member| spots.iter().find(|spot| spot.member == member));
        if let Some(&spot) = before {
            return Some(spot);
        }
        let wanted: SmallVec<[Spot; 4]> =
            spots.iter().map(|spot| Spot { address: spot.address + within, ..*spot }).collect();
        let spot = match wanted.len() {
            0 => return None,
            1 => spots[0],
            _ => *spots.get(choose(&wanted)).unwrap_or(&spots[0]),
        };
        chosen[column] = Some(spot.member);
        Some(spot)
    }

    /// Reads a range of all units of a stripe that are left, of which those that are missing are worked out.
    fn work_out(
        &self,
        plan: &mut Plan,
        stripe: u64,
        (from, to): (u64, u64),
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        let readable = |spot: &Spot| members.reads(spot.member, spot.address + to);
        let spots = (0..layout.columns() + layout.parities()).map(|index| layout.spot(stripe, index));
        let usable: SmallVec<[Spot; 16]> = spots.filter(readable).collect();
        if usable.len() < layout.columns() || layout.parities() == 0 {
            return Err(Lost);
        }
        for spot in usable.into_iter().take(self.enough()) {
            plan.read_extra(spot.member, (spot.address + from, spot.address + to), 0);
        }
        Ok(())
    }

    /// Units of a stripe that are read at most for what can't be read itself.
    fn enough(&self) -> usize {
        match self.degraded {
            DegradedAccess::AllThatIsLeft => self.layout.width(),
            DegradedAccess::Fewest => self.layout.columns(),
        }
    }

    /// What a write of these blocks asks of the members.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn write(&self, (first, end): (u64, u64), members: &Members) -> Result<Plan, Lost> {
        let mut plan = Plan::default();
        self.write_into(&mut plan, (first, end), members)?;
        Ok(plan)
    }

    /// Adds a write of these blocks to a plan.
    pub(super) fn write_into(
        &self,
        plan: &mut Plan,
        (first, end): (u64, u64),
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        let mut whole_stripes = 0;
        let mut at = first;
        while at < end {
            let (stripe, column, within) = layout.find(at);
            let from = column as u64 * layout.unit() + within;
            let to = (from + end - at).min(layout.stripe());
            if layout.parities() == 0 {
                self.write_copies(plan, stripe, (from, to), members)?;
            } else if to - from == layout.stripe() {
                if whole_stripes == 0 {
                    whole_stripes = plan.new_group();
                }
                self.write_whole(plan, stripe, whole_stripes, members)?;
            } else {
                self.write_segments(plan, stripe, (from, to), members)?;
            }
            at += to - from;
        }
        Ok(())
    }

    /// Data without parity: to all that hold the same.
    fn write_copies(
        &self,
        plan: &mut Plan,
        stripe: u64,
        (from, to): (u64, u64),
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        for column in as_index(from / layout.unit())..=as_index((to - 1) / layout.unit()) {
            let begin = column as u64 * layout.unit();
            let range = (from.max(begin) - begin, to.min(begin + layout.unit()) - begin);
            let mut written = 0;
            for copy in 0..layout.copies() {
                let spot = layout.spot(stripe, column + copy * layout.columns());
                if members.writes(spot.member) {
                    plan.write(spot, range, 0, Extra::all(written > 0));
                    written += 1;
                }
            }
            plan.redundant_written += (range.1 - range.0) * u64::saturating_sub(written, 1);
            if written == 0 {
                return Err(Lost);
            }
        }
        Ok(())
    }

    /// A whole stripe: nothing need be read.
    pub(super) fn write_whole(
        &self,
        plan: &mut Plan,
        stripe: u64,
        group: u32,
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        let range = (0, layout.unit());
        let mut failed = 0;
        for index in 0..layout.width() {
            let spot = layout.spot(stripe, index);
            let is_parity = index >= layout.columns();
            if members.writes(spot.member) {
                plan.write(spot, range, group, Extra::all(is_parity));
                plan.redundant_written += if is_parity { layout.unit() } else { 0 };
            } else {
                failed += 1;
            }
        }
        plan.makes_parity_of(group, layout.stripe());
        if failed > layout.parities() { Err(Lost) } else { Ok(()) }
    }

    /// A part of a stripe, from one place in its data to another.
    fn write_segments(
        &self,
        plan: &mut Plan,
        stripe: u64,
        (from, to): (u64, u64),
        members: &Members,
    ) -> Result<(), Lost> {
        let unit = self.layout.unit();
        let group = plan.new_group();
        // Where in the units something begins or ends to be written.
        let mut cuts: SmallVec<[u64; 8]> = SmallVec::new();
        let last = (to - 1) / unit;
        let (begin, end) = (from % unit, to - last * unit);
        for cut in [begin, end] {
            cuts.extend([cut / self.grain * self.grain, cut.next_multiple_of(self.grain)]);
        }
        cuts.extend([0, unit]);
        cuts.sort_unstable();
        cuts.dedup();
        for segment in cuts.windows(2) {
            let &[low, high] = segment else { continue };
            self.write_segment(plan, (stripe, group), (low, high), (from, to), members)?;
        }
        Ok(())
    }

    fn write_segment(
        &self,
        plan: &mut Plan,
        (stripe, group): (u64, u32),
        (low, high): (u64, u64),
        (from, to): (u64, u64),
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        // Before anything is looked up: of what is written within a unit, most segments are untouched.
        let (first, last) = (from / layout.unit(), (to - 1) / layout.unit());
        let touches = |column: u64| {
            let begin = column * layout.unit();
            begin + low < to && begin + high > from
        };
        if !(first..=last).any(touches) {
            return Ok(());
        }
        let unit = |index: usize| {
            let spot = layout.spot(stripe, index);
            let begin = index as u64 * layout.unit();
            let touched = if index >= layout.columns() || begin + low >= to || begin + high <= from {
                Touched::No
            } else if begin + low >= from && begin + high <= to {
                Touched::Whole
            } else {
                Touched::InPart
            };
            let readable = members.reads(spot.member, spot.address + high);
            Unit { index, spot, touched, readable, writable: members.writes(spot.member) }
        };
        let units: Units = (0..layout.width()).map(unit).collect();
        let (data, parity) = units.split_at(layout.columns());
        if units.iter().filter(|unit| !unit.readable && !unit.writable).count() > layout.parities() {
            return Err(Lost);
        }
        let (_, reads) = self.reads_for(data, parity)?;
        let mut read = 0;
        for unit in &reads {
            plan.read_extra(unit.spot.member, (unit.spot.address + low, unit.spot.address + high), group);
            read += high - low;
        }
        plan.extra_read += read;
        let mut made_of = read;
        for unit in data.iter().filter(|unit| unit.touched != Touched::No) {
            made_of += high - low;
            if unit.writable {
                plan.write(unit.spot, (low, high), group, Extra::None);
            }
        }
        for unit in parity.iter().filter(|unit| unit.writable) {
            plan.write(unit.spot, (low, high), group, Extra::All);
            plan.redundant_written += high - low;
        }
        if parity.iter().any(|unit| unit.writable) {
            plan.makes_parity_of(group, made_of);
        }
        Ok(())
    }

    /// The units that are read before a segment is written.
    pub(super) fn reads_for(&self, data: &[Unit], parity: &[Unit]) -> Result<(ParitySource, Units), Lost> {
        let fewest = self.degraded == DegradedAccess::Fewest;
        let touched = || data.iter().filter(|unit| unit.touched != Touched::No);
        // Parity that nothing takes is made all the same, or isn't.
        let made = || parity.iter().filter(|unit| unit.writable || !fewest);
        let nothing_takes_it = made().next().is_none();
        // Then only what is written in part must be known, where it is written.
        let needed = |unit: &&Unit| match unit.touched {
            Touched::Whole => false,
            Touched::InPart => unit.writable || !nothing_takes_it,
            Touched::No => !nothing_takes_it,
        };
        let modify = || touched().chain(made());
        let reconstruct = || data.iter().filter(needed);
        let can_modify = modify().all(|unit| unit.readable);
        let can_reconstruct = reconstruct().all(|unit| unit.readable);
        let prefers_modify = || match self.update {
            ParityUpdate::Fewer => modify().count() < reconstruct().count(),
            ParityUpdate::ReadModifyWrite => reconstruct().next().is_some(),
            ParityUpdate::Reconstruct => false,
            ParityUpdate::Below(share) => (touched().count() as f64) < share.get() * data.len() as f64,
        };
        if can_modify && !nothing_takes_it && (!can_reconstruct || prefers_modify()) {
            return Ok((ParitySource::Old, modify().copied().collect()));
        }
        if can_reconstruct {
            return Ok((ParitySource::Others, reconstruct().copied().collect()));
        }
        // Something that must be known lies on a member that has failed: it is worked out of the stripe.
        let mut left: Units = data.iter().chain(parity).filter(|unit| unit.readable).copied().collect();
        if left.len() < data.len() {
            return Err(Lost);
        }
        left.truncate(self.enough());
        Ok((ParitySource::Stripe, left))
    }

    /// What is read, by range of each member, to make anew what lies at a place of a member; nothing where the array
    /// leaves these blocks unused.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn rebuild(&self, member: usize, (first, end): (u64, u64), members: &Members) -> Result<Plan, Lost> {
        let layout = &self.layout;
        let mut plan = Plan::default();
        let mut at = first;
        while at < end {
            let within = at % layout.unit();
            let to = (within + end - at).min(layout.unit());
            if let Some((stripe, index)) = layout.at(member, at) {
                let group = if plan.groups == 0 { plan.new_group() } else { 1 };
                let spots = |range: std::ops::Range<usize>| range.map(|index| layout.spot(stripe, index));
                let readable =
                    |spot: &Spot| spot.member != member && members.reads(spot.member, spot.address + to);
                let needed = if layout.parities() > 0 { layout.columns() } else { 1 };
                let sources: SmallVec<[Spot; 16]> = match layout.redundancy() {
                    Redundancy::None => SmallVec::new(),
                    Redundancy::Copies(_) => {
                        let column = index % layout.columns();
                        let copies = (0..layout.copies()).map(|copy| column + copy * layout.columns());
                        copies.map(|index| layout.spot(stripe, index)).filter(readable).take(1).collect()
                    }
                    Redundancy::Parity(_) => spots(0..layout.width()).filter(readable).take(needed).collect(),
                };
                if sources.len() < needed {
                    return Err(Lost);
                }
                for spot in sources {
                    let address = spot.address + within;
                    plan.add(Part {
                        member: spot.member,
                        direction: Direction::Read,
                        address,
                        blocks: to - within,
                        group,
                        extra: Extra::None,
                    });
                    plan.makes_parity_of(group, to - within);
                }
                let spot = Spot { member, address: at - within };
                plan.write(spot, (within, to), group, Extra::None);
            }
            at += to - within;
        }
        Ok(plan)
    }
}
