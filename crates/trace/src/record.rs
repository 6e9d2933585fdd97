//! What a trace is read as: a request of a block trace, or an event; and what the two have in common.

use super::device_names::device_number;
use super::error::Problem;
use super::event::Event;
use super::summary::{EventSummary, LeftOut, TraceSummary};
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_time::Time;

/// One request as a trace tells it.
///
/// Every format gives an arrival; some give the measured response time as well. A format that gives idle times instead
/// of arrivals (the measured-trace format) is brought to the same terms: the arrival is the completion of the request
/// before plus the idle time, so that the think time is always *this arrival minus that completion*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub struct BlockRecord {
    /// When it was issued, from the trace's origin (the first record, unless rebasing is turned off).
    pub time: Time,
    /// How long it took on the machine that was traced, issue to completion, where the trace knows.
    pub measured: Option<Time>,
    /// Which process (or initiator) asked; 0 in formats that don't tell.
    pub process: u32,
    /// Which device, by the trace's own number, or in order of first appearance where devices have names.
    pub device: u32,
    /// Read, write, flush or discard.
    pub direction: Direction,
    /// The write had to be on the medium before it completed.
    pub force_unit_access: bool,
    /// Somebody waited for it. Formats that don't tell count reads as waited for and writes as not.
    pub synchronous: bool,
    /// The file system keeps it about files, or logs it (REQ_META). Formats that don't tell count all as contents.
    pub metadata: bool,
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
            metadata: false,
            address,
            blocks,
        }
    }
}

/// A record before its time is brought to the trace's origin: absolute clocks (Windows file time, seconds since 1970)
/// exceed the range of model time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<R> {
    /// Picoseconds on the trace's own clock.
    pub(crate) clock: u128,
    /// Where it stands: the line's number, or the byte's offset in a binary format.
    pub(crate) at: u64,
    /// Everything else; its `time` is not set.
    pub(crate) record: R,
}

/// A request before its time is brought to the trace's origin.
pub(crate) type RawRecord = Raw<BlockRecord>;

/// What a trace is read as, one after the other: requests to devices ([`BlockRecord`]), or events of every kind
/// ([`Event`]).
///
/// Reading, ordering and merging are the same for both ([`Reader`](super::Reader)); here stands what isn't.
pub trait Record: Clone + PartialEq + Persist + Send + 'static {
    /// What was read so far, counted.
    type Summary: Copy + Default;

    /// When it began, from the trace's origin.
    fn time(&self) -> Time;

    /// The same at another time.
    #[must_use]
    fn at(self, time: Time) -> Self;

    /// The same without its time, and without what a reader numbers in the order in which it shows up.
    #[must_use]
    fn unnumbered(self) -> Self;

    /// Whether it goes to this device.
    fn is_of(&self, device: u32) -> bool;

    /// The number of a device of this name, where a format doesn't know better.
    fn device_named(name: &str) -> Option<u32>;

    /// What no device can do.
    ///
    /// # Errors
    /// A request of no length, or one that ends beyond all addresses.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }

    /// Counts it.
    fn count(&self, summary: &mut Self::Summary);

    /// What was left out, beside what was counted.
    fn left_out(summary: &mut Self::Summary) -> &mut LeftOut;
}

impl Record for BlockRecord {
    type Summary = TraceSummary;

    fn time(&self) -> Time {
        self.time
    }

    fn at(self, time: Time) -> Self {
        Self { time, ..self }
    }

    fn unnumbered(self) -> Self {
        Self { time: Time::ZERO, process: 0, device: 0, ..self }
    }

    fn is_of(&self, device: u32) -> bool {
        self.device == device
    }

    fn device_named(name: &str) -> Option<u32> {
        name.trim().parse().ok()
    }

    fn check(&self) -> Result<(), Problem> {
        let direction = match self.direction {
            Direction::Flush => return Ok(()),
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Discard => "discard",
        };
        if self.blocks == 0 {
            return Err(Problem::ZeroLength(direction));
        }
        match self.address.checked_add(u64::from(self.blocks)) {
            Some(_) => Ok(()),
            None => Err(Problem::AddressOverflow { address: self.address, blocks: self.blocks }),
        }
    }

    fn count(&self, summary: &mut TraceSummary) {
        summary.records += 1;
        match self.direction {
            Direction::Read => summary.reads += 1,
            Direction::Write => summary.writes += 1,
            Direction::Flush => summary.flushes += 1,
            Direction::Discard => summary.discards += 1,
        }
        if self.direction.moves_data() {
            summary.bytes += u64::from(self.blocks) * SECTOR_BYTES;
        }
    }

    fn left_out(summary: &mut TraceSummary) -> &mut LeftOut {
        &mut summary.left_out
    }
}

impl Record for Event {
    type Summary = EventSummary;

    fn time(&self) -> Time {
        self.time
    }

    fn at(self, time: Time) -> Self {
        Self { time, ..self }
    }

    fn unnumbered(mut self) -> Self {
        self.extents.iter_mut().for_each(|extent| extent.device = 0);
        Self { time: Time::ZERO, process: 0, ..self }
    }

    fn is_of(&self, device: u32) -> bool {
        // A request of a trace that knows no files is on no file's device.
        let has_file = self.file.is_known() || !self.kind.is_of_device();
        (has_file && self.file.device == device) || self.extents.iter().any(|extent| extent.device == device)
    }

    fn device_named(name: &str) -> Option<u32> {
        device_number(name)
    }

    fn count(&self, summary: &mut EventSummary) {
        summary.events += 1;
        // The kinds are numbered in the order of `ALL`.
        summary.kinds[self.kind as usize] += 1;
    }

    fn left_out(summary: &mut EventSummary) -> &mut LeftOut {
        &mut summary.left_out
    }
}
