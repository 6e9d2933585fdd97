//! What whoever sends requests must know of a device.

use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// Which discards a device takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Discards {
    /// Blocks of the longest (`queue/discard_max_bytes`).
    pub longest: u32,
    /// Blocks that it gives up together: longer discards are cut at multiples of so many (`queue/discard_granularity`).
    pub granularity: u32,
}

impl Default for Discards {
    /// As long as a request may be (`UINT_MAX >> 9`), of any blocks.
    fn default() -> Self {
        Self { longest: u32::MAX >> 9, granularity: 1 }
    }
}

impl Discards {
    /// Those that one takes who passes them on to both (`blk_stack_limits`, block/blk-settings.c).
    pub fn of_both(self, other: Self) -> Self {
        Self {
            longest: self.longest.min(other.longest),
            granularity: self.granularity.max(other.granularity),
        }
    }

    /// The longest that begins at a block.
    pub fn longest_from(self, address: u64) -> u32 {
        // As bio_split_discard does (block/blk-merge.c): the next one begins at a multiple.
        let granularity = self.granularity.max(1);
        let whole = self.longest - self.longest % granularity;
        let into = as_number(address % u64::from(granularity));
        if whole > into { whole - into } else { self.longest.max(1) }
    }
}

/// What a device can do about durability, and with what nobody wants any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Persist)]
pub struct DeviceFeatures {
    /// It reports writes before they are on the medium, so flushes mean something (`QUEUE_FLAG_WC`).
    pub write_cache: bool,
    /// It can force unit access for single writes (`QUEUE_FLAG_FUA`).
    pub force_unit_access: bool,
    /// The discards that it takes; none where it refuses all.
    pub discards: Option<Discards>,
}

impl DeviceFeatures {
    /// Those of a device that reports writes early, or doesn't. ATA disks don't offer forced unit access to Linux, and
    /// a flush does the same; a device that offers it says so itself.
    pub const fn of_write_cache(write_cache: bool) -> Self {
        Self { write_cache, force_unit_access: false, discards: None }
    }
}
