//! Many processes that begin to ask at about the same time: one task, whose whole throughput matters, so that none of them is
//! taken for an interactive one.
//!
//! Source: bfq_handle_burst, bfq_add_to_burst and bfq_reset_burst_list of block/bfq-iosched.c of Linux 6.18.

use super::{Bfq, Time};
use petrio_persist::Persist;

/// So many are a large burst (bfq_large_burst_thresh).
const LARGE: usize = 8;
/// One that comes this long after the last begins another burst (bfq_burst_interval).
const INTERVAL: Time = Time::from_millis(180);
/// A process of a burst that has asked for nothing for so long isn't one of it any longer.
const OVER: Time = Time::from_millis(10_000);

/// The burst that goes on.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Bursts {
    /// The queues that came with it, as long as it isn't a large one.
    queues: Vec<usize>,
    size: usize,
    large: bool,
    /// When the last of them came.
    last: Option<Time>,
}

impl Bursts {
    /// A queue begins to ask; gives those that are part of a large burst with it.
    fn begins(&mut self, queue: usize, others_busy: bool, now: Time) -> Vec<usize> {
        let mut of_large = Vec::new();
        if self.last.is_none_or(|last| last + INTERVAL < now) {
            self.large = false;
            self.queues.clear();
            self.size = 0;
            if !others_busy {
                self.queues.push(queue);
                self.size = 1;
            }
        } else if self.large {
            of_large.push(queue);
        } else {
            self.size += 1;
            self.queues.push(queue);
            if self.size == LARGE {
                self.large = true;
                of_large = std::mem::take(&mut self.queues);
            }
        }
        self.last = Some(now);
        of_large
    }

    /// A queue's process ends (bfq_put_queue).
    pub(super) fn ends(&mut self, queue: usize) {
        if self.forget(queue) {
            self.size = self.size.saturating_sub(1);
        }
    }

    fn forget(&mut self, queue: usize) -> bool {
        let before = self.queues.len();
        self.queues.retain(|&other| other != queue);
        self.queues.len() < before
    }
}

impl Bfq {
    /// A queue that has never been busy gets a request: is it part of a burst (bfq_init_rq)?
    pub(super) fn look_at_burst(&mut self, queue: usize, now: Time) {
        let asks = &self.queues[queue];
        let others = self.busy_queues() > 0;
        if !asks.fresh || !asks.synchronous() || asks.busy || (self.bursts.size == 0 && others) {
            return;
        }
        for queue in self.bursts.begins(queue, others, now) {
            self.queues[queue].raise.in_large_burst = true;
        }
    }

    /// A queue of a burst asks again after a long time.
    pub(super) fn leave_burst_if_over(&mut self, queue: usize, now: Time) {
        let asks = &mut self.queues[queue];
        if !asks.fresh && asks.has_rested_for(OVER, now) {
            asks.raise.in_large_burst = false;
            self.bursts.forget(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eighth_that_comes_soon_makes_a_burst_a_large_one_and_a_pause_ends_it() {
        let mut bursts = Bursts::default();
        let at = |number: u64| Time::from_millis(100 * number);
        for queue in 0..7 {
            assert_eq!(bursts.begins(queue, queue > 0, at(queue as u64)), [0usize; 0]);
        }
        assert_eq!(bursts.begins(7, true, at(7)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(bursts.begins(8, true, at(8)), [8]);
        assert_eq!(bursts.begins(9, true, at(10)), [0usize; 0]);
    }

    #[test]
    fn who_has_ended_does_not_count() {
        let mut bursts = Bursts::default();
        for queue in 0..20 {
            assert_eq!(bursts.begins(queue, false, Time::from_millis(queue as u64)), [0usize; 0]);
            bursts.ends(queue);
        }
    }
}
