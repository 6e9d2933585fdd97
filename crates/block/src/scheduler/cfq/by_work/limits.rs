//! How many requests of a queue may be in the device at a time.
//!
//! Source: cfq_may_dispatch of block/cfq-iosched.c of Linux 3.2.

use super::super::trees::{Queue, Slice};
use super::ByWork;
use petrio_colours::IoClass;
use petrio_kernel::Time;

impl ByWork {
    /// Whether the active queue may have another request in the device (cfq_may_dispatch).
    pub(super) fn may_dispatch(&self, active: usize, now: Time) -> bool {
        let Queue { class, synchronous, dispatched, slice, .. } = self.trees[active];
        if (self.should_idle(active) && self.in_flight[0] > 0) || (self.in_flight[1] > 0 && !synchronous) {
            return false;
        }
        let idle_class = class == IoClass::Idle;
        let mut most = if idle_class { 1 } else { (self.quantum() / 2).max(1) };
        if dispatched >= most {
            let only = synchronous && self.trees.busy_synchronous() == 1;
            let used_soon = match slice {
                Slice::New => true,
                Slice::Runs { ends, .. } => {
                    let needed = u128::from(self.slice_idle().as_picos()) * u128::from(dispatched);
                    u128::from(now.as_picos()) + needed > u128::from(ends.as_picos())
                }
            };
            if idle_class || (self.trees.busy() > 1 && used_soon && !only) {
                return false;
            }
            most = if self.trees.busy() == 1 || only { u32::MAX } else { self.quantum().max(1) };
        }
        if !synchronous && self.target() > Time::ZERO {
            // More of it the longer nothing that is waited for has taken long.
            let slice = self.parameters.slice_sync.time().as_picos().max(1);
            let since = self.delayed.map_or(Time::from_whole_seconds(1) + now, |delayed| now - delayed);
            let depth = u32::try_from(since.as_picos() / slice).unwrap_or(u32::MAX);
            most = most.min(if depth == 0 && dispatched == 0 { 1 } else { depth });
        }
        dispatched < most
    }
}
