//! ext3 and ext4 below the page cache: their [`Volume`] and their [`Journal`], of JBD or JBD2.
//!
//! ```text
//!   prepare, post, change_names … ─▶ handles ─▶ Journal ◀─ commit (kjournald, jbd2) ◀─ checkpoint
//!                 └────────────────────────────▶ Volume: blocks, inodes, directories
//! ```
//!
//! After fs/ext3 and fs/jbd of Linux 2.6.24, fs/ext4 and fs/jbd2 of 6.x. What the volume and the journal model, they say themselves.

mod checkpoint;
mod commit;
mod discard;
mod find;
mod handles;
mod walk;
mod write;

use super::below::{
    AfterData, AnyFileSystem, Change, FileSystem, Kernel, Layout, Nature, Piece, Posted, Posts, Prepared,
    Scope, Stop, Threads,
};
use super::copy_cost::PAGE_BYTES;
use super::file_system::{Family, FileError, FileSystemParameters, JournalMode, Mapping, Volume};
use super::journal::{BlockKey, Journal, JournalParameters};
use super::kernel_profile::{JournalGeneration, KernelParameters, OrderedData};
use super::laid_out::PreparedFile;
use super::mount::Mount;
use super::page_cache::FileKey;
use super::parameters::HostParameters;
use super::state::{Event, Touch, device_key, file_of};
use petrio_colours::{Direction, FileCause, FileId, FileOp, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;

/// Blocks that a change of an inode's times may dirty (EXT4_RESERVE_TRANS_BLOCKS of fs/ext4/ext4_jbd2.h is 12; its inode is one).
const ACCESS_CREDITS: u64 = 2;
/// Blocks that an operation on names may dirty: both directories with an index, both inodes, bitmaps, descriptors, superblock
/// (`EXT3_DATA_TRANS_BLOCKS` twice, about).
const NAMES_CREDITS: u64 = 32;

/// Pages of an extent that is found late, and so of a request for it (MAX_WRITEPAGES_EXTENT_LEN of fs/ext4/inode.c).
const DELAYED_EXTENT_PAGES: u64 = 2_048;

/// A mounted ext3 or ext4.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Ext {
    volume: Volume,
    journal: Journal,
    rules: ExtRules,
    /// What has been found since it was mounted; none where all is known.
    found: Option<walk::Found>,
    discards: discard::Discards,
}

/// What doesn't change during a run.
#[derive(Clone, Copy, Debug, Persist)]
struct ExtRules {
    device: FileKey,
    mode: JournalMode,
    /// Which journal it has.
    generation: JournalGeneration,
    barriers: bool,
    /// Whether data that are to be logged are dirty pages before they are committed, and not only from then on.
    logged_data_are_dirty: bool,
    /// Whether blocks that are found late hold data only once these are there and a transaction of its own says so.
    converts: bool,
    /// Whether a commit waits for a file's data as a whole, rather than for what got blocks in its transaction.
    orders_files: bool,
    /// Whether it flushes the device where fsync finds nothing to be committed, and where sync(2) does.
    flushes_without_commit: bool,
    sync_flushes_without_commit: bool,
    /// Whether the device is told of blocks that were given back, and whether commits wait for that.
    discards: bool,
    discards_in_commit: bool,
    /// Whether who makes a file durable leaves nothing of it in the device's write cache: not without barriers, nor where a kernel
    /// flushes with commits only, nor under a log apart of JBD, which flushes the log's device alone.
    promises_flush: bool,
}

