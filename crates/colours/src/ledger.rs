//! A per-operation time ledger: where the time of one request went.

use petrio_kernel::Time;
use serde::{Deserialize, Serialize};

/// What a span of a request's time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Waiting for a device, a bus or a place in a queue.
    Queue,
    /// Command decoding, completion and other controller work.
    Overhead,
    /// Moving the arm, with settling and head switches.
    Seek,
    /// Waiting for the platter to turn.
    Rotation,
    /// Reading or writing at the medium.
    Transfer,
    /// Moving data over a bus or a link, where that does not overlap the medium.
    Bus,
    /// Service of a device that does not say more (a constant-rate device).
    Service,
}

impl Cause {
    /// Every cause, in the order in which a request meets them.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Overhead, Self::Seek, Self::Rotation, Self::Transfer, Self::Bus, Self::Service];

    /// The word used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Overhead => "overhead",
            Self::Seek => "seek",
            Self::Rotation => "rotation",
            Self::Transfer => "transfer",
            Self::Bus => "bus",
            Self::Service => "service",
        }
    }
}

/// Time by [`Cause`]. A stage charges what it cost; at completion the charges add up to the response time.
///
/// ```
/// use petrio_colours::{Cause, Ledger};
/// use petrio_kernel::Time;
/// let mut ledger = Ledger::default();
/// ledger.charge(Cause::Seek, Time::from_millis(4));
/// ledger.charge(Cause::Rotation, Time::from_millis(3));
/// assert_eq!(ledger.total(), Time::from_millis(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Ledger {
    spans: [Time; Cause::ALL.len()],
}

impl Ledger {
    /// Adds a span to a cause.
    pub fn charge(&mut self, cause: Cause, span: Time) {
        self.spans[cause as usize] += span;
    }

    /// The time charged to a cause.
    pub fn of(&self, cause: Cause) -> Time {
        self.spans[cause as usize]
    }

    /// All charges together.
    pub fn total(&self) -> Time {
        self.spans.iter().copied().sum()
    }
}
