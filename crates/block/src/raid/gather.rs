//! What an array makes of several pieces of its stripes that are written together: one update of each stripe.
//!
//! So controllers write what their memory has gathered (J. Menon and J. Cortney, "The architecture of a fault-tolerant cached
//! RAID controller", ISCA 1993: with a block, all others of its stripe are destaged). A member is asked for one run of each
//! unit, from the first piece in it to the end of the last: what lies between is read for parity anyhow, or read along,
//! and is written back as it was. Parity is made from the first offset that changes in any unit to the last.

use super::plan::{Extra, Lost, Members, Plan};
use super::planner::{ParitySource, Planner, Touched, Unit, Units};
use smallvec::SmallVec;

/// Pieces of an array, in order and apart.
pub(super) type Pieces = SmallVec<[(u64, u64); 2]>;

/// What is written of a unit: from the first piece to the end of the last, and where the first ends and the last begins. What
/// lies between these two is known only if it is one run.
#[derive(Clone, Copy, Debug)]
struct Written {
    hull: (u64, u64),
    first_end: u64,
    last_begin: u64,
    is_one_run: bool,
}

impl Written {
    fn of(pieces: &[(u64, u64)], (begin, end): (u64, u64)) -> Option<Self> {
        let here = |&(from, to): &(u64, u64)| {
            (from.max(begin) < to.min(end)).then(|| (from.max(begin), to.min(end)))
        };
        let mut all: Option<Self> = None;
        for (from, to) in pieces.iter().filter_map(here) {
            let (from, to) = (from - begin, to - begin);
            all = Some(match all {
                None => Self { hull: (from, to), first_end: to, last_begin: from, is_one_run: true },
                Some(all) if all.is_one_run && all.hull.1 == from => {
                    Self { hull: (all.hull.0, to), first_end: to, ..all }
                }
                Some(all) => {
                    let last_begin = if all.hull.1 == from { all.last_begin } else { from };
                    Self { hull: (all.hull.0, to), last_begin, is_one_run: false, ..all }
                }
            });
        }
        all
    }

    /// Whether these blocks of the unit are all written.
    fn covers(&self, (low, high): (u64, u64)) -> bool {
        self.is_one_run && self.hull.0 <= low && high <= self.hull.1
    }

    /// From the first of these blocks that isn't written to the last.
    fn rest(&self, (low, high): (u64, u64)) -> (u64, u64) {
        let from = if self.hull.0 <= low { self.first_end } else { low };
        let to = if self.hull.1 >= high { self.last_begin } else { high };
        (from, to)
    }
}

impl Planner {
    /// What a write of these pieces, in order and apart, asks of the members.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn gather(&self, pieces: &[(u64, u64)], members: &Members) -> Result<Plan, Lost> {
        let layout = &self.layout;
        let mut plan = Plan::default();
        if layout.parities() == 0 {
            for &(first, end) in pieces {
                self.write_into(&mut plan, (first, end), members)?;
            }
            return Ok(plan);
        }
        let stripe = layout.stripe();
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Ok(plan) };
        let mut whole_stripes = 0;
        for stripe_number in first.0 / stripe..=(last.1 - 1) / stripe {
            let (begin, end) = (stripe_number * stripe, (stripe_number + 1) * stripe);
            let there = |&&(from, to): &&(u64, u64)| from < end && begin < to;
            let within = |&(from, to): &(u64, u64)| (from.max(begin) - begin, to.min(end) - begin);
            let pieces: Pieces = pieces.iter().filter(there).map(within).collect();
            if pieces.is_empty() {
                continue;
            }
            if Written::of(&pieces, (0, stripe)).is_some_and(|written| written.covers((0, stripe))) {
                if whole_stripes == 0 {
                    whole_stripes = plan.new_group();
                }
                self.write_whole(&mut plan, stripe_number, whole_stripes, members)?;
            } else {
                self.gather_stripe(&mut plan, stripe_number, &pieces, members)?;
            }
        }
        Ok(plan)
    }

    /// Pieces of a stripe, counted from its beginning.
    fn gather_stripe(
        &self,
        plan: &mut Plan,
        stripe: u64,
        pieces: &[(u64, u64)],
        members: &Members,
    ) -> Result<(), Lost> {
        let layout = &self.layout;
        let group = plan.new_group();
        let unit = layout.unit();
        let column = |index: u64| Written::of(pieces, (index * unit, (index + 1) * unit));
        let written: SmallVec<[Option<Written>; 16]> = (0..layout.columns() as u64).map(column).collect();
        let hulls = || written.iter().flatten().map(|written| written.hull);
        let (Some(low), Some(high)) = (hulls().map(|hull| hull.0).min(), hulls().map(|hull| hull.1).max())
        else {
            return Ok(());
        };
        let (low, high) = (low / self.grain * self.grain, high.next_multiple_of(self.grain));
        let spots = (0..layout.width()).map(|index| layout.spot(stripe, index));
        let takes_parity = spots.clone().skip(layout.columns()).any(|spot| members.writes(spot.member));
        // What must be known of a unit that is written: all from which parity is made, or else only what lies between its pieces.
        let known = |written: &Written| if takes_parity { (low, high) } else { written.hull };
        let units: Units = spots
            .enumerate()
            .map(|(index, spot)| {
                let touched = match written.get(index).copied().flatten() {
                    None => Touched::No,
                    Some(written) if written.covers(known(&written)) => Touched::Whole,
                    Some(_) => Touched::InPart,
                };
                let readable = members.reads(spot.member, spot.address + high);
                Unit { index, spot, touched, readable, writable: members.writes(spot.member) }
            })
            .collect();
        let (data, parity) = units.split_at(layout.columns());
        if units.iter().filter(|unit| !unit.readable && !unit.writable).count() > layout.parities() {
            return Err(Lost);
        }
        let (by, reads) = self.reads_for(data, parity)?;
        let mut made_of = 0;
        for Unit { index, spot, .. } in &reads {
            let written = written.get(*index).and_then(Option::as_ref);
            let (from, to) = match (by, written) {
                (ParitySource::Old, Some(written)) => written.hull,
                (ParitySource::Others, Some(written)) => written.rest(known(written)),
                _ => (low, high),
            };
            plan.read_extra(spot.member, (spot.address + from, spot.address + to), group);
            plan.extra_read += to - from;
            made_of += to - from;
        }
        for (unit, written) in data.iter().zip(&written) {
            let Some(Written { hull: (from, to), is_one_run, .. }) = *written else { continue };
            made_of += to - from;
            if unit.writable {
                plan.write(unit.spot, (from, to), group, if is_one_run { Extra::None } else { Extra::Some });
                let asked = pieces.iter().map(|&(first, end)| {
                    let begin = unit.index as u64 * self.layout.unit();
                    end.min(begin + to).saturating_sub(first.max(begin + from))
                });
                plan.redundant_written += (to - from).saturating_sub(asked.sum());
            }
        }
        for unit in parity.iter().filter(|unit| unit.writable) {
            plan.write(unit.spot, (low, high), group, Extra::All);
            plan.redundant_written += high - low;
        }
        if takes_parity {
            plan.makes_parity_of(group, made_of);
        }
        Ok(())
    }
}
