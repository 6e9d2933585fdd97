//! Virtual lanes: which of a link's lanes a train takes.
//!
//! A lane belongs to a service level, and to a class within it. Classes are there against circles: where each of a
//! circle's links waits for room at the next one's end, all may wait for ever. What goes on to a later class at a certain
//! place of the circle, or has passed one already, waits for nobody behind it (Dally and Seitz 1987, "Deadlock-free
//! message routing in multiprocessor interconnection networks").

use super::parameters::{MOST_LANES, NetworkParameters};
use super::topology::Wiring;
use petrio_persist::Persist;

/// How the lanes of a network's links are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Lanes {
    levels: u8,
    classes: u8,
}

impl Lanes {
    /// Those of a network: classes are needed only where links wait for each other.
    pub(super) fn of(parameters: &NetworkParameters, wiring: &Wiring) -> Self {
        let all = parameters.virtual_lanes.clamp(1, MOST_LANES);
        let needed = match parameters.least_credits() {
            Some(_) => wiring.lanes_against_circles().unwrap_or(1),
            None => 1,
        };
        // Too few were refused when the network was checked.
        if needed > all {
            Self { levels: all, classes: 1 }
        } else {
            Self { levels: all / needed, classes: needed }
        }
    }

    /// Lanes of a link that are used.
    pub(super) fn count(self) -> usize {
        usize::from(self.levels * self.classes)
    }

    /// Service levels that have lanes of their own.
    pub(super) fn levels(self) -> u8 {
        self.levels
    }

    /// Lanes of each level.
    pub(super) fn classes(self) -> usize {
        usize::from(self.classes)
    }

    /// The lane of a service level and a class; levels beyond the last take that one's.
    pub(super) fn lane(self, level: u8, class: u8) -> u8 {
        level.min(self.levels - 1) * self.classes + class.min(self.classes - 1)
    }

    /// The level to which a lane belongs.
    pub(super) fn level_of(self, lane: usize) -> usize {
        lane / self.classes()
    }
}
