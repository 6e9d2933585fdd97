//! XFS' log: changes gather in memory and are written as one checkpoint when somebody wants them durable.
//!
//! After fs/xfs/xfs_log_cil.c, xfs_log.c and xfs_trans_ail.c of Linux 6.18. Transactions put what they changed into the *committed item
//! list*; whoever forces the log (fsync, sync, the worker every 30 seconds, a full list) has it formatted as it is then and written
//! through in-core log buffers of `logbsize`: a start record, the items, a commit record. Each buffer has a header of 512 bytes and is
//! padded to 512 (or to the log's stripe). A checkpoint that spans several begins with a write that is to flush the device before; its
//! last waits for all others, flushes again and is forced to the medium.
//!
//! ```text
//!  transactions ─▶ committed item list ─▶ checkpoint ─▶ log buffers ─▶ device
//!                        (force)               │
//!                                              └─▶ active items ─▶ written in place (30 s, or where the log fills)
//! ```

use super::items::{Buffer, Changes, OPERATION, Pieces, buffer_bytes, created_bytes, inode_bytes};
use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// A log buffer's header, one for each 32 KiB (`struct xlog_rec_header`, XLOG_HEADER_CYCLE_SIZE).
const HEADER_BYTES: u64 = 512;
const HEADER_EACH: u64 = 32 << 10;

/// `struct xfs_trans_header`.
const TRANSACTION_HEADER: u64 = 16;

/// The start record, the transaction's header and the commit record.
const FRAME_BYTES: u64 = OPERATION + (OPERATION + TRANSACTION_HEADER) + OPERATION;

/// Of what a list may be before it is written without anybody having asked: an eighth of the log, at most 32 MiB (XLOG_CIL_SPACE_LIMIT).
const LIST_SHARE: u64 = 8;
const LIST_MOST: u64 = 32 << 20;

/// The share of the log that is kept free: below it, items are written in place (`xfs_ail_calc_push_target`: a quarter).
const FREE_SHARE: u64 = 4;

/// What a log is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct LogParameters {
    /// Its first block.
    pub first_block: u64,
    /// Its blocks.
    pub blocks: u64,
    /// Bytes of a log buffer (`logbsize`).
    pub buffer_bytes: u64,
    /// Log buffers (`logbufs`).
    pub buffers: u32,
    /// What writes are padded to: 512, or the log's stripe.
    pub round_bytes: u64,
}

/// A write of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct LogWrite {
    /// Its first sector, from the device's beginning.
    pub sector: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Whether the device is to be flushed before it (PREFLUSH).
    pub flush_before: bool,
    /// Whether it is to be on the medium when it is done (FUA), and begins only when all before it are done: the one with the commit
    /// record.
    pub commits: bool,
}

/// What has been changed and isn't in place yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub enum Item {
    /// A buffer, by its first sector.
    Buffer(u64),
    /// An inode.
    Inode(FileId),
}

#[derive(Clone, Copy, Debug, Persist)]
struct State {
    sectors: u32,
    dirty: Pieces,
    fork: Option<u64>,
    attributes: Option<u64>,
    /// The checkpoint that it was last put into.
    sequence: u64,
    /// Bytes of log written when the checkpoint that has it now began: the log may not begin later.
    tail: u64,
    /// What it was counted as in the running checkpoint.
    counted: u64,
}

impl State {
    fn bytes(&self, item: Item) -> u64 {
        match item {
            Item::Buffer(sector) => buffer_bytes(Buffer { sector, sectors: self.sectors }, self.dirty),
            Item::Inode(_) => inode_bytes(self.fork, self.attributes),
        }
    }
}

/// The log of a mounted file system.
#[derive(Clone, Debug, Persist)]
pub struct Log {
    parameters: LogParameters,
    items: FastMap<Item, State>,
    /// What the running checkpoint has, in order, and its bytes.
    list: Vec<Item>,
    created: u64,
    bytes: u64,
    sequence: u64,
    /// The newest checkpoint that is on the medium, with all before it.
    committed: u64,
    /// Bytes of log ever written.
    head: u64,
    /// Items that are in the log and not in place, in the order of their checkpoints; some are there more than once.
    active: std::collections::VecDeque<(Item, u64)>,
}

