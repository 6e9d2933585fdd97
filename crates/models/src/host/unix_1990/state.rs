//! What changes while a Unix host runs, and what each system call does to it.
//!
//! A call is taken as far as it goes at one instant ([`Host::advance`]): through everything that is in the buffers, up
//! to a transfer that it has to wait for, or to its end. It takes no time itself; requests and events are left for the
//! transition to send off.

use super::buffer_cache::{BlockKey, BufferCache, Content, Room};
use super::call::{Event, Job, Next};
use super::files::{Files, UnixFile};
use super::layout::Layout;
use super::parameters::{RecordedReads, UnixError, UnixParameters};
use crate::fast_map::FastMap;
use crate::host::daemon::Daemon;
use petrio_colours::{
    BlockRequest, Direction, Failure, FileId, FileOp, Operation, Purpose, RequestId, SECTOR_BYTES,
};
use petrio_kernel::{Key, Time};
use std::hash::Hash;

/// The sync daemon's process number in its requests.
const DAEMON: u32 = Daemon::Flusher.process(0);

#[derive(Clone, Copy, Debug)]
enum Transfer {
    Block(BlockKey, Direction),
    Metadata(RequestId),
}

/// A host.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) parameters: UnixParameters,
    cache: BufferCache,
    files: Files,
    /// For each file the block that a sequential reader comes to next.
    next_block: FastMap<FileId, u64>,
    transfers: Vec<Option<Transfer>>,
    free: Vec<u32>,
    /// Writes of each file's blocks on their way, and of all.
    writes: FastMap<FileId, u32>,
    writes_all: u32,
    /// Metadata writes on their way, by the call that waits for them.
    metadata: FastMap<RequestId, u32>,
    /// Openers of each file.
    openers: FastMap<FileId, u32>,
    /// Files without a name that are still open.
    nameless: FastMap<FileId, ()>,
    next_request: u64,
    pub(super) outbox: Vec<BlockRequest>,
    pub(super) events: Vec<Event>,
    /// What could not be done, by what is waited for, and when that was found.
    failed: Vec<(Event, Failure, Time)>,
}

impl Host {
    pub(super) fn new(
        parameters: &UnixParameters,
        device_blocks: u64,
        files: &[UnixFile],
    ) -> Result<Self, UnixError> {
        let layout = Layout::new(parameters, device_blocks)?;
        let mut cache = BufferCache::new(parameters.buffers());
        for &UnixFile { file, size, .. } in files.iter().filter(|file| file.cached && file.present) {
            for block in 0..size.div_ceil(layout.block_bytes()) {
                if cache.room() == Room::Free {
                    cache.insert(BlockKey { file, block }, Content::Valid);
                }
            }
        }
        Ok(Self {
            parameters: parameters.clone(),
            cache,
            files: Files::new(layout, files)?,
            next_block: FastMap::default(),
            transfers: Vec::new(),
            free: Vec::new(),
            writes: FastMap::default(),
            writes_all: 0,
            metadata: FastMap::default(),
            openers: FastMap::default(),
            nameless: FastMap::default(),
            next_request: 0,
            outbox: Vec::new(),
            events: Vec::new(),
            failed: Vec::new(),
        })
    }

    /// What was ever sent to the disk, less what is there.
    pub(super) fn sent_and_back(&self) -> i64 {
        self.next_request as i64 - self.transfers.iter().flatten().count() as i64
    }

