//! A data rate: `"100 MiB/s"`, `"1 Gbit/s"`.

use crate::error::UnitError;
use crate::quantity::{Quantity, positive, shortest, text_quantity};
use crate::unit::Kind;
use petrio_time::Time;
use std::fmt;
use std::str::FromStr;

/// Bytes per second, more than zero and finite. Units: B/s, kB/s …, KiB/s …, bit/s, kbit/s ….
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// From bytes per second; `None` unless finite and more than zero.
    pub fn new(bytes_per_second: f64) -> Option<Self> {
        (bytes_per_second.is_finite() && bytes_per_second > 0.0).then_some(Self(bytes_per_second))
    }

    /// In bytes per second.
    pub const fn bytes_per_second(self) -> f64 {
        self.0
    }

    /// How long it takes to move `bytes`.
    pub fn time_for(self, bytes: u64) -> Time {
        Time::from_seconds(bytes as f64 / self.0)
    }
}

impl Quantity for Rate {
    const KIND: Kind = Kind::Rate;
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        positive(text, Kind::Rate, "1.7e308 B/s").map(Self)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::Rate, self.0, &format!("{} B/s", self.0), reads_back))
    }
}

text_quantity!(Rate);
