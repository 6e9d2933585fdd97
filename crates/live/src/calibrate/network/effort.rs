//! Which sizes are measured, how often and for how long.
//!
//! No power of two is among them: what a validation uses isn't measured, so that a prediction stays one.

use std::time::Duration;

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How often each figure is taken.
    pub turns: usize,
    /// Bytes of messages that go to and fro, the smallest first.
    pub messages: Vec<u32>,
    /// Bytes of small messages that stream.
    pub small: u32,
    /// Bytes of large messages that stream.
    pub streams: Vec<u32>,
    /// Round trips of a size in a turn, at most.
    pub pings: u32,
    /// For how long messages of a size go to and fro in a turn, about, at most.
    pub ping_time: Duration,
    /// For how long messages stream in a turn; the first third isn't counted.
    pub stream_time: Duration,
}

impl Effort {
    /// Half a minute.
    pub fn full() -> Self {
        Self {
            turns: 7,
            messages: vec![1, 60, 250, 500, 1_000, 1_400, 3_000, 10_000, 30_000, 100_000, 250_000],
            small: 60,
            streams: vec![60_000, 250_000],
            pings: 500,
            ping_time: Duration::from_millis(150),
            stream_time: Duration::from_millis(600),
        }
    }

    /// Eight seconds.
    pub fn quick() -> Self {
        Self {
            turns: 5,
            messages: vec![1, 250, 1_000, 1_400, 10_000, 30_000, 100_000],
            pings: 100,
            ping_time: Duration::from_millis(40),
            stream_time: Duration::from_millis(150),
            ..Self::full()
        }
    }

    /// Just enough to have something of each.
    pub fn tiny() -> Self {
        Self {
            turns: 2,
            messages: vec![1, 1_000, 10_000],
            streams: vec![60_000],
            pings: 20,
            ping_time: Duration::from_millis(20),
            stream_time: Duration::from_millis(30),
            ..Self::full()
        }
    }

    /// Bytes of messages that stream both ways at once.
    pub(super) fn both(&self) -> u32 {
        self.streams.last().copied().unwrap_or(self.small)
    }
}
