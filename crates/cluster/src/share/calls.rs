//! A client's operations: which calls of each go to which servers, and what is left of it.

use super::message::{Call, Reply, Rpc};
use super::parameters::{Connections, ShareCosts, Writes};
use super::placement::{Part, Placement};
use super::sessions::{Asks, Sessions};
use super::wire;
use crate::address::Address;
use crate::client::UnderWay;
use crate::end_of_file::EndsOfFile;
use petrio_colours::{AccessFlags, FileId, FileOp, Message, Operation, local_operations};
use petrio_host::copy_cost::CopyCost;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What has come over the network lies in memory and in no processor's cache: as if calls copied more than any holds.
const IN_MEMORY: u64 = 1 << 30;

/// Connections of a host's services are numbered as these; those of processes lie so far apart.
const PROCESSES: u32 = 1 << 12;

/// What all clients of a service know.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Shared {
    /// Where files end that have been written to.
    pub(super) ends: EndsOfFile,
    /// The directories.
    pub(super) directories: BTreeSet<FileId>,
}

impl Shared {
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

/// A service as a client has mounted it.
#[derive(Clone, Debug, Persist)]
pub(super) struct Mount {
    pub(super) placement: Arc<Placement>,
    pub(super) transfer: u64,
    pub(super) writes: Writes,
    pub(super) connections: Connections,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
enum Phase {
    /// Its parts on the servers that have them.
    Data,
    /// The server of the file's name does it.
    Home,
    /// Each server on which something of the file may lie does it to its own.
    Servers,
    /// Each of these says where its own ends, before something is written there.
    EndOfFile,
    /// The servers with data that may not be on disk put them there.
    Commit,
    /// The server of the name does it, and others forget the file that was replaced.
    Rename,
    #[default]
    Nothing,
}

/// A call whose reply hasn't come.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Outstanding {
    /// Its number, as its reply has it.
    pub(super) number: u32,
    /// The operation that it is of.
    of: u32,
    pub(super) server: u32,
    file: FileId,
    /// What it writes may not be on disk once it is over.
    leaves_unstable: bool,
    /// What copying its data takes.
    copied: Time,
}

/// A reply that has come, and what copying its data takes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Heard {
    pub(super) reply: Reply,
    pub(super) copied: Time,
}

/// A call that isn't sent yet, its message, and the processor's time that sending it takes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outgoing {
    pub(super) call: Outstanding,
    pub(super) message: Box<Message>,
    pub(super) work: Time,
}

/// A client's operations, and what it has to send and to ask.
#[derive(Clone, Debug, Persist)]
pub(super) struct Calls {
    mount: Mount,
    operations: Slab<UnderWay<Phase>>,
    /// The number of the next call.
    next: u32,
    /// Files and servers with data that may not be on disk.
    unstable: BTreeSet<(FileId, u32)>,
    /// Bytes that were sent to other hosts to be written, and those that came from there.
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) outbox: Vec<Outgoing>,
    pub(super) local: Sessions<Outstanding>,
    pub(super) completed: Vec<FileOp>,
}

impl Calls {
    pub(super) fn new(mount: Mount) -> Self {
        Self {
            mount,
            operations: Slab::new(),
            next: 0,
            unstable: BTreeSet::new(),
            written: 0,
            read: 0,
            outbox: Vec::new(),
            local: Sessions::new(),
            completed: Vec::new(),
        }
    }

    /// Calls that aren't over, here and elsewhere.
    pub(super) fn left(&self) -> u64 {
        self.operations.iter().map(|operation| u64::from(operation.left)).sum()
    }

    /// An operation begins.
    pub(super) fn begin(&mut self, op: FileOp, shared: &mut Shared, now: Time) {
        let [first, next] = self.phases(&op);
        let slot = self.operations.insert(UnderWay::new(op, next));
        self.go(slot, first, shared, now);
    }

    /// What an operation does first, and then.
    fn phases(&self, op: &FileOp) -> [Phase; 2] {
        let first = match op.operation {
            Operation::Write if op.flags.append => return [Phase::EndOfFile, Phase::Data],
            Operation::Read | Operation::Write => Phase::Data,
            Operation::Fsync | Operation::Fdatasync | Operation::Sync => Phase::Commit,
            Operation::Close if self.mount.writes == Writes::OnClose => Phase::Commit,
            Operation::Truncate | Operation::Unlink | Operation::Stat => Phase::Servers,
            Operation::Create
            | Operation::Open
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::SetAttributes
            | Operation::Readdir => Phase::Home,
            Operation::Rename => Phase::Rename,
            Operation::Close
            | Operation::Compute
            | Operation::Exchange
            | Operation::Touch
            | local_operations!() => Phase::Nothing,
        };
        [first, Phase::Nothing]
    }

