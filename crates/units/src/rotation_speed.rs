//! How fast a platter turns: `"7200 rpm"`.

use crate::error::UnitError;
use crate::quantity::{Quantity, positive, shortest, text_quantity};
use crate::unit::Kind;
use petrio_time::Time;
use std::fmt;
use std::str::FromStr;

/// Revolutions per minute, more than zero and finite. Units: rpm, rev/s.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct RotationSpeed(f64);

impl RotationSpeed {
    /// From revolutions per minute; `None` unless finite and more than zero.
    pub fn new(revolutions_per_minute: f64) -> Option<Self> {
        (revolutions_per_minute.is_finite() && revolutions_per_minute > 0.0)
            .then_some(Self(revolutions_per_minute))
    }

    /// In revolutions per minute.
    pub const fn revolutions_per_minute(self) -> f64 {
        self.0
    }

    /// The time of one revolution: `60 s / rpm`.
    ///
    /// ```
    /// use petrio_units::RotationSpeed;
    /// let speed: RotationSpeed = "7200 rpm".parse().unwrap();
    /// assert_eq!(speed.revolution().as_picos(), 8_333_333_333);
    /// ```
    pub fn revolution(self) -> Time {
        Time::from_seconds(60.0 / self.0)
    }
}

impl Quantity for RotationSpeed {
    const KIND: Kind = Kind::RotationSpeed;
}

impl FromStr for RotationSpeed {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        positive(text, Kind::RotationSpeed, "1.7e308 rpm").map(Self)
    }
}

impl fmt::Display for RotationSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads_back = |text: &str| text.parse() == Ok(*self);
        f.write_str(&shortest(Kind::RotationSpeed, self.0, &format!("{} rpm", self.0), reads_back))
    }
}

text_quantity!(RotationSpeed);
