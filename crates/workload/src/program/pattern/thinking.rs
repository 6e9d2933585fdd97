//! How long a process rests after an access: always as long, or drawn anew each time.

use super::super::ProgramError;
use petrio_distribution::{Distribution, Draw};
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_time::Time;
use petrio_units::Duration;
use petrio_units::numbers::whole_part;

/// Rests of one process.
#[derive(Clone, Debug, Persist)]
pub(super) enum Thinking {
    Never,
    Always(Time),
    Drawn(#[persist(keep)] Box<Distribution>),
}

impl Thinking {
    /// Of times as they are written.
    pub(super) fn of(think_time: &Draw<Duration>) -> Result<Self, ProgramError> {
        let refuse = |problem: String| ProgramError::parameter("think_time", problem);
        let drawn = think_time.distribution_in_finest().map_err(|problem| refuse(problem.to_string()))?;
        let (least, most) = (drawn.infimum(), drawn.supremum());
        if least < 0.0 {
            return Err(refuse(
                "nobody rests for less than no time: it must be a distribution above 0".to_owned(),
            ));
        }
        Ok(match (least, most) {
            (_, 0.0) => Self::Never,
            (least, most) if least == most => Self::Always(picoseconds(least)),
            _ => Self::Drawn(Box::new(drawn)),
        })
    }

    /// How long the next one is, if there is one.
    #[inline]
    pub(super) fn next(&self, random: &mut Generator) -> Option<Time> {
        match self {
            Self::Never => None,
            Self::Always(time) => Some(*time),
            Self::Drawn(distribution) => Some(picoseconds(distribution.sample(random))),
        }
    }
}

/// Rounded; a cast from a float saturates.
fn picoseconds(time: f64) -> Time {
    Time::from_picos(whole_part(time + 0.5))
}
