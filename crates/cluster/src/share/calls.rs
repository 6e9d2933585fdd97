//! A client's operations: which calls of each go to which servers, and what is left of it.

use super::message::{Call, Reply, Said};
use super::parameters::{ShareCosts, Writes};
use super::placement::{Part, Placement};
use super::sessions::{Asks, Sessions};
use super::wire;
use crate::address::Address;
use crate::ends::Ends;
use petrio_colours::{AccessFlags, FileCause, FileId, FileOp, Message, Operation, Parcel, Status, Verb};
use petrio_host::copy_cost::CopyCost;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What has come over the network lies in memory and in no processor's cache: as if calls copied more than any holds.
const IN_MEMORY: u64 = 1 << 30;

/// What all clients of a service go by.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Agreed {
    /// Where files end that have been written to.
    pub(super) ends: Ends,
    /// The directories.
    pub(super) directories: BTreeSet<FileId>,
}

impl Agreed {
    /// An operation is over.
    fn note(&mut self, op: &FileOp) {
        self.ends.note(op);
        if op.status.failure().is_none() {
            match op.operation {
                Operation::Mkdir => drop(self.directories.insert(op.file)),
                Operation::Rmdir => drop(self.directories.remove(&op.file)),
                _ => {}
            }
        }
    }
}

/// A server, as a client knows it.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Server {
    pub(super) address: Address,
    /// Where it is on the client's own host, the file system there.
    pub(super) local: Option<u32>,
}

/// What a client knows of its service.
#[derive(Clone, Debug, Persist)]
pub(super) struct Known {
    pub(super) placement: Arc<Placement>,
    pub(super) transfer: u64,
    pub(super) writes: Writes,
    #[persist(keep)]
    pub(super) costs: ShareCosts,
    pub(super) servers: Vec<Server>,
    /// Where it hears itself.
    pub(super) own: Address,
    /// The first of the numbers by which its host knows processes that ask for what is local.
    pub(super) first_process: u32,
    /// Copies to processes, and from them.
    pub(super) copies: (CopyCost, CopyCost),
}

/// What an operation does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Phase {
    /// Its parts on the servers that have them.
    Data,
    /// The server of the file's name does it.
    Home,
    /// Each server on which something of the file may lie does it to its own.
    Servers,
    /// Each of these says where its own ends, before something is written there.
    Ends,
    /// The servers with data that may not be on disk put them there.
    Commit,
    /// The server of the name does it, and others forget the file that was replaced.
    Rename,
    Nothing,
}

/// An operation of a program.
#[derive(Clone, Debug, Persist)]
struct Asked {
    op: FileOp,
    next: Phase,
    /// Calls that aren't over.
    left: u32,
    /// Bytes that were read or written.
    moved: u64,
    status: Status,
}

/// A call on its way.
#[derive(Clone, Copy, Debug, Persist)]
struct OnItsWay {
    /// The operation that it is of.
    asked: u32,
    server: u32,
    file: FileId,
    /// What it writes may not be on disk once it is over.
    leaves_unstable: bool,
    is_local: bool,
    /// What copying its data took.
    copied: Time,
}

/// A message that isn't sent yet, and the processor's time that sending it takes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outgoing {
    pub(super) message: Box<Message>,
    pub(super) work: Time,
}

/// A client's operations, and what it has to send and to ask.
#[derive(Clone, Debug, Persist)]
pub(super) struct Calls {
    known: Known,
    asked: Slab<Asked>,
    calls: Slab<OnItsWay>,
    /// Files and servers with data that may not be on disk.
    unstable: BTreeSet<(FileId, u32)>,
    /// Calls to other hosts that aren't over.
    remote: u32,
    pub(super) outbox: Vec<Outgoing>,
    pub(super) local: Sessions<()>,
    pub(super) completed: Vec<FileOp>,
}

impl Calls {
    pub(super) fn new(known: Known) -> Self {
        Self {
            known,
            asked: Slab::new(),
            calls: Slab::new(),
            unstable: BTreeSet::new(),
            remote: 0,
            outbox: Vec::new(),
            local: Sessions::new(),
            completed: Vec::new(),
        }
    }

    /// Calls to other hosts that aren't over.
    pub(super) const fn remote(&self) -> u32 {
        self.remote
    }

    /// An operation begins.
    pub(super) fn begin(&mut self, op: FileOp, agreed: &mut Agreed, now: Time) {
        let [first, next] = self.phases(&op);
        let asked = Asked { op, next, left: 0, moved: 0, status: Status::DoneFromCache };
        let slot = self.asked.insert(asked);
        self.go(slot, first, agreed, now);
    }

