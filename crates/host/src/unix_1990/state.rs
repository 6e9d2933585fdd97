//! What changes while a Unix host runs, and what each system call does to it.
//!
//! Each file system has files and a layout of its own; buffers, openers and the count of what is on its way are the host's.
//!
//! A call is taken as far as it goes at one instant ([`Host::advance`]): through everything that is in the buffers, up
//! to a transfer that it has to wait for, or to its end. It takes no time itself; requests and events are left for the
//! transition to send off.

use super::buffer_cache::{BlockKey, BufferCache, Content, Room, VolumeFile};
use super::call::{Caller, Event, Job, Next};
use super::files::{Files, UnixFileSystem};
use super::in_flight::{InFlight, Transfer};
use super::layout::Layout;
use super::over_nfs::Over;
use super::parameters::{RecordedReads, UnixError, UnixParameters};
use crate::daemon::Daemon;
use petrio_colours::{BlockRequest, Direction, Failure, FileOp, Operation, local_operations};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::hash::Hash;
use std::ops::Range;

/// The sync daemon's process number in its requests.
const DAEMON: u32 = Daemon::Flusher.process(0);

/// A host.
#[derive(Clone, Debug, Persist)]
pub(super) struct Host {
    #[persist(keep)]
    pub(super) parameters: UnixParameters,
    pub(super) cache: BufferCache,
    /// Each file system's, by its number.
    pub(super) volumes: Vec<Files>,
    /// Those that are other hosts'.
    pub(super) over: Vec<Over>,
    pub(super) block_bytes: u64,
    /// For each file the block that a sequential reader comes to next.
    next_block: FastMap<VolumeFile, u64>,
    pub(super) in_flight: InFlight,
    /// Writes of each file's blocks on their way, and of all.
    pub(super) writes: FastMap<VolumeFile, u32>,
    writes_all: u32,
    /// Metadata writes on their way, by the call that waits for them.
    pub(super) metadata: FastMap<Caller, u32>,
    /// Files of which somebody writes through to the disk.
    pub(super) locked: FastMap<VolumeFile, ()>,
    /// Processes that are servers: they have nothing open.
    #[persist(keep)]
    servers: Vec<Range<u32>>,
    /// Openers of each file.
    openers: FastMap<VolumeFile, u32>,
    /// Files without a name that are still open.
    nameless: FastMap<VolumeFile, ()>,
    pub(super) events: Vec<Event>,
    /// What could not be done, by what is waited for, and when that was found.
    failed: Vec<(Event, Failure, Time)>,
}