    /// The server of a file's name; directories are on the first.
    fn home(&self, op: &FileOp, file: FileId, shared: &Shared) -> u32 {
        let of_directory = matches!(op.operation, Operation::Mkdir | Operation::Rmdir | Operation::Readdir);
        let is = of_directory || file == FileId::ROOT || shared.directories.contains(&file);
        if is { 0 } else { self.mount.placement.home(file) }
    }

    /// The servers on which something of a file may lie.
    fn servers_of(&self, op: &FileOp, file: FileId, shared: &Shared) -> Vec<u32> {
        match file == FileId::ROOT || shared.directories.contains(&file) {
            true => vec![self.home(op, file, shared)],
            false => self.mount.placement.servers_of(file).collect(),
        }
    }

    /// Asks for what a phase of an operation needs; where that is nothing it is over at once.
    fn go(&mut self, slot: u32, phase: Phase, shared: &mut Shared, now: Time) {
        let Some(operation) = self.operations.get_mut(slot) else { return };
        let op = operation.op.clone();
        let (file, length) = (op.file, op.length);
        let whole = |server: u32, length: u64| (Part { server, offset: 0, length }, op.operation);
        let calls: Vec<(Part, Operation)> = match phase {
            Phase::Nothing => Vec::new(),
            Phase::Home => vec![whole(self.home(&op, file, shared), length)],
            Phase::Servers => {
                let own = |server| match op.operation {
                    Operation::Truncate => self.mount.placement.below(file, server, length),
                    _ => length,
                };
                let all = self.servers_of(&op, file, shared);
                all.into_iter().map(|server| whole(server, own(server))).collect()
            }
            Phase::EndOfFile => {
                let all = self.servers_of(&op, file, shared);
                all.into_iter()
                    .map(|server| (Part { server, offset: 0, length: 0 }, Operation::Stat))
                    .collect()
            }
            Phase::Commit => return self.commit(slot, &op, shared, now),
            Phase::Rename => return self.rename(slot, &op, shared, now),
            Phase::Data => {
                if op.flags.append {
                    // Who else has asked meanwhile writes there, too: nothing holds the end for anybody.
                    operation.op.offset = shared.ends.end_of(file, op.offset);
                }
                let (offset, operation) = (operation.op.offset, op.operation);
                let parts = self.mount.placement.parts(file, offset, length);
                let calls = parts.into_iter().flat_map(|part| self.cut(part));
                let calls: Vec<(Part, Operation)> = calls.map(|part| (part, operation)).collect();
                if self.is_committed_after(&op, &calls)
                    && let Some(operation) = self.operations.get_mut(slot)
                {
                    operation.next = Phase::Commit;
                }
                calls
            }
        };
        if calls.is_empty() {
            return self.end(slot, shared);
        }
        self.expect(slot, calls.len());
        for (part, operation) in calls {
            let is_part = self.home(&op, file, shared) != part.server;
            self.ask(slot, &FileOp { operation, ..op.clone() }, part, is_part, now);
        }
    }

    fn expect(&mut self, slot: u32, calls: usize) {
        if let Some(operation) = self.operations.get_mut(slot) {
            operation.left = as_number(calls);
        }
    }

    /// Whether a write that is on disk when it returns is put there by a commit once all of it has been taken: where one call to
    /// another host isn't enough (`FLUSH_COND_STABLE` of fs/nfs/write.c and fs/nfs/direct.c). One that is says so itself.
    fn is_committed_after(&self, op: &FileOp, calls: &[(Part, Operation)]) -> bool {
        let is_remote = |part: &Part| {
            self.mount.servers.get(part.server as usize).is_some_and(|there| there.local.is_none())
        };
        op.operation == Operation::Write
            && (op.flags.direct || op.flags.sync || op.flags.data_sync)
            && self.mount.writes != Writes::Stable
            && calls.iter().filter(|(part, _)| is_remote(part)).count() > 1
    }

    /// A part in pieces of what one call transfers; what is local isn't transferred.
    fn cut(&self, part: Part) -> impl Iterator<Item = Part> + use<> {
        let is_local =
            self.mount.servers.get(part.server as usize).is_some_and(|there| there.local.is_some());
        let most = if is_local { part.length } else { self.mount.transfer };
        let pieces = part.length.div_ceil(most.max(1));
        (0..pieces).map(move |piece| {
            let begun = piece * most;
            Part { offset: part.offset + begun, length: most.min(part.length - begun), ..part }
        })
    }

    /// Servers with data of a file, or of all, that may not be on disk.
    fn commit(&mut self, slot: u32, op: &FileOp, shared: &mut Shared, now: Time) {
        let all = op.operation == Operation::Sync;
        let wanted: Vec<(FileId, u32)> =
            self.unstable.iter().copied().filter(|(file, _)| all || *file == op.file).collect();
        if wanted.is_empty() {
            return self.end(slot, shared);
        }
        let data_only = op.operation == Operation::Fdatasync;
        let operation = if data_only { Operation::Fdatasync } else { Operation::Fsync };
        self.expect(slot, wanted.len());
        for (file, server) in wanted {
            self.unstable.remove(&(file, server));
            let is_part = self.home(op, file, shared) != server;
            let op = FileOp { operation, file, ..op.clone() };
            self.ask(slot, &op, Part { server, offset: 0, length: 0 }, is_part, now);
        }
    }

