//! The buffer cache: blocks of the files of all file systems in one list, the least recently used given up first.
//!
//! Source: S. Leffler et al., "The design and implementation of the 4.3BSD UNIX operating system", 1989, chapter 7
//! (getblk, bread, bdwrite). A buffer in transfer is busy and can't be given up; a delayed write at the list's end is
//! written before its buffer is used again.

use petrio_colours::FileId;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::{as_index, as_number, low_half};

/// A file of one of the host's file systems, which number their files each by itself: one number, the file system's above
/// the file's, so that a look into the cache costs the same as with one file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub(super) struct VolumeFile(u64);

impl VolumeFile {
    pub(super) const fn new(volume: u32, file: FileId) -> Self {
        Self((volume as u64) << 32 | file.0 as u64)
    }

    /// The number of its file system on the host.
    pub(super) const fn volume(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Its number there.
    pub(super) const fn file(self) -> FileId {
        FileId(low_half(self.0))
    }

    /// Both as one number.
    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub(super) struct BlockKey {
    pub(super) file: VolumeFile,
    pub(super) block: u64,
}

/// What a buffer is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Content {
    /// Being read from the disk.
    Coming,
    /// Valid.
    Valid,
    /// Valid, and being written.
    Going,
}

#[derive(Clone, Copy, Debug, Persist)]
struct Buffer {
    key: BlockKey,
    content: Content,
    /// Since when it holds what the disk doesn't.
    dirty: Option<Time>,
    newer: u32,
    older: u32,
}

const NONE: u32 = u32::MAX;

/// A cache of so many buffers.
#[derive(Clone, Debug, Persist)]
pub(super) struct BufferCache {
    capacity: usize,
    buffers: Vec<Buffer>,
    free: Vec<u32>,
    by_key: FastMap<BlockKey, u32>,
    newest: u32,
    oldest: u32,
    /// Blocks of each file that are in the cache.
    of_file: FastMap<VolumeFile, Vec<u64>>,
}

/// What stands in the way of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// There is one.
    Free,
    /// This delayed write has to go first.
    Write(BlockKey),
    /// All are in transfer.
    None,
}

impl BufferCache {
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            capacity: as_index(capacity),
            buffers: Vec::new(),
            free: Vec::new(),
            by_key: FastMap::default(),
            newest: NONE,
            oldest: NONE,
            of_file: FastMap::default(),
        }
    }

    /// What the buffer of a block is doing; `None` where there is none.
    pub(super) fn find(&self, key: BlockKey) -> Option<Content> {
        self.by_key.get(&key).map(|&slot| self.buffers[slot as usize].content)
    }

    /// A block has been used.
    pub(super) fn touch(&mut self, key: BlockKey) {
        if let Some(&slot) = self.by_key.get(&key) {
            self.unlink(slot);
            self.link(slot);
        }
    }

    /// Whether a buffer can be had. The oldest that isn't in transfer is given up if it is clean.
    pub(super) fn room(&mut self) -> Room {
        if self.by_key.len() < self.capacity {
            return Room::Free;
        }
        let mut slot = self.oldest;
        while slot != NONE {
            let Buffer { key, content, dirty, newer, .. } = self.buffers[slot as usize];
            if content == Content::Valid {
                if dirty.is_some() {
                    return Room::Write(key);
                }
                self.drop(key);
                return Room::Free;
            }
            slot = newer;
        }
        Room::None
    }

    /// Gives a block a buffer; [`room`](Self::room) said that there is one.
    pub(super) fn insert(&mut self, key: BlockKey, content: Content) {
        let buffer = Buffer { key, content, dirty: None, newer: NONE, older: NONE };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.buffers[slot as usize] = buffer;
                slot
            }
            None => {
                self.buffers.push(buffer);
                as_number(self.buffers.len() - 1)
            }
        };
        self.by_key.insert(key, slot);
        self.of_file.entry(key.file).or_default().push(key.block);
        self.link(slot);
    }

    /// A transfer is over.
    pub(super) fn settle(&mut self, key: BlockKey) {
        if let Some(&slot) = self.by_key.get(&key) {
            self.buffers[slot as usize].content = Content::Valid;
        }
    }

    /// A write of it has begun: what it held until now is on its way.
    pub(super) fn begin_write(&mut self, key: BlockKey) {
        if let Some(&slot) = self.by_key.get(&key) {
            let buffer = &mut self.buffers[slot as usize];
            buffer.content = Content::Going;
            buffer.dirty = None;
        }
    }

    /// It holds what the disk doesn't.
    pub(super) fn dirty(&mut self, key: BlockKey, now: Time) {
        if let Some(&slot) = self.by_key.get(&key) {
            self.buffers[slot as usize].dirty.get_or_insert(now);
        }
    }

    /// Whether it holds what the disk doesn't.
    pub(super) fn is_dirty(&self, key: BlockKey) -> bool {
        self.by_key.get(&key).is_some_and(|&slot| self.buffers[slot as usize].dirty.is_some())
    }

    /// What has been delayed since `until` or before and isn't in transfer, the least recently used first.
    pub(super) fn delayed(&self, until: Time) -> Vec<BlockKey> {
        let mut found = Vec::new();
        let mut slot = self.oldest;
        while slot != NONE {
            let buffer = &self.buffers[slot as usize];
            if buffer.content == Content::Valid && buffer.dirty.is_some_and(|since| since <= until) {
                found.push(buffer.key);
            }
            slot = buffer.newer;
        }
        found
    }

    /// A file's blocks from `first` that are in the cache, in order.
    pub(super) fn blocks_of(&self, file: VolumeFile, first: u64) -> Vec<u64> {
        let mut blocks: Vec<u64> = self
            .of_file
            .get(&file)
            .map(|blocks| blocks.iter().copied().filter(|&block| block >= first).collect())
            .unwrap_or_default();
        blocks.sort_unstable();
        blocks
    }

    /// Takes a block out, whatever it holds.
    pub(super) fn drop(&mut self, key: BlockKey) {
        let Some(slot) = self.by_key.remove(&key) else { return };
        self.unlink(slot);
        self.free.push(slot);
        if let Some(blocks) = self.of_file.get_mut(&key.file) {
            if let Some(position) = blocks.iter().position(|&block| block == key.block) {
                blocks.swap_remove(position);
            }
            if blocks.is_empty() {
                self.of_file.remove(&key.file);
            }
        }
    }

    fn link(&mut self, slot: u32) {
        let newest = std::mem::replace(&mut self.newest, slot);
        let buffer = &mut self.buffers[slot as usize];
        (buffer.older, buffer.newer) = (newest, NONE);
        match newest {
            NONE => self.oldest = slot,
            other => self.buffers[other as usize].newer = slot,
        }
    }

    fn unlink(&mut self, slot: u32) {
        let Buffer { newer, older, .. } = self.buffers[slot as usize];
        match newer {
            NONE => self.newest = older,
            other => self.buffers[other as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            other => self.buffers[other as usize].newer = newer,
        }
    }
}