impl Log {
    /// An empty one.
    #[must_use]
    pub fn new(parameters: LogParameters) -> Self {
        Self {
            parameters,
            items: FastMap::default(),
            list: Vec::new(),
            created: 0,
            bytes: 0,
            sequence: 1,
            committed: 0,
            head: 0,
            active: std::collections::VecDeque::new(),
        }
    }

    /// What it is made of.
    #[must_use]
    pub const fn parameters(&self) -> &LogParameters {
        &self.parameters
    }

    /// The checkpoint that gathers changes now.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The newest checkpoint that is on the medium.
    #[must_use]
    pub const fn committed(&self) -> u64 {
        self.committed
    }

    /// A checkpoint is on the medium.
    pub fn finish(&mut self, sequence: u64) {
        self.committed = self.committed.max(sequence);
        self.settle();
    }

    /// Whether a checkpoint is being written.
    #[must_use]
    pub const fn is_under_way(&self) -> bool {
        self.sequence - 1 > self.committed
    }

    /// A buffer that has been changed and isn't in place, by its first sector.
    #[must_use]
    pub fn buffer(&self, sector: u64) -> Option<Buffer> {
        let state = self.items.get(&Item::Buffer(sector))?;
        Some(Buffer { sector, sectors: state.sectors })
    }

