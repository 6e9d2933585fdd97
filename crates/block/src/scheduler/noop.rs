//! noop: first come, first served, with merging (block/noop-iosched.c of Linux 2.6.24; `none` of blk-mq).
//!
//! The single-queue noop merges at the front only into the request that was touched last, and blk-mq's `none` looks at
//! the last eight requests only; both are taken here as merging with whatever waits.

use super::Scheduler;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{MergeRules, Waiting};
use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// noop has no parameters.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoopParameters {}

impl Scheduler for NoopParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        Box::new(Noop { waiting: Waiting::new(MergeRules::new(limits)) })
    }
}

#[derive(Clone, Persist)]
struct Noop {
    waiting: Waiting,
}

/// All requests wait in one line.
const ALL: u32 = 0;

impl Elevator for Noop {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.waiting.add(ALL, request, now).added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        self.waiting.would_merge(ALL, request)
    }

    fn next(&mut self, now: Time) -> Next {
        let first = self.waiting.oldest(ALL).and_then(|oldest| self.waiting.take(oldest, now));
        first.map_or(Next::Empty, Next::Dispatch)
    }

    fn completed(&mut self, _: &IoRequest, _: Time) {}

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
