//! Requests that wait for their answers: which are sent, sent again, and given up.
//!
//! ```text
//!  begin ─▶ send ─┬─▶ out ─── answered ─▶ over
//!            ▲    │    └─ time-out, reset, its server's end ─▶ again: at once, or after a rest ─┐
//!            │    ├─▶ waits for its connection ─▶ send                                          │
//!            │    └─▶ refused ─────────────────▶ again                                          │
//!            └───────────────────────────────────────────────────────────── (or given up) ◀─────┘
//! ```
//!
//! Sources: OrangeFS 2.10, src/common/misc/msgpairarray.sm (what has timed out is sent again at once, other failures of BMI after a rest,
//! `ClientRetryLimit` times), src/client/sysint/sys-io.sm (an access whose data flow rests in both cases). Left out: that requests of one
//! operation that have failed wait for each other before they are sent again.

use super::links::{Fate, Links};
use petrio_colours::Failure;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// For how long one waits, and how often one tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Patience {
    /// For an answer, and for the next data of a flow.
    pub(super) time_out: Time,
    pub(super) flow: Time,
    /// How often a request is sent again, and the rest before.
    pub(super) limit: u32,
    pub(super) rest: Time,
}

/// How a request of a kind is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Manner {
    /// Whether it is.
    pub(super) again: bool,
    /// Whether it rests even after a time-out.
    pub(super) rests: bool,
}

/// Whose connection it is, and to which server.
pub(super) type Between = (u32, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum State {
    /// It is with its server, whose process ends at `ends`.
    Out { deadline: Time, ends: Time },
    /// It waits for its connection.
    Waits { until: Time, deadline: Time },
    /// Its connection fails then.
    Fails { at: Time, deadline: Time },
    /// It is sent again then.
    Rests { until: Time },
}

impl State {
    fn due(self) -> Time {
        match self {
            Self::Out { deadline, ends } => deadline.min(ends),
            Self::Waits { until, deadline } | Self::Fails { at: until, deadline } => until.min(deadline),
            Self::Rests { until } => until,
        }
    }
}

/// A request.
#[derive(Clone, Debug, Persist)]
struct Attempt<T> {
    what: T,
    between: Between,
    manner: Manner,
    /// Tells this attempt from others of the request; answers to those aren't heard.
    number: u32,
    /// The server's instance that it was sent to.
    instance: u32,
    retries: u32,
    begun: Time,
    /// What earlier attempts took, with the rests.
    waited: Time,
    state: State,
}

/// What is to be done.
#[derive(Clone, Debug, Persist)]
pub(super) enum Ready<T> {
    /// A request is sent, to this instance of its server.
    Send { what: T, number: u32, instance: u32, between: Between },
    /// It is given up.
    GivenUp { what: T, failure: Failure, waited: Time },
}

/// A request that has been answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered<T> {
    pub(super) what: T,
    /// What attempts before the last took; none where that was the first.
    pub(super) waited: Option<Time>,
}

/// What requests came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Again {
    /// How often one was sent again.
    pub(super) sent: u64,
    /// Those that were given up.
    pub(super) given_up: u64,
    /// Requests that were sent again or given up, and how long they waited for attempts that failed, with the rests.
    pub(super) requests: u64,
    pub(super) waited: Time,
}

/// The requests of a client, or of a server to others, by a number of theirs.
#[derive(Clone, Debug, Persist)]
pub(super) struct Attempts<T> {
    #[persist(keep)]
    patience: Patience,
    pub(super) links: Links,
    all: BTreeMap<u64, Attempt<T>>,
    next: u32,
    pub(super) again: Again,
    pub(super) ready: Vec<Ready<T>>,
    /// When it is woken next, and when it has to be at the latest.
    alarm: Option<Time>,
    soonest: Time,
}

impl<T: Clone> Attempts<T> {
    pub(super) fn new(patience: Patience, links: Links) -> Self {
        let again = Again::default();
        let (all, ready) = (BTreeMap::new(), Vec::new());
        Self { patience, links, all, next: 0, again, ready, alarm: None, soonest: Time::NEVER }
    }

    pub(super) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    /// A request begins.
    pub(super) fn begin(&mut self, key: u64, what: T, (between, manner): (Between, Manner), now: Time) {
        let state = State::Rests { until: now };
        let attempt = Attempt {
            what,
            between,
            manner,
            number: 0,
            instance: 0,
            retries: 0,
            begun: now,
            waited: Time::ZERO,
            state,
        };
        self.all.insert(key, attempt);
        self.attempt(key, now);
    }

    /// It is tried, for the first time or again.
    fn attempt(&mut self, key: u64, now: Time) {
        let deadline = now.saturating_add(self.patience.time_out);
        if let Some(attempt) = self.all.get_mut(&key) {
            attempt.begun = now;
        }
        self.send(key, deadline, now);
    }

