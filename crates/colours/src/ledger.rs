//! A per-operation time ledger: where the time of one request went.

use crate::cause::{Cause, Causes};
use petrio_persist::Persist;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
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

    /// Adds all charges of another one.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.spans.as_mut().iter_mut().zip(other.spans.as_ref()) {
            *own += *more;
        }
    }

    /// These charges where they are no more than a span, and that span divided as they are where they are: what went on at the same
    /// time took it together.
    #[must_use]
    pub fn within(&self, span: Time, rest: C) -> Self {
        if self.total() <= span { *self } else { self.divides(span, rest) }
    }

    /// A span, divided as these charges are; what rounding leaves is charged to `rest`, and so is all where there are none.
    ///
    /// ```
    /// use petrio_colours::{Cause, Ledger};
    /// use petrio_time::Time;
    /// let mut seen = Ledger::default();
    /// seen.charge(Cause::Seek, Time::from_millis(40));
    /// seen.charge(Cause::Rotation, Time::from_millis(10));
    /// let wait = seen.divides(Time::from_millis(5), Cause::Queue);
    /// assert_eq!(wait.of(Cause::Seek), Time::from_millis(4));
    /// assert_eq!(wait.total(), Time::from_millis(5));
    /// ```
    #[must_use]
    pub fn divides(&self, span: Time, rest: C) -> Self {
        let (all, mut divided) = (u128::from(self.total().as_picos()), Self::default());
        for (part, own) in divided.spans.as_mut().iter_mut().zip(self.spans.as_ref()) {
            let share = u128::from(own.as_picos()) * u128::from(span.as_picos()) / all.max(1);
            // No share is more than the span.
            *part = Time::from_picos(u64::try_from(share).unwrap_or(u64::MAX)).min(span);
        }
        divided.charge(rest, span.saturating_sub(divided.total()));
        divided
    }
}