    /// Takes a call as far as it goes.
    pub(super) fn advance(&mut self, job: &mut Job, now: Time) -> Next {
        if job.failure.is_some() {
            return Next::Return;
        }
        let file = job.op.file;
        match job.op.operation {
            Operation::Read => self.read(job, now),
            Operation::Write => self.write(job, now),
            Operation::Fsync | Operation::Fdatasync => {
                if !std::mem::replace(&mut job.sent, true) {
                    for block in self.cache.blocks_of(file, 0) {
                        let key = BlockKey { file, block };
                        if self.cache.is_dirty(key) && self.cache.find(key) == Some(Content::Valid) {
                            self.start_write(key, true, job.op.process, now);
                        }
                    }
                }
                self.until_written(file)
            }
            Operation::Sync => {
                if !std::mem::replace(&mut job.sent, true) {
                    self.flush(Time::NEVER, job.op.process, now);
                }
                if self.writes_all == 0 { Next::Return } else { Next::Wait(Event::AllWritten) }
            }
            Operation::Compute | Operation::Touch => Next::Return,
            // Carried out before it comes to a host that messages reach.
            Operation::Exchange => {
                job.failure = Some(Failure::NotConnected);
                Next::Return
            }
            Operation::Open => {
                *self.openers.entry(file).or_default() += 1;
                Next::Return
            }
            Operation::Create => {
                if !job.sent {
                    self.files.create(file, job.op.parent);
                    *self.openers.entry(file).or_default() += 1;
                }
                self.write_metadata(job, &[file, job.op.parent], now)
            }
            Operation::Close => {
                if count_down(&mut self.openers, file) && self.nameless.remove(&file).is_some() {
                    self.discard(file, 0);
                }
                Next::Return
            }
            Operation::Unlink => {
                if !job.sent {
                    if self.openers.contains_key(&file) {
                        self.nameless.insert(file, ());
                    } else {
                        self.discard(file, 0);
                    }
                }
                self.write_metadata(job, &[job.op.parent, file], now)
            }
            Operation::Truncate => {
                if !job.sent {
                    self.discard(file, job.op.length);
                    if self.files.grow(file, job.op.length).is_err() {
                        return job.fail(Failure::NoSpace);
                    }
                }
                self.write_metadata(job, &[file], now)
            }
            Operation::Mkdir => {
                if !job.sent {
                    self.files.make_directory(file);
                }
                self.write_metadata(job, &[file, job.op.parent], now)
            }
            Operation::Rmdir | Operation::Rename => self.write_metadata(job, &[job.op.parent, file], now),
            Operation::Readdir | Operation::Stat => Next::Return,
        }
    }

    /// Block by block, as `breada` does: this block is started, then the next one, then this one is waited for.
    fn read(&mut self, job: &mut Job, now: Time) -> Next {
        let (file, bytes) = (job.op.file, self.files.layout.block_bytes());
        let end = job.op.end().min(self.files.size(file));
        while job.position < end {
            let key = BlockKey { file, block: job.position / bytes };
            let mut here = self.cache.find(key);
            if here.is_none() {
                if let Some(event) = self.make_room(now) {
                    return Next::Wait(event);
                }
                self.start_read(key, true, &job.op, now);
                here = Some(Content::Coming);
            }
            if job.looked != Some(key.block) {
                job.looked = Some(key.block);
                self.look_ahead(key, &job.op, now);
            }
            if here == Some(Content::Coming) {
                job.waited = true;
                return Next::Wait(Event::Block(key));
            }
            self.cache.touch(key);
            job.position = (key.block + 1) * bytes;
            let used_up = self.parameters.reads == RecordedReads::Missed
                && here == Some(Content::Valid)
                && !self.cache.is_dirty(key);
            if used_up {
                self.cache.drop(key);
            }
        }
        let found = end.saturating_sub(job.op.offset);
        if found < job.op.length {
            (job.op.length, job.op.cut_short) = (found, true);
        }
        Next::Return
    }

    fn look_ahead(&mut self, key: BlockKey, op: &FileOp, now: Time) {
        let in_sequence = self.next_block.insert(key.file, key.block + 1).unwrap_or(0) == key.block;
        let next = BlockKey { block: key.block + 1, ..key };
        let there = next.block * self.files.layout.block_bytes() < self.files.size(key.file);
        if self.parameters.read_ahead
            && in_sequence
            && there
            && self.cache.find(next).is_none()
            && self.make_room(now).is_none()
        {
            self.start_read(next, false, op, now);
        }
    }

