//! The write-intent bitmap of Linux md: which parts of the members may differ, so that after a crash only these are made equal.
//!
//! Source: `md_bitmap_startwrite`, `md_bitmap_unplug`, `md_bitmap_endwrite`, `bitmap_daemon_work` and `write_sb_page` of Linux 6.1's
//! drivers/md/md-bitmap.c. A write to a part whose bit isn't set waits until it is, on all members (a page, flushed before and
//! written to the medium); all that ask meanwhile share the next such write. A bit that nobody uses is cleared in the second round of the
//! daemon after that, with a write that nobody waits for. A bit that is set costs nothing. The bitmap lies before the data. Leaves out:
//! bitmaps in files, several pages of bits (each write takes one page).

use petrio_persist::Persist;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A write-intent bitmap on the members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BitmapParameters {
    /// What of a member a bit stands for (mdadm: `--bitmap-chunk`; 64 MiB), at levels 1 and 1+0 of the array.
    pub chunk: Bytes,
    /// How often bits that aren't used are looked for (mdadm: `--delay`; 5 s).
    pub delay: Duration,
}

impl Default for BitmapParameters {
    fn default() -> Self {
        Self { chunk: Bytes::from_mib(64), delay: Duration::from(petrio_kernel::Time::from_whole_seconds(5)) }
    }
}

/// Rounds of the daemon in which a bit isn't used before it is cleared.
const ROUNDS: u8 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
struct Bit {
    /// Writes under way.
    writers: u32,
    /// Rounds of the daemon since the last one.
    idle: u8,
    /// It is on the members.
    is_set: bool,
}

/// The bits, and who waits for them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Bitmap {
    /// Blocks of the array for which a bit stands.
    blocks: u64,
    bits: BTreeMap<u64, Bit>,
    /// Bits that are being written, and those of the write after that.
    writing: Option<Vec<u64>>,
    wanted: Vec<u64>,
    /// By slot: who waits for these.
    waiting: Vec<u32>,
    next: Vec<u32>,
    /// The daemon is to come.
    ticks: bool,
}

impl Bitmap {
    /// No bit is set.
    pub(super) fn new(blocks: u64) -> Self {
        Self {
            blocks: blocks.max(1),
            bits: BTreeMap::new(),
            writing: None,
            wanted: Vec::new(),
            waiting: Vec::new(),
            next: Vec::new(),
            ticks: false,
        }
    }

    fn of(&self, (from, to): (u64, u64)) -> std::ops::RangeInclusive<u64> {
        from / self.blocks..=(to.max(from + 1) - 1) / self.blocks
    }

    /// A write begins; whether all its bits are set. Where not, its slot comes back from [`Self::written`].
    pub(super) fn begin(&mut self, slot: u32, range: (u64, u64)) -> bool {
        let mut all_set = true;
        for number in self.of(range) {
            let bit = self.bits.entry(number).or_default();
            bit.writers += 1;
            if !bit.is_set {
                all_set = false;
                self.wanted.push(number);
            }
        }
        if !all_set {
            self.next.push(slot);
        }
        all_set
    }

    /// Whether bits are to be written now; they are under way from then on.
    pub(super) fn write(&mut self) -> bool {
        if self.writing.is_some() || self.next.is_empty() {
            return false;
        }
        self.writing = Some(std::mem::take(&mut self.wanted));
        self.waiting = std::mem::take(&mut self.next);
        true
    }

    /// The bits are on the members: who waited for them.
    pub(super) fn written(&mut self) -> Vec<u32> {
        for number in self.writing.take().unwrap_or_default() {
            if let Some(bit) = self.bits.get_mut(&number) {
                bit.is_set = true;
            }
        }
        std::mem::take(&mut self.waiting)
    }

    /// A write has ended; whether the daemon must be called.
    pub(super) fn end(&mut self, range: (u64, u64)) -> bool {
        for number in self.of(range) {
            if let Some(bit) = self.bits.get_mut(&number) {
                bit.writers = bit.writers.saturating_sub(1);
                bit.idle = 0;
            }
        }
        !std::mem::replace(&mut self.ticks, true)
    }

    /// The daemon looks at the bits: whether any was cleared, and whether it must come again.
    pub(super) fn tick(&mut self) -> (bool, bool) {
        let before = self.bits.len();
        self.bits.retain(|_, bit| {
            bit.idle = if bit.writers == 0 { bit.idle + 1 } else { 0 };
            bit.idle < ROUNDS
        });
        self.ticks = !self.bits.is_empty();
        (self.bits.len() < before, self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_bit_costs_nothing_and_who_comes_while_bits_are_written_shares_the_next_write() {
        let mut bitmap = Bitmap::new(100);
        assert!(!bitmap.begin(1, (0, 8)));
        assert!(bitmap.write());
        // Its bit is under way; another's isn't.
        assert!(!bitmap.begin(2, (90, 110)));
        assert!(!bitmap.begin(3, (110, 120)));
        assert!(!bitmap.write(), "one write at a time");
        assert_eq!(bitmap.written(), [1]);
        assert!(bitmap.write());
        assert_eq!(bitmap.written(), [2, 3]);
        assert!(bitmap.begin(4, (0, 8)), "it is set");
        assert!(!bitmap.write());
        for range in [(0, 8), (0, 8), (90, 110), (110, 120)] {
            bitmap.end(range);
        }
        assert_eq!(bitmap.tick(), (false, true));
        assert!(bitmap.begin(5, (0, 8)), "it is set still");
        assert_eq!(bitmap.tick(), (true, true), "the other is cleared");
        bitmap.end((0, 8));
        assert_eq!([bitmap.tick(), bitmap.tick()], [(false, true), (true, false)]);
        assert!(!bitmap.begin(6, (0, 8)));
    }
}
