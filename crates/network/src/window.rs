//! Windows: how many bytes of a connection may be under way.
//!
//! The receiver acknowledges as often as the sender has to know: each eighth of a window. So bytes beyond seven eighths
//! of a window may wait for as long as an eighth takes.

use super::train::Stream;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::Bytes;

/// Acknowledgements in a window.
const ACKNOWLEDGEMENTS: u64 = 8;

/// What a sender knows of one direction of a connection.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Progress {
    sent: u64,
    acknowledged: u64,
    /// What had been sent when the last acknowledgement was asked for.
    asked: u64,
    /// Trains that wait for the window.
    held: u32,
}

/// The windows of a host's connections.
#[derive(Clone, Debug, Persist)]
pub(super) struct Windows {
    window: u64,
    streams: FastMap<Stream, Progress>,
}

/// Whether a train may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It may; and how many bytes the receiver is to acknowledge when it has come: none, mostly.
    Goes { asks: u32 },
    /// It waits until more has been acknowledged.
    Waits,
}

impl Windows {
    pub(super) fn new(window: Bytes) -> Self {
        Self { window: window.get(), streams: FastMap::default() }
    }

    /// A train of so many bytes comes to be sent.
    pub(super) fn arrive(&mut self, stream: Stream, bytes: u32) -> Verdict {
        let window = self.window;
        let progress = self.streams.entry(stream).or_default();
        if progress.held > 0 || !progress.has_room(window, bytes) {
            progress.held += 1;
            return Verdict::Waits;
        }
        Verdict::Goes { asks: progress.send(window, bytes) }
    }

    /// The receiver has so many more bytes.
    pub(super) fn acknowledge(&mut self, stream: Stream, bytes: u32) {
        if let Some(progress) = self.streams.get_mut(&stream) {
            progress.acknowledged += u64::from(bytes);
        }
    }

    /// Whether the first train that waits may go.
    pub(super) fn may_go(&self, stream: Stream, bytes: u32) -> bool {
        self.streams.get(&stream).is_some_and(|progress| progress.has_room(self.window, bytes))
    }

    /// The first train that waits goes; how many bytes the receiver is to acknowledge when it has come.
    pub(super) fn release(&mut self, stream: Stream, bytes: u32) -> u32 {
        let progress = self.streams.entry(stream).or_default();
        progress.held = progress.held.saturating_sub(1);
        progress.send(self.window, bytes)
    }
}

impl Progress {
    fn has_room(&self, window: u64, bytes: u32) -> bool {
        self.sent + u64::from(bytes) <= self.acknowledged + window
    }

    fn send(&mut self, window: u64, bytes: u32) -> u32 {
        self.sent += u64::from(bytes);
        let since = self.sent - self.asked;
        if since < window / ACKNOWLEDGEMENTS {
            return 0;
        }
        self.asked = self.sent;
        // No more than the window is under way.
        u32::try_from(since).unwrap_or(u32::MAX)
    }
}
