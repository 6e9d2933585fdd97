//! A span of time: `"5 ms"`, `"25 us"`, `"2 h"`.

use crate::error::UnitError;
use crate::parse::{Whole, measured, shortened};
use crate::quantity::{Quantity, text_quantity};
use crate::unit::{Kind, displayed, of_kind};
use petrio_time::Time;
use std::fmt;
use std::str::FromStr;

/// A span of model time, in whole picoseconds, up to 213 days. Units: ps, ns, us or µs, ms, s, min, h, d.
///
/// Digits finer than a picosecond are rounded to it; a span that would vanish altogether is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(Time);

impl Duration {
    /// The empty span.
    pub const ZERO: Self = Self(Time::ZERO);

    /// From the kernel's time.
    pub const fn new(span: Time) -> Self {
        Self(span)
    }

    /// As the kernel's time.
    pub const fn time(self) -> Time {
        self.0
    }

    /// In seconds.
    pub fn as_seconds(self) -> f64 {
        self.0.as_seconds()
    }
}

impl From<Duration> for Time {
    fn from(span: Duration) -> Self {
        span.0
    }
}

impl From<Time> for Duration {
    fn from(span: Time) -> Self {
        Self(span)
    }
}

/// Reads picoseconds with a sign; shared with the signed duration.
pub(crate) fn picoseconds(text: &str) -> Result<(bool, u64), UnitError> {
    let (decimal, unit) = measured(text, &[Kind::Duration])?;
    let too_large = || UnitError::TooLarge {
        text: shortened(text.trim()),
        needed: Kind::Duration.name(),
        limit: "213 d",
    };
    let ps = match decimal.whole(unit) {
        Whole::Exact(ps) => ps,
        Whole::Rounded(0) => {
            let text = shortened(text.trim());
            return Err(UnitError::TooSmall { text, needed: Kind::Duration.name(), step: "1 ps" });
        }
        Whole::Rounded(ps) => ps,
        Whole::TooLarge => return Err(too_large()),
    };
    match u64::try_from(ps) {
        // The last tick is the kernel's "never".
        Ok(u64::MAX) | Err(_) => Err(too_large()),
        Ok(ps) => Ok((decimal.negative, ps)),
    }
}

/// Picoseconds in the unit that gives the shortest exact text.
pub(crate) fn write_picoseconds(ps: u64) -> String {
    if ps == 0 {
        return "0 s".to_owned();
    }
    let text = of_kind(Kind::Duration)
        .take(displayed(Kind::Duration))
        .filter_map(|unit| {
            // All displayed units are powers of ten of a picosecond, so the decimal text is exact.
            let size = u64::try_from(unit.numerator).ok()?;
            let (whole, part) = (ps / size, ps % size);
            let digits = size.ilog10() as usize;
            let fraction = if part == 0 { String::new() } else { format!(".{part:0digits$}") };
            Some(format!("{whole}{} {}", fraction.trim_end_matches('0'), unit.symbol))
        })
        .min_by_key(|text| text.chars().count());
    text.unwrap_or_default()
}

impl Quantity for Duration {
    const KIND: Kind = Kind::Duration;
}

impl FromStr for Duration {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match picoseconds(text)? {
            (true, _) => {
                Err(UnitError::Negative { text: shortened(text.trim()), needed: Kind::Duration.name() })
            }
            (false, ps) => Ok(Self(Time::from_picos(ps))),
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_picoseconds(self.0.as_picos()))
    }
}

text_quantity!(Duration);
