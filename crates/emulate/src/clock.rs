//! The wall clock as model time.

use petrio_time::Time;
use std::time::{Duration, Instant};

/// Model time is the wall's since it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Time {
        let nanos = self.0.elapsed().as_nanos();
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// How long until then; nothing where that is over.
    pub(crate) fn until(self, then: Time) -> Duration {
        Duration::from_nanos(then.saturating_sub(self.now()).as_picos() / 1_000)
    }
}
