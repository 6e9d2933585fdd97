//! A mounted XFS below the page cache: its [`XfsVolume`] and its [`Log`].
//!
//! ```text
//!   prepare (promises blocks, times) … find_blocks ─▶ data ─▶ written (they hold data now)
//!        └──────────────┬─────────────────┴──────────────────────┘
//!                       ▼
//!            Log: committed items ◀─ force (fsync, sync: whoever wants something durable) ◀─ in place (every 30 s, or where log is short)
//! ```
//!
//! No operation waits for another's change: a transaction is over when the step that makes it is. Who makes something durable forces the
//! checkpoint that it is in; those who come while one is written are in the next, together (`xfs_log_force_seq`).

mod force;
mod in_place;
mod thread;
mod write;

use super::group::inode_tree_root;
use super::items::{Buffer, Changes};
use super::log::{Item, Log, LogWrite};
use super::volume::XfsVolume;
use crate::below::{
    AfterData, AnyFileSystem, FileSystem, Freed, Kernel, Layout, Nature, Piece, Posts, Prepared, Scope, Stop,
    Threads,
};
use crate::copy_cost::PAGE_BYTES;
use crate::daemon::Daemon;
use crate::file_system::{FileError, Mapping};
use crate::kernel_profile::KernelParameters;
use crate::laid_out::PreparedFile;
use crate::mount::Mount;
use crate::page_cache::FileKey;
use crate::parameters::HostParameters;
use crate::state::{Event, Moves, Touch, device_key, file_of};
use petrio_colours::{Direction, FileCause, FileId, FileOp, Operation, Purpose};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;
use std::collections::VecDeque;

/// How long an unlinked file waits for the worker that removes it: a jiffy of 4 ms (`xfs_inodegc_queue`).
const INACTIVE_AGE: Time = Time::from_millis(4);

/// How often a quiet file system says in its log that nothing is in it (`xfs_log_need_covered`).
const COVERS: u8 = 2;

/// A mounted XFS.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Xfs {
    volume: XfsVolume,
    log: Log,
    rules: XfsRules,
    /// What the operation at hand reads and changes.
    changes: Changes,
    /// The newest checkpoint that somebody has asked for.
    requested: u64,
    /// Writes of the checkpoint under way that aren't sent, and the last of them, with its number.
    writes: VecDeque<LogWrite>,
    sending: u64,
    /// Log buffers on their way, and the group that their requests are.
    in_flight: u32,
    /// Whether the file system's own device has been flushed for the next write to a log apart.
    flushed: bool,
    group: u64,
    /// Groups whose free list has been read (its sector lies beside others that mounting reads).
    free_lists: Vec<bool>,
    /// Since when files wait to be removed.
    inactive_since: Time,
    /// How often it is still to be said that nothing is in the log.
    covers: u8,
    /// What is being written in place.
    work: in_place::Work,
    /// What was given back since the last checkpoints, where the device is to be told of it.
    freed: Freed,
}

/// What doesn't change during a run.
#[derive(Clone, Copy, Debug, Persist)]
struct XfsRules {
    device: FileKey,
    /// Whether the device is told of what was given back.
    discards: bool,
}

impl Layout for XfsVolume {
    fn add(&mut self, file: &PreparedFile, stream: &mut Generator) -> Result<(), FileError> {
        match file.directory {
            true => self.add_directory(file.file, file.parent),
            false => self.add_file(file.file, file.parent, file.size, stream),
        }
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        Self::map(self, file, first, count, out);
    }

    fn is_directory(&self, file: FileId) -> bool {
        Self::is_directory(self, file)
    }

