//! The connections of one end to the servers of a file system, as TCP and BMI have them while servers fail.
//!
//! A connection that a server has forgotten is reset by the first segment that reaches it; one to a server whose process has ended is closed
//! at once. What is sent meanwhile waits in its connection until TCP's next try, and a new connection for the next of its tries; both are
//! given up after so many of them (`Failures::acknowledges`, `Failures::connects`). Who has no connection makes one as it sends
//! (`tcp_sock_init`, src/io/bmi/bmi_tcp/bmi-tcp.c of OrangeFS); the round trip for that is left out.

use crate::failure::{Fails, Failures};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A connection.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Link {
    /// The server's instance with which it was made, and how often that had lost its memory.
    instance: u32,
    forgotten: u32,
    is_made: bool,
    /// Since when something on it isn't acknowledged, and until when it waits for TCP's next try.
    waits: Option<(Time, Time)>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It goes now, to this instance of its server.
    Goes(u32),
    /// It may go then.
    Waits(Time),
    /// Its connection fails then.
    Fails(Time),
}

/// Connections by process and server.
#[derive(Clone, Debug, Persist)]
pub(super) struct Links {
    #[persist(keep)]
    failures: Arc<[Failures]>,
    links: BTreeMap<(u32, u32), Link>,
    /// Until when what comes over a connection is on its way.
    held: BTreeMap<(u32, u32), Time>,
}

impl Links {
    pub(super) fn new(failures: Arc<[Failures]>) -> Self {
        Self { failures, links: BTreeMap::new(), held: BTreeMap::new() }
    }

    /// Whether any server ever fails.
    pub(super) fn may_fail(&self) -> bool {
        self.failures.iter().any(|failures| !failures.are_none())
    }

    /// Something is sent to a server over a process's connection.
    pub(super) fn send(&mut self, (process, server): (u32, u32), now: Time) -> Fate {
        let Some(failures) = self.failures.get(server as usize).filter(|failures| !failures.are_none())
        else {
            return Fate::Goes(0);
        };
        let link = self.links.entry((process, server)).or_default();
        let instance = failures.instance(now);
        if link.is_made && link.instance != instance && link.forgotten == failures.forgotten(now) {
            // Its process had ended, of which its host has told.
            link.is_made = false;
        }
        if !failures.is_away(now) {
            if link.is_made && link.instance != instance {
                *link = Link::default();
                return Fate::Fails(now);
            }
            if let Some((_, until)) = link.waits.filter(|&(_, until)| until > now) {
                return Fate::Waits(until);
            }
            let forgotten = failures.forgotten(now);
            *link = Link { instance, forgotten, is_made: true, waits: None };
            return Fate::Goes(instance);
        }
        if failures.what(now) == Some(Fails::Exits) {
            *link = Link::default();
            return Fate::Fails(now);
        }
        if !link.is_made {
            return match failures.connects(now) {
                Ok(at) => Fate::Waits(at),
                Err(at) => Fate::Fails(at),
            };
        }
        let (since, _) = link.waits.filter(|&(_, until)| until > now).unwrap_or((now, now));
        match failures.acknowledges(since) {
            Ok(at) => {
                link.waits = Some((since, at));
                // A server that has been started anew knows of no such connection.
                if failures.instance(at) == link.instance { Fate::Waits(at) } else { Fate::Fails(at) }
            }
            Err(at) => {
                link.waits = Some((since, at));
                Fate::Fails(at)
            }
        }
    }

    /// A connection isn't there any more.
    pub(super) fn is_lost(&mut self, key: (u32, u32)) {
        self.links.remove(&key);
    }

    /// When the process of a server ends next, which its host tells whoever has a connection with it.
    pub(super) fn ends(&self, server: u32, now: Time) -> Time {
        let next = self.failures.get(server as usize).and_then(|failures| failures.next_exit(now));
        next.unwrap_or(Time::NEVER)
    }

    /// Until when something that comes from a server is still on its way: while nothing passes between both, and until its sender's next try.
    pub(super) fn holds(&mut self, (process, server): (u32, u32), now: Time) -> Option<Time> {
        let failures = self.failures.get(server as usize)?;
        holds(failures, &mut self.held, (process, server), now)
    }
}

/// Until when what comes over a connection is still on its way: all of it comes in its order.
pub(super) fn holds(
    failures: &Failures,
    held: &mut BTreeMap<(u32, u32), Time>,
    key: (u32, u32),
    now: Time,
) -> Option<Time> {
    if let Some(&until) = held.get(&key) {
        if until > now {
            return Some(until);
        }
        held.remove(&key);
    }
    if failures.what(now) != Some(Fails::Unreachable) {
        return None;
    }
    let until = failures.resumes(now).unwrap_or(Time::NEVER);
    held.insert(key, until);
    Some(until)
}
