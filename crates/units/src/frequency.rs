//! How often something happens: `"120 /s"`, `"120 IOPS"`, `"2 kHz"`.

use crate::error::UnitError;
use crate::quantity::{Quantity, positive, shortest, text_quantity};
use crate::unit::Kind;
use petrio_time::Time;
use std::fmt;
use std::str::FromStr;

/// Events per second, more than zero and finite. Units: /s, /min, /ms, IOPS, requests/s, Hz, kHz, MHz.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Frequency(f64);

impl Frequency {
    /// From events per second; `None` unless finite and more than zero.
    pub fn new(per_second: f64) -> Option<Self> {
        (per_second.is_finite() && per_second > 0.0).then_some(Self(per_second))
    }

    /// Events per second.
    pub const fn per_second(self) -> f64 {
        self.0
    }

    /// The mean time from one event to the next.
    pub fn interval(self) -> Time {
        Time::from_seconds(1.0 / self.0)
    }
}

impl Quantity for Frequency {
    const KIND: Kind = Kind::Frequency;
}

impl FromStr for Frequency {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        positive(text, Kind::Frequency, "1.7e308 /s").map(Self)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::Frequency, self.0, &format!("{} /s", self.0), reads_back))
    }
}

text_quantity!(Frequency);
