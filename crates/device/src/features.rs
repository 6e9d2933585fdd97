//! What whoever sends requests must know of a device.

use petrio_persist::Persist;

/// What a device can do about durability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Persist)]
pub struct DeviceFeatures {
    /// It reports writes before they are on the medium, so flushes mean something (`QUEUE_FLAG_WC`).
    pub write_cache: bool,
    /// It can force unit access for single writes (`QUEUE_FLAG_FUA`).
    pub force_unit_access: bool,
}

impl DeviceFeatures {
    /// Those of a device that reports writes early, or doesn't. ATA disks don't offer forced unit access to Linux, and
    /// a flush does the same; a device that offers it says so itself.
    pub const fn of_write_cache(write_cache: bool) -> Self {
        Self { write_cache, force_unit_access: false }
    }
}
