//! A difference of times, which may be negative: `"-0.642 ms"`.
//!
//! Measured drives need it: the extra settling of a write, extracted by regression, comes out negative on some (HP
//! C2490A, DEC RZ26), which says that the drive settles less carefully before a write than before a read.

use crate::duration::{picoseconds, write_picoseconds};
use crate::error::UnitError;
use crate::parse::shortened;
use crate::quantity::{Quantity, text_quantity};
use crate::unit::Kind;
use petrio_time::Time;
use std::fmt;
use std::str::FromStr;

/// A signed span of time in whole picoseconds, up to 106 days either way. Units as of [`crate::Duration`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SignedDuration(i64);

impl SignedDuration {
    /// No difference.
    pub const ZERO: Self = Self(0);

    /// From picoseconds.
    pub const fn from_picos(ps: i64) -> Self {
        Self(ps)
    }

    /// In picoseconds.
    pub const fn as_picos(self) -> i64 {
        self.0
    }

    /// In seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// `span` lengthened or shortened by this difference; not below zero, not beyond the horizon.
    pub const fn added_to(self, span: Time) -> Time {
        if span.is_never() { span } else { Time::from_picos(span.as_picos().saturating_add_signed(self.0)) }
    }
}

impl Quantity for SignedDuration {
    const KIND: Kind = Kind::Duration;
    const SIGNED: bool = true;
}

impl FromStr for SignedDuration {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (negative, ps) = picoseconds(text)?;
        let ps = i64::try_from(ps).map_err(|_| UnitError::TooLarge {
            text: shortened(text.trim()),
            needed: "a difference of times",
            limit: "106 d",
        })?;
        Ok(Self(if negative { -ps } else { ps }))
    }
}

impl fmt::Display for SignedDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        f.write_str(&write_picoseconds(self.0.unsigned_abs()))
    }
}

text_quantity!(SignedDuration);
