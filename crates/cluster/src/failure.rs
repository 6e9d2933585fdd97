//! Servers that fail and come back, as they are written: any mount can take the list.
//!
//! What fails when is known before the run, so that it is no event of the net: who has to know asks for the instant that he is at.

use petrio_kernel::Time;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server that fails for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerFailure {
    /// When it begins.
    pub at: Duration,
    /// How long it takes. Left out: to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_after: Option<Duration>,
    /// What fails.
    #[serde(default)]
    pub what: Fails,
    /// Of a server that is slow: how much longer each request takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower_by: Option<Duration>,
}

/// What fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fails {
    /// The server stops: what it was doing and what it knew of its clients is lost, and what it had in memory alone.
    #[default]
    Stops,
    /// Nothing passes between it and its clients; it knows of nothing.
    Unreachable,
    /// It takes longer for each request, by `slower_by`.
    Slow,
}

/// Why failures make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerFailureError {
    /// One begins before the one before it is over.
    #[error(
        "a server that fails at {0} fails while it has failed already; name `failures` in order, each after the end of the one before"
    )]
    Order(Duration),
    /// It is over as it begins.
    #[error(
        "a failure at {0} takes no time; give it a `restored_after`, or leave that out where it never ends"
    )]
    Empty(Duration),
    /// A slow server that isn't slower.
    #[error(
        "a server that is slow from {0} on isn't slower; say by how much each request is: slower_by = \"50 ms\""
    )]
    NotSlower(Duration),
    /// One that isn't slow, and is slower.
    #[error(
        "the failure at {0} isn't of a slow server, and says `slower_by`; say what = \"slow\", or leave it out"
    )]
    NotSlow(Duration),
}

/// The failures of a server, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures(Vec<ServerFailure>);

impl Failures {
    /// Of a list that has been checked.
    pub fn new(failures: &[ServerFailure]) -> Self {
        Self(failures.to_vec())
    }

    /// Whether a list makes sense.
    ///
    /// # Errors
    /// See [`ServerFailureError`].
    pub fn check(failures: &[ServerFailure]) -> Result<(), ServerFailureError> {
        for failure in failures {
            let ServerFailure { at, restored_after, what, slower_by } = *failure;
            if restored_after == Some(Duration::ZERO) {
                return Err(ServerFailureError::Empty(at));
            }
            let is_slower = slower_by.is_some_and(|by| by > Duration::ZERO);
            match what {
                Fails::Slow if !is_slower => return Err(ServerFailureError::NotSlower(at)),
                Fails::Stops | Fails::Unreachable if slower_by.is_some() => {
                    return Err(ServerFailureError::NotSlow(at));
                }
                _ => {}
            }
        }
        for pair in failures.windows(2) {
            let [first, second] = pair else { continue };
            if end(first) >= second.at.time() {
                return Err(ServerFailureError::Order(second.at));
            }
        }
        Ok(())
    }

    /// Whether there are any.
    pub const fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it ever forgets what it had in memory.
    pub fn forgets(&self) -> bool {
        self.0.iter().any(|failure| failure.what == Fails::Stops)
    }

    /// The first that never ends and in which it doesn't answer.
    pub fn for_ever(&self) -> Option<&ServerFailure> {
        self.0.iter().find(|failure| failure.what != Fails::Slow && failure.restored_after.is_none())
    }

    /// The one that there is at an instant.
    fn at(&self, now: Time) -> Option<&ServerFailure> {
        let next = self.0.partition_point(|failure| failure.at.time() <= now);
        let latest = next.checked_sub(1).and_then(|index| self.0.get(index))?;
        (now < end(latest)).then_some(latest)
    }

    /// Whether nothing reaches it, or comes from it.
    pub fn is_away(&self, now: Time) -> bool {
        self.at(now).is_some_and(|failure| failure.what != Fails::Slow)
    }

    /// How much longer a request takes that it begins now.
    pub fn slower_by(&self, now: Time) -> Time {
        self.at(now).and_then(|failure| failure.slower_by).map_or(Time::ZERO, Duration::time)
    }

    /// How often it has been started since the run began: who knows of another number knows of one that has stopped.
    pub fn instance(&self, now: Time) -> u32 {
        let stops = self.0.iter().filter(|failure| failure.what == Fails::Stops && failure.at.time() <= now);
        petrio_units::numbers::as_number(stops.count())
    }

    /// When it was started again last, if it has been.
    pub fn started(&self, now: Time) -> Option<Time> {
        let ended = self.0.iter().filter(|failure| failure.what == Fails::Stops).map(end);
        ended.filter(|&end| end <= now).max()
    }

    /// When what it sends and what is sent to it is lost next without it having stopped.
    pub fn next_unreachable(&self, now: Time) -> Option<Time> {
        let begin = self.0.iter().filter(|failure| failure.what == Fails::Unreachable);
        begin.map(|failure| failure.at.time()).find(|&at| at > now)
    }
}

/// When a failure is over.
fn end(failure: &ServerFailure) -> Time {
    failure.restored_after.map_or(Time::NEVER, |after| failure.at.time().saturating_add(after.time()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn list(text: &str) -> Vec<ServerFailure> {
        #[derive(Deserialize)]
        struct All {
            failures: Vec<ServerFailure>,
        }
        toml::from_str::<All>(&format!("failures = [{text}]")).unwrap().failures
    }

    #[test]
    fn what_fails_is_known_for_each_instant() {
        let text = "{ at = \"1 s\", restored_after = \"2 s\" }, { at = \"5 s\", restored_after = \"1 s\", what = \"unreachable\" }, \
                    { at = \"7 s\", what = \"slow\", slower_by = \"20 ms\" }";
        let all = list(text);
        assert_eq!(Failures::check(&all), Ok(()));
        let failures = Failures::new(&all);
        let at = Time::from_millis;
        let away: Vec<bool> =
            [0, 1_000, 2_999, 3_000, 5_500, 6_000, 8_000].map(|ms| failures.is_away(at(ms))).into();
        assert_eq!(away, [false, true, true, false, true, false, false]);
        assert_eq!([0, 1_000, 9_000].map(|ms| failures.instance(at(ms))), [0, 1, 1]);
        assert_eq!([2_000, 3_000].map(|ms| failures.started(at(ms))), [None, Some(at(3_000))]);
        assert_eq!([6_500, 7_000].map(|ms| failures.slower_by(at(ms))), [Time::ZERO, at(20)]);
        assert_eq!([0, 5_000].map(|ms| failures.next_unreachable(at(ms))), [Some(at(5_000)), None]);
        assert_eq!(failures.for_ever(), None);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let wrong = |text: &str| Failures::check(&list(text)).unwrap_err().to_string();
        assert!(wrong("{ at = \"1 s\" }, { at = \"2 s\" }").starts_with("a server that fails at 2 s"));
        assert!(wrong("{ at = \"1 s\", restored_after = \"0 s\" }").contains("takes no time"));
        assert!(wrong("{ at = \"1 s\", what = \"slow\" }").contains("slower_by"));
        assert!(wrong("{ at = \"1 s\", slower_by = \"1 s\" }").contains("isn't of a slow server"));
    }
}
