//! A client: operations of its host's programs become rounds of requests, and data go through its buffers.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─▶ (a file's lock) ─▶ rounds ─▶ connections ─▶ (processor) ─▶ network
//!  completions ◀─ the last round is over ◀─ hear ◀─ network
//! ```
//!
//! Who reads or writes a file through its buffer, flushes or closes it has the file's lock on its host meanwhile
//! (`FhgfsInode_fileCacheExclusiveLock`); those that only read a file that several of the host have open to be read share it.

use super::asker::{Answered, Asker, Table};
use super::buffers::Buffers;
use super::message::{Call, Packet};
use super::names::Names;
use super::procedure::Procedure;
use crate::address::Address;
use crate::client::{Outcome, UnderWay};
use crate::rpc_tally::RpcTally;
use petrio_colours::{FileId, FileOp, Message, Operation, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// How long a thread sleeps that looks for buffers with something in them (components/Flusher.c).
pub(super) const FLUSHES_AFTER: Time = Time::from_millis(5_000);

/// How it is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Bytes of a buffer, and how many there are.
    pub(super) buffers: (u64, usize),
    /// How long what is known of a directory and of a file is believed.
    pub(super) directories: Time,
    pub(super) files: Time,
    /// Whether fsync(2) has servers put data on their disks.
    pub(super) remote_fsync: bool,
    /// Connections to a daemon.
    pub(super) connections: u32,
}

/// What an operation does next.
#[derive(Clone, Debug, Persist)]
pub(super) enum Round {
    /// Asks for these, all at once.
    Calls(Vec<Call>),
    /// Writes to where the file ends now.
    Append,
}

/// All that it does next.
pub(super) type Rounds = VecDeque<Round>;

/// A file that processes of the host have open.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Opened {
    pub(super) count: u32,
    /// On how many of its targets data were touched.
    pub(super) used: u32,
    /// Somebody has written.
    pub(super) writes: bool,
}

/// What a process has read of a directory's names.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Listing {
    /// Names that it was given, and that were read.
    pub(super) given: u64,
    pub(super) read: u64,
}

/// A client of a file system.
#[derive(Clone, Debug, Persist)]
pub(super) struct BeegfsClient {
    #[persist(keep)]
    pub(super) mount: Mount,
    pub(super) asker: Asker<u32>,
    operations: Slab<UnderWay<Rounds>>,
    pub(super) buffers: Buffers,
    /// Of a file in use, who has its lock, and who waits for it behind.
    locks: BTreeMap<FileId, VecDeque<u32>>,
    pub(super) open: BTreeMap<FileId, Opened>,
    /// Names that are known, and since when what is known of them was looked at.
    pub(super) known: BTreeMap<FileId, Time>,
    pub(super) listings: BTreeMap<(u32, FileId), Listing>,
    pub(super) completed: Vec<FileOp>,
    /// It is to be woken after [`FLUSHES_AFTER`]; whether that is so already.
    pub(super) wakes: Vec<()>,
    is_awake: bool,
    tally: BTreeMap<Procedure, RpcTally>,
}

impl BeegfsClient {
    pub(super) fn new(table: &Arc<Table>, own: Address, mount: Mount) -> Self {
        Self {
            mount,
            asker: Asker::new(table, own, mount.connections),
            operations: Slab::new(),
            buffers: Buffers::new(mount.buffers, table.striping.chunk),
            locks: BTreeMap::new(),
            open: BTreeMap::new(),
            known: BTreeMap::new(),
            listings: BTreeMap::new(),
            completed: Vec::new(),
            wakes: Vec::new(),
            is_awake: false,
            tally: BTreeMap::new(),
        }
    }

    /// What its requests came to, by procedure.
    pub(super) fn tally(&self) -> &BTreeMap<Procedure, RpcTally> {
        &self.tally
    }

    /// Whether an operation has its file for itself.
    fn locks(&self, op: &FileOp) -> bool {
        match op.operation {
            Operation::Read => !self.is_shared(op.file) || self.buffers.is_dirty(op.file),
            Operation::Write
            | Operation::Fsync
            | Operation::Fdatasync
            | Operation::Close
            | Operation::Truncate => true,
            Operation::Stat => self.buffers.is_dirty(op.file),
            _ => false,
        }
    }

    /// Whether several processes have a file open, and none has written to it (`FhgfsInode_getIsFileOpenByMultipleReaders`).
    pub(super) fn is_shared(&self, file: FileId) -> bool {
        self.open.get(&file).is_some_and(|open| open.count > 1 && !open.writes)
    }

    /// An operation begins.
    pub(super) fn begin(&mut self, op: FileOp, names: &mut Names, now: Time) {
        let (file, locks) = (op.file, self.locks(&op));
        let slot = self.operations.insert(UnderWay::new(op, Rounds::new()));
        if locks {
            let all = self.locks.entry(file).or_default();
            all.push_back(slot);
            if all.len() > 1 {
                return;
            }
        }
        self.start(slot, names, now);
    }

