//! What a node keeps of the file system in its memory: blocks of files that it has tokens for, and of metadata.
//!
//! A block that is clean and that nobody works with goes when there is no room, the least recently used first. Leaves out
//! memory that is shared with the host's own page cache: the file system has its own (GPFS' page pool).

use petrio_colours::{FileId, Purpose};
use petrio_persist::Persist;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub(super) enum Key {
    /// A block of a file.
    Data(FileId, u64),
    /// A file's inode.
    Inode(FileId),
    /// A block of a directory's names.
    Names(FileId, u64),
    /// The node's own part of the allocation map.
    Map,
}

impl Key {
    /// A file's inode, as a range of blocks.
    pub(super) const fn inode_of(file: FileId) -> RangeInclusive<Self> {
        RangeInclusive::new(Self::Inode(file), Self::Inode(file))
    }

    /// All blocks of a directory's names.
    pub(super) const fn names_of(directory: FileId) -> RangeInclusive<Self> {
        RangeInclusive::new(Self::Names(directory, 0), Self::Names(directory, u64::MAX))
    }

    /// What the block is for.
    pub(super) const fn purpose(self) -> Purpose {
        match self {
            Self::Data(..) => Purpose::Data,
            Self::Inode(_) | Self::Names(..) | Self::Map => Purpose::Metadata,
        }
    }
}

/// What there is of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum State {
    /// It is being read, by this request.
    Coming(u32),
    /// As on the disk.
    Clean,
    /// To be written.
    Dirty,
    /// It is being written, by this request; it has been changed again since.
    Writing(u32, bool),
}

#[derive(Clone, Copy, Debug, Persist)]
struct Block {
    state: State,
    /// When it was used, as the cache counts.
    used: u64,
    /// Calls that work with it.
    pins: u32,
}

/// A node's cache.
#[derive(Clone, Debug, Persist)]
pub(super) struct Cache {
    most: usize,
    blocks: BTreeMap<Key, Block>,
    /// Those that can go, by when they were used.
    idle: BTreeMap<u64, Key>,
    dirty: BTreeSet<Key>,
    clock: u64,
    /// Room for blocks that are about to be written.
    reserved: usize,
}

