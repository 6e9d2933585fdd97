//! How long something lives: `"1000000 h"`, `"50000 d"`.

use crate::error::UnitError;
use crate::quantity::{Quantity, positive, shortest, text_quantity};
use crate::unit::Kind;
use std::fmt;
use std::str::FromStr;

/// Picoseconds in a second.
const PICOS: f64 = 1e12;

/// A span that may be longer than model time is: more than zero and finite. Units: as of a [`Duration`](crate::Duration).
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Lifetime(f64);

impl Lifetime {
    /// In seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 / PICOS
    }
}

impl Quantity for Lifetime {
    const KIND: Kind = Kind::Duration;
}

impl FromStr for Lifetime {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        positive(text, Kind::Duration, "1.7e296 s").map(Self)
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::Duration, self.0, &format!("{} ps", self.0), reads_back))
    }
}

text_quantity!(Lifetime);
