//! What a scheduler asks of a drive without beginning a command, and the arm's way back.

use super::drive::{Demand, Drive, DriveState};
use super::layout::Track;
use petrio_kernel::Time;

impl Drive {
    /// How long after `now` the first block of a command that came at `came` could pass the head, if it were begun now: a
    /// movement in progress, seek, settling, rotation; or until a reading that goes on has come there. None at all for a
    /// read that is wholly in the cache. Controller overheads are not considered.
    pub fn positioning(&self, state: &DriveState, demand: Demand, came: Time, now: Time) -> Time {
        if !demand.write
            && let Some(wait) = self.without_arm(state, demand, came, now)
        {
            return wait;
        }
        let place = self.mechanics().layout().place(demand.block);
        let arrived = state.free().max(now) + self.mechanics().seek(state.track(), place.track, demand.write);
        arrived + self.mechanics().rotational_wait(place, arrived) - now
    }

    /// Brings the arm to cylinder 0; the time of that movement.
    pub fn return_to_zero(&self, state: &mut DriveState) -> Time {
        let track = state.track();
        let zero = Track { cylinder: 0, ..track };
        state.set_track(zero);
        self.mechanics().seek(track, zero, false)
    }
}