    fn send(&mut self, key: u64, deadline: Time, now: Time) {
        let may_fail = self.links.may_fail();
        let Some(attempt) = self.all.get_mut(&key) else { return };
        let between = attempt.between;
        attempt.state = match self.links.send(between, now) {
            Fate::Goes(instance) => {
                if may_fail {
                    self.next = self.next.wrapping_add(1);
                }
                (attempt.number, attempt.instance) = (self.next, instance);
                let what = attempt.what.clone();
                self.ready.push(Ready::Send { what, number: self.next, instance, between });
                let ends = self.links.ends(between.1, now);
                State::Out { deadline: if may_fail { deadline } else { Time::NEVER }, ends }
            }
            Fate::Waits(until) => State::Waits { until, deadline },
            Fate::Fails(at) => State::Fails { at, deadline },
        };
        self.soonest = self.soonest.min(attempt.state.due());
    }

    /// The request of which an attempt of this number is with its server.
    pub(super) fn get(&self, key: u64, number: u32) -> Option<&T> {
        let attempt = self.all.get(&key)?;
        (attempt.number == number && matches!(attempt.state, State::Out { .. })).then_some(&attempt.what)
    }

    /// Between whom a request is.
    pub(super) fn between(&self, key: u64) -> Option<Between> {
        self.all.get(&key).map(|attempt| attempt.between)
    }

    /// Something of its answer has come: it is waited for the rest for as long again.
    pub(super) fn goes_on(&mut self, key: u64, now: Time) {
        let flow = self.patience.flow;
        if let Some(Attempt { state: State::Out { deadline, .. }, .. }) = self.all.get_mut(&key)
            && !deadline.is_never()
        {
            *deadline = now.saturating_add(flow);
        }
    }

    /// It is answered, if this attempt is the one that is waited for.
    pub(super) fn answered(&mut self, key: u64, number: u32) -> Option<Answered<T>> {
        self.get(key, number)?;
        let attempt = self.all.remove(&key)?;
        let waited = (attempt.retries > 0).then_some(attempt.waited);
        if let Some(waited) = waited {
            self.again.requests += 1;
            self.again.waited += waited;
        }
        Some(Answered { what: attempt.what, waited })
    }

    /// The connection of a request's attempt is reset, and with it all that are with the same instance of the server.
    pub(super) fn reset(&mut self, key: u64, number: u32, now: Time) {
        if self.get(key, number).is_none() {
            return;
        }
        let Some(&Attempt { between, instance, .. }) = self.all.get(&key) else { return };
        self.links.is_lost(between);
        let is_out = |attempt: &Attempt<T>| matches!(attempt.state, State::Out { .. });
        let same = self
            .all
            .iter()
            .filter(|(_, other)| is_out(other) && other.between == between && other.instance == instance);
        for key in same.map(|(&key, _)| key).collect::<Vec<_>>() {
            self.fails(key, false, now);
        }
    }

    /// All of them are gone with the process that had them.
    pub(super) fn forget(&mut self) {
        self.all.clear();
    }

    /// An attempt has failed, by a time-out or otherwise.
    fn fails(&mut self, key: u64, timed_out: bool, now: Time) {
        let Patience { limit, rest, .. } = self.patience;
        let Some(attempt) = self.all.get_mut(&key) else { return };
        attempt.waited += now - attempt.begun;
        if attempt.retries < limit && attempt.manner.again {
            attempt.retries += 1;
            self.again.sent += 1;
            if timed_out && !attempt.manner.rests {
                self.attempt(key, now);
            } else {
                attempt.waited += rest;
                let until = now.saturating_add(rest);
                attempt.state = State::Rests { until };
                self.soonest = self.soonest.min(until);
            }
            return;
        }
        let Some(attempt) = self.all.remove(&key) else { return };
        self.again.given_up += 1;
        self.again.requests += 1;
        self.again.waited += attempt.waited;
        let failure = if timed_out { Failure::TimedOut } else { Failure::Refused };
        self.ready.push(Ready::GivenUp { what: attempt.what, failure, waited: attempt.waited });
    }

    /// It is woken: what is due is done.
    pub(super) fn wake(&mut self, now: Time) {
        if self.alarm != Some(now) {
            return;
        }
        self.alarm = None;
        let due = self.all.iter().filter(|(_, attempt)| attempt.state.due() <= now);
        for (key, state) in due.map(|(&key, attempt)| (key, attempt.state)).collect::<Vec<_>>() {
            match state {
                State::Out { ends, .. } => {
                    if ends <= now
                        && let Some(between) = self.between(key)
                    {
                        self.links.is_lost(between);
                    }
                    self.fails(key, ends > now, now);
                }
                State::Waits { until, deadline } if until <= now => self.send(key, deadline, now),
                State::Waits { .. } => self.fails(key, true, now),
                State::Fails { at, .. } => {
                    if at <= now
                        && let Some(between) = self.between(key)
                    {
                        self.links.is_lost(between);
                    }
                    self.fails(key, at > now, now);
                }
                State::Rests { .. } => self.attempt(key, now),
            }
        }
        self.soonest = self.all.values().map(|attempt| attempt.state.due()).min().unwrap_or(Time::NEVER);
    }

    /// After which time it is to be woken, where that is earlier than it was to be.
    pub(super) fn alarm(&mut self, now: Time) -> Option<Time> {
        let wanted = self.soonest.max(now);
        if self.all.is_empty() || wanted.is_never() || self.alarm.is_some_and(|alarm| alarm <= wanted) {
            return None;
        }
        self.alarm = Some(wanted);
        Some(wanted - now)
    }
}