    fn rename(&mut self, slot: u32, op: &FileOp, shared: &Shared, now: Time) {
        let home = self.home(op, op.file, shared);
        let replaced = op.replaced.map(|file| (file, self.home(op, file, shared)));
        let elsewhere: Vec<(FileId, u32, bool)> = (replaced.iter())
            .flat_map(|&(file, its_home)| {
                let all = self.servers_of(op, file, shared);
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
        let Some(&Server { address, local }) = self.mount.servers.get(part.server as usize) else { return };
        let Part { server, offset, length } = part;
        let moves_to = op.operation == Operation::Write;
        // What goes past a client's cache is on disk when it returns; the server itself works as ever (nfs/direct.c). Where
        // the server is here, its device is asked directly.
        let direct_at_server = op.flags.direct && local.is_none();
        let is_committed = local.is_none()
            && moves_to
            && self.operations.get_mut(slot).is_some_and(|operation| operation.next == Phase::Commit);
        let is_stable = self.mount.writes == Writes::Stable
            || !is_committed && (op.flags.sync || op.flags.data_sync || direct_at_server);
        let copied = match moves_to && local.is_none() {
            true => self.mount.copies.1.time(length, length, length),
            false => Time::ZERO,
        };
        let number = self.next;
        self.next = number.wrapping_add(1);
        let leaves_unstable = moves_to && !is_stable;
        let outstanding = Outstanding { number, of: slot, server, file: op.file, leaves_unstable, copied };
        let sync = moves_to && (self.mount.writes == Writes::Stable || is_stable && op.flags.sync);
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
            reply_to: self.mount.own.service,
        };
        if let Some(file_system) = local {
            let process = self.mount.first_process.saturating_add(op.process);
            let asks = Asks { process, file_system, settles_names: false };
            self.local.begin(call, asks, outstanding, (now, now, now));
            return;
        }
        self.written += call.data();
        let bytes = wire::call(op.operation, length);
        let own = self.mount.own;
        let connection = match self.mount.connections {
            Connections::Host => own.service,
            Connections::Process => {
                own.service.wrapping_add(op.process.wrapping_add(1).wrapping_mul(PROCESSES))
            }
        };
        let message = Box::new(own.message(address, connection, (bytes, Rpc::Call(call))));
        let work = self.mount.costs.call.time() + copied;
        self.outbox.push(Outgoing { call: outstanding, message, work });
    }

    /// The own host's file system is done with something; how many bytes of a call were moved there, if one is over.
    pub(super) fn done_here(&mut self, op: &FileOp, shared: &mut Shared, now: Time) -> Option<(u32, u64)> {
        let (call, _, reply) = self.local.done(op, now)?;
        let moved = (call.server, reply.outcome.length);
        self.answered(call, &reply, shared, now);
        Some(moved)
    }

    /// What copying the data of a reply to a process takes.
    pub(super) fn copy(&mut self, reply: &Reply) -> Time {
        match reply.data() {
            0 => Time::ZERO,
            bytes => self.mount.copies.0.time(bytes, IN_MEMORY, IN_MEMORY),
        }
    }

    /// The reply to a call to another host has come, and its data have been copied.
    pub(super) fn hear(&mut self, call: Outstanding, heard: &Heard, shared: &mut Shared, now: Time) {
        self.read += heard.reply.data();
        let copied = call.copied + heard.copied;
        self.answered(Outstanding { copied, ..call }, &heard.reply, shared, now);
    }

    fn answered(&mut self, call: Outstanding, reply: &Reply, shared: &mut Shared, now: Time) {
        let Some(operation) = self.operations.get_mut(call.of) else { return };
        if call.leaves_unstable && reply.outcome.status.failure().is_none() {
            self.unstable.insert((call.file, call.server));
        }
        if let Some(next) = operation.answered(&reply.outcome, call.copied, now) {
            self.go(call.of, next, shared, now);
        }
    }

    /// An operation returns.
    fn end(&mut self, slot: u32, shared: &mut Shared) {
        let Some(operation) = self.operations.remove(slot) else { return };
        let op = &operation.op;
        // What lies before the end and was never written is read as zeros, of which servers have nothing.
        let there = shared.ends.end_of(op.file, 0).saturating_sub(op.offset).min(op.length);
        let op = operation.over(there);
        if op.operation == Operation::Unlink {
            self.unstable.retain(|(file, _)| *file != op.file);
        }
        shared.note(&op);
        self.completed.push(op);
    }
}
