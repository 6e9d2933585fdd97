//! One request of a block trace.

use petrio_colours::Direction;
use petrio_kernel::Time;

/// One request as a trace tells it.
///
/// Every format gives an arrival; some give the measured response time as well. A format that gives idle times instead
/// of arrivals (the measured-trace format) is brought to the same terms: the arrival is the completion of the request
/// before plus the idle time, so that the think time is always *this arrival minus that completion*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRecord {
    /// When it was issued, from the trace's origin (the first record, unless rebasing is turned off).
    pub time: Time,
    /// How long it took on the machine that was traced, issue to completion, where the trace knows.
    pub measured: Option<Time>,
    /// Which process (or initiator) asked; 0 in formats that don't tell.
    pub process: u32,
    /// Which device, by the trace's own number, or in order of first appearance where devices have names.
    pub device: u32,
    /// Read, write or flush.
    pub direction: Direction,
    /// The write had to be on the medium before it completed.
    pub force_unit_access: bool,
    /// Somebody waited for it. Formats that don't tell count reads as waited for and writes as not.
    pub synchronous: bool,
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in device blocks; zero only for a flush.
    pub blocks: u32,
}

impl BlockRecord {
    /// A record of `blocks` at `address` with everything else at its default: time zero, process 0, device 0.
    pub fn new(direction: Direction, address: u64, blocks: u32) -> Self {
        Self {
            time: Time::ZERO,
            measured: None,
            process: 0,
            device: 0,
            direction,
            force_unit_access: false,
            synchronous: direction == Direction::Read,
            address,
            blocks,
        }
    }
}

/// A record before its time is brought to the trace's origin: absolute clocks (Windows file time, seconds since 1970)
/// exceed the range of model time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRecord {
    /// Picoseconds on the trace's own clock.
    pub(crate) clock: u128,
    /// Where it stands: the line's number, or the byte's offset in a binary format.
    pub(crate) at: u64,
    /// Everything else; its `time` is not set.
    pub(crate) record: BlockRecord,
}