    /// What an operation does first, and then.
    fn phases(&self, op: &FileOp) -> [Phase; 2] {
        let first = match op.operation {
            Operation::Write if op.flags.append => return [Phase::Ends, Phase::Data],
            Operation::Read | Operation::Write => Phase::Data,
            Operation::Fsync | Operation::Fdatasync | Operation::Sync => Phase::Commit,
            Operation::Close if self.known.writes == Writes::OnClose => Phase::Commit,
            Operation::Truncate | Operation::Unlink | Operation::Stat => Phase::Servers,
            Operation::Create
            | Operation::Open
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::Readdir => Phase::Home,
            Operation::Rename => Phase::Rename,
            Operation::Close | Operation::Compute | Operation::Exchange | Operation::Touch => Phase::Nothing,
        };
        [first, Phase::Nothing]
    }

    /// The server of a file's name; directories are on the first.
    fn home(&self, op: &FileOp, file: FileId, agreed: &Agreed) -> u32 {
        let of_directory = matches!(op.operation, Operation::Mkdir | Operation::Rmdir | Operation::Readdir);
        let is = of_directory || file == FileId::ROOT || agreed.directories.contains(&file);
        if is { 0 } else { self.known.placement.home(file) }
    }

    /// The servers on which something of a file may lie.
    fn servers_of(&self, op: &FileOp, file: FileId, agreed: &Agreed) -> Vec<u32> {
        match file == FileId::ROOT || agreed.directories.contains(&file) {
            true => vec![self.home(op, file, agreed)],
            false => self.known.placement.servers_of(file).collect(),
        }
    }

    /// Asks for what a phase of an operation needs; where that is nothing it is over at once.
    fn go(&mut self, slot: u32, phase: Phase, agreed: &mut Agreed, now: Time) {
        let Some(asked) = self.asked.get_mut(slot) else { return };
        let op = asked.op.clone();
        let (file, length) = (op.file, op.length);
        let whole = |server: u32, length: u64| (Part { server, offset: 0, length }, op.operation);
        let calls: Vec<(Part, Operation)> = match phase {
            Phase::Nothing => Vec::new(),
            Phase::Home => vec![whole(self.home(&op, file, agreed), length)],
            Phase::Servers => {
                let own = |server| match op.operation {
                    Operation::Truncate => self.known.placement.below(file, server, length),
                    _ => length,
                };
                let all = self.servers_of(&op, file, agreed);
                all.into_iter().map(|server| whole(server, own(server))).collect()
            }
            Phase::Ends => {
                let all = self.servers_of(&op, file, agreed);
                all.into_iter()
                    .map(|server| (Part { server, offset: 0, length: 0 }, Operation::Stat))
                    .collect()
            }
            Phase::Commit => return self.commit(slot, &op, agreed, now),
            Phase::Rename => return self.rename(slot, &op, agreed, now),
            Phase::Data => {
                if op.flags.append {
                    // Who else has asked meanwhile writes there, too: nothing holds the end for anybody.
                    asked.op.offset = agreed.ends.end_of(file, op.offset);
                }
                let (offset, operation) = (asked.op.offset, op.operation);
                let parts = self.known.placement.parts(file, offset, length);
                let calls = parts.into_iter().flat_map(|part| self.cut(part));
                let calls: Vec<(Part, Operation)> = calls.map(|part| (part, operation)).collect();
                if self.is_committed_after(&op, &calls)
                    && let Some(asked) = self.asked.get_mut(slot)
                {
                    asked.next = Phase::Commit;
                }
                calls
            }
        };
        if calls.is_empty() {
            return self.end(slot, agreed);
        }
        self.expect(slot, calls.len());
        for (part, operation) in calls {
            let is_part = self.home(&op, file, agreed) != part.server;
            self.ask(slot, &FileOp { operation, ..op.clone() }, part, is_part, now);
        }
    }

    fn expect(&mut self, slot: u32, calls: usize) {
        if let Some(asked) = self.asked.get_mut(slot) {
            asked.left = calls as u32;
        }
    }

    /// Whether a write that is on disk when it returns is put there by a commit once all of it has been taken: where one call to
    /// another host isn't enough (`FLUSH_COND_STABLE` of fs/nfs/write.c and fs/nfs/direct.c). One that is says so itself.
    fn is_committed_after(&self, op: &FileOp, calls: &[(Part, Operation)]) -> bool {
        let is_remote = |part: &Part| {
            self.known.servers.get(part.server as usize).is_some_and(|there| there.local.is_none())
        };
        op.operation == Operation::Write
            && (op.flags.direct || op.flags.sync || op.flags.data_sync)
            && self.known.writes != Writes::Stable
            && calls.iter().filter(|(part, _)| is_remote(part)).count() > 1
    }