    fn write(&mut self, job: &mut Job, now: Time) -> Next {
        let (file, bytes) = (job.op.file, self.files.layout.block_bytes());
        let durable = job.op.flags.sync || job.op.flags.data_sync;
        if job.op.flags.append && !std::mem::replace(&mut job.at_end, true) {
            job.op.offset = self.files.size(file);
            job.position = job.op.offset;
        }
        let end = job.op.end();
        while job.position < end {
            let key = BlockKey { file, block: job.position / bytes };
            let first = key.block * bytes;
            let last = end.min(first + bytes);
            match self.cache.find(key) {
                Some(Content::Valid) => {}
                Some(Content::Coming | Content::Going) => {
                    job.waited = true;
                    return Next::Wait(Event::Block(key));
                }
                None => {
                    if let Some(event) = self.make_room(now) {
                        return Next::Wait(event);
                    }
                    let old = self.files.size(file).min(first + bytes);
                    let keeps_some = old > first && (job.position > first || last < old);
                    if keeps_some && self.parameters.reads == RecordedReads::Simulated {
                        self.start_read(key, true, &job.op, now);
                        job.waited = true;
                        return Next::Wait(Event::Block(key));
                    }
                    self.cache.insert(key, Content::Valid);
                }
            }
            self.cache.touch(key);
            if self.files.grow(file, last).is_err() {
                return job.fail(Failure::NoSpace);
            }
            self.cache.dirty(key, now);
            if durable || last == first + bytes {
                self.start_write(key, durable, job.op.process, now);
            }
            job.position = last;
        }
        if durable { self.until_written(file) } else { Next::Return }
    }

    fn until_written(&self, file: FileId) -> Next {
        match self.writes.contains_key(&file) {
            true => Next::Wait(Event::Written(file)),
            false => Next::Return,
        }
    }

    /// The sync daemon comes.
    pub(super) fn sync_daemon(&mut self, now: Time) {
        let delayed = self.parameters.delayed.time();
        if let Some(until) = now.as_picos().checked_sub(delayed.as_picos()) {
            self.flush(Time::from_picos(until), DAEMON, now);
        }
    }

    /// Writes what has been delayed since `until`.
    fn flush(&mut self, until: Time, process: u32, now: Time) {
        for key in self.cache.delayed(until) {
            self.start_write(key, false, process, now);
        }
    }

    /// Finds a buffer; if there is none, what to wait for.
    fn make_room(&mut self, now: Time) -> Option<Event> {
        loop {
            match self.cache.room() {
                Room::Free => return None,
                Room::Write(key) => self.start_write(key, false, DAEMON, now),
                Room::None => return Some(Event::Room),
            }
        }
    }

    /// A file is cut to a length: nothing beyond is kept, or written any more.
    fn discard(&mut self, file: FileId, size: u64) {
        let bytes = self.files.layout.block_bytes();
        for block in self.cache.blocks_of(file, size.div_ceil(bytes)) {
            self.cache.drop(BlockKey { file, block });
        }
        if size == 0 {
            self.next_block.remove(&file);
        }
        self.files.cut(file, size);
    }

    fn start_read(&mut self, key: BlockKey, synchronous: bool, op: &FileOp, now: Time) {
        self.cache.insert(key, Content::Coming);
        self.send(key, Direction::Read, synchronous, op.process, now);
    }

    fn start_write(&mut self, key: BlockKey, synchronous: bool, process: u32, now: Time) {
        self.cache.begin_write(key);
        *self.writes.entry(key.file).or_default() += 1;
        self.writes_all += 1;
        self.send(key, Direction::Write, synchronous, process, now);
    }

    fn send(&mut self, key: BlockKey, direction: Direction, synchronous: bool, process: u32, now: Time) {
        // A block in the cache is one of a file that is there.
        let (address, blocks) = self.files.place(key.file, key.block).unwrap_or((0, 1));
        let tag = self.transfer(Transfer::Block(key, direction));
        let request = BlockRequest {
            process,
            direction,
            synchronous,
            tag,
            file: key.file,
            address,
            blocks,
            ..BlockRequest::default()
        };
        self.push(request, now);
    }

