//! A captured request.

use petrio_colours::Operation;
use petrio_time::Time;

/// One captured request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestRecord {
    /// Which process asked; 0 where the file doesn't say.
    pub process: u32,
    /// Which file, by the trace's own number; 0 where it doesn't say.
    pub file: u32,
    /// A read, a write, an fsync or an fdatasync.
    pub operation: Operation,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// How long the process computed before it.
    pub think: Option<Time>,
    /// How long it took where it was captured.
    pub measured: Option<Time>,
}