    /// A part in pieces of what one call transfers; what is local isn't transferred.
    fn cut(&self, part: Part) -> impl Iterator<Item = Part> + use<> {
        let is_local =
            self.known.servers.get(part.server as usize).is_some_and(|there| there.local.is_some());
        let most = if is_local { part.length } else { self.known.transfer };
        let pieces = part.length.div_ceil(most.max(1));
        (0..pieces).map(move |piece| {
            let begun = piece * most;
            Part { offset: part.offset + begun, length: most.min(part.length - begun), ..part }
        })
    }

    /// Servers with data of a file, or of all, that may not be on disk.
    fn commit(&mut self, slot: u32, op: &FileOp, agreed: &mut Agreed, now: Time) {
        let all = op.operation == Operation::Sync;
        let wanted: Vec<(FileId, u32)> =
            self.unstable.iter().copied().filter(|(file, _)| all || *file == op.file).collect();
        if wanted.is_empty() {
            return self.end(slot, agreed);
        }
        let data_only = op.operation == Operation::Fdatasync;
        let operation = if data_only { Operation::Fdatasync } else { Operation::Fsync };
        self.expect(slot, wanted.len());
        for (file, server) in wanted {
            self.unstable.remove(&(file, server));
            let is_part = self.home(op, file, agreed) != server;
            let op = FileOp { operation, file, ..op.clone() };
            self.ask(slot, &op, Part { server, offset: 0, length: 0 }, is_part, now);
        }
    }

    fn rename(&mut self, slot: u32, op: &FileOp, agreed: &Agreed, now: Time) {
        let home = self.home(op, op.file, agreed);
        let replaced = op.replaced.map(|file| (file, self.home(op, file, agreed)));
        let elsewhere: Vec<(FileId, u32, bool)> = (replaced.iter())
            .flat_map(|&(file, its_home)| {
                let all = self.servers_of(op, file, agreed);
                all.into_iter()
                    .filter(move |&server| server != its_home || its_home != home)
                    .map(move |server| (file, server, server != its_home))
            })
            .collect();
        self.expect(slot, 1 + elsewhere.len());
        let of_name = replaced.filter(|&(_, its_home)| its_home == home).map(|(file, _)| file);
        let whole = |server| Part { server, offset: 0, length: 0 };
        self.ask(slot, &FileOp { replaced: of_name, ..op.clone() }, whole(home), false, now);
        for (file, server, is_part) in elsewhere {
            let op = FileOp { operation: Operation::Unlink, file, replaced: None, ..op.clone() };
            self.ask(slot, &op, whole(server), is_part, now);
        }
    }

    /// Asks a server, or the own host where that is the server.
    fn ask(&mut self, slot: u32, op: &FileOp, part: Part, is_part: bool, now: Time) {
        let Some(&Server { address, local }) = self.known.servers.get(part.server as usize) else { return };
        let Part { server, offset, length } = part;
        let moves_to = op.operation == Operation::Write;
        // What goes past a client's cache is on disk when it returns; the server itself works as ever (nfs/direct.c). Where
        // the server is here, its device is asked directly.
        let direct_at_server = op.flags.direct && local.is_none();
        let is_committed = local.is_none()
            && moves_to
            && self.asked.get_mut(slot).is_some_and(|asked| asked.next == Phase::Commit);
        let is_stable = self.known.writes == Writes::Stable
            || !is_committed && (op.flags.sync || op.flags.data_sync || direct_at_server);
        let copied = match moves_to && local.is_none() {
            true => self.known.copies.1.time(length, length, length),
            false => Time::ZERO,
        };
        let number = self.calls.insert(OnItsWay {
            asked: slot,
            server,
            file: op.file,
            leaves_unstable: moves_to && !is_stable,
            is_local: local.is_some(),
            copied,
        });
        let sync = moves_to && (self.known.writes == Writes::Stable || is_stable && op.flags.sync);
        let direct = op.flags.direct && local.is_some();
        let call = Call {
            number,
            operation: op.operation,
            file: op.file,
            // Of several servers each has its files in one directory; the tree of names is on the first.
            parent: if server == 0 && !is_part { op.parent } else { FileId::ROOT },
            replaced: op.replaced,
            offset,
            length,
            flags: AccessFlags {
                sync,
                data_sync: moves_to && is_stable && (op.flags.data_sync || direct_at_server),
                direct,
                ..AccessFlags::default()
            },
            class: op.class,
            priority: op.priority,
            is_part,
            reply_to: self.known.own.service,
        };
        if let Some(file_system) = local {
            let process = self.known.first_process.saturating_add(op.process);
            let asks = Asks { process, file_system, settles_names: false };
            self.local.begin(call, asks, (), (now, now, now));
            return;
        }
        self.remote += 1;
        let message = Message {
            source: self.known.own.host,
            destination: address.host,
            // A client has one connection to each server.
            connection: self.known.own.service,
            service: address.service,
            verb: Verb::Send,
            service_level: 0,
            bytes: wire::call(op.operation, length),
            payload: Parcel::new(Box::new(Said::Call(call))),
        };
        let work = self.known.costs.call.time() + copied;
        self.outbox.push(Outgoing { message: Box::new(message), work });
    }