impl Cache {
    /// An empty cache with room for so many blocks.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            blocks: BTreeMap::new(),
            idle: BTreeMap::new(),
            dirty: BTreeSet::new(),
            clock: 0,
            reserved: 0,
        }
    }

    /// How many blocks there is room for.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    pub(super) fn state(&self, key: Key) -> Option<State> {
        self.blocks.get(&key).map(|block| block.state)
    }

    /// How many blocks are to be written.
    pub(super) fn dirty(&self) -> usize {
        self.dirty.len()
    }

    /// Blocks of a range of keys that are to be written, in order.
    pub(super) fn dirty_in(&self, range: RangeInclusive<Key>) -> Vec<Key> {
        self.dirty.range(range).copied().collect()
    }

    /// Blocks of a range of keys, in order.
    pub(super) fn within(&self, range: RangeInclusive<Key>) -> impl Iterator<Item = (Key, State)> {
        self.blocks.range(range).map(|(&key, block)| (key, block.state))
    }

    /// Makes room for so many more blocks, as far as others can go for them; whether there is.
    pub(super) fn make_room(&mut self, more: usize) -> bool {
        while self.blocks.len() + self.reserved + more > self.most {
            let Some((_, key)) = self.idle.pop_first() else { return false };
            self.blocks.remove(&key);
        }
        true
    }

    /// Keeps room for blocks that come in later.
    pub(super) fn reserve(&mut self, blocks: usize) {
        self.reserved += blocks;
    }

    pub(super) fn give_back(&mut self, blocks: usize) {
        self.reserved = self.reserved.saturating_sub(blocks);
    }

    /// A block is there in this state from now on.
    pub(super) fn set(&mut self, key: Key, state: State) {
        self.clock += 1;
        let used = self.clock;
        let block = self.blocks.entry(key).or_insert(Block { state, used, pins: 0 });
        self.idle.remove(&block.used);
        (block.state, block.used) = (state, used);
        if state == State::Clean && block.pins == 0 {
            self.idle.insert(used, key);
        }
        if state == State::Dirty {
            self.dirty.insert(key);
        } else {
            self.dirty.remove(&key);
        }
    }

    /// A call begins to work with a block that is there.
    pub(super) fn pin(&mut self, key: Key) {
        if let Some(block) = self.blocks.get_mut(&key) {
            block.pins += 1;
            self.idle.remove(&block.used);
        }
    }

    /// A call has done with a block.
    pub(super) fn unpin(&mut self, key: Key) {
        self.clock += 1;
        let Some(block) = self.blocks.get_mut(&key) else { return };
        self.idle.remove(&block.used);
        (block.pins, block.used) = (block.pins.saturating_sub(1), self.clock);
        if block.state == State::Clean && block.pins == 0 {
            self.idle.insert(block.used, key);
        }
    }

    /// A block is used.
    pub(super) fn touch(&mut self, key: Key) {
        self.pin(key);
        self.unpin(key);
    }

    /// A block is no longer kept, unless it is to be written or somebody works with it.
    pub(super) fn let_idle_go(&mut self, key: Key) {
        if self.blocks.get(&key).is_some_and(|block| block.state == State::Clean && block.pins == 0) {
            self.remove(key);
        }
    }

    /// A block is no longer there.
    pub(super) fn remove(&mut self, key: Key) {
        if let Some(block) = self.blocks.remove(&key) {
            self.idle.remove(&block.used);
            self.dirty.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(block: u64) -> Key {
        Key::Data(FileId(1), block)
    }

    #[test]
    fn the_least_recently_used_goes_unless_it_is_dirty_or_somebody_works_with_it() {
        let mut cache = Cache::new(4);
        (0..4).for_each(|block| cache.set(key(block), State::Clean));
        cache.set(key(0), State::Dirty);
        cache.pin(key(1));
        assert!(cache.make_room(1));
        assert_eq!(cache.state(key(2)), None);
        assert!(cache.make_room(2) && !cache.make_room(3));
        cache.set(key(0), State::Writing(7, false));
        assert!(!cache.make_room(3));
        cache.set(key(0), State::Clean);
        cache.unpin(key(1));
        assert!(cache.make_room(4) && cache.state(key(0)).is_none());
    }

    proptest! {
        #[test]
        fn no_more_is_kept_than_there_is_room_for_and_nothing_dirty_is_lost(
            steps in prop::collection::vec((0u64..12, 0u8..5), 1..80),
            most in 1usize..8,
        ) {
            let mut cache = Cache::new(most);
            let mut dirty = BTreeSet::new();
            let mut pinned: BTreeMap<u64, u32> = BTreeMap::new();
            for (block, step) in steps {
                match step {
                    0 | 1 if cache.state(key(block)).is_some() || cache.make_room(1) => {
                        cache.set(key(block), if step == 0 { State::Clean } else { State::Dirty });
                        if step == 0 { dirty.remove(&block) } else { dirty.insert(block) };
                    }
                    2 if cache.state(key(block)).is_some() => {
                        cache.pin(key(block));
                        *pinned.entry(block).or_insert(0) += 1;
                    }
                    3 if pinned.get(&block).is_some_and(|pins| *pins > 0) => {
                        cache.unpin(key(block));
                        *pinned.entry(block).or_insert(1) -= 1;
                    }
                    _ => {}
                }
                prop_assert!(cache.blocks.len() <= most);
                prop_assert_eq!(cache.dirty(), dirty.len());
                prop_assert!(dirty.iter().all(|block| cache.state(key(*block)) == Some(State::Dirty)));
                let kept = |(block, pins): (&u64, &u32)| *pins == 0 || cache.state(key(*block)).is_some();
                prop_assert!(pinned.iter().all(kept));
                let idle = cache.blocks.values().filter(|block| block.state == State::Clean && block.pins == 0);
                prop_assert_eq!(idle.count(), cache.idle.len());
            }
        }
    }
}