impl ExtRules {
    fn new(
        device: FileKey,
        parameters: &FileSystemParameters,
        kernel: &KernelParameters,
        (log_apart, discards): (bool, bool),
    ) -> Self {
        let generation = kernel.journal_of(parameters.family);
        let (mode, barriers) = (parameters.journal.mode, parameters.barriers);
        let jbd2 = generation == JournalGeneration::Jbd2;
        let delayed = is_delayed(parameters);
        Self {
            device,
            mode,
            generation,
            barriers,
            logged_data_are_dirty: jbd2 && kernel.logged_data_are_dirty,
            converts: delayed && kernel.ordered_data == OrderedData::Converted,
            orders_files: jbd2 && kernel.ordered_data == OrderedData::File,
            flushes_without_commit: barriers && kernel.flush_without_commit,
            sync_flushes_without_commit: barriers && kernel.sync_flushes_without_commit,
            discards: discards && parameters.discard && jbd2,
            discards_in_commit: kernel.discards_in_commit,
            promises_flush: barriers && kernel.flush_without_commit && (jbd2 || !log_apart),
        }
    }

    /// Whether data are logged.
    fn logs_data(&self) -> bool {
        self.mode == JournalMode::Journal
    }

    fn is_old(&self) -> bool {
        self.generation == JournalGeneration::Jbd
    }
}

/// Whether blocks are found when data are written back.
fn is_delayed(parameters: &FileSystemParameters) -> bool {
    parameters.family == Family::Ext4 && parameters.journal.mode != JournalMode::Journal
}

impl Layout for Volume {
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
        let rules = ExtRules::new(
            device_key(number),
            parameters,
            kernel,
            (mount.log.is_some(), mount.takes_discards),
        );
        let area = match mount.log {
            // Behind a superblock of the file system that says whose journal it is (ext2fs_create_journal_superblock).
            Some(log) => 1..log.blocks,
            None => self.journal(),
        };
        let journal = Journal::new(JournalParameters {
            first_block: area.start,
            blocks: area.end.saturating_sub(area.start),
            generation: rules.generation,
            tags_per_descriptor: if parameters.family == Family::Ext4 { 254 } else { 508 },
            revokes_per_block: 1_018,
            commit_interval: parameters.commit_interval.time(),
            checkpoint_threshold: parameters.checkpoint.map(petrio_units::Fraction::get),
            largest_parts: u64::from(kernel.transactions_per_journal),
        });
        let coarse = rules.is_old() || parameters.inode_size.get() < 256;
        let nature = Nature {
            delayed: is_delayed(parameters),
            posts: match !rules.logs_data() || rules.logged_data_are_dirty {
                true => Posts::Dirty,
                false => Posts::Later,
            },
            // Data that go through the journal go through the cache, too, whatever was asked for (`ext4_should_use_dio`).
            direct: !rules.logs_data(),
            large_folios: !rules.logs_data() && kernel.page_cache.largest_folio.get() > PAGE_BYTES,
            access_times: parameters.access_times,
            tick: if coarse { Time::from_millis(1_000) } else { kernel.tick() },
            counts_rewrites: rules.is_old(),
            most_pages: if is_delayed(parameters) { DELAYED_EXTENT_PAGES } else { u64::MAX },
            most_read_pages: if is_delayed(parameters) { DELAYED_EXTENT_PAGES } else { u64::MAX },
            shared: false,
            synchronous: false,
            before_indirect_block: (parameters.family == Family::Ext3)
                .then_some(kernel.read_ahead.before_indirect_block),
            reads_ahead: true,
            age: parameters.commit_interval.time(),
        };
        let found = parameters.is_just_mounted().then(|| walk::Found::warm(self, &mount.laid_out));
        let discards = discard::Discards::default();
        (Box::new(Ext { volume: self.clone(), journal, rules, found, discards }), nature)
    }
}

