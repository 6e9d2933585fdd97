//! A link's clock: when what is sent now leaves it.
//!
//! A wire passes one byte after the other. A token bucket as Linux's tbf makes it (net/sched/sch_tbf.c) lets what its
//! tokens cover pass at once, and holds back the rest until they have come: no byte takes any time there.

use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::{Bytes, Rate};

/// How fast a link is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed {
    /// None takes no time.
    rate: Option<Rate>,
    /// How long the bucket takes to fill; nothing on a wire.
    burst: Time,
}

impl Speed {
    pub(super) fn new(rate: Rate, bucket: Option<Bytes>) -> Self {
        Self { rate: Some(rate), burst: bucket.map_or(Time::ZERO, |bucket| rate.time_for(bucket.get())) }
    }

    /// How long so many bytes take at its rate.
    pub(super) fn span(&self, bytes: u64) -> Time {
        self.rate.map_or(Time::ZERO, |rate| rate.time_for(bytes))
    }

    /// What takes no time.
    pub(super) const fn free() -> Self {
        Self { rate: None, burst: Time::ZERO }
    }
}

/// When a link will have passed what it was given.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Clock {
    /// When its bucket was or will be empty; of a wire, when it was or will be idle.
    empty: Time,
    /// When the last of those is there that have to keep their order.
    there: Time,
}

/// When a train leaves a link, counted from the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaves {
    /// Its first frame has left.
    pub(super) head: Time,
    /// All of it has left, and the next may begin.
    pub(super) tail: Time,
}

impl Clock {
    /// A train of `bytes`, of which `first` are its first frame, is put on an idle link.
    pub(super) fn pass(&mut self, speed: &Speed, (first, bytes): (u64, u64), now: Time) -> Leaves {
        // A wire that is asked is idle.
        let from =
            if speed.burst == Time::ZERO { now } else { self.empty.max(now.saturating_sub(speed.burst)) };
        self.empty = from + speed.span(bytes);
        let head = (from + speed.span(first)).saturating_sub(now);
        Leaves { head, tail: self.empty.saturating_sub(now) }
    }

    /// After how long something is there that would be so `after` a time, and doesn't overtake what went before it.
    pub(super) fn in_order(&mut self, now: Time, after: Time) -> Time {
        self.there = self.there.max(now + after);
        self.there - now
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn micros(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn a_wire_takes_its_time_for_every_byte() {
        // 1 byte in 8 ns.
        let speed = Speed::new(Rate::new(125e6).unwrap(), None);
        let mut clock = Clock::default();
        let leaves = clock.pass(&speed, (1500, 15_000), micros(100));
        assert_eq!(leaves, Leaves { head: micros(12), tail: micros(120) });
        let leaves = clock.pass(&speed, (1500, 1500), micros(220));
        assert_eq!(leaves, Leaves { head: micros(12), tail: micros(12) });
    }

    #[test]
    fn a_bucket_lets_pass_at_once_what_its_tokens_cover() {
        // 40 Mbit/s, as in the measurements: the first 2000 bytes after idle pass at once, and the n-th full frame of a
        // burst leaves (n - 1) frames' time later, less about 97 us.
        let speed = Speed::new(Rate::new(5e6).unwrap(), Some(Bytes(2000)));
        let mut clock = Clock::default();
        let now = Time::from_seconds(1.0);
        let leaves = clock.pass(&speed, (1514, 1514), now);
        assert_eq!(leaves, Leaves { head: Time::ZERO, tail: Time::ZERO });
        for frame in 2..6u64 {
            let before = (frame - 1) * 302_800 - 97_200;
            let leaves = clock.pass(&speed, (1514, 1514), now);
            assert_eq!(leaves.tail, Time::from_nanos(before), "frame {frame}");
        }
        // After a rest it is full again, and not fuller.
        let leaves = clock.pass(&speed, (1514, 3028), now + Time::from_seconds(9.0));
        assert_eq!(leaves, Leaves { head: Time::ZERO, tail: Time::from_nanos(302_800 - 97_200) });
    }
}