    fn mount(&self, number: u32, host: &HostParameters, mount: &Mount) -> (AnyFileSystem, Nature) {
        let (parameters, kernel) = (self.parameters(), &host.kernel);
        let area = match mount.log {
            Some(log) => 0..log.blocks,
            None => self.geometry().log.clone(),
        };
        let nature = Nature {
            delayed: true,
            posts: Posts::Dirty,
            direct: true,
            large_folios: kernel.page_cache.largest_folio.get() > PAGE_BYTES,
            access_times: parameters.access_times,
            tick: kernel.tick(),
            counts_rewrites: false,
            most_pages: u64::MAX,
            most_read_pages: u64::MAX,
            shared: false,
            synchronous: false,
            before_indirect_block: None,
            reads_ahead: true,
            age: in_place::PERIOD,
        };
        let xfs = Xfs {
            volume: self.clone(),
            log: Log::new(parameters.log_in(area.start, area.end - area.start)),
            rules: XfsRules {
                device: device_key(number),
                discards: parameters.discard && mount.takes_discards,
            },
            changes: Changes::default(),
            requested: 0,
            writes: VecDeque::new(),
            sending: 0,
            in_flight: 0,
            flushed: false,
            group: 0,
            free_lists: vec![false; self.geometry().groups as usize],
            inactive_since: Time::ZERO,
            covers: 0,
            work: in_place::Work::default(),
            freed: Freed::default(),
        };
        (Box::new(xfs), nature)
    }
}

impl Xfs {
    /// Puts what the operation at hand has changed into the running checkpoint, whose number is the answer. A list that is full is to
    /// be written.
    fn commit(&mut self, kernel: &mut Kernel<'_>) -> u64 {
        for buffer in &self.changes.forgotten {
            kernel.memory.cache.remove(self.rules.device, buffer.block(), buffer.block() + buffer.pages());
        }
        for at in 0..self.changes.buffers.len() {
            self.keep(kernel, self.changes.buffers[at].0);
        }
        for at in 0..self.changes.created.len() {
            // New inodes are in memory.
            let block = self.changes.created[at];
            self.keep(kernel, Buffer::blocks(block, 4));
            self.keep(kernel, Buffer::blocks(block + 4, 4));
        }
        let sequence = self.log.commit(&self.changes);
        if self.rules.discards {
            self.changes.freed.iter().for_each(|&run| self.freed.add(sequence, run));
        }
        if !self.changes.is_empty() {
            self.covers = COVERS;
        }
        self.changes.clear();
        sequence
    }

    /// A buffer that has just been made, or changed, is in memory.
    fn keep(&self, kernel: &mut Kernel<'_>, buffer: Buffer) {
        for block in buffer.block()..buffer.block() + buffer.pages() {
            kernel.keep_new_block(block);
        }
    }

    /// The same where it may be said that the list is full.
    fn commit_asking(&mut self, kernel: &mut Kernel<'_>) -> u64 {
        let sequence = self.commit(kernel);
        if self.log.is_full() && self.requested < sequence {
            self.ask_for(kernel, sequence);
        }
        if self.log.is_short() {
            kernel.fs.signals.checkpoint = true;
        }
        sequence
    }

    /// A checkpoint is wanted on the device.
    fn ask_for(&mut self, kernel: &mut Kernel<'_>, sequence: u64) -> Event {
        self.requested = self.requested.max(sequence);
        kernel.fs.signals.commit = true;
        Event::Committed(sequence)
    }

    /// Brings a buffer into memory; the group to wait for unless it is there.
    fn bring(&mut self, kernel: &mut Kernel<'_>, buffer: Buffer, touch: Touch) -> Option<u64> {
        let touch = Touch { direction: Direction::Read, synchronous: true, ..touch };
        let device = self.rules.device;
        if buffer.sectors == 1 {
            let group = self.volume.geometry().group_of(buffer.block()) as usize;
            let read = self.free_lists.get_mut(group)?;
            if std::mem::replace(read, true) {
                return None;
            }
            let group = kernel.fs.transfers.group();
            let sector = (buffer.sector, u64::from(buffer.sectors));
            kernel.fs.send_metadata(sector, touch, group, kernel.now, Moves::Plain);
            return Some(group);
        }
        let (block, pages) = (buffer.block(), buffer.pages());
        match kernel.memory.cache.look(device, block) {
            Some(page) if page.uptodate => {
                kernel.memory.cache.access(device, block, 1);
                None
            }
            Some(_) => kernel.fs.transfers.bringing(device, block),
            None => {
                kernel.memory.make_room(pages);
                let mut at = block;
                while let Some((first, run)) = kernel.memory.cache.missing_run(device, at, block + pages) {
                    kernel.memory.cache.insert(device, first, run, None);
                    at = first + run;
                }
                let group = kernel.fs.transfers.group();
                let moves = Moves::Read { file: device, first: block, pages };
                let sectors = (buffer.sector, u64::from(buffer.sectors));
                kernel.fs.send_metadata(sectors, touch, group, kernel.now, moves);
                Some(group)
            }
        }
    }