    fn start(&mut self, slot: u32, names: &mut Names, now: Time) {
        let Some(operation) = self.operations.get(slot) else { return };
        let op = operation.op.clone();
        let rounds = match op.operation.is_local() {
            true => Rounds::new(),
            false => self.rounds(&op, names, now),
        };
        self.go(slot, rounds, names, now);
    }

    /// Asks for what comes next; where nothing does, the operation is over.
    fn go(&mut self, slot: u32, mut rounds: Rounds, names: &mut Names, now: Time) {
        while let Some(round) = rounds.pop_front() {
            let calls = match round {
                Round::Calls(calls) => calls,
                Round::Append => {
                    let Some(operation) = self.operations.get_mut(slot) else { return };
                    operation.op.offset = names.ends.end_of(operation.op.file, operation.op.offset);
                    let op = operation.op.clone();
                    let through = super::buffers::Move { writes: true, offset: op.offset, length: op.length };
                    for round in self.transfers(&op, through).into_iter().rev() {
                        rounds.push_front(round);
                    }
                    continue;
                }
            };
            let Some(operation) = self.operations.get_mut(slot) else { return };
            if !calls.is_empty() {
                (operation.left, operation.next) = (u32::try_from(calls.len()).unwrap_or(u32::MAX), rounds);
                calls.into_iter().for_each(|call| self.asker.ask(slot, call, now));
                return;
            }
        }
        self.end(slot, names, now);
    }

    /// Something has come.
    pub(super) fn hear(
        &mut self,
        message: Message,
        names: &mut Names,
        now: Time,
    ) -> Result<(), &'static str> {
        let Some(packet) = message.payload.open::<Packet>() else {
            return Err("a client of BeeGFS hears what isn't its own: a mistake in the model");
        };
        let Packet::Reply(reply) = *packet else {
            return Err("a client of BeeGFS hears what only servers do: a mistake in the model");
        };
        let Some(Answered { of: slot, procedure, tally }) = self.asker.hear(&reply, now) else {
            return Err("an answer to what no client of BeeGFS has asked: a mistake in the model");
        };
        let Some(tally) = tally else { return Ok(()) };
        self.tally.entry(procedure).or_default().add(&tally);
        let Some(operation) = self.operations.get_mut(slot) else { return Ok(()) };
        let is_own = match operation.op.operation {
            Operation::Read => procedure == Procedure::Read,
            Operation::Write => procedure == Procedure::Write,
            _ => false,
        };
        let length = if is_own { reply.outcome.length } else { 0 };
        // That a name isn't there is what who makes it wants to hear.
        let missing = procedure == Procedure::Lookup && operation.op.operation.changes_names();
        let status = if missing { Status::DoneFromCache } else { reply.outcome.status };
        let outcome = Outcome { length, status, ..reply.outcome };
        if let Some(rounds) = operation.answered(&outcome, Time::ZERO, now) {
            self.go(slot, rounds, names, now);
        }
        Ok(())
    }

    /// An operation returns.
    fn end(&mut self, slot: u32, names: &mut Names, now: Time) {
        let Some(operation) = self.operations.remove(slot) else { return };
        let op = &operation.op;
        let there = names.ends.end_of(op.file, 0).saturating_sub(op.offset).min(op.length);
        let op = operation.over(there);
        self.note(&op, now);
        names.note(&op);
        let file = op.file;
        if !op.is_word {
            self.completed.push(op);
        }
        self.wake();
        let Some(all) = self.locks.get_mut(&file) else { return };
        if all.front() != Some(&slot) {
            return;
        }
        all.pop_front();
        match all.front().copied() {
            Some(next) => self.start(next, names, now),
            None => {
                self.locks.remove(&file);
            }
        }
    }

    /// Somebody looks after buffers that nobody empties.
    fn wake(&mut self) {
        if !self.is_awake && !self.buffers.dirty().is_empty() {
            self.is_awake = true;
            self.wakes.push(());
        }
    }

    /// Buffers of files that nobody uses right now are emptied (`__Flusher_flushBuffers`, `FhgfsOpsHelper_flushCacheNoWait`).
    pub(super) fn flush_all(&mut self, names: &mut Names, now: Time) {
        self.is_awake = false;
        for file in self.buffers.dirty() {
            if !self.locks.contains_key(&file) {
                // Word of it comes to nobody.
                let (operation, is_word) = (Operation::Fsync, true);
                self.begin(FileOp { operation, file, is_word, issued: now, ..FileOp::default() }, names, now);
            }
        }
        self.wake();
    }

    /// What an operation has changed of what is known here.
    fn note(&mut self, op: &FileOp, now: Time) {
        let file = op.file;
        if op.status.failure().is_some() {
            return;
        }
        match op.operation {
            Operation::Create | Operation::Open => {
                self.open.entry(file).or_default().count += 1;
                self.known.insert(file, now);
            }
            Operation::Mkdir => {
                self.known.insert(file, now);
            }
            Operation::Unlink | Operation::Rmdir => {
                self.known.remove(&file);
                self.buffers.forget(file);
            }
            Operation::Rename => {
                if let Some(other) = op.replaced {
                    self.known.remove(&other);
                }
            }
            _ => {}
        }
    }
}
