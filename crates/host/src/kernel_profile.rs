//! How a version of the Linux kernel behaves: which algorithms, and which constants.
//!
//! A profile is a file of `catalogue/kernels/`; each figure there says which source file of which version it comes
//! from.

use super::file_system::Family;
use super::page_cache::OwnReplacement;
use super::read_ahead::PAGE_BYTES;
pub use petrio_block::{AwaitedWrites, BlockLayerParameters};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::{Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The behaviour of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelParameters {
    /// What the kernel is called: `Linux 2.6.24`.
    pub name: String,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// Timer ticks a second (CONFIG_HZ).
    pub ticks_per_second: u32,
    /// Reading ahead.
    pub read_ahead: ReadAheadParameters,
    /// Which pages stay in memory.
    pub page_cache: PageCacheParameters,
    /// When dirty pages are written.
    pub write_back: WriteBackParameters,
    /// How the journal works.
    pub journal: JournalGeneration,
    /// How ext4's works, where a kernel has a driver for ext3 and one for ext4 (2.6.28 to 4.2); left out, as that of
    /// ext3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_of_ext4: Option<JournalGeneration>,
    /// Which data a commit of jbd2 waits for in ordered mode.
    #[serde(default)]
    pub ordered_data: OrderedData,
    /// Whether fsync and its like flush the device's write cache where no commit does (`blkdev_issue_flush` in
    /// fs/ext3/fsync.c and fs/ext4/fsync.c from 2.6.33).
    #[serde(default = "yes")]
    pub flush_without_commit: bool,
    /// Whether sync(2) does the same where it finds nothing to commit (`needs_barrier` of `ext4_sync_fs`, fs/ext4/super.c from 3.11).
    #[serde(default = "yes")]
    pub sync_flushes_without_commit: bool,
    /// Whether data that are to be logged count as dirty before their transaction is committed (`ext4_dirty_journalled_data`,
    /// fs/ext4/inode.c from 6.4). Before, as under JBD, they are on no list of dirty pages until then, so that no limit of dirty pages
    /// holds back who writes them: the journal does, once it is full.
    #[serde(default = "yes")]
    pub logged_data_are_dirty: bool,
    /// Whether commits of ext4 wait for the discards of what they free (`ext4_process_freed_data`, fs/ext4/mballoc.c before 5.15); else
    /// a worker sends them afterwards.
    #[serde(default)]
    pub discards_in_commit: bool,
    /// Whether block bitmaps are read soon after a mount, before anybody needs them (`prefetch_block_bitmaps`, the
    /// default from 5.13): a run begins with those in memory.
    #[serde(default)]
    pub prefetches_bitmaps: bool,
    /// Into how many parts a journal is divided by its largest transaction (`j_max_transaction_buffers`): 4, and 3 from
    /// about 6.11.
    #[serde(default = "usual_transactions")]
    pub transactions_per_journal: u32,
    /// What io_uring does with what would have to wait.
    #[serde(default)]
    pub ring: Ring,
    /// What the block layer does with requests before the scheduler sees them.
    pub block: BlockLayerParameters,
}

/// What io_uring does with what would have to wait: whoever submits it never does.
///
/// io_submit (libaio) needs no figure: in every version it returns when a direct access is on its way, and waits for buffered
/// ones, for metadata, the journal and the lock, and for writes that make their file longer (`dio->is_async` of
/// fs/direct-io.c; IOMAP_DIO_FORCE_WAIT of fs/ext4/file.c from 5.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ring {
    /// It isn't there (before 5.1).
    #[default]
    Missing,
    /// A thread of the kernel does it, which has to be woken (`io_queue_async_work`, fs/io_uring.c, 5.1).
    Threads,
    /// The same, but buffered reads wait for their pages without a thread (IOCB_WAITQ, mm/filemap.c, 5.9).
    ThreadsButReads,
}

/// Reading ahead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadAheadParameters {
    /// The algorithm.
    pub algorithm: ReadAheadAlgorithm,
    /// The largest window (`read_ahead_kb`) of a device for which `device` says no more.
    pub max: Bytes,
    /// What a device has to say about its largest window.
    #[serde(default)]
    pub device: DeviceWindow,
    /// What becomes of ext3's data before an indirect block that has to be read first.
    #[serde(default)]
    pub before_indirect_block: BeforeIndirectBlock,
}

/// What becomes of data of ext3 that are to be read, when where those behind them lie stands in an indirect block that isn't in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum BeforeIndirectBlock {
    /// They are sent before it is (`buffer_boundary` of do_mpage_readpage, fs/mpage.c; ext4's driver before 4.1).
    Sent,
    /// So they are where they are one folio, found at once; else they go with those behind them, once these are known
    /// (`ext4_mpage_readpages`, fs/ext4/readpage.c from 4.1: it holds what it counts in a folio against the length of the map).
    #[default]
    FolioSent,
}

