//! How a disk turns beside others: no two motors keep the same speed, and none begins where another does.
//!
//! Of one disk nothing of this can be seen. Of several, a request that waits for all of them waits for the last: two that turn
//! in step make one wait of it.

use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::{Generator, uniform};
use petrio_units::numbers::whole_part;

/// How one of several disks turns.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Spin {
    /// The part of a turn that it is ahead at time zero, from 0 to 1.
    pub lead: f64,
    /// How much faster than its model it turns, as a part of what the model's tolerance allows, from -1 to 1.
    pub faster: f64,
}

impl Spin {
    /// One of all that are possible.
    pub(super) fn drawn(random: &mut Generator) -> Self {
        let (lead, speed) = (uniform(random), uniform(random));
        Self { lead, faster: 2.0 * speed - 1.0 }
    }

    /// The time of a turn for a model that nominally takes `nominal` and keeps its speed within `tolerance`, a part of it.
    pub(super) fn revolution(self, nominal: Time, tolerance: f64) -> Time {
        Time::from_picos(whole_part(nominal.as_picos() as f64 / (1.0 + self.faster * tolerance)))
    }

    /// The angle that is under the heads at time zero, as the time of a turn until there.
    pub(super) fn lead(self, revolution: Time) -> Time {
        Time::from_picos(whole_part(revolution.as_picos() as f64 * self.lead))
    }
}
