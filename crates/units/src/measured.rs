//! A number with whatever unit it has, or none: what lies between two values of a key whose quantity nobody has to know.

use crate::parse::{Whole, split};
use crate::quantity::shortest;
use crate::unit::{Kind, UNITS};
use std::fmt;

/// A number and what it measures.
///
/// ```
/// use petrio_units::Measured;
/// let (low, high) = (Measured::read("256 MiB").unwrap(), Measured::read("16 GiB").unwrap());
/// assert!(low.is_like(high) && !low.is_like(Measured::read("5 ms").unwrap()));
/// assert_eq!(low.of_the_same(low.base() * 4.0).to_string(), "1 GiB");
/// assert_eq!(Measured::read("4").unwrap().of_the_same(7.6).to_string(), "8");
/// assert_eq!(Measured::read("4.0").unwrap().of_the_same(7.6).to_string(), "7.6");
/// assert!(Measured::read("ordered").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    kind: Option<Kind>,
    base: f64,
    whole: bool,
}

impl Measured {
    /// Reads a text; nothing where it is no number, or one with a unit that there isn't.
    pub fn read(text: &str) -> Option<Self> {
        // Which quantity is needed only matters to messages, and there are none.
        let (decimal, symbol) = split(text, Kind::Size).ok()?;
        let sign = if decimal.negative { -1.0 } else { 1.0 };
        if symbol.is_empty() {
            let base = sign * format!("{}e{}", decimal.mantissa, decimal.exponent).parse::<f64>().ok()?;
            return Some(Self { kind: None, base, whole: !text.contains(['.', 'e', 'E']) });
        }
        let unit = UNITS.iter().find(|unit| unit.symbol == symbol)?;
        let whole = matches!(unit.kind, Kind::Duration | Kind::Size | Kind::Blocks);
        Some(Self { kind: Some(unit.kind), base: sign * decimal.float(unit), whole })
    }

    /// How many of its quantity's base unit: bytes, picoseconds, bytes a second, blocks, revolutions a minute, events a second, parts of one,
    /// or the number itself.
    pub const fn base(self) -> f64 {
        self.base
    }

    /// The base unit's symbol; empty of a number, and of a part of one.
    pub fn base_unit(self) -> &'static str {
        let of_kind =
            |kind| UNITS.iter().find(|unit| unit.kind == kind && unit.numerator == unit.denominator);
        self.kind.and_then(of_kind).map_or("", |unit| unit.symbol)
    }

    /// Whether another measures the same quantity.
    pub fn is_like(self, other: Self) -> bool {
        self.kind == other.kind
    }

    /// So many of the base unit of its quantity. What comes in whole bytes, blocks or picoseconds only is rounded, and so is a number beside
    /// which this one was written without a point.
    #[must_use]
    pub fn of_the_same(self, base: f64) -> Self {
        Self { base: if self.whole { base.round() } else { base }, ..self }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(kind) = self.kind else {
            // With its point, so that it stays one of those that needn't be whole.
            return if self.whole { write!(f, "{}", self.base) } else { write!(f, "{:?}", self.base) };
        };
        let base = match self.base_unit() {
            "" => format!("{} %", self.base * 100.0),
            unit => format!("{} {unit}", self.base),
        };
        let reads_back = |text: &str| {
            let Ok((decimal, symbol)) = split(text, kind) else { return false };
            let Some(unit) = UNITS.iter().find(|unit| unit.symbol == symbol) else { return false };
            match decimal.whole(unit) {
                // What comes in whole ones only is refused where it isn't.
                Whole::Exact(whole) if self.whole => whole as f64 == self.base,
                _ => !self.whole && decimal.float(unit) == self.base,
            }
        };
        f.write_str(&shortest(kind, self.base, &base, reads_back))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_unit_is_read_and_told_as_the_same_quantity() {
        for unit in UNITS {
            let read = Measured::read(&format!("12 {}", unit.symbol)).unwrap();
            let again = Measured::read(&read.to_string()).unwrap();
            assert!(read.is_like(again), "{}", unit.symbol);
            assert!((read.base - again.base).abs() <= 1e-12 * read.base, "{}: {read}", unit.symbol);
        }
    }

    #[test]
    fn words_are_none_and_nor_are_units_that_there_are_not() {
        for text in ["", "ordered", "5 furlongs", "1,5", "[1, 2]", "ms"] {
            assert_eq!(Measured::read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sizes_between_two_are_whole_bytes_that_every_size_reads(base in 0.0..1e18_f64) {
            let size = Measured::read("1 KiB").unwrap().of_the_same(base);
            let read: crate::Bytes = size.to_string().parse().unwrap();
            prop_assert_eq!(read.get() as f64, base.round());
        }
    }
}
