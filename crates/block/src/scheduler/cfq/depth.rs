//! Whether a device queues by itself, as cfq finds out.
//!
//! Source: cfq_update_hw_tag of block/cfq-iosched.c of Linux 3.2: the most requests that the device had at a time, over
//! fifty looks while there was enough to do.

use petrio_persist::Persist;

/// Requests in a device that queues by itself (CFQ_HW_QUEUE_MIN).
pub(super) const QUEUEING_DEPTH: usize = 5;
/// How many looks it takes to know.
const LOOKS: u32 = 50;

/// What is known of it (hw_tag).
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Depth {
    queues: Option<bool>,
    most: usize,
    looks: u32,
}

impl Depth {
    /// Whether it queues, or isn't known not to.
    pub(super) fn may_queue(&self) -> bool {
        self.queues != Some(false)
    }

    /// A request is complete: so many wait, and so many were in the device. `few`: the queue that has it has too little
    /// to do.
    pub(super) fn look(&mut self, waiting: usize, in_device: usize, few: bool) {
        self.most = self.most.max(in_device);
        let enough = waiting > QUEUEING_DEPTH || in_device > QUEUEING_DEPTH;
        if self.queues == Some(true) || !enough || few {
            return;
        }
        self.looks += 1;
        if self.looks > LOOKS {
            self.queues = Some(self.most >= QUEUEING_DEPTH);
        }
    }
}