/// What makes a device's largest window of read-ahead larger than the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceWindow {
    /// Nothing: it is what somebody has set.
    Nothing,
    /// An array that the host makes is read ahead by two of its stripes, if that is more: md's own rule (raid0.c, raid5.c,
    /// raid10.c), from 5.10 on the block layer's by the optimal request size (blk_queue_update_readahead).
    #[default]
    Stripes,
    /// So it is, and what turns and names no optimal request by two of the largest requests: `blk_apply_bdi_limits`
    /// (block/blk-settings.c) from 6.17.
    StripesAndRequests,
}

impl KernelParameters {
    /// What its timer ticks in, and times of files are told in (`current_time` of coarse ones).
    pub fn tick(&self) -> Time {
        Time::from_seconds(1.0 / f64::from(self.ticks_per_second.max(1)))
    }

    /// The largest window of read-ahead (`read_ahead_kb`) for a device in which something turns, or not, and whose optimal
    /// request (a stripe of an array that the host makes) has so many bytes; none where it names none.
    pub fn largest_window(&self, turns: bool, optimal_request: Option<u64>) -> Bytes {
        let largest_request = Some(self.block.largest_request.get()).filter(|_| turns);
        let request = match self.read_ahead.device {
            DeviceWindow::Nothing => None,
            DeviceWindow::Stripes => optimal_request,
            DeviceWindow::StripesAndRequests => optimal_request.or(largest_request),
        };
        let window = request.map_or(0, |bytes| bytes.saturating_mul(2) / PAGE_BYTES * PAGE_BYTES);
        self.read_ahead.max.max(Bytes(window))
    }
}

/// Read-ahead algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ReadAheadAlgorithm {
    /// Windows with a marker page (mm/readahead.c from 2.6.23).
    OnDemand,
    /// The same in folios: windows end on folio borders, and a stream is also known by the pages that it left in the
    /// cache (mm/readahead.c from 6.17).
    OnDemandFolios,
    /// A current and an ahead window (before 2.6.23).
    CurrentAhead,
    /// None: what is asked for is read.
    Off,
}

/// Which pages stay in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageCacheParameters {
    /// The policy.
    pub policy: CachePolicy,
    /// Whether a page that comes back soon after its eviction is active at once (mm/workingset.c, from 3.15).
    pub refault_distance: bool,
    /// The largest folio in the cache; 4 KiB where it holds single pages.
    pub largest_folio: Bytes,
    /// Who decides in the place of the policy which pages of files go, one by one.
    #[serde(skip)]
    #[schemars(skip)]
    pub own: Option<OwnReplacement>,
}

/// Replacement policies of a page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum CachePolicy {
    /// One list in order of last use.
    Lru,
    /// An active and an inactive list with referenced flags, apart for files and for processes' memory (mm/vmscan.c and
    /// mm/swap.c from 2.6.28).
    ActiveInactive,
    /// The same two lists, with the pages of files and of processes mixed (before 2.6.28).
    ActiveInactiveMixed,
}

/// When dirty pages are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteBackParameters {
    /// Share of the memory available that may be dirty before the flusher begins (`dirty_background_ratio`).
    pub background: Fraction,
    /// Share that may be dirty before writers are held back (`dirty_ratio`).
    pub limit: Fraction,
    /// How old dirty data may become (`dirty_expire_centisecs`).
    pub expire: Duration,
    /// How often the flusher looks (`dirty_writeback_centisecs`).
    pub wake_up: Duration,
    /// What holds a writer back.
    pub throttling: Throttling,
    /// Pages that the flusher writes of one file before it turns to the next; from 3.2 the chunk of which it takes as
    /// many as the device writes in half a second.
    pub pages_a_pass: u32,
}

/// What holds a writer back beyond the dirty limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Throttling {
    /// The writer itself writes pages back (before 3.2).
    WriterWritesBack,
    /// The writer sleeps so long that it dirties no faster than the device writes (from 3.2).
    WriterPauses,
}

/// Generations of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum JournalGeneration {
    /// fs/jbd: dirty data buffers hang on the transaction; barriers where the mount asks for them.
    Jbd,
    /// fs/jbd2 under the ext4 driver, which also mounts ext3: inodes hang on the transaction; flushes and FUA.
    Jbd2,
}

/// Which data of a file a commit of jbd2 waits for in ordered mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum OrderedData {
    /// All that the file has on its way (before 5.3).
    File,
    /// The range that got blocks in the transaction (`i_dirty_start` to `i_dirty_end`, from 5.3).
    Range,
    /// Of files whose blocks are found late, none: their extents are unwritten until the data are there, and converted
    /// then (`dioread_nolock`, the default from 5.6); of others, the range.
    #[default]
    Converted,
}

impl KernelParameters {
    /// How the journal of a file system works.
    pub fn journal_of(&self, family: Family) -> JournalGeneration {
        match family {
            Family::Ext3 => self.journal,
            Family::Ext4 => self.journal_of_ext4.unwrap_or(self.journal),
        }
    }
}

const fn usual_transactions() -> u32 {
    4
}

const fn yes() -> bool {
    true
}
