//! Model time: integer picoseconds, so that sums are exact and the same on every machine.
//!
//! A `u64` of 1 ps ticks reaches 213 days. Overflow is an error of the run, never a wrap. [`Time::NEVER`] is a
//! point beyond every horizon: a token delayed until then never matures.
//!
//! [`numbers`] makes whole numbers of others; it stands here because everything lies on this crate.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod numbers;

use serde::{Deserialize, Serialize};
use std::fmt;

/// A point in model time, or a span of it, in picoseconds.
///
/// Points and spans share one type because the kernel adds and subtracts them on every firing; names tell which is
/// meant (`now`, `at` for points; `delay`, `service` for spans).
///
/// ```
/// use petrio_time::Time;
/// let revolution = Time::from_seconds(60.0 / 7200.0);
/// assert_eq!(revolution.to_string(), "8.333 ms");
/// assert_eq!(Time::from_millis(2) + Time::from_micros(500), Time::from_micros(2_500));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(u64);

const PS_PER_SECOND: f64 = 1e12;

/// The nearest whole number: zero of what is negative and of NaN, and the largest of what is larger. Adding a half rounds
/// to nearest for positive values without a call of the platform's `round`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, as is meant"
)]
fn nearest(value: f64) -> u64 {
    (value + 0.5) as u64
}

impl Time {
    /// The origin of model time, and the empty span.
    pub const ZERO: Self = Self(0);
    /// Beyond every horizon; a delay of `NEVER` never ends.
    pub const NEVER: Self = Self(u64::MAX);

    /// From picoseconds.
    pub const fn from_picos(ps: u64) -> Self {
        Self(ps)
    }

    /// From nanoseconds; saturates at [`Time::NEVER`].
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns.saturating_mul(1_000))
    }

    /// From microseconds; saturates at [`Time::NEVER`].
    pub const fn from_micros(us: u64) -> Self {
        Self(us.saturating_mul(1_000_000))
    }

    /// From milliseconds; saturates at [`Time::NEVER`].
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000_000))
    }

    /// From whole seconds; saturates at [`Time::NEVER`].
    pub const fn from_whole_seconds(s: u64) -> Self {
        Self(s.saturating_mul(1_000_000_000_000))
    }

    /// From seconds, rounded to the nearest picosecond. Negative values and NaN become zero, values beyond the
    /// horizon become [`Time::NEVER`]: a draw from an unbounded distribution is always a valid delay.
    pub fn from_seconds(s: f64) -> Self {
        Self(nearest(s * PS_PER_SECOND))
    }

    /// Picoseconds.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND
    }

    /// Milliseconds.
    pub fn as_millis(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Microseconds.
    pub fn as_micros(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Whether this is [`Time::NEVER`].
    pub const fn is_never(self) -> bool {
        self.0 == u64::MAX
    }

    /// The sum, or `None` beyond the horizon. `NEVER` plus anything is `NEVER`.
    pub const fn checked_add(self, span: Self) -> Option<Self> {
        if self.is_never() || span.is_never() {
            return Some(Self::NEVER);
        }
        match self.0.checked_add(span.0) {
            Some(u64::MAX) | None => None,
            Some(sum) => Some(Self(sum)),
        }
    }

    /// The sum, at most [`Time::NEVER`].
    pub const fn saturating_add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The difference, or zero where `other` is later.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// This span divided by a speed factor (twice as fast is half the time); `NEVER` stays `NEVER`.
    pub fn divided_by(self, factor: f64) -> Self {
        if self.is_never() || factor == 1.0 { self } else { Self(nearest(self.0 as f64 / factor)) }
    }

    /// The later of two points.
    pub fn max(self, other: Self) -> Self {
        Ord::max(self, other)
    }

    /// The earlier of two points.
    pub fn min(self, other: Self) -> Self {
        Ord::min(self, other)
    }
}

impl std::ops::Add for Time {
    type Output = Self;
    /// Saturating: the kernel uses [`Time::checked_add`] wherever a sum becomes a point in the calendar.
    fn add(self, span: Self) -> Self {
        self.saturating_add(span)
    }
}

impl std::ops::AddAssign for Time {
    fn add_assign(&mut self, span: Self) {
        *self = *self + span;
    }
}

impl std::ops::Sub for Time {
    type Output = Self;
    /// Saturating at zero: model time has no negative spans.
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl std::iter::Sum for Time {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, |total, span| total + span)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_never() {
            return f.write_str("never");
        }
        let seconds = self.as_seconds();
        let (value, unit) = match self.0 {
            0 => return f.write_str("0 s"),
            ps if ps < 1_000 => return write!(f, "{ps} ps"),
            ps if ps < 1_000_000 => (seconds * 1e9, "ns"),
            ps if ps < 1_000_000_000 => (seconds * 1e6, "µs"),
            ps if ps < 1_000_000_000_000 => (seconds * 1e3, "ms"),
            _ => (seconds, "s"),
        };
        write!(f, "{value:.3} {unit}")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
