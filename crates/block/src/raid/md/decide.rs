//! What is done with a stripe head once nothing of it is under way: what is read, what is computed, and whether it is written.
//!
//! Source: `need_this_block`, `fetch_block`, `handle_stripe_dirtying` and `schedule_reconstruction` of Linux 6.1's drivers/md/raid5.c.
//! Units are numbered as in a stripe: data, then P, then Q. Leaves out: resyncs of an array that isn't clean, reshapes, discards.

use super::super::parameters::ParityUpdate;
use petrio_persist::Persist;

/// A set of units of a stripe.
pub(super) type Units = u128;

/// Most members: a unit is a bit.
pub(in crate::raid) const MOST_UNITS: usize = 128;

/// What a stripe has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Shape {
    /// Data units.
    pub(super) data: u32,
    /// Parities.
    pub(super) parities: u32,
}

impl Shape {
    fn disks(self) -> u32 {
        self.data + self.parities
    }

    /// The data units.
    pub(super) fn data_units(self) -> Units {
        (1 << self.data) - 1
    }

    /// The units of parity.
    pub(super) fn parity_units(self) -> Units {
        ((1 << self.parities) - 1) << self.data
    }
}

/// What is known of the units of a stripe head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// In memory as on the members, or newer.
    pub(super) up_to_date: Units,
    /// Somebody wants to read them.
    pub(super) to_read: Units,
    /// Somebody writes them.
    pub(super) to_write: Units,
    /// Of these, those that are written whole.
    pub(super) overwrite: Units,
    /// On members that can't be read.
    pub(super) failed: Units,
}

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Decision {
    /// Read these.
    pub(super) read: Units,
    /// These were worked out of the others.
    pub(super) computed: Units,
    /// It waits until others have gathered.
    pub(super) delayed: bool,
    /// Parity is made, and all is written.
    pub(super) write: bool,
    /// By reconstruct-write; else by read-modify-write.
    pub(super) reconstructs: bool,
}

/// Decides. `preread` says whether what is only read to make parity may be read by now.
pub(super) fn decide(shape: Shape, pages: Pages, update: ParityUpdate, preread: bool) -> Decision {
    let mut decision = Decision::default();
    let mut pages = pages;
    fill(shape, &mut pages, update, preread, &mut decision);
    if pages.to_write != 0 {
        dirty(shape, &pages, update, preread, &mut decision);
    }
    decision
}

/// `handle_stripe_fill`: what somebody reads, what is written in part, and what can be known by reading all only.
fn fill(shape: Shape, pages: &mut Pages, update: ParityUpdate, preread: bool, decision: &mut Decision) {
    let partly = pages.to_write & !pages.overwrite;
    let failed_written = pages.to_write != 0 && pages.failed != 0;
    if pages.to_read & !pages.up_to_date == 0 && partly == 0 && !failed_written {
        return;
    }
    let disks = shape.disks();
    let all: Units = if disks as usize >= MOST_UNITS { Units::MAX } else { (1 << disks) - 1 };
    loop {
        let needed = all & !pages.up_to_date & !decision.read & needed(shape, pages, update, preread);
        let known = pages.up_to_date.count_ones();
        let p_of_two = if shape.parities > 1 { 1 << shape.data } else { 0 };
        let computable = if known == disks - 1 {
            needed & (pages.failed | p_of_two)
        } else if known + 2 == disks && pages.failed.count_ones() >= 2 && needed != 0 {
            // Both are worked out at once.
            all & !pages.up_to_date
        } else {
            0
        };
        if computable != 0 {
            pages.up_to_date |= computable;
            decision.computed |= computable;
            continue;
        }
        decision.read |= needed & !pages.failed;
        return;
    }
}

/// `need_this_block` for all units at once, whether or not they are there.
fn needed(shape: Shape, pages: &Pages, update: ParityUpdate, preread: bool) -> Units {
    let partly = pages.to_write & !pages.overwrite;
    let asked = pages.to_read | partly;
    if pages.failed & pages.to_read != 0 {
        return Units::MAX;
    }
    if pages.failed == 0 || pages.to_write == 0 {
        return asked;
    }
    // What can't be read need not wait for others.
    let early = if preread { Units::MAX } else { pages.failed };
    let unknown = pages.failed & !pages.up_to_date;
    if unknown & partly != 0 {
        return asked | early;
    }
    let parity = shape.parity_units();
    let two = pages.failed.count_ones() >= 2;
    let reconstructs = update == ParityUpdate::Reconstruct;
    let forced = reconstructs || two && unknown & (pages.to_write | parity) != 0;
    if forced && unknown & !parity & !pages.overwrite != 0 { asked | early } else { asked }
}

/// `handle_stripe_dirtying`: which way takes fewer reads, counting what is there.
fn dirty(shape: Shape, pages: &Pages, update: ParityUpdate, preread: bool, decision: &mut Decision) {
    let cannot = 2 * shape.disks();
    let missing = !(pages.up_to_date | decision.read);
    let count =
        |units: Units| (units & !pages.failed).count_ones() + cannot * (units & pages.failed).count_ones();
    let modify = (pages.to_write | shape.parity_units()) & missing;
    let rebuild = shape.data_units() & !pages.overwrite & missing;
    let (mut modifies, mut rebuilds) = (count(modify), count(rebuild));
    if update == ParityUpdate::Reconstruct {
        (modifies, rebuilds) = (2, 1);
    }
    let prefers = match update {
        ParityUpdate::ReadModifyWrite => modifies <= rebuilds,
        _ => modifies < rebuilds,
    };
    let both_impossible = rebuilds > shape.disks() && modifies > shape.disks();
    let wait = |units: Units, decision: &mut Decision| {
        if units != 0 {
            if preread {
                decision.read |= units & !pages.failed;
            } else {
                decision.delayed = true;
            }
        }
    };
    if prefers && modifies > 0 {
        wait(modify & !pages.failed, decision);
    } else if !prefers && rebuilds > 0 {
        rebuilds = rebuild.count_ones();
        wait(rebuild, decision);
    }
    if both_impossible && !preread {
        decision.delayed = true;
    }
    if decision.read == 0 && (rebuilds == 0 || modifies == 0) {
        decision.write = true;
        decision.reconstructs = rebuilds == 0;
    }
}
