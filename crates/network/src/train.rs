//! Trains: a message cut into runs of frames, which cross a network at a fortieth of the cost of its frames.
//!
//! A train occupies a link for as long as its frames do, and the next link may begin with its first frame while the last
//! is still to come: `spread` is the time between these. A link that is faster than the one before begins so late that
//! it doesn't wait within the train.

use super::bus::Fetch;
use super::clock::{Clock, Leaves, Speed};
use super::frames::Framing;
use super::tcp::Segment;
use super::topology::Way;
use petrio_colours::Message;
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, low_half};
use std::sync::Arc;

/// A run of frames of one message.
#[derive(Clone, Debug, Persist)]
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
    /// Its service level.
    pub(super) level: u8,
    /// The virtual lane that it takes of the next link.
    pub(super) lane: u8,
    /// How it came to where it is.
    pub(super) came: Came,
    /// What TCP says in it, at the level of packets.
    pub(super) segment: Segment,
    /// The message that is complete with it.
    pub(super) message: Option<Box<Message>>,
}

impl Train {
    /// The message that is complete with it, where nobody else has it meanwhile.
    pub(super) fn own_message(&self) -> Option<&Message> {
        self.message.as_deref().filter(|_| !self.segment.is_of_stream())
    }
}

/// The link by which a train came, and the lane of it that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Came {
    pub(super) link: u32,
    pub(super) lane: u8,
}

impl Came {
    /// By none that wants to hear of it: it is at its first one, or a copy of another.
    pub(super) const BY_NONE: Self = Self { link: u32::MAX, lane: 0 };
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
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

    /// The other direction.
    pub(super) fn back(self) -> Self {
        let Self { source, destination, connection } = self;
        Self { source: destination, destination: source, connection }
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
        low_half(mixed)
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
    /// What it takes to fetch data from a host's memory; only of the bus by which an adapter does.
    pub(super) fetch: Option<Fetch>,
}

/// The bytes of a frame's header, which a switch that cuts through needs.
pub(super) const HEADER: u64 = 64;

impl Passage {
    /// Puts a train on the link.
    pub(super) fn pass(&self, clock: &mut Clock, train: &mut Train, now: Time) -> Leaves {
        let bytes = u64::from(train.bytes);
        let leaves = clock.pass(&self.speed, (self.head_of(bytes), self.framing.on_wire(bytes)), now);
        train.spread = leaves.tail - leaves.head;
        leaves
    }

    /// Bytes of a train that must be there before it can be passed on.
    fn head_of(&self, bytes: u64) -> u64 {
        let first = self.framing.first_frame(bytes);
        self.passed_on_after.map_or(first, |header| header.min(first))
    }

    /// How long a train that begins to arrive must be held back, so that the link needn't wait for the rest of it.
    pub(super) fn held_back(&self, train: &Train) -> Time {
        let bytes = u64::from(train.bytes);
        let rest = self.framing.on_wire(bytes) - self.head_of(bytes);
        train.spread.saturating_sub(self.speed.span(rest))
    }
}

/// Cuts a message into as few trains of at most `largest` bytes as there must be, all about as long, of whole frames of
/// so much `data`: a short rest would wait behind all of another connection's train.
/// `bytes` are those of the message with what its transport adds.
pub(super) fn trains(
    message: Box<Message>,
    bytes: u64,
    (largest, data): (u64, u64),
    (way, lane): (Way, u8),
) -> impl Iterator<Item = Train> {
    let stream = Stream::of(&message);
    let wanted = bytes.div_ceil(largest).max(1);
    // Trains of less than a frame are only there where somebody asks for them.
    let each = if largest < data { largest } else { bytes.div_ceil(data).div_ceil(wanted).max(1) * data };
    let count = bytes.div_ceil(each).max(1);
    let level = message.service_level;
    let mut message = Some(message);
    (0..count).map(move |number| {
        let left = bytes - number * each;
        let is_last = number + 1 == count;
        Train {
            bytes: as_number(left.min(each)),
            way,
            stream,
            spread: Time::ZERO,
            asks: 0,
            level,
            lane,
            came: Came::BY_NONE,
            segment: Segment::default(),
            message: if is_last { message.take() } else { None },
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::topology::{TopologyParameters, Wiring};
    use super::*;
    use petrio_colours::{Parcel, Verb};
    use proptest::prelude::*;

    fn cut(bytes: u64, largest: u64, data: u64) -> Vec<u32> {
        let payload = Parcel::new(Box::new(()));
        let (source, destination, connection, service) = (0, 1, 0, 0);
        let message = Message {
            source,
            destination,
            connection,
            service,
            verb: Verb::Send,
            service_level: 0,
            bytes,
            payload,
        };
        let way = Wiring::new(&TopologyParameters::Star, 2).unwrap().way(0, 1, 0, &|_| 0);
        let all: Vec<Train> = trains(Box::new(message), bytes, (largest, data), (way, 0)).collect();
        assert!(all.iter().rev().skip(1).all(|train| train.message.is_none()));
        assert!(all.last().unwrap().message.is_some());
        all.iter().map(|train| train.bytes).collect()
    }

    #[test]
    fn a_stripe_of_64_kib_is_two_halves_and_not_a_train_and_a_crumb() {
        assert_eq!(cut(64 << 10, 62_500, 1_448), [33_304, 32_232]);
        assert_eq!((cut(0, 62_500, 1_448), cut(1, 62_500, 1_448)), (vec![0], vec![1]));
        assert_eq!(cut(1_000, 300, 1_448), [300, 300, 300, 100]);
        assert_eq!(cut(3_000, 1_448, 1_448), [1_448, 1_448, 104]);
    }

    proptest! {
        /// Nothing is lost, no frame is cut, and there are no more trains than largest ones would be.
        #[test]
        fn trains_are_all_of_a_message(bytes in 0u64..10_000_000, frames in 1u64..60, data in 100u64..5_000) {
            let all = cut(bytes, frames * data, data);
            prop_assert_eq!(all.iter().map(|bytes| u64::from(*bytes)).sum::<u64>(), bytes);
            prop_assert_eq!(all.len() as u64, bytes.div_ceil(frames * data).max(1));
            prop_assert!(all.iter().all(|train| u64::from(*train) <= frames * data));
            prop_assert!(all.iter().rev().skip(1).all(|train| u64::from(*train) % data == 0));
        }
    }
}
