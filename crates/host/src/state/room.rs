//! Room in the device's queue for writes of cached pages, and whose turn it is where there is none.
//!
//! After `blk_mq_get_tag` and lib/sbitmap.c of 6.x: whoever finds a request free takes it; who finds none waits, and those who wait
//! are woken in turn, each once a batch of requests has become free. Before blk-mq (`get_request_wait` and `freed_request` of
//! block/ll_rw_blk.c, 2.6.24) one is woken for each request that becomes free, and may then exceed the limit by a batch. Leaves
//! out that reads and the log's writes take requests of the same queue, and that some who wait lie in different queues of it.

use petrio_persist::Persist;
use std::collections::VecDeque;

/// Requests that become free before somebody is woken (`SBQ_WAKE_BATCH`), at most an eighth of them (`SBQ_WAIT_QUEUES`).
const WAKE_BATCH: u32 = 8;
/// Requests that somebody may take who was woken (`BLK_BATCH_REQ`).
const OLD_BATCH: u32 = 32;

/// The room, and those who wait for it.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Room {
    /// Requests that there are for writes.
    requests: u32,
    multi_queue: bool,
    waiting: VecDeque<u64>,
    next_turn: u64,
}

impl Room {
    pub(crate) fn new(requests: u32, multi_queue: bool) -> Self {
        Self { requests: requests.max(1), multi_queue, waiting: VecDeque::new(), next_turn: 0 }
    }

    /// Up to how many requests may be queued by whoever sends now, while so many are.
    pub(crate) fn up_to(&self, queued: u32) -> u32 {
        match self.multi_queue {
            false if queued < self.requests => self.requests.max(queued + OLD_BATCH),
            _ => self.requests,
        }
    }

    /// Somebody waits from now on; under which number.
    pub(crate) fn wait(&mut self) -> u64 {
        self.next_turn += 1;
        self.waiting.push_back(self.next_turn);
        self.next_turn
    }

    /// Whose turn it is now that only so many are queued.
    pub(crate) fn woken(&mut self, queued: u32) -> Option<u64> {
        let batch = if self.multi_queue { (self.requests / 8).clamp(1, WAKE_BATCH) } else { 1 };
        if queued + batch > self.requests { None } else { self.waiting.pop_front() }
    }

    /// Whether so few are queued that writers needn't wait (`queue_congestion_off_threshold`).
    pub(crate) fn is_uncongested(&self, queued: u32) -> bool {
        let most = self.requests - self.requests / 8 - self.requests / 16;
        queued < most.saturating_sub(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_for_requests_take_turns() {
        let mut room = Room::new(128, true);
        assert_eq!((room.up_to(0), room.up_to(127)), (128, 128));
        assert_eq!((room.wait(), room.wait()), (1, 2));
        assert_eq!(room.woken(121), None, "seven are free");
        assert_eq!(room.woken(120), Some(1));
        assert_eq!((room.wait(), room.woken(120), room.woken(120)), (3, Some(2), Some(3)));
        assert_eq!(room.woken(0), None);
    }

    #[test]
    fn before_blk_mq_one_is_woken_by_each_and_takes_a_batch() {
        let mut room = Room::new(128, false);
        assert_eq!(room.wait(), 1);
        assert_eq!((room.woken(128), room.woken(127)), (None, Some(1)));
        assert_eq!((room.up_to(127), room.up_to(10), room.up_to(128)), (159, 128, 128));
        assert!(room.is_uncongested(102) && !room.is_uncongested(103));
    }
}
