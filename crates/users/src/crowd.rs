//! Users at work, as a scenario names them.

use super::population::USERS_MAX;
use indexmap::IndexMap;
use petrio_distribution::Draw;
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use petrio_workload::program::ProgramError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Users at work, as a scenario names them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Users {
    /// The user specification, relative to the scenario's folder.
    pub specification: PathBuf,
    /// How many users are at work at once.
    #[serde(default = "one")]
    pub users: u32,
    /// How many login sessions each of their processes has.
    #[serde(default = "fifty")]
    pub sessions: u32,
    /// How many of the users are of which type, instead of what the specification says; types left out are nobody's.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub shares: IndexMap<String, f64>,
    /// The file systems, of the same host, on which the specification's places lie; those left out, on that of the
    /// workload itself.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<String, String>,
    /// Bytes of one access, for users of all types, instead of what the specification says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
    /// Processor time of a program for each call that moves data, for users of all types, instead of what the specification says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Draw<Duration>>,
    /// Think times end at a tick of a clock, so long after the one before, as those of select(2) and usleep(3) did on Unix hosts that look at
    /// the clock 50, 60 or 100 times a second; left out, when they are over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Duration>,
    /// Processor time of going to sleep for a think time, and of waking up: where system calls and signals make that dear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<Duration>,
}

/// How users sleep who think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sleep {
    /// The clock's tick; none where it is fine.
    pub(super) tick: Option<Time>,
    /// Processor time that it takes.
    pub(super) costs: Time,
}

impl Sleep {
    /// How long somebody sleeps who goes to sleep at `now` for so long.
    pub(super) fn until_tick(self, now: Time, time: Time) -> Time {
        let Some(tick) = self.tick.filter(|tick| *tick > Time::ZERO) else { return time };
        let (now, end) = (now.as_picos(), now.saturating_add(time).as_picos());
        let end = end.div_ceil(tick.as_picos()).saturating_mul(tick.as_picos());
        Time::from_picos(end - now)
    }
}

impl Users {
    /// So many users, with so many sessions each.
    pub fn new(specification: impl Into<PathBuf>, users: u32, sessions: u32) -> Self {
        Self {
            specification: specification.into(),
            users,
            sessions,
            shares: IndexMap::new(),
            places: IndexMap::new(),
            access: None,
            compute: None,
            tick: None,
            sleep: None,
        }
    }

    /// Checks what can be told without the specification.
    ///
    /// # Errors
    /// A number that can't be.
    pub fn validate(&self) -> Result<(), ProgramError> {
        for (parameter, number, most) in
            [("users", self.users, USERS_MAX), ("sessions", self.sessions, SESSIONS_MAX)]
        {
            if number == 0 || number > most {
                return Err(ProgramError::parameter(
                    parameter,
                    format!("between 1 and {most}, not {number}"),
                ));
            }
        }
        if self.tick == Some(Duration::ZERO) {
            let problem = "longer than nothing, such as 20 ms, or left out".to_owned();
            return Err(ProgramError::parameter("tick", problem));
        }
        Ok(())
    }

    pub(super) fn sleeps(&self) -> Sleep {
        Sleep { tick: self.tick.map(Duration::time), costs: self.sleep.map_or(Time::ZERO, Duration::time) }
    }
}

const fn one() -> u32 {
    1
}

const fn fifty() -> u32 {
    50
}

/// Most sessions of a process.
const SESSIONS_MAX: u32 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_at_a_tick_of_the_clock_and_never_before_it_is_over() {
        let ms = Time::from_millis;
        let sleep = Sleep { tick: Some(ms(20)), costs: Time::ZERO };
        for (now, time, slept) in
            [(0, 5, 20), (0, 20, 20), (0, 21, 40), (19, 1, 1), (19, 2, 21), (7, 5, 13), (45, 40, 55)]
        {
            assert_eq!(sleep.until_tick(ms(now), ms(time)), ms(slept), "{now} {time}");
        }
        assert_eq!(Sleep::default().until_tick(ms(7), ms(5)), ms(5));
    }

    #[test]
    fn a_clock_without_a_tick_is_refused() {
        let crowd = Users { tick: Some(Duration::ZERO), ..Users::new("users.toml", 1, 1) };
        let told = crowd.validate().map_err(|error| error.to_string());
        assert!(told.as_ref().is_err_and(|told| told.contains("tick")), "{told:?}");
    }
}