    /// Brings the first of the buffers in `changes.reads` that isn't in memory: one is read after the other.
    ///
    /// # Errors
    /// That it has to come first.
    fn bring_all(&mut self, kernel: &mut Kernel<'_>, touch: Touch, cause: FileCause) -> Result<(), Stop> {
        let reads = std::mem::take(&mut self.changes.reads);
        let group = reads.iter().find_map(|&buffer| self.bring(kernel, buffer, touch));
        self.changes.reads = reads;
        self.changes.reads.clear();
        group.map_or(Ok(()), |group| Err(Stop::Wait(Event::Group(group), cause)))
    }

    /// Removes the files whose last name went a while ago; or now, where one of them is to be made again: a name stands for one file
    /// at a time here.
    fn remove_inactive(&mut self, kernel: &mut Kernel<'_>, made: Option<FileId>) {
        let is_old = self.volume.has_inactive() && kernel.now >= self.inactive_since + INACTIVE_AGE;
        if !is_old && !made.is_some_and(|file| self.volume.is_inactive(file)) {
            return;
        }
        let mut gone = Vec::new();
        self.volume.inactivate(&mut self.changes, &mut gone);
        self.commit(kernel);
        gone.into_iter().for_each(|file| self.log.forget(Item::Inode(file)));
    }

    fn note_change(&self, kernel: &mut Kernel<'_>, op: &FileOp, sequence: u64) {
        if op.operation.makes() {
            *kernel.fs.inodes.get_mut(op.file) = Default::default();
        }
        let names = op.operation.makes() && op.operation != Operation::Tmpfile;
        let parent = names || matches!(op.operation, Operation::Rename | Operation::Link);
        for file in [Some(op.file), parent.then_some(op.parent), op.replaced].into_iter().flatten() {
            let inode = kernel.fs.inodes.get_mut(file);
            (inode.sync, inode.data_sync) = (sequence, sequence);
        }
    }
}

impl FileSystem for Xfs {
    #[inline]
    fn exists(&self, file: FileId) -> bool {
        self.volume.exists(file)
    }

