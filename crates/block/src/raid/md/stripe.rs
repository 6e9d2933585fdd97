//! A stripe head: one page of each member at the same place, and who wants what of it (`struct stripe_head`).

use super::decide::{Pages, Units};
use petrio_persist::Persist;

/// What somebody wants of a unit's page.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Wish {
    /// Whose request, by its slot.
    pub(super) slot: u32,
    /// Which unit.
    pub(super) unit: u8,
    /// Blocks within the page: from, to.
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) what: Want,
}

/// Read, to be written, or being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Want {
    Read,
    Write,
    Written,
}

/// A stripe head.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Stripe {
    /// Which row of pages; [`NO_ROW`] while it holds none.
    pub(super) row: u64,
    pub(super) up_to_date: Units,
    pub(super) wishes: Vec<Wish>,
    /// Requests to members that have its pages and aren't back.
    pub(super) under_way: u32,
    /// It waits for the end of what its process submits at a time (STRIPE_ON_UNPLUG_LIST).
    pub(super) plugged: bool,
    /// The thread has hold of it.
    pub(super) held: bool,
    /// Somebody must look at it (STRIPE_HANDLE).
    pub(super) to_handle: bool,
    /// It waits for others to gather (STRIPE_DELAYED).
    pub(super) delayed: bool,
    /// What is only read for parity may be read by now (STRIPE_PREREAD_ACTIVE).
    pub(super) preread: bool,
    /// Something of it was sent to the members since it was made (STRIPE_IO_STARTED).
    pub(super) started: bool,
    /// Data units whose latest pages are in the journal and not on the members (R5_InJournal), and those of which the old ones are known.
    pub(super) in_journal: Units,
    pub(super) old_known: Units,
    /// It gathers in the journal (STRIPE_R5C_CACHING); pages on their way there.
    pub(super) is_caching: bool,
    pub(super) to_journal: Units,
    /// Data units that go to the members, with parity, once the log has what it must.
    pub(super) to_members: Option<Units>,
    /// That is so.
    pub(super) writes_out: bool,
    /// The unit of a partial parity log that has it.
    pub(super) log_unit: Option<u32>,
    /// All its data are written at once (STRIPE_FULL_WRITE).
    pub(super) is_full: bool,
    /// Units whose pages go from their owners' memory to the members without a copy (R5_SkipCopy).
    pub(super) not_copied: Units,
}

/// A stripe head that holds no row.
pub(super) const NO_ROW: u64 = u64::MAX;

/// Blocks of a page.
pub(in crate::raid) const PAGE_BLOCKS: u64 = 8;

impl Stripe {
    /// It holds another row, of which nothing is known.
    pub(super) fn hold(&mut self, row: u64) {
        let wishes = std::mem::take(&mut self.wishes);
        *self = Self { row, wishes, ..Self::default() };
        self.wishes.clear();
    }

    /// What is known and wanted of its pages, `failed` of which can't be read.
    pub(super) fn pages(&self, failed: Units) -> Pages {
        let mut pages = Pages { up_to_date: self.up_to_date, failed, ..Pages::default() };
        for wish in &self.wishes {
            let unit: Units = 1 << wish.unit;
            match wish.what {
                Want::Read => pages.to_read |= unit,
                Want::Write if pages.to_write & unit == 0 => {
                    pages.to_write |= unit;
                    if self.covers(wish.unit) {
                        pages.overwrite |= unit;
                    }
                }
                Want::Write | Want::Written => {}
            }
        }
        pages
    }

    /// Whether all of a unit's page is to be written. What is to be written doesn't overlap.
    fn covers(&self, unit: u8) -> bool {
        let ours = self.wishes.iter().filter(|wish| wish.unit == unit && wish.what == Want::Write);
        ours.map(|wish| u64::from(wish.to - wish.from)).sum::<u64>() == PAGE_BLOCKS
    }

    /// Whether somebody wants some of these blocks of a unit in the same way already: who comes later waits for that (R5_Overlap).
    pub(super) fn overlaps(&self, unit: u8, (from, to): (u8, u8), what: Want) -> bool {
        self.wishes
            .iter()
            .any(|wish| (wish.unit, wish.what) == (unit, what) && wish.from < to && from < wish.to)
    }

    /// Whether anybody wants anything.
    pub(super) fn is_wanted(&self) -> bool {
        self.wishes.iter().any(|wish| wish.what != Want::Written)
    }
}