impl FileSystem for Ext {
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
        Some(self.volume.inode_block(file))
    }

    fn brought_by_mount(&self, kernel: &KernelParameters) -> Vec<u64> {
        let bitmaps = self.volume.block_bitmaps().filter(|_| kernel.prefetches_bitmaps);
        let root = self.found.iter().flat_map(|_| walk::read_with_root(&self.volume));
        bitmaps.chain(root).collect()
    }

    fn knows_inodes(&self) -> bool {
        self.found.is_none()
    }

    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        self.prepare_pages(kernel, piece)
    }

    fn post(&mut self, kernel: &mut Kernel<'_>, posted: &Posted, change: Option<Change>) {
        self.post_pages(kernel, posted, change);
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

    fn end(&mut self, kernel: &mut Kernel<'_>, change: Change) {
        self.stop(kernel, change);
    }

    fn reserved(&self) -> u64 {
        self.journal.credits()
    }

    /// In a handle of its own.
    fn note_access(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let change = self.start(kernel, ACCESS_CREDITS)?;
        kernel.fs.touched.clear();
        self.volume.touch_inode(op.file, &mut kernel.fs.touched);
        let group = kernel.bring_touched(Touch::of(op, Direction::Read, true));
        if group.is_none() {
            self.log_touched(kernel, change.id);
            kernel.touch_access(op.file);
            kernel.fs.inodes.get_mut(op.file).sync = change.id;
        }
        self.stop(kernel, change);
        group.map_or(Ok(()), |group| Err(Stop::Wait(Event::Group(group), FileCause::Read)))
    }

    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        self.walk(kernel, op)?;
        self.note_found(kernel, op)?;
        let change = op.operation.changes().then(|| self.start(kernel, NAMES_CREDITS)).transpose()?;
        kernel.fs.touched.clear();
        if let Err(error) = self.volume.operate(op, &mut kernel.fs.touched) {
            if let Some(change) = change {
                self.stop(kernel, change);
            }
            return Err(error.into());
        }
        let group = kernel.bring_touched(Touch::of(op, Direction::Read, true));
        if let Some(change) = change {
            self.log_touched(kernel, change.id);
            note_change(kernel, op, change.id);
            self.stop(kernel, change);
        } else {
            // What is closed last may go with it.
            let next = self.journal.committed() + 1;
            self.note_freed(kernel, self.journal.running().unwrap_or(next));
        }
        Ok(group)
    }

    fn dropped(&mut self, kernel: &mut Kernel<'_>, file: FileId, (from, to): (u64, u64)) {
        let key = kernel.fs.key(file);
        if self.rules.logs_data() {
            let pages = kernel.fs.inodes.get(file).size.div_ceil(PAGE_BYTES);
            (from..pages.min(to)).for_each(|index| self.journal.forget(BlockKey { file: key.0, index }));
        }
        // Of a file that only shrinks, what lies before keeps waiting for its blocks.
        let left = if (from, to) == (0, u64::MAX) { 0 } else { kernel.dirty_holes(self, key, u64::MAX) };
        kernel.fs.set_delayed(file, left);
        kernel.fs.takes_unconverted(file, from, to - from);
    }

    fn find_blocks(&mut self, kernel: &mut Kernel<'_>, key: FileKey, touch: Touch) -> Result<(), Stop> {
        self.find_delayed_blocks(kernel, key, touch)
    }

    fn pages_held(&self, key: FileKey) -> Option<u64> {
        match () {
            () if key == self.rules.device => Some(0),
            () if !self.rules.logs_data() => None,
            // Logged data are dirty from when they are held.
            () if self.rules.logged_data_are_dirty => Some(self.journal.held_of(key.0)),
            () => Some(0),
        }
    }

    #[inline]
    fn holds(&self, key: FileKey, index: u64) -> bool {
        self.journal.holds(BlockKey { file: key.0, index })
    }

    /// Logged data that are to be written in place need their commit first.
    fn passed_over(&mut self, kernel: &mut Kernel<'_>, key: FileKey) {
        let Some((first, _)) = kernel.memory.cache.dirty_run(key, 0, 1) else { return };
        if kernel.memory.waiters > 0
            && let Some(id) = self.journal.holder(BlockKey { file: key.0, index: first })
            && self.journal.request(id)
        {
            kernel.fs.signals.commit = true;
        }
    }

    fn written(&mut self, kernel: &mut Kernel<'_>, key: FileKey, (first, pages): (u64, u64), done: bool) {
        if key == self.rules.device || self.rules.logs_data() {
            for index in first..first + pages {
                self.journal.in_place(BlockKey { file: key.0, index });
            }
        }
        if done && let Some(file) = file_of(key) {
            self.convert(kernel, file, (first, pages));
        }
    }

    fn discarded(&mut self, kernel: &mut Kernel<'_>) {
        self.discard_ended(kernel);
    }

    /// Data that were logged are committed first.
    fn before_data(&mut self, kernel: &mut Kernel<'_>, scope: Scope) -> Option<Event> {
        if !self.rules.logs_data() {
            return None;
        }
        let id = match scope {
            Scope::All => self.journal.running().or(self.journal.committing()),
            Scope::File { file, .. } => {
                let data = kernel.fs.inodes.get(file).data;
                Some(data).filter(|&id| !self.rules.is_old() && id > self.journal.committed())
            }
        };
        id.map(|id| self.ask_for(kernel, id))
    }

    /// What runs is committed already (`ext4_sync_fs` without `wait`, which `sync_filesystem` calls before it waits for data).
    fn data_sent(&mut self, kernel: &mut Kernel<'_>) {
        if let Some(id) = self.journal.running().filter(|_| !self.rules.is_old()) {
            self.ask_for(kernel, id);
        }
    }

    /// The transaction, and a flush of its own only where no commit brings one.
    fn after_data(&mut self, kernel: &mut Kernel<'_>, scope: Scope) -> AfterData {
        let running = self.journal.running().or(self.journal.committing());
        let Scope::File { file, data_only } = scope else {
            // The commit of a log apart flushes where data lie only if it has reason to (ext4_sync_fs of fs/ext4/super.c).
            let will_flush = running.is_some_and(|id| self.journal.will_flush(id));
            let flushed = will_flush && !kernel.fs.rules.log_apart;
            let event = running.map(|id| self.ask_for(kernel, id));
            return AfterData { event, flush: self.rules.sync_flushes_without_commit && !flushed };
        };
        let (inode, directory) = (kernel.fs.inodes.get(file), self.volume.is_directory(file));
        let id = match (directory, data_only) {
            // A directory is made durable by committing what runs.
            (true, _) => running.unwrap_or(0),
            (false, true) => inode.data_sync,
            (false, false) => inode.sync,
        };
        let flush = self.rules.flushes_without_commit && !directory && !self.journal.will_flush(id);
        let mut event = None;
        if id > self.journal.committed() {
            if !directory {
                self.journal.flush_data(id);
            }
            event = Some(self.ask_for(kernel, id));
        }
        AfterData { event, flush }
    }

    fn promises_flush(&self, scope: Scope) -> bool {
        self.rules.promises_flush
            && match scope {
                Scope::All => self.rules.sync_flushes_without_commit,
                Scope::File { file, .. } => !self.volume.is_directory(file),
            }
    }

    fn given_up(&mut self, op: &FileOp) {
        self.forget_reader(op.id);
    }

    fn threads(&self) -> Threads {
        |page, places| {
            commit::commit_page(&mut page.page("journal"), places);
            checkpoint::checkpoint_page(&mut page.page("checkpoint"), places);
        }
    }
}

/// The inodes of all that is concerned have changed in this transaction.
fn note_change(kernel: &mut Kernel<'_>, op: &FileOp, id: u64) {
    if op.operation.makes() {
        *kernel.fs.inodes.get_mut(op.file) = Default::default();
    }
    if matches!(op.operation, Operation::SetAttributes | Operation::SetXattr) {
        // No data need them (`ext4_update_inode_fsync_trans`).
        kernel.fs.inodes.get_mut(op.file).sync = id;
        return;
    }
    for file in [Some(op.file), Some(op.parent), op.replaced].into_iter().flatten() {
        let inode = kernel.fs.inodes.get_mut(file);
        (inode.sync, inode.data_sync) = (id, id);
    }
}
