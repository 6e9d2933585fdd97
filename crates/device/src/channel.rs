//! What a host adapter lets through to the disks on one of its channels.

use petrio_units::Rate;

/// A channel of an adapter, as a disk on it finds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channel {
    /// Data pass no faster.
    pub rate: Option<Rate>,
    /// A disk has it from the beginning of a command until that is complete, whatever the disk itself would do.
    pub kept: bool,
}