    fn push(&mut self, mut request: BlockRequest, now: Time) {
        self.next_request += 1;
        request.id = RequestId(self.next_request);
        request.issued = now;
        self.outbox.push(request);
    }

    fn transfer(&mut self, transfer: Transfer) -> u64 {
        match self.free.pop() {
            Some(slot) => {
                self.transfers[slot as usize] = Some(transfer);
                u64::from(slot)
            }
            None => {
                self.transfers.push(Some(transfer));
                self.transfers.len() as u64 - 1
            }
        }
    }

    /// Writes the inodes (and directory blocks) of what a call has changed, and waits for it.
    fn write_metadata(&mut self, job: &mut Job, of: &[FileId], now: Time) -> Next {
        if !self.parameters.metadata {
            return Next::Return;
        }
        let id = job.op.id;
        if !std::mem::replace(&mut job.sent, true) {
            let sectors = self.parameters.fragment.get() / SECTOR_BYTES;
            for &file in of {
                let tag = self.transfer(Transfer::Metadata(id));
                *self.metadata.entry(id).or_default() += 1;
                let address = self.files.inode(file) / sectors * sectors;
                let request = BlockRequest {
                    process: job.op.process,
                    direction: Direction::Write,
                    synchronous: true,
                    purposes: Purpose::Metadata.into(),
                    tag,
                    address,
                    blocks: sectors as u32,
                    ..BlockRequest::default()
                };
                self.push(request, now);
            }
        }
        job.waited = true;
        match self.metadata.contains_key(&id) {
            true => Next::Wait(Event::Metadata(id)),
            false => Next::Return,
        }
    }

    /// A request has come back; `false` where the host never sent it.
    pub(super) fn complete(&mut self, request: &BlockRequest, now: Time) -> bool {
        let slot = request.tag as usize;
        let Some(transfer) = self.transfers.get_mut(slot).and_then(Option::take) else { return false };
        self.free.push(slot as u32);
        if let Some(failure) = request.status.failure() {
            self.note_failure(transfer, failure, now);
        }
        match transfer {
            Transfer::Block(key, direction) => {
                self.cache.settle(key);
                self.events.push(Event::Block(key));
                self.events.push(Event::Room);
                if direction == Direction::Write {
                    self.writes_all -= 1;
                    if self.writes_all == 0 {
                        self.events.push(Event::AllWritten);
                    }
                    if count_down(&mut self.writes, key.file) {
                        self.events.push(Event::Written(key.file));
                    }
                }
            }
            Transfer::Metadata(id) => {
                if count_down(&mut self.metadata, id) {
                    self.events.push(Event::Metadata(id));
                }
            }
        }
        true
    }

    /// A request could not be done (B_ERROR): who waits for the block that it reads, or for his metadata, hears of it.
    /// Data that could not be written are lost without a word.
    fn note_failure(&mut self, transfer: Transfer, failure: Failure, now: Time) {
        let Self { failed, metadata, .. } = self;
        failed.retain(|&(event, _, at)| {
            at == now || matches!(event, Event::Metadata(id) if metadata.contains_key(&id))
        });
        match transfer {
            Transfer::Block(key, Direction::Read) => {
                self.cache.drop(key);
                self.failed.push((Event::Block(key), failure, now));
            }
            Transfer::Block(..) => {}
            Transfer::Metadata(id) => self.failed.push((Event::Metadata(id), failure, now)),
        }
    }

    /// Why what somebody waited for under a key could not be done, if it couldn't.
    pub(super) fn failure_of(&self, key: Key) -> Option<Failure> {
        self.failed.iter().find(|(event, ..)| event.key() == key).map(|&(_, failure, _)| failure)
    }
}

/// One less of something; whether none is left.
fn count_down<K: Copy + Eq + Hash>(counts: &mut FastMap<K, u32>, key: K) -> bool {
    match counts.get_mut(&key) {
        Some(left) if *left > 1 => {
            *left -= 1;
            false
        }
        _ => {
            counts.remove(&key);
            true
        }
    }
}
