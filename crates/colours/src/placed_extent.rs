//! Where a piece of a file lies, as far as that is known before a run.

use petrio_persist::Persist;

/// A piece of a file whose place on the device is known beforehand: programs that replay a trace and hosts agree on it,
/// as they do on a file's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct PlacedExtent {
    /// First byte in the file.
    pub offset: u64,
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
}
