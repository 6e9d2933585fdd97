//! Trains: a message cut into runs of frames, which cross a network at a fortieth of the cost of its frames.
//!
//! A train occupies a link for as long as its frames do, and the next link may begin with its first frame while the last
//! is still to come: `spread` is the time between these. A link that is faster than the one before begins so late that
//! it doesn't wait within the train.

use super::clock::{Clock, Leaves, Speed};
use super::frames::Framing;
use super::tcp::Segment;
use super::topology::Way;
use petrio_colours::Message;
use petrio_kernel::{Key, Time};
use std::sync::Arc;

/// A run of frames of one message.
#[derive(Clone, Debug)]
pub(super) struct Train {
    /// Bytes of data.
    pub(super) bytes: u32,
    /// Which way it goes.
    pub(super) way: Way,
    pub(super) stream: Stream,
    /// Between the arrivals of its first and its last frame where it is.
    pub(super) spread: Time,
    /// Bytes of its connection that the receiver is to acknowledge when it has come.
    pub(super) asks: u32,
    /// The virtual lane that it takes.
    pub(super) lane: u8,
    /// The link by which it came.
    pub(super) came_by: u32,
    /// What TCP says in it, at the level of packets.
    pub(super) segment: Segment,
    /// The message that is complete with it.
    pub(super) message: Option<Box<Message>>,
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stream {
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) connection: u32,
}

impl Stream {
    pub(super) fn of(message: &Message) -> Self {
        let &Message { source, destination, connection, .. } = message;
        Self { source, destination, connection }
    }

    /// As the key of a place.
    pub(super) fn key(self) -> Key {
        u128::from(self.source) << 64 | u128::from(self.destination) << 32 | u128::from(self.connection)
    }

    /// A number by which streams are spread over equal paths.
    pub(super) fn spread(self) -> u32 {
        let Self { source, destination, connection } = self;
        let mut mixed = 0x9e37_79b9_7f4a_7c15u64;
        for part in [source, destination, connection] {
            mixed = (mixed ^ u64::from(part)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            mixed ^= mixed >> 32;
        }
        mixed as u32
    }
}

/// A link as trains pass it.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    pub(super) speed: Speed,
    /// To the end of the link.
    pub(super) latency: Time,
    pub(super) framing: Arc<Framing>,
    /// Bytes of a frame that a switch needs before it passes the frame on; all, where there are none.
    pub(super) passed_on_after: Option<u64>,
}

/// The bytes of a frame's header, which a switch that cuts through needs.
pub(super) const HEADER: u64 = 64;

impl Passage {
    /// Puts a train on the link.
    pub(super) fn pass(&self, clock: &mut Clock, train: &mut Train, now: Time) -> Leaves {
        let bytes = u64::from(train.bytes);
        let first = self.framing.first_frame(bytes);
        let first = self.passed_on_after.map_or(first, |header| header.min(first));
        let leaves = clock.pass(&self.speed, (first, self.framing.on_wire(bytes)), now);
        train.spread = leaves.tail - leaves.head;
        leaves
    }

    /// How long a train that begins to arrive must be held back, so that the link needn't wait for the rest of it.
    pub(super) fn held_back(&self, train: &Train) -> Time {
        let bytes = u64::from(train.bytes);
        let rest = self.framing.on_wire(bytes) - self.framing.first_frame(bytes);
        train.spread.saturating_sub(self.speed.span(rest))
    }
}

/// Cuts a message into trains of at most so many bytes.
/// `bytes` are those of the message with what its transport adds.
pub(super) fn trains(
    message: Box<Message>,
    bytes: u64,
    largest: u64,
    way: Way,
) -> impl Iterator<Item = Train> {
    let stream = Stream::of(&message);
    let count = bytes.div_ceil(largest).max(1);
    let lane = message.service_level;
    let mut message = Some(message);
    (0..count).map(move |number| {
        let left = bytes - number * largest;
        let is_last = number + 1 == count;
        Train {
            bytes: left.min(largest) as u32,
            way,
            stream,
            spread: Time::ZERO,
            asks: 0,
            lane,
            came_by: u32::MAX,
            segment: Segment::default(),
            message: if is_last { message.take() } else { None },
        }
    })
}
