//! How many of the queue's places what isn't read may take in bfq, and each of its queues.
//!
//! Source: bfq_limit_depth, bfqq_request_over_limit and bfq_update_depths of block/bfq-iosched.c of Linux 6.18. What nobody waits
//! for has half of the places, and writes that somebody waits for three quarters; 3 and 6 of 16 while a queue with a raised
//! weight is busy. And a queue that has more than its weight's share of them gets few: one of each word of the bitmap in which
//! places are marked, of which a queue of the kernel's usual sizes has four. Leaves out that reads, too, take places of those that
//! others may have.

use super::super::processes::{PRIORITIES, is_synchronous};
use super::Bfq;
use petrio_colours::{BlockRequest, Direction};
use petrio_persist::Persist;

/// Sixteenths of all places, for what nobody waits for and for writes that somebody waits for; without and with a busy queue
/// whose weight is raised (word_depths).
const SHARES: [[u64; 2]; 2] = [[8, 12], [3, 6]];
/// What a queue gets that is beyond its share: a place in each word (sbitmap_queue_init_node).
const LEAST: u64 = 4;

/// Kinds of requests, as far as places go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What nobody waits for.
    Other,
    /// Writes that somebody waits for.
    Awaited,
    /// Reads, which may have all places.
    Read,
}

impl Kind {
    /// Of a request.
    pub(super) fn of(direction: Direction, synchronous: bool) -> Self {
        match direction {
            Direction::Read => Self::Read,
            _ if is_synchronous(direction, synchronous) => Self::Awaited,
            _ => Self::Other,
        }
    }
}

/// The places of all queues.
#[derive(Clone, Debug, Persist)]
pub(super) struct RequestTags {
    all: u64,
    /// Those that are taken, by kind.
    taken: [u64; 3],
}

impl RequestTags {
    /// So many in all.
    pub(super) fn new(requests: u32) -> Self {
        Self { all: u64::from(requests), taken: [0; 3] }
    }

    /// How many of a kind there may be.
    fn most(&self, kind: Kind, raised: bool) -> u64 {
        let share = SHARES[usize::from(raised)].get(kind as usize).copied().unwrap_or(16);
        (self.all * share / 16).max(1)
    }
}

impl Bfq {
    /// A request takes a place; one merged into another has none.
    pub(super) fn take_place(&mut self, queue: usize, kind: Kind) {
        self.places.taken[kind as usize] += 1;
        self.queues[queue].allocated += 1;
    }

    /// A request gives its place back: it is complete, or became part of another.
    pub(super) fn leave_place(&mut self, queue: usize, kind: Kind) {
        let of_kind = &mut self.places.taken[kind as usize];
        *of_kind = of_kind.saturating_sub(1);
        let of_queue = &mut self.queues[queue].allocated;
        *of_queue = of_queue.saturating_sub(1);
    }

    /// Whether a request that arrives gets a place.
    pub(super) fn has_place(&self, request: &BlockRequest) -> bool {
        let kind = Kind::of(request.direction, request.synchronous);
        let most = self.places.most(kind, self.raised > 0);
        if self.places.taken[kind as usize] >= most {
            return false;
        }
        let Some(queue) = self.queues.find(request) else { return true };
        let asks = &self.queues[queue];
        let weights = self.fair.weights_to(asks.entity.class(), PRIORITIES as u64);
        if !self.fair.counts(&asks.entity) || weights == 0 {
            return true;
        }
        let share = (most * asks.entity.weight() + weights / 2) / weights;
        asks.allocated < share.max(LEAST)
    }
}
