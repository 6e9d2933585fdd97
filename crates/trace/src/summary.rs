//! What was read of a trace, counted.

use super::event::EventKind;
use petrio_persist::Persist;

/// What was left out while reading, or brought into form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct LeftOut {
    /// Records that stood out of order and were put in place.
    pub reordered: u64,
    /// Those of other devices, left out because one device was asked for.
    pub other_devices: u64,
    /// Lines or records that make none.
    pub other_events: u64,
    /// Steps of requests that aren't needed: what a tracer of the block layer tells between a request's arrival and its end.
    pub other_steps: u64,
    /// Requests widened to whole 512-byte blocks.
    pub widened: u64,
    /// Ends whose beginning isn't in the trace.
    pub unmatched_completions: u64,
    /// Beginnings whose end isn't in the trace.
    pub unanswered: u64,
    /// Lines without a time, of which only the order is known.
    pub untimed: u64,
    /// Calls whose files or bytes the trace doesn't show: `io_uring_enter`, and those on descriptors that nobody was seen to open.
    pub unseen: u64,
}

/// What was read so far, and what was left out or brought into form: nothing happens to a trace without a count here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// Records handed out.
    pub records: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// Discards among them.
    pub discards: u64,
    /// Bytes that they move.
    pub bytes: u64,
    /// What was left out, or brought into form.
    pub left_out: LeftOut,
}

/// What was read so far, and what was left out or brought into form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSummary {
    /// Events handed out.
    pub events: u64,
    /// Of each kind, in the order of [`EventKind::ALL`].
    pub kinds: [u64; EventKind::ALL.len()],
    /// What was left out, or brought into form.
    pub left_out: LeftOut,
}
