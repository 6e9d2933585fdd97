//! A server's lives: what it hears and what is lost while it fails, and with what it begins anew.

use super::Sessions;
use super::asked::Relaying;
use crate::address::Address;
use crate::failure::{Fails, Failures};
use crate::pvfs::attempts::{Attempts, Patience};
use crate::pvfs::links::{Links, holds};
use crate::pvfs::message::{AskOfNames, Payload, Request, Ticket};
use crate::pvfs::unsynced::Unsynced;
use petrio_colours::{FileId, FileOp, Message, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a segment that resets a connection, beside its headers.
const RESET: u64 = 1;

/// What a server knows of its lives.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lives {
    #[persist(keep)]
    failures: Failures,
    /// How often it has been started, and how often its host has.
    instance: u32,
    forgotten: u32,
    /// Until when what comes over a connection is on its way.
    held: BTreeMap<(u32, u32), Time>,
    /// Requests of clients and of other servers that nobody heard, or that were lost with it.
    pub(super) unheard: (u64, u64),
    pub(super) unsynced: Unsynced,
    /// Bytes that it had acknowledged and lost.
    lost: u64,
}

impl Lives {
    pub(super) fn new(failures: &Arc<[Failures]>, server: u32) -> Self {
        Self {
            failures: failures.get(server as usize).cloned().unwrap_or_default(),
            instance: 0,
            forgotten: 0,
            held: BTreeMap::new(),
            unheard: (0, 0),
            unsynced: Unsynced::default(),
            lost: 0,
        }
    }

    /// Whether what is in its host's memory alone is ever lost.
    pub(super) fn forgets(&self) -> bool {
        self.failures.forgets()
    }

    /// Whether it ever fails.
    pub(super) fn may_fail(&self) -> bool {
        !self.failures.are_none()
    }
}

/// A server's requests to others.
pub(super) fn relays(failures: &Arc<[Failures]>, patience: Patience) -> Attempts<Relaying> {
    Attempts::new(patience, Links::new(Arc::clone(failures)))
}

impl Sessions {
    /// How much longer a request takes that is begun now.
    pub(in crate::pvfs) fn slower_by(&self, now: Time) -> Time {
        self.lives.failures.slower_by(now)
    }

    /// Bytes that it has acknowledged and lost by now, at most: what its host's kernel had written back by itself isn't.
    pub(in crate::pvfs) fn lost(&self, now: Time) -> u64 {
        let Lives { failures, forgotten, unsynced, lost, .. } = &self.lives;
        lost + if failures.forgotten(now) == *forgotten { 0 } else { unsynced.clone().forget() }
    }

    /// What an earlier life knew is lost.
    pub(in crate::pvfs) fn lives(&mut self, now: Time) {
        let lives = &mut self.lives;
        let instance = lives.failures.instance(now);
        if instance == lives.instance {
            return;
        }
        lives.instance = instance;
        let forgotten = lives.failures.forgotten(now);
        if forgotten != std::mem::replace(&mut lives.forgotten, forgotten) {
            lives.lost += lives.unsynced.forget();
        }
        lives.held.clear();
        let (of_clients, of_servers) = self.asked.forget();
        lives.unheard.0 += of_clients + self.sessions.len() as u64;
        lives.unheard.1 += of_servers;
        self.sessions.clear();
    }

    /// A message, if it is heard: nothing reaches a server that is away, and one that has been started anew resets connections.
    pub(super) fn hears(&mut self, message: Message, now: Time) -> Option<Message> {
        self.lives(now);
        if !self.lives.may_fail() {
            return Some(message);
        }
        let lives = &mut self.lives;
        let key = (message.source, message.connection);
        let held = holds(&lives.failures, &mut lives.held, key, now);
        if let Some(until) = held.filter(|until| !until.is_never()) {
            self.late.push((Box::new(message), until - now));
            return None;
        }
        let is_away = lives.failures.is_away(now);
        let (instance, fails) = (lives.instance, lives.failures.what(now));
        let (who, is_known) = match message.payload.get::<Payload>()? {
            Payload::Request(Request { ticket, reply_to, instance: to, .. })
            | Payload::Ask(AskOfNames { ticket, reply_to, instance: to, .. })
            | Payload::Relay(AskOfNames { ticket, reply_to, instance: to, .. }) => {
                (Some((*ticket, *reply_to)), *to == instance)
            }
            Payload::Data { ticket, reply_to, .. } => {
                (Some((*ticket, *reply_to)), self.sessions.contains_key(ticket))
            }
            _ => (None, true),
        };
        if !is_away && is_known {
            return Some(message);
        }
        let reset = match fails.filter(|_| is_away) {
            None => Some(now),
            // Its sender's TCP tries again, and is answered by who is there then.
            Some(Fails::Stops) => self.lives.failures.acknowledges(now).ok(),
            Some(_) => None,
        };
        if let (Some((ticket, service)), Some(at)) = (who, reset) {
            self.resets(ticket, Address { host: message.source, service }, (message.connection, at - now));
        }
        self.drops(&message);
        None
    }

    fn resets(&mut self, ticket: Ticket, to: Address, (connection, after): (u32, Time)) {
        let message = self.is.own.message(to, connection, (RESET, Payload::Reset(ticket)));
        self.resets.push((Box::new(message), after));
    }

    /// Nobody hears of a message.
    fn drops(&mut self, message: &Message) {
        let Some(payload) = message.payload.get::<Payload>() else { return };
        self.written += payload.data_out();
        match payload {
            Payload::Request(_) | Payload::Ask(_) => self.lives.unheard.0 += 1,
            Payload::Relay(_) => self.lives.unheard.1 += 1,
            Payload::Relayed(_) => self.asked.is_heard(),
            _ => {}
        }
    }

    /// Its file system is asked for something that changes what is in its host's memory alone.
    pub(super) fn note_asked(&mut self, slot: u32, operation: Operation, file: FileId) {
        if !self.lives.forgets() || file == self.is.note.0 {
            return;
        }
        match operation {
            Operation::Fsync => self.lives.unsynced.flush(slot, Some(file)),
            Operation::Sync => self.lives.unsynced.flush(slot, None),
            _ => {}
        }
    }

    /// The same is done.
    pub(super) fn note_done(&mut self, slot: u32, op: &FileOp) {
        if !self.lives.forgets() || op.file == self.is.note.0 {
            return;
        }
        let works = op.status.failure().is_none();
        match op.operation {
            Operation::Fsync | Operation::Sync => self.lives.unsynced.flushed(slot, works),
            Operation::Unlink if works => self.lives.unsynced.cut(op.file, 0),
            Operation::Truncate if works => self.lives.unsynced.cut(op.file, op.length),
            _ => {}
        }
    }
}
