//! The order of what happens at one instant, for all pages: a net may hold any of them together.
//!
//! Transitions that are enabled at the same time fire in the order below, and those of one line in the order in which
//! their pages were built. Most belong to `USUAL`, which nobody says.

/// What ends: a disk that is done, a span of a throttle that is over, a sector that has passed. Who arrives at the same
/// instant finds it ended.
pub const ENDS: i32 = -1;
/// All else.
#[cfg(test)]
pub const USUAL: i32 = 0;
/// What a device does when nothing else is asked of it, such as writing back what it holds.
pub const WHEN_IDLE: i32 = 1;
/// What looks at disks, once they show what they do at this instant.
pub const LOOKS_AT_DISKS: i32 = 5;
/// An event is forgotten once all who waited for it are awake, for what they find may make them wait for the same
/// again.
pub const FORGETS: i32 = 8;
/// Those who woke up go on when all events of the instant are forgotten.
pub const GOES_ON: i32 = 9;
/// A queue gives requests to its device once all are there that are made at the instant: they may be merged.
pub const DISPATCHES: i32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_in_order() {
        let order = [ENDS, USUAL, WHEN_IDLE, LOOKS_AT_DISKS, FORGETS, GOES_ON, DISPATCHES];
        assert!(order.is_sorted());
    }
}
