//! What something draws: `"5.2 W"`, `"350 mW"`.

use crate::error::UnitError;
use crate::parse::{measured, shortened};
use crate::quantity::{Quantity, shortest, text_quantity};
use crate::unit::Kind;
use std::fmt;
use std::str::FromStr;

/// Watts, none or more, and finite. Units: W, mW, kW.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Power(f64);

impl Power {
    /// From watts; `None` unless finite and not negative.
    pub fn new(watts: f64) -> Option<Self> {
        (watts.is_finite() && watts >= 0.0).then_some(Self(watts))
    }

    /// In watts.
    pub const fn watts(self) -> f64 {
        self.0
    }
}

impl Quantity for Power {
    const KIND: Kind = Kind::Power;
}

impl FromStr for Power {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (decimal, unit) = measured(text, &[Kind::Power])?;
        let (text, needed) = (shortened(text.trim()), Kind::Power.name());
        if decimal.negative {
            return Err(UnitError::Negative { text, needed });
        }
        Self::new(decimal.float(unit)).ok_or(UnitError::TooLarge { text, needed, limit: "1.7e308 W" })
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::Power, self.0, &format!("{} W", self.0), reads_back))
    }
}

text_quantity!(Power);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn watts_are_read_printed_and_refused() {
        assert_eq!("350 mW".parse::<Power>().unwrap().watts(), 0.35);
        assert_eq!("0 W".parse::<Power>().unwrap().to_string(), "0 W");
        assert_eq!("7.5 W".parse::<Power>().unwrap().to_string(), "7.5 W");
        assert_eq!("5".parse::<Power>().unwrap_err().to_string(), "\"5\" has no unit; write \"5 W\"");
        assert!("-1 W".parse::<Power>().is_err() && "5 ms".parse::<Power>().is_err());
    }
}
