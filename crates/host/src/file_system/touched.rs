//! What comes out of a question to the volume: where blocks lie, and which metadata blocks an operation touches.
//!
//! Both are filled again and again by the caller, so that nothing is allocated in a steady state.

use petrio_persist::Persist;

/// A run of a file's blocks that lie one after the other on the volume, or in a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Segment {
    /// First block of the file.
    pub first: u64,
    /// Where it lies on the volume; none in a hole.
    pub block: Option<u64>,
    /// How many blocks.
    pub count: u64,
}

/// Where a range of a file lies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct Mapping {
    /// The range in order, without gaps.
    pub segments: Vec<Segment>,
    /// Indirect blocks or nodes of the extent tree that must be in memory: the file's block from which on each is
    /// needed, and where it lies on the volume. In order of need; what lies higher in the tree comes first.
    pub metadata: Vec<(u64, u64)>,
}

impl Mapping {
    /// Empties it.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.metadata.clear();
    }
}

/// Metadata blocks that operations touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct Touched {
    /// Metadata blocks that must be in memory before. Superblock and group descriptors are always there from the mount
    /// on, and aren't listed; nor are blocks that are new.
    pub reads: Vec<u64>,
    /// Metadata blocks changed, each once: these go into the journal's running transaction.
    pub dirtied: Vec<u64>,
    /// Metadata blocks freed: revoked, unless the journal holds data too.
    pub forgotten: Vec<u64>,
    /// Data blocks freed: (first block, count).
    pub freed: Vec<(u64, u64)>,
    /// Journal blocks that the operation's handles ask for beforehand, at most one for each block that it might change.
    pub credits: u32,
}

/// Up to so many entries a list is searched through before a block is added; beyond, it is sorted at the end.
const SEARCHED: usize = 32;

impl Touched {
    /// Empties it.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.dirtied.clear();
        self.forgotten.clear();
        self.freed.clear();
        self.credits = 0;
    }

    #[inline]
    pub(super) fn read(&mut self, block: u64) {
        once(&mut self.reads, block);
    }

    #[inline]
    pub(super) fn dirty(&mut self, block: u64) {
        once(&mut self.dirtied, block);
    }

    /// Whether a block was among the last that were changed.
    pub(super) fn has_dirtied(&self, block: u64) -> bool {
        self.dirtied.iter().rev().take(SEARCHED).any(|&other| other == block)
    }

    /// A block that is read and changed.
    #[inline]
    pub(super) fn update(&mut self, block: u64) {
        self.read(block);
        self.dirty(block);
    }

    /// A metadata block given back: what was changed in it no longer matters (jbd2_journal_forget).
    pub(super) fn forget(&mut self, block: u64) {
        if let Some(at) = self.dirtied.iter().position(|&other| other == block) {
            self.dirtied.remove(at);
        }
        self.forgotten.push(block);
    }

    pub(super) fn free(&mut self, block: u64, count: u64) {
        match self.freed.last_mut() {
            Some(last) if last.0 + last.1 == block => last.1 += count,
            _ => self.freed.push((block, count)),
        }
    }

    /// Brings long lists to each block once. At the end of every operation.
    pub(super) fn settle(&mut self) {
        for list in [&mut self.reads, &mut self.dirtied] {
            if list.len() > SEARCHED {
                list.sort_unstable();
                list.dedup();
            }
        }
    }
}

#[inline]
fn once(list: &mut Vec<u64>, block: u64) {
    // Lists are a few blocks long: a plain loop is faster than a search made for long ones.
    let recent = if list.len() <= SEARCHED { list.as_slice() } else { &list[list.len() - 1..] };
    for &other in recent {
        if other == block {
            return;
        }
    }
    list.push(block);
}