impl Host {
    pub(super) fn new(
        parameters: &UnixParameters,
        file_systems: &[UnixFileSystem<'_>],
    ) -> Result<Self, UnixError> {
        parameters.check()?;
        let block_bytes = parameters.block.get();
        let mut cache = BufferCache::new(parameters.buffers());
        let mut volumes = Vec::new();
        let mut over = Vec::new();
        for (volume, file_system) in (0..).zip(file_systems) {
            for known in file_system.files.iter().filter(|file| file.cached && file.present) {
                let file = VolumeFile::new(volume, known.file);
                for block in 0..known.size.div_ceil(block_bytes) {
                    if cache.room() == Room::Free {
                        cache.insert(BlockKey { file, block }, Content::Valid);
                    }
                }
            }
            if let Some(mounted) = file_system.over {
                let own = Over::new(mounted, volume, file_system.files);
                over.push(own.ok_or(UnixError::Mounted { name: file_system.name.to_owned() })?);
            }
            let files = Layout::new(parameters, file_system.device_blocks)
                .and_then(|layout| Files::new(layout, file_system.files));
            volumes.push(files.map_err(|error| match file_systems.len() {
                1 => error,
                _ => UnixError::OneOf { name: file_system.name.to_owned(), error: Box::new(error) },
            })?);
        }
        Ok(Self {
            parameters: parameters.clone(),
            cache,
            in_flight: InFlight::new(volumes.len()),
            volumes,
            over,
            block_bytes,
            next_block: FastMap::default(),
            writes: FastMap::default(),
            writes_all: 0,
            metadata: FastMap::default(),
            locked: FastMap::default(),
            servers: Vec::new(),
            openers: FastMap::default(),
            nameless: FastMap::default(),
            events: Vec::new(),
            failed: Vec::new(),
        })
    }

    /// These processes are servers: what they ask for a client is open nowhere.
    pub(super) fn serves(&mut self, processes: Range<u32>) {
        self.servers.push(processes);
    }

    fn opens(&mut self, op: &FileOp, file: VolumeFile) {
        if !self.servers.iter().any(|processes| processes.contains(&op.process)) {
            *self.openers.entry(file).or_default() += 1;
        }
    }

    pub(super) fn files(&self, of: VolumeFile) -> &Files {
        &self.volumes[of.volume() as usize]
    }

    pub(super) fn files_mut(&mut self, of: VolumeFile) -> &mut Files {
        &mut self.volumes[of.volume() as usize]
    }

    /// Takes a call as far as it goes.
    pub(super) fn advance(&mut self, job: &mut Job, now: Time) -> Next {
        let next = self.go_on(job, now);
        if next == Next::Return {
            self.unlock(job);
        }
        next
    }

    fn go_on(&mut self, job: &mut Job, now: Time) -> Next {
        if job.failure.is_some() {
            return Next::Return;
        }
        let volume = self.volume_called(job.called);
        job.op.file_system = volume;
        let of_none = matches!(job.op.operation, Operation::Compute | Operation::Touch | Operation::Exchange);
        if volume as usize >= self.volumes.len() && !of_none {
            return job.fail(Failure::NotFound);
        }
        let file = VolumeFile::new(volume, job.op.file);
        if self.is_over(volume)
            && !Self::is_of_no_file(job.op.operation)
            && let Some(next) = self.over_nfs(job, now)
        {
            return next;
        }
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
                self.opens(&job.op, file);
                Next::Return
            }
            Operation::Close => {
                if count_down(&mut self.openers, file) && self.nameless.remove(&file).is_some() {
                    self.discard(file, 0);
                }
                Next::Return
            }
            Operation::Create
            | Operation::Unlink
            | Operation::Truncate
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::SetAttributes
            | Operation::Rename => self.change(job, file, now),
            local_operations!() => job.fail(Failure::NotImplemented),
            Operation::Readdir | Operation::Stat => Next::Return,
        }
    }

    /// A call that changes a file's name or inode.
    fn change(&mut self, job: &mut Job, file: VolumeFile, now: Time) -> Next {
        let parent = job.op.parent;
        match job.op.operation {
            Operation::Create => {
                if !job.sent {
                    self.files_mut(file).create(job.op.file, parent);
                    self.opens(&job.op, file);
                }
                self.write_metadata(job, &[job.op.file, parent], now)
            }
            Operation::Unlink => {
                if !job.sent {
                    if self.openers.contains_key(&file) {
                        self.nameless.insert(file, ());
                    } else {
                        self.discard(file, 0);
                    }
                }
                self.write_metadata(job, &[parent, job.op.file], now)
            }
            Operation::Truncate => {
                if !job.sent {
                    self.discard(file, job.op.length);
                    if self.files_mut(file).grow(job.op.file, job.op.length).is_err() {
                        return job.fail(Failure::NoSpace);
                    }
                }
                self.write_metadata(job, &[job.op.file], now)
            }
            Operation::SetAttributes => self.write_metadata(job, &[job.op.file], now),
            Operation::Mkdir => {
                if !job.sent {
                    self.files_mut(file).make_directory(job.op.file);
                }
                self.write_metadata(job, &[job.op.file, parent], now)
            }
            _ => self.write_metadata(job, &[parent, job.op.file], now),
        }
    }

    /// Block by block, as `breada` does: this block is started, then the next one, then this one is waited for.
    fn read(&mut self, job: &mut Job, now: Time) -> Next {
        let (file, bytes) = (VolumeFile::new(job.op.file_system, job.op.file), self.block_bytes);
        let end = job.op.end().min(self.files(file).size(file.file()));
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
        let there = next.block * self.block_bytes < self.files(key.file).size(key.file.file());
        if self.parameters.read_ahead
            && in_sequence
            && there
            && self.cache.find(next).is_none()
            && !self.is_without_biod(next)
            && self.make_room(now).is_none()
        {
            self.start_read(next, false, op, now);
        }
    }

    fn write(&mut self, job: &mut Job, now: Time) -> Next {
        let (file, bytes) = (VolumeFile::new(job.op.file_system, job.op.file), self.block_bytes);
        let durable = job.op.flags.sync || job.op.flags.data_sync;
        if job.op.flags.append && !std::mem::replace(&mut job.at_end, true) {
            job.op.offset = self.files(file).size(file.file());
            job.position = job.op.offset;
        }
        if durable && let Some(next) = self.go_on_through(job, file, now) {
            return next;
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
                    let old = self.files(file).size(file.file()).min(first + bytes);
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
            let was = self.files(file).size(file.file());
            if self.files_mut(file).grow(file.file(), last).is_err() {
                return job.fail(Failure::NoSpace);
            }
            self.cache.dirty(key, now);
            job.position = last;
            if durable && self.writes_through(file) {
                return match self.write_through(job, (key, was), now) {
                    Some(next) => next,
                    None => job.fail(Failure::NoSpace),
                };
            }
            if durable || last == first + bytes {
                let waits = self.is_without_biod(key);
                self.start_write(key, durable || waits, job.op.process, now);
                if waits {
                    job.waited = true;
                    return Next::Wait(Event::Block(key));
                }
            }
        }
        match durable {
            true if self.writes_through(file) => self.inode_through(job, file, now),
            true => self.until_written(file),
            false => Next::Return,
        }
    }

    fn until_written(&self, file: VolumeFile) -> Next {
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
    fn discard(&mut self, file: VolumeFile, size: u64) {
        for block in self.cache.blocks_of(file, size.div_ceil(self.block_bytes)) {
            self.cache.drop(BlockKey { file, block });
        }
        if size == 0 {
            self.next_block.remove(&file);
        }
        self.files_mut(file).cut(file.file(), size);
    }

    fn start_read(&mut self, key: BlockKey, synchronous: bool, op: &FileOp, now: Time) {
        self.cache.insert(key, Content::Coming);
        self.send(key, Direction::Read, synchronous, op.process, now);
    }

    pub(super) fn start_write(&mut self, key: BlockKey, synchronous: bool, process: u32, now: Time) {
        self.cache.begin_write(key);
        *self.writes.entry(key.file).or_default() += 1;
        self.writes_all += 1;
        self.send(key, Direction::Write, synchronous, process, now);
    }

    fn send(&mut self, key: BlockKey, direction: Direction, synchronous: bool, process: u32, now: Time) {
        // A block in the cache is one of a file that is there.
        let file = key.file.file();
        let request = self.request_over(key, direction, synchronous).unwrap_or_else(|| {
            let (address, blocks) = self.files(key.file).place(file, key.block).unwrap_or((0, 1));
            BlockRequest { direction, file, address, blocks, ..BlockRequest::default() }
        });
        let request = BlockRequest { process, synchronous, ..request };
        self.in_flight.send(Transfer::Block(key, direction), request, now);
    }

    /// A request has come back from the device of a file system; `false` where the host never sent it there.
    pub(super) fn complete(&mut self, volume: u32, request: &BlockRequest, now: Time) -> bool {
        let Some(transfer) = self.in_flight.take(volume, request.tag) else { return false };
        if let Some(failure) = request.status.failure() {
            self.note_failure(transfer, failure, now);
        }
        match transfer {
            Transfer::Block(key, direction) => {
                self.complete_over(key, direction, request.status.failure(), now);
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
            Transfer::Metadata(id, _) => {
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
            Transfer::Metadata(id, _) => self.failed.push((Event::Metadata(id), failure, now)),
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
