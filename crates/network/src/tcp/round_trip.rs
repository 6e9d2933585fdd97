//! How long a sender waits for an acknowledgement (RFC 6298).

use super::Rules;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// What a sender knows of the time that an acknowledgement takes.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct RoundTrip {
    /// The smoothed round trip and its variation (SRTT and RTTVAR), once one has been measured.
    smoothed: Option<(Time, Time)>,
    /// How many times in a row the time-out has been doubled.
    doubled: u32,
}

/// Doublings that take any time-out to its greatest.
const MOST_DOUBLINGS: u32 = 32;

impl RoundTrip {
    /// One was measured (RFC 6298, section 2): the smoothed one goes an eighth of the way to it, the variation a
    /// quarter.
    pub(super) fn measured(&mut self, span: Time) {
        self.smoothed = Some(match self.smoothed {
            None => (span, Time::from_picos(span.as_picos() / 2)),
            Some((smoothed, variation)) => {
                let off = smoothed.saturating_sub(span).max(span.saturating_sub(smoothed));
                (part(smoothed, 7, span, 8), part(variation, 3, off, 4))
            }
        });
    }

    /// The time-out: the smoothed round trip and four variations, doubled for each time-out in a row.
    pub(super) fn time_out(&self, rules: &Rules) -> Time {
        let wanted = self.smoothed.map_or(Time::ZERO, |(smoothed, variation)| {
            smoothed.saturating_add(Time::from_picos(variation.as_picos().saturating_mul(4)))
        });
        let once = wanted.max(rules.time_out_min).as_picos();
        Time::from_picos(once.saturating_mul(1 << self.doubled)).min(rules.time_out_max)
    }

    /// A time-out has come.
    pub(super) fn double(&mut self) {
        self.doubled = (self.doubled + 1).min(MOST_DOUBLINGS);
    }

    /// Something new was acknowledged.
    pub(super) fn answered(&mut self) {
        self.doubled = 0;
    }
}

/// So many parts of one, and one part of the other.
fn part(one: Time, parts: u64, other: Time, of: u64) -> Time {
    Time::from_picos(one.as_picos() / of * parts + other.as_picos() / of)
}
