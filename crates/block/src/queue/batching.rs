//! Processes that get places in a queue that is full.
//!
//! Source: get_request, ioc_set_batching and ioc_batching of block/ll_rw_blk.c of Linux 2.6.24 (block/blk-core.c of 3.2): who
//! takes the last place, and who has slept for one, may take a batch of places within a moment though the queue is full, up to
//! half as many again as it has; so may one request that the scheduler waits for (elv_may_queue). All others sleep.

use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Places of a batch (BLK_BATCH_REQ).
const PLACES: u32 = 32;
/// How long a batch lasts (BLK_BATCH_TIME, HZ/50).
const LASTS: Time = Time::from_millis(20);

/// What is left of a process' batch, and since when it has it.
#[derive(Clone, Copy, Debug, Persist)]
struct Batch {
    left: u32,
    since: Time,
}

/// Who has a batch. Batches that are over are dropped when another one begins.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Batching(BTreeMap<u32, Batch>);

impl Batching {
    /// A process has slept for a place, or takes the last one (ioc_set_batching).
    pub(super) fn begin(&mut self, process: u32, now: Time) {
        if self.has(process, now) {
            return;
        }
        self.0.retain(|_, batch| now < batch.since + LASTS);
        self.0.insert(process, Batch { left: PLACES, since: now });
    }

    /// Whether a process may take a place though none is free (ioc_batching).
    pub(super) fn has(&self, process: u32, now: Time) -> bool {
        self.0.get(&process).is_some_and(|batch| batch.left > 0 && now < batch.since + LASTS)
    }

    /// A process takes a place.
    pub(super) fn take(&mut self, process: u32, now: Time) {
        if self.has(process, now)
            && let Some(batch) = self.0.get_mut(&process)
        {
            batch.left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_of_so_many_places_and_of_a_moment() {
        let mut batching = Batching::default();
        let at = Time::from_millis;
        assert!(!batching.has(1, at(0)));
        batching.begin(1, at(0));
        for _ in 0..PLACES {
            assert!(batching.has(1, at(19)));
            batching.take(1, at(19));
        }
        assert!(!batching.has(1, at(19)), "all places are taken");
        batching.begin(2, at(200));
        assert!(batching.has(2, at(219)) && !batching.has(2, at(220)), "the moment is over");
        batching.begin(1, at(300));
        assert!(batching.has(1, at(300)), "another sleep, another batch");
    }
}
