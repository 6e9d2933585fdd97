//! A size: `"64 KiB"`, `"4 GB"`, `"1500 B"`.

use crate::error::UnitError;
use crate::parse::{Whole, measured, shortened};
use crate::quantity::{Quantity, shortest, text_quantity};
use crate::unit::Kind;
use std::fmt;
use std::str::FromStr;

/// A number of bytes. Units: B, kB … PB (powers of 1000), KiB … EiB (powers of 1024).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// `count` kibibytes; saturates.
    pub const fn from_kib(count: u64) -> Self {
        Self(count.saturating_mul(1 << 10))
    }

    /// `count` mebibytes; saturates.
    pub const fn from_mib(count: u64) -> Self {
        Self(count.saturating_mul(1 << 20))
    }
}

impl Quantity for Bytes {
    const KIND: Kind = Kind::Size;
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        whole(text, &[Kind::Size], "bytes", "16 EiB less 1 B").map(|(count, _)| Self(count))
    }
}

/// Reads a whole number of base units of one of the `kinds`.
pub(crate) fn whole(
    text: &str,
    kinds: &[Kind],
    parts: &'static str,
    limit: &'static str,
) -> Result<(u64, Kind), UnitError> {
    let (decimal, unit) = measured(text, kinds)?;
    let text = || shortened(text.trim());
    if decimal.negative {
        return Err(UnitError::Negative { text: text(), needed: kinds[0].name() });
    }
    let too_large = || UnitError::TooLarge { text: text(), needed: kinds[0].name(), limit };
    match decimal.whole(unit) {
        Whole::Exact(count) => Ok((u64::try_from(count).map_err(|_| too_large())?, unit.kind)),
        Whole::Rounded(_) => Err(UnitError::NotWhole { text: text(), parts }),
        Whole::TooLarge => Err(too_large()),
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::Size, self.0 as f64, &format!("{} B", self.0), reads_back))
    }
}

text_quantity!(Bytes);