    /// Whether nothing has been changed since the last checkpoint.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.list.is_empty() && self.created == 0
    }

    /// Whether so much has gathered that it is to be written though nobody waits for it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let limit = (self.parameters.blocks * 4096 / LIST_SHARE).min(LIST_MOST);
        self.bytes >= limit
    }

    /// Whether less than a quarter of the log is free: items have to go in place.
    #[must_use]
    pub fn is_short(&self) -> bool {
        let size = self.parameters.blocks * 4096;
        size.saturating_sub(self.head - self.tail()) < size / FREE_SHARE
    }

    /// Where the log begins, in bytes ever written.
    fn tail(&self) -> u64 {
        let oldest = self
            .active
            .iter()
            .find(|(item, tail)| self.items.get(item).is_some_and(|state| state.tail == *tail));
        oldest.map_or(self.head, |&(_, tail)| tail)
    }

    /// Puts a transaction's changes into the list; the checkpoint that they belong to.
    pub fn commit(&mut self, changes: &Changes) -> u64 {
        for &(buffer, pieces) in &changes.buffers {
            let state = self.enter(Item::Buffer(buffer.sector), buffer.sectors);
            state.dirty = state.dirty.with(pieces);
            self.measure(Item::Buffer(buffer.sector));
        }
        for &(file, fork) in &changes.inodes {
            let state = self.enter(Item::Inode(file), 0);
            state.fork = fork.or(state.fork);
            self.measure(Item::Inode(file));
        }
        for &(file, bytes) in &changes.attributes {
            self.enter(Item::Inode(file), 0).attributes = Some(bytes);
            self.measure(Item::Inode(file));
        }
        self.created += changes.created.len() as u64;
        for buffer in &changes.forgotten {
            self.forget(Item::Buffer(buffer.sector));
        }
        self.sequence
    }

    fn enter(&mut self, item: Item, sectors: u32) -> &mut State {
        let sequence = self.sequence;
        let state = self.items.entry(item).or_insert(State {
            sectors,
            dirty: Pieces::default(),
            fork: None,
            attributes: None,
            sequence: 0,
            tail: u64::MAX,
            counted: 0,
        });
        if state.sequence != sequence {
            (state.sequence, state.counted) = (sequence, 0);
            self.list.push(item);
        }
        state
    }

    /// Counts what an item now takes of the list instead of what it took before.
    fn measure(&mut self, item: Item) {
        if let Some(state) = self.items.get_mut(&item) {
            let bytes = state.bytes(item);
            self.bytes = self.bytes + bytes - std::mem::replace(&mut state.counted, bytes);
        }
    }

    /// An item that isn't any more: a buffer that was given back, an inode that was removed.
    pub fn forget(&mut self, item: Item) {
        self.items.remove(&item);
    }

    /// An item that has been written in place, unless it was changed since.
    pub fn in_place(&mut self, item: Item) {
        if self.items.get(&item).is_some_and(|state| state.sequence <= self.committed) {
            self.items.remove(&item);
        }
    }

    /// Whether an item waits in a checkpoint that isn't on the medium, and so may not be written in place ("pinned").
    #[must_use]
    pub fn pins(&self, item: Item) -> bool {
        self.items.get(&item).is_some_and(|state| state.sequence > self.committed)
    }

    /// Ends the running checkpoint: what is in the list is formatted as it is now and cut into writes, which go to `writes`. The items
    /// that go with it go to `items`: once the last write is done they may be written in place. The checkpoint's number; none where
    /// nothing was changed.
    pub fn checkpoint(&mut self, writes: &mut Vec<LogWrite>, items: &mut Vec<Item>) -> Option<u64> {
        if self.is_clean() {
            return None;
        }
        let begin = self.head;
        let mut regions = FRAME_BYTES + self.created * created_bytes();
        for item in std::mem::take(&mut self.list) {
            let Some(state) = self.items.get_mut(&item) else { continue };
            regions += state.bytes(item);
            state.tail = begin;
            self.active.push_back((item, begin));
            items.push(item);
        }
        (self.created, self.bytes) = (0, 0);
        self.cut(regions, writes);
        self.settle();
        let sequence = self.sequence;
        self.sequence += 1;
        Some(sequence)
    }

    /// Cuts a checkpoint into writes of log buffers (`xlog_sync`). A region that goes on in the next buffer has a header there, too.
    fn cut(&mut self, regions: u64, writes: &mut Vec<LogWrite>) {
        let LogParameters { buffer_bytes, round_bytes, .. } = self.parameters;
        let header = HEADER_BYTES * buffer_bytes.div_ceil(HEADER_EACH);
        let room = buffer_bytes - header;
        let (mut left, mut first) = (regions, true);
        while left > 0 {
            let data = left.min(room);
            left -= data;
            if left > 0 {
                left += OPERATION;
            }
            let last = left == 0;
            let bytes = (header + data).next_multiple_of(round_bytes.max(512));
            self.write(bytes, (first || last, last), writes);
            first = false;
        }
    }

    /// A write at the log's head; at the log's end it goes on at its beginning.
    fn write(&mut self, bytes: u64, (flush_before, commits): (bool, bool), writes: &mut Vec<LogWrite>) {
        let size = self.parameters.blocks * 4096;
        let at = self.head % size;
        self.head += bytes;
        let first = bytes.min(size - at);
        let sector = |at: u64| self.parameters.first_block * 8 + at / 512;
        writes.push(LogWrite {
            sector: sector(at),
            bytes: first,
            flush_before,
            commits: commits && first == bytes,
        });
        if first < bytes {
            writes.push(LogWrite { sector: sector(0), bytes: bytes - first, flush_before: false, commits });
        }
    }

    /// What a quiet file system writes into its log to say that nothing is in it: the superblock's fields (`xfs_sync_sb` of
    /// `xfs_log_worker`, 30 seconds after the last change, twice), or an unmount record.
    pub fn note(&mut self, writes: &mut Vec<LogWrite>) {
        self.cut(FRAME_BYTES, writes);
    }

    /// Drops from the front what is in place or was logged again later.
    fn settle(&mut self) {
        while let Some((item, tail)) = self.active.front()
            && self.items.get(item).is_none_or(|state| state.tail != *tail)
        {
            self.active.pop_front();
        }
    }

    /// The oldest items that are in the log and not in place nor in the running checkpoint, at most so many.
    #[must_use]
    pub fn oldest(&self, most: usize) -> Vec<Item> {
        let current = |(item, tail): &&(Item, u64)| {
            self.items.get(item).is_some_and(|state| state.tail == *tail && state.sequence <= self.committed)
        };
        self.active.iter().filter(current).take(most).map(|(item, _)| *item).collect()
    }
}
