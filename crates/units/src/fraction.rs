//! A part of a whole: `"30 %"`, or a plain `0.3`.

use crate::error::UnitError;
use crate::parse::{shortened, split};
use crate::quantity::{Quantity, text_quantity};
use crate::unit::{Kind, UNITS, Unit};
use std::fmt;
use std::str::FromStr;

/// A number from 0 to 1. Written as a percentage or, being dimensionless, as a bare number.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Fraction(f64);

const ONE: Unit = Unit { symbol: "", kind: Kind::Fraction, numerator: 1, denominator: 1 };

impl Fraction {
    /// Nothing of it.
    pub const ZERO: Self = Self(0.0);
    /// All of it.
    pub const ONE: Self = Self(1.0);

    /// From a number; `None` unless it is from 0 to 1.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// So many of so many equal parts; all of it where there are no more.
    pub const fn part(count: u32, of: u32) -> Self {
        if count < of { Self(count as f64 / of as f64) } else { Self::ONE }
    }

    /// The number, from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Quantity for Fraction {
    const KIND: Kind = Kind::Fraction;
    const BARE_NUMBERS: bool = true;
}

impl FromStr for Fraction {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (decimal, symbol) = split(text, Kind::Fraction)?;
        let unit = match UNITS.iter().find(|unit| unit.symbol == symbol) {
            _ if symbol.is_empty() => &ONE,
            Some(unit) if unit.kind == Kind::Fraction => unit,
            _ => crate::parse::measured(text, &[Kind::Fraction])?.1,
        };
        if decimal.negative {
            return Err(UnitError::Negative { text: shortened(text.trim()), needed: Kind::Fraction.name() });
        }
        Self::new(decimal.float(unit))
            .ok_or_else(|| UnitError::OutsideFraction { text: shortened(text.trim()) })
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percentage = format!("{} %", self.0 * 100.0);
        let plain = self.0.to_string();
        // A percentage reads better, unless the multiplication left a tail of digits or lost the value.
        let reads_back = percentage.parse() == Ok(*self) && percentage.len() <= plain.len() + 2;
        f.write_str(if reads_back { &percentage } else { &plain })
    }
}

text_quantity!(Fraction);
