//! What a scheduler asks of a drive without beginning a command, and the arm's way back.

use super::drive::{Demand, Drive, DriveState};
use super::layout::Track;
use petrio_kernel::Time;
use petrio_units::numbers::whole_part;

impl Drive {
    /// How long after `now` the first block of a command that came at `came` could pass the head, if it were begun now: a
    /// movement in progress (where the arm is, and from when on it is free: see `Drive::arm`), seek, settling, rotation; or until a
    /// reading that goes on has come there. None at all for a read that is wholly in the cache. The arm sets out once the controller has
    /// decoded the command: who left that out would choose sectors that have just passed by then, and lose a turn for each.
    pub fn positioning(
        &self,
        state: &DriveState,
        arm: (Track, Time),
        demand: Demand,
        came: Time,
        now: Time,
    ) -> Time {
        if !demand.write
            && let Some(wait) = self.without_arm(state, arm, demand, came, now)
        {
            return wait;
        }
        let (track, free) = arm;
        let place = self.mechanics().layout().place(demand.block);
        let decoded = now + self.overhead_before_arm(state, demand.write);
        let arrived = free.max(decoded) + self.mechanics().seek(track, place.track, demand.write);
        arrived + self.mechanics().rotational_wait(place, arrived) - now
    }

    /// What so many commands of so many blocks in all take at most: each over the whole stroke, and a turn, and all blocks
    /// where tracks are shortest. Controller overheads are not considered.
    pub fn longest_service(&self, commands: u64, blocks: u64) -> Time {
        let mechanics = self.mechanics();
        let (stroke, revolution) = (mechanics.full_stroke().as_picos(), mechanics.revolution().as_picos());
        let turns = blocks as f64 / f64::from(mechanics.layout().shortest_track().max(1));
        let passing = whole_part(turns * revolution as f64);
        Time::from_picos((stroke + revolution).saturating_mul(commands).saturating_add(passing))
    }

    /// Brings the arm to cylinder 0; the time of that movement.
    pub fn return_to_zero(&self, state: &mut DriveState) -> Time {
        let track = state.track();
        let zero = Track { cylinder: 0, ..track };
        state.set_track(zero);
        self.mechanics().seek(track, zero, false)
    }
}
