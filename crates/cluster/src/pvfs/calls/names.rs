//! What a call on PVFS 2 asks about names and attributes before its data, and what is refused.

use super::{Asking, Calls, Next, Phase};
use crate::pvfs::attempts::Manner;
use crate::pvfs::message::{AskOfNames, Payload, Ticket};
use crate::pvfs::metadata::{Ask, Client, Kind, NAMES_AT_ONCE, Operation as Asked, Stage};
use crate::pvfs::shared::Shared;
use petrio_colours::{Failure, FileId, FileOp, Operation, local_operations};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;

/// What tells tickets about names from those of data, whose number is their server's.
const OF_NAMES: u32 = 1 << 31;

impl Calls {
    /// A call begins: what it asks, and what follows.
    pub(super) fn begin_names(&mut self, slot: u32, op: &FileOp, shared: &mut Shared, now: Time) {
        let next = match refusal(op, shared) {
            Some(failure) => {
                let stages = self.client(shared, now).in_vain(op.parent, op.file).into();
                Next { stages, phase: Phase::Refused(failure) }
            }
            None => {
                let then = match op.operation {
                    Operation::Write if op.flags.append => Phase::Append,
                    Operation::Read | Operation::Write => Phase::Data,
                    _ => Phase::Nothing,
                };
                let listed = self.listed(op);
                let asked = asked(op, listed, shared);
                let stages = asked.map(|asked| self.client(shared, now).rounds(asked));
                Next { stages: stages.unwrap_or_default().into(), phase: then }
            }
        };
        self.send(slot, next, shared, now);
    }

    /// A call that appends knows where its file ends: what it asks before it writes there.
    pub(super) fn begin_append(&mut self, slot: u32, op: &FileOp, shared: &mut Shared, now: Time) {
        let op = self.at_its_end(slot, op.clone(), shared);
        let access = Asked::Access { file: op.file, end: op.end(), writes: true };
        let stages = self.client(shared, now).rounds(access).into();
        self.send(slot, Next { stages, phase: Phase::Data }, shared, now);
    }

    /// From which name on a call that lists a directory goes on: each brings a page of names, as getdents(2) does, and the one after it
    /// the next, until its process opens or closes the directory.
    fn listed(&mut self, op: &FileOp) -> u64 {
        let place = (op.process, op.file);
        match op.operation {
            Operation::Readdir => {
                let next = self.listed.entry(place).or_default();
                std::mem::replace(next, next.saturating_add(NAMES_AT_ONCE))
            }
            Operation::Open | Operation::Close => {
                self.listed.remove(&place);
                0
            }
            _ => 0,
        }
    }

    fn client<'c>(&'c mut self, shared: &'c mut Shared, now: Time) -> Client<'c> {
        Client {
            site: &self.mount.site,
            salt: self.salt,
            known: &mut self.known,
            names: &mut shared.names,
            now,
        }
    }

    /// Asks at once what a stage says.
    pub(super) fn ask_about_names(&mut self, slot: u32, op: &FileOp, stage: Stage, now: Time) {
        for (number, ask) in (0..).zip(stage) {
            let Ask { kind, server, object, count, message, others, .. } = ask;
            let Some(&address) = self.mount.servers.get(server as usize) else { continue };
            let own = self.mount.own;
            let ticket = Ticket { client: own.host, call: slot, server: OF_NAMES | number, attempt: 0 };
            let part = (ticket.server, 0, 0);
            let length = if kind == Kind::Truncate { self.length_on(op, server) } else { 0 };
            let answer = message.received;
            let reply_to = own.service;
            let asked =
                AskOfNames { ticket, kind, object, count, length, others, answer, reply_to, instance: 0 };
            let (process, payload, bytes) = (op.process, Payload::Ask(asked), message.sent);
            let asking = Asking { slot, address, process, part, payload, bytes };
            self.asks(ticket, asking, (server, manner(kind)), now);
        }
    }

    /// How much of a file that is cut stays on a server.
    fn length_on(&self, op: &FileOp, server: u32) -> u64 {
        let turns = self.turns(op.file);
        turns.parts(0, op.length).filter(|part| part.server == server).map(|part| part.length).sum()
    }
}

/// How a request is sent again: a name isn't removed again (sys-remove.sm, sys-rename.sm), and what makes one is begun anew after a rest
/// (sys-create.sm, sys-mkdir.sm).
const fn manner(kind: Kind) -> Manner {
    let again = !matches!(kind, Kind::RemoveEntry);
    Manner { again, rests: matches!(kind, Kind::Create | Kind::CreateEntry | Kind::MakeDirectory) }
}

/// How many requests a stage is.
pub(super) fn width(stage: &Stage) -> u32 {
    as_number(stage.len())
}

/// What a call is about, as far as names and attributes are concerned; one that lists a directory has had so many of its names.
fn asked(op: &FileOp, listed: u64, shared: &Shared) -> Option<Asked> {
    let FileOp { file, parent, .. } = *op;
    let is_directory = shared.names.is_directory(file);
    Some(match op.operation {
        // Where it ends is asked for anew: its size.
        Operation::Write if op.flags.append => {
            Asked::Attributes { object: file, is_directory: false, size: true }
        }
        Operation::Read | Operation::Write => {
            let writes = op.operation == Operation::Write;
            Asked::Access { file, end: op.end(), writes }
        }
        Operation::Fsync | Operation::Fdatasync => Asked::Flush { file },
        Operation::Sync => Asked::FlushAll,
        Operation::Truncate => Asked::Truncate { file, length: op.length },
        Operation::Open => Asked::Lookup { parent, object: file, is_directory },
        Operation::Stat => Asked::Attributes { object: file, is_directory, size: !is_directory },
        Operation::Create => Asked::Create { parent, file },
        Operation::Mkdir => Asked::MakeDirectory { parent, directory: file },
        Operation::Unlink | Operation::Rmdir => Asked::Remove { parent, object: file, is_directory },
        Operation::Rename => {
            let replaced = op.replaced;
            Asked::Rename { from: shared.names.parent(file), to: parent, object: file, replaced }
        }
        Operation::Readdir => {
            let names = shared.names.names(file);
            Asked::ReadDirectory { directory: file, names, wanted: (listed, NAMES_AT_ONCE), first: None }
        }
        Operation::SetAttributes => Asked::SetAttributes { object: file, is_directory },
        // The client tells no server of it.
        Operation::Close
        | Operation::Compute
        | Operation::Exchange
        | Operation::Touch
        | local_operations!() => {
            return None;
        }
    })
}

/// Why a call can't be done to what is there.
fn refusal(op: &FileOp, shared: &Shared) -> Option<Failure> {
    let names = &shared.names;
    let is_there = names.exists(op.file);
    match op.operation {
        Operation::Create | Operation::Mkdir => is_there.then_some(Failure::Exists),
        Operation::Sync
        | Operation::Close
        | Operation::Compute
        | Operation::Exchange
        | Operation::Touch
        | local_operations!() => None,
        _ if !is_there => Some(Failure::NotFound),
        Operation::Rmdir if !names.is_directory(op.file) => Some(Failure::NotADirectory),
        Operation::Rmdir if op.file == FileId::ROOT => Some(Failure::Misplaced),
        Operation::Rmdir => (names.names(op.file) > 0).then_some(Failure::NotEmpty),
        Operation::Readdir => (!names.is_directory(op.file)).then_some(Failure::NotADirectory),
        Operation::Unlink | Operation::Truncate | Operation::Read | Operation::Write => {
            names.is_directory(op.file).then_some(Failure::IsADirectory)
        }
        _ => None,
    }
}
