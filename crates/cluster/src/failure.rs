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
    /// Its process ends while its host goes on: clients are told so at once, who connects is refused, and what it had written stays in its
    /// host's memory. Not of NFS, whose server is its host's kernel.
    Exits,
}

/// One of many servers that fails for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureOfOne {
    /// Which server, in the order in which they are named, counted from 0.
    pub server: u32,
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

impl FailureOfOne {
    /// What is written of one of so many servers.
    pub fn of(all: &[Self], server: u32) -> Vec<ServerFailure> {
        let own = all.iter().filter(|failure| failure.server == server);
        let own = own.map(|&Self { at, restored_after, what, slower_by, .. }| ServerFailure {
            at,
            restored_after,
            what,
            slower_by,
        });
        own.collect()
    }
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
    /// A server that is no process.
    #[error(
        "the server that exits at {0} is its host's kernel, and no process that could; say what = \"stops\""
    )]
    NoProcess(Duration),
    /// There is no such server.
    #[error("the server {server} fails, and there are {servers}, counted from 0")]
    NoServer {
        /// As it is written.
        server: u32,
        /// How many there are.
        servers: u32,
    },
}

/// The shortest and the longest time-out after which TCP sends again (TCP_RTO_MIN and TCP_RTO_MAX, include/net/tcp.h).
const TCP_TIME_OUTS: (Time, Time) = (Time::from_millis(200), Time::from_whole_seconds(120));
/// How often it does so on a connection (tcp_retries2, 15) before it gives up, with the wait after the last.
const TCP_RETRIES: u32 = 16;
/// The same of a connection that is being made (tcp_syn_retries, 6), from a second on (TCP_TIMEOUT_INIT).
const SYN_RETRIES: u32 = 7;

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
                Fails::Stops | Fails::Unreachable | Fails::Exits if slower_by.is_some() => {
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

    /// Whether a list makes sense of one of so many servers that are processes.
    ///
    /// # Errors
    /// See [`ServerFailureError`].
    pub fn check_each(failures: &[FailureOfOne], servers: u32) -> Result<(), ServerFailureError> {
        if let Some(FailureOfOne { server, .. }) = failures.iter().find(|failure| failure.server >= servers) {
            return Err(ServerFailureError::NoServer { server: *server, servers });
        }
        (0..servers).try_for_each(|server| Self::check(&FailureOfOne::of(failures, server)))
    }

    /// Whether a list makes sense of a server that is its host's kernel.
    ///
    /// # Errors
    /// See [`ServerFailureError`].
    pub fn check_of_kernel(failures: &[ServerFailure]) -> Result<(), ServerFailureError> {
        match failures.iter().find(|failure| failure.what == Fails::Exits) {
            Some(failure) => Err(ServerFailureError::NoProcess(failure.at)),
            None => Self::check(failures),
        }
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
        self.begun(now, |what| matches!(what, Fails::Stops | Fails::Exits))
    }

    /// How often what was in its host's memory alone has been lost.
    pub fn forgotten(&self, now: Time) -> u32 {
        self.begun(now, |what| what == Fails::Stops)
    }

    fn begun(&self, now: Time, is: impl Fn(Fails) -> bool) -> u32 {
        let begun = self.0.iter().filter(|failure| is(failure.what) && failure.at.time() <= now);
        petrio_units::numbers::as_number(begun.count())
    }

    /// What fails at an instant.
    pub fn what(&self, now: Time) -> Option<Fails> {
        self.at(now).map(|failure| failure.what)
    }

    /// When its process ends next.
    pub fn next_exit(&self, now: Time) -> Option<Time> {
        let exits = self.0.iter().filter(|failure| failure.what == Fails::Exits);
        exits.map(|failure| failure.at.time()).find(|&at| at > now)
    }

    /// When TCP sends again for the first time that reaches it what it hasn't acknowledged since `since`: after 0.2 s, 0.4 s, and so on, up to
    /// 120 s.
    pub fn resumes(&self, since: Time) -> Option<Time> {
        // A server that never comes back is waited for by nobody for ever.
        self.tries(since, TCP_TIME_OUTS.0, 10_000).ok()
    }

    /// The same of a connection that TCP gives up: when it does so, where that is earlier.
    pub(crate) fn acknowledges(&self, since: Time) -> Result<Time, Time> {
        self.tries(since, TCP_TIME_OUTS.0, TCP_RETRIES)
    }

    /// When a connection is made that is begun while it is away; or when that is given up.
    pub(crate) fn connects(&self, since: Time) -> Result<Time, Time> {
        self.tries(since, Time::from_whole_seconds(1), SYN_RETRIES)
    }

    /// When it is reached by one of so many tries, the first of which is after `wait`; or when the last has been waited for.
    fn tries(&self, since: Time, wait: Time, tries: u32) -> Result<Time, Time> {
        let (mut at, mut wait) = (since, wait);
        for number in 1..=tries {
            at = at.saturating_add(wait);
            if number < tries && !self.is_away(at) {
                return Ok(at);
            }
            wait = Time::from_picos(wait.as_picos().saturating_mul(2)).min(TCP_TIME_OUTS.1);
        }
        Err(at)
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
    fn tcp_sends_again_and_gives_up_as_linux_does() {
        let seconds = |time: Time| time.as_seconds();
        let ever = Failures::new(&list("{ at = \"0 s\" }"));
        // tcp_retries2 and tcp_syn_retries, Documentation/networking/ip-sysctl.rst: 924.6 s and 127 s.
        assert!((seconds(ever.acknowledges(Time::ZERO).unwrap_err()) - 924.6).abs() < 1e-9);
        assert_eq!(ever.connects(Time::ZERO), Err(Time::from_whole_seconds(127)));
        let once = Failures::new(&list("{ at = \"0 s\", restored_after = \"2 s\" }"));
        // 0.2 + 0.4 + 0.8 + 1.6; 1 + 2.
        assert_eq!(once.resumes(Time::ZERO), Some(Time::from_millis(3_000)));
        assert_eq!(once.connects(Time::ZERO), Ok(Time::from_whole_seconds(3)));
        let exits = Failures::new(&list("{ at = \"1 s\", what = \"exits\", restored_after = \"1 s\" }"));
        let at = Time::from_whole_seconds;
        assert_eq!((exits.instance(at(1)), exits.forgotten(at(1)), exits.forgets()), (1, 0, false));
        assert_eq!((exits.next_exit(at(0)), exits.next_exit(at(1))), (Some(at(1)), None));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let wrong = |text: &str| Failures::check(&list(text)).unwrap_err().to_string();
        assert!(wrong("{ at = \"1 s\" }, { at = \"2 s\" }").starts_with("a server that fails at 2 s"));
        assert!(wrong("{ at = \"1 s\", restored_after = \"0 s\" }").contains("takes no time"));
        assert!(wrong("{ at = \"1 s\", what = \"slow\" }").contains("slower_by"));
        assert!(wrong("{ at = \"1 s\", slower_by = \"1 s\" }").contains("isn't of a slow server"));
        let exits = Failures::check_of_kernel(&list("{ at = \"1 s\", what = \"exits\" }")).unwrap_err();
        assert!(exits.to_string().contains("its host's kernel"), "{exits}");
        let one = list("{ at = \"1 s\" }")[0];
        let of =
            FailureOfOne { server: 2, at: one.at, restored_after: None, what: Fails::Stops, slower_by: None };
        let none = Failures::check_each(&[of], 2).unwrap_err();
        assert!(none.to_string().contains("there are 2"), "{none}");
        assert_eq!(Failures::check_each(&[of], 3), Ok(()));
    }
}