    /// The processor's time that hearing an answer takes.
    pub(super) fn work_of(&mut self, said: &Said) -> Time {
        let Said::Reply(reply) = said else { return Time::ZERO };
        let reads = self.calls.get_mut(reply.number).and_then(|call| {
            let operation = self.asked.get_mut(call.asked)?.op.operation;
            Some((call, operation == Operation::Read && reply.length > 0))
        });
        let mut work = self.known.costs.answer.time();
        if let Some((call, true)) = reads {
            call.copied = self.known.copies.0.time(reply.length, IN_MEMORY, IN_MEMORY);
            work += call.copied;
        }
        work
    }

    /// The own host's file system is done with something; how many bytes of a call were moved there, if one is over.
    pub(super) fn done_here(&mut self, op: &FileOp, agreed: &mut Agreed, now: Time) -> Option<(u32, u64)> {
        let ((), _, reply) = self.local.done(op, now)?;
        let server = self.calls.get_mut(reply.number)?.server;
        self.answered(&reply, agreed, now).then_some((server, reply.length))
    }

    /// A server says something; whether that makes sense.
    pub(super) fn hear(&mut self, said: &Said, agreed: &mut Agreed, now: Time) -> bool {
        match said {
            Said::Reply(reply) => self.answered(reply, agreed, now),
            Said::Call(_) => false,
        }
    }

    fn answered(&mut self, reply: &Reply, agreed: &mut Agreed, now: Time) -> bool {
        let Some(call) = self.calls.remove(reply.number) else { return false };
        self.remote -= u32::from(!call.is_local);
        let Some(asked) = self.asked.get_mut(call.asked) else { return false };
        let is_done = reply.status.failure().is_none();
        if call.leaves_unstable && is_done {
            self.unstable.insert((call.file, call.server));
        }
        asked.status = asked.status.and(reply.status);
        asked.moved += reply.length;
        asked.left = asked.left.saturating_sub(1);
        if asked.left > 0 {
            return true;
        }
        // What was waited for last is what the time went for: at its server as that says, and on the way.
        let spent = (now - asked.op.issued).saturating_sub(asked.op.ledger.total());
        let copied = call.copied.min(spent);
        asked.op.ledger.charge(FileCause::Copy, copied);
        let at_server = reply.ledger.within(spent - copied, FileCause::Server);
        asked.op.ledger.add(&at_server);
        let told = copied + at_server.total();
        let server = reply.span.saturating_sub(at_server.total()).min(spent - told);
        asked.op.ledger.charge(FileCause::Server, server);
        asked.op.ledger.charge(FileCause::Network, spent - told - server);
        let next = if asked.status.failure().is_some() { Phase::Nothing } else { asked.next };
        asked.next = Phase::Nothing;
        self.go(call.asked, next, agreed, now);
        true
    }

    /// An operation returns.
    fn end(&mut self, slot: u32, agreed: &mut Agreed) {
        let Some(Asked { mut op, moved, status, .. }) = self.asked.remove(slot) else { return };
        op.status = status;
        if op.operation == Operation::Read && moved < op.length && status.failure().is_none() {
            // What lies before the end and was never written is read as zeros, of which servers have nothing.
            let there = agreed.ends.end_of(op.file, 0).saturating_sub(op.offset).min(op.length);
            let found = moved.max(there);
            (op.cut_short, op.length) = (found < op.length, found);
        }
        if op.operation == Operation::Unlink {
            self.unstable.retain(|(file, _)| *file != op.file);
        }
        agreed.note(&op);
        self.completed.push(op);
    }
}
