//! TCP at the level of packets: how fast a connection sends, and what it does about frames that are lost.
//!
//! [`sender`], [`receiver`] and [`round_trip`] know no net: they are told what arrives and what time it is. [`page`]
//! puts
//! them into one.
//!
//! Leaves out: handshakes (connections are there from the beginning), selective acknowledgements, probes for lost
//! tails,
//! the cubic growth of windows, and limits on what waits before a host's own link.

mod endpoint;
mod page;
mod parameters;
mod receiver;
mod round_trip;
mod sender;

#[cfg(test)]
mod tests;

pub(super) use endpoint::{Delivered, Endpoints};
pub use parameters::TcpParameters;

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What a frame says beside its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Segment {
    /// Where its data begin in the stream.
    from: u64,
    /// How much of the stream it is; nothing for what only acknowledges.
    length: u32,
    /// All before this has arrived in the other direction's stream.
    acknowledges: u64,
}

impl Segment {
    /// Whether its frame is of a stream, whose sender has its message until the receiver has all of it.
    pub(super) const fn is_of_stream(&self) -> bool {
        self.length > 0
    }
}

/// What senders and receivers go by: the parameters as plain figures.
#[derive(Clone, Debug, Persist)]
struct Rules {
    /// Data of a full frame, bytes.
    segment: u64,
    /// The receiver's window, bytes.
    window: u64,
    /// The window of a new connection and after a rest, bytes.
    initial_window: u64,
    time_out_min: Time,
    time_out_max: Time,
    delayed_acknowledgement: Time,
    segments_per_acknowledgement: u32,
    duplicates: u32,
    restarts_after_idle: bool,
}
