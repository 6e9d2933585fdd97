//! A per-operation time ledger: where the time of one request went.

use crate::cause::{Cause, Causes};
use petrio_time::Time;
use serde::{Deserialize, Serialize};

/// Time by cause. A stage charges what it cost; at completion the charges add up to the response time.
///
/// ```
/// use petrio_colours::{Cause, Ledger};
/// use petrio_time::Time;
/// let mut ledger = Ledger::default();
/// ledger.charge(Cause::Seek, Time::from_millis(4));
/// ledger.charge(Cause::Rotation, Time::from_millis(3));
/// assert_eq!(ledger.total(), Time::from_millis(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Ledger<C: Causes = Cause> {
    spans: C::Spans,
}

impl<C: Causes> Ledger<C> {
    /// Adds a span to a cause.
    #[inline]
    pub fn charge(&mut self, cause: C, span: Time) {
        self.spans.as_mut()[cause.index()] += span;
    }

    /// The time charged to a cause.
    #[inline]
    pub fn of(&self, cause: C) -> Time {
        self.spans.as_ref()[cause.index()]
    }

    /// All charges together.
    pub fn total(&self) -> Time {
        self.spans.as_ref().iter().copied().sum()
    }
}