    #[inline]
    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.volume.map(file, first, count, out);
    }

    fn map_data(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.volume.map_data(file, first, count, out);
    }

    fn inode_block(&self, file: FileId) -> Option<u64> {
        self.volume.cluster(file).map(Buffer::block)
    }

    fn inode_blocks(&self, file: FileId) -> Option<(u64, u64)> {
        self.volume.cluster(file).map(|buffer| (buffer.block(), buffer.pages()))
    }

    /// Files that are there before a run lie on a file system that has just been mounted.
    fn knows_inodes(&self) -> bool {
        false
    }

    /// The headers of all groups, the root's cluster of inodes and what leads to it (`xfs_mountfs`).
    fn brought_by_mount(&self, _kernel: &KernelParameters) -> Vec<u64> {
        let geometry = self.volume.geometry();
        let headers = (0..geometry.groups).map(|group| geometry.group_start(group));
        let root = self.volume.cluster(FileId::ROOT);
        let root = root.into_iter().flat_map(|buffer| buffer.block()..buffer.block() + buffer.pages());
        headers.chain([inode_tree_root()]).chain(root).collect()
    }

    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        self.prepare_pages(kernel, piece)
    }

    fn grow(&mut self, file: FileId, size: u64) {
        self.volume.grow(file, size);
    }

    fn prepare_past_cache(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        range: (u64, u64),
        end: u64,
    ) -> Result<bool, Stop> {
        self.prepare_direct(kernel, op, range, end)
    }

    fn note_access(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        self.volume.touch_inode(op.file, &mut self.changes);
        let sequence = self.commit_asking(kernel);
        kernel.touch_access(op.file);
        kernel.fs.inodes.get_mut(op.file).sync = sequence;
        Ok(())
    }

    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        let made = op.operation.makes().then_some(op.file);
        self.remove_inactive(kernel, made);
        self.changes.clear();
        let reads = &mut self.changes.reads;
        self.volume.needs(op, |buffer| reads.push(buffer));
        self.bring_all(kernel, Touch::of(op, Direction::Read, true), FileCause::Read)?;
        let waited = self.volume.has_inactive();
        if let Err(error) = self.volume.operate(op, &mut self.changes) {
            self.changes.clear();
            return Err(error.into());
        }
        if !waited && self.volume.has_inactive() {
            self.inactive_since = kernel.now;
        }
        if !self.changes.is_empty() {
            let sequence = self.commit_asking(kernel);
            self.note_change(kernel, op, sequence);
            if matches!(op.operation, Operation::Unlink | Operation::Rmdir)
                && let Some(parent) = self.volume.parent(op.file)
            {
                let inode = kernel.fs.inodes.get_mut(parent);
                (inode.sync, inode.data_sync) = (sequence, sequence);
            }
        }
        Ok(None)
    }

    fn find_blocks(&mut self, kernel: &mut Kernel<'_>, key: FileKey, touch: Touch) -> Result<(), Stop> {
        self.find_promised(kernel, key, touch)
    }

    fn written(&mut self, kernel: &mut Kernel<'_>, key: FileKey, (first, pages): (u64, u64), done: bool) {
        if let Some(file) = file_of(key).filter(|_| done)
            && self.volume.written(file, (first, pages), &mut self.changes)
        {
            let sequence = self.commit(kernel);
            let inode = kernel.fs.inodes.get_mut(file);
            (inode.sync, inode.data_sync) = (sequence, sequence);
        }
    }

    /// The checkpoint. Who finds that another has asked for it flushes the device himself (`log_flushed` of `xfs_file_fsync`), as does
    /// who has nothing in the log.
    fn after_data(&mut self, kernel: &mut Kernel<'_>, scope: Scope) -> AfterData {
        if self.rules.discards {
            // The worker has been at what waited long enough.
            self.remove_inactive(kernel, None);
        }
        let Scope::File { file, data_only } = scope else {
            let newest = if self.log.is_clean() { self.log.sequence() - 1 } else { self.log.sequence() };
            let event = (newest > self.log.committed()).then(|| self.ask_for(kernel, newest));
            return AfterData { event, flush: false };
        };
        let (inode, flushes) = (kernel.fs.inodes.get(file), !self.volume.is_directory(file));
        let sequence = if data_only { inode.data_sync } else { inode.sync };
        if sequence <= self.log.committed() {
            return AfterData { event: None, flush: flushes };
        }
        if kernel.fs.rules.log_apart && flushes {
            // Before the log is forced, and not after it.
            let group = kernel.fs.transfers.group();
            let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Flush, true);
            kernel.fs.send_flush(touch, Purpose::Data, group, kernel.now);
            return AfterData { event: Some(self.ask_for(kernel, sequence)), flush: false };
        }
        let shared = sequence <= self.requested;
        let event = self.ask_for(kernel, sequence);
        AfterData { event: Some(event), flush: flushes && shared }
    }

    fn promises_flush(&self, scope: Scope) -> bool {
        match scope {
            Scope::All => false,
            Scope::File { file, .. } => !self.volume.is_directory(file),
        }
    }

    fn threads(&self) -> Threads {
        |page, places| {
            force::force_page(&mut page.page("log"), places);
            in_place::in_place_page(&mut page.page("in place"), places);
        }
    }
}
