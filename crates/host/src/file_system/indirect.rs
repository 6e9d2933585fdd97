//! The indirect blocks of an ext3 file: which there are, and which a block of the file needs.
//!
//! After fs/ext4/indirect.c: twelve pointers in the inode, then a single, a double and a triple indirect block with
//! 1024 pointers each. The lowest level is counted through: indirect block i holds the pointers of file blocks from 12
//! + 1024 i on; the first is the single one, the next 1024 hang under the double one, the others under the triple one.

use super::geometry::{DIRECT, POINTERS};
use super::parameters::BLOCK_SIZE;
use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;

/// Blocks of the tree of indirect blocks, where it is whole.
const MOST_INDIRECT: u64 = 1 + (1 + POINTERS) + (1 + POINTERS + POINTERS * POINTERS);

/// Blocks that a file can have. The tree would reach 4 TiB, but an inode counts what its file takes in sectors of 512 bytes,
/// with 32 bits, and the indirect blocks with it: 2 TiB (ext3_max_size, fs/ext3/super.c; the same without `huge_file` in
/// ext4_max_bitmap_size, fs/ext4/super.c).
pub(super) const MOST_BLOCKS: u64 = (u32::MAX as u64) / (BLOCK_SIZE / SECTOR_BYTES) - MOST_INDIRECT;

/// The way from the inode down to a block's pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Branch {
    /// Which block of the lowest level; none for the first twelve.
    pub(super) lowest: Option<usize>,
    /// Which block above it: 0 is the double indirect one.
    pub(super) middle: Option<usize>,
    /// Whether the triple indirect block is above that.
    pub(super) top: bool,
}

/// Where the indirect blocks of a file lie. Most files have none.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Indirect(Option<Box<Tables>>);

/// The blocks of each level; 0 stands for one that isn't there.
#[derive(Clone, Debug, Default, Persist)]
struct Tables {
    lowest: Vec<u64>,
    middle: Vec<u64>,
    top: u64,
}

/// Those of a file that has none.
static NONE: Tables = Tables { lowest: Vec::new(), middle: Vec::new(), top: 0 };

impl Branch {
    /// The way to a block.
    #[inline]
    pub(super) fn to(block: u64) -> Self {
        if block < DIRECT {
            return Self::default();
        }
        let lowest = (block - DIRECT) / POINTERS;
        let middle = lowest.checked_sub(1).map(|below| match below.checked_sub(POINTERS) {
            None => 0,
            Some(triple) => 1 + (triple / POINTERS) as usize,
        });
        Self { lowest: Some(lowest as usize), middle, top: lowest > POINTERS }
    }

    /// The first block of the file that no longer goes this way.
    #[inline]
    pub(super) fn end(self) -> u64 {
        match self.lowest {
            None => DIRECT,
            Some(lowest) => DIRECT + (lowest as u64 + 1) * POINTERS,
        }
    }
}

fn at(list: &[u64], index: Option<usize>) -> Option<u64> {
    index.and_then(|index| list.get(index).copied()).filter(|&block| block != 0)
}

fn put(list: &mut Vec<u64>, index: usize, block: u64) {
    if list.len() <= index {
        list.resize(index + 1, 0);
    }
    list[index] = block;
}

impl Indirect {
    #[inline]
    fn tables(&self) -> &Tables {
        self.0.as_deref().unwrap_or(&NONE)
    }

    /// The blocks of a branch from the top: triple, double, single; none where there is none (yet).
    #[inline]
    pub(super) fn of(&self, branch: Branch) -> [Option<u64>; 3] {
        let tables = self.tables();
        let top = (branch.top && tables.top != 0).then_some(tables.top);
        [top, at(&tables.middle, branch.middle), at(&tables.lowest, branch.lowest)]
    }

    /// The indirect block beside the highest one that the branch lacks: to which the pointer before points.
    pub(super) fn beside(&self, branch: Branch) -> Option<u64> {
        let tables = self.tables();
        let before = |index: Option<usize>| index.and_then(|index| index.checked_sub(1));
        if branch.top && tables.top == 0 {
            return at(&tables.middle, Some(0));
        }
        match branch.middle {
            Some(0) if at(&tables.middle, Some(0)).is_none() => at(&tables.lowest, Some(0)),
            Some(middle) if at(&tables.middle, Some(middle)).is_none() => {
                if middle == 1 {
                    Some(tables.top)
                } else {
                    at(&tables.middle, Some(middle - 1))
                }
            }
            _ => {
                // The first under its parent has none beside it, and goes next to the parent.
                let first = branch.lowest.is_some_and(|lowest| lowest as u64 % POINTERS == 1);
                if first {
                    at(&tables.middle, branch.middle)
                } else {
                    at(&tables.lowest, before(branch.lowest))
                }
            }
        }
    }

    /// How many blocks the branch lacks.
    #[inline]
    pub(super) fn missing(&self, branch: Branch) -> usize {
        let tables = self.tables();
        if branch.lowest.is_none() || at(&tables.lowest, branch.lowest).is_some() {
            return 0;
        }
        1 + usize::from(branch.middle.is_some() && at(&tables.middle, branch.middle).is_none())
            + usize::from(branch.top && tables.top == 0)
    }

    /// Gives the branch the highest of the blocks that it lacks.
    pub(super) fn give(&mut self, branch: Branch, block: u64) {
        let tables = self.0.get_or_insert_default();
        if branch.top && tables.top == 0 {
            tables.top = block;
        } else if let Some(middle) = branch.middle
            && at(&tables.middle, branch.middle).is_none()
        {
            put(&mut tables.middle, middle, block);
        } else if let Some(lowest) = branch.lowest {
            put(&mut tables.lowest, lowest, block);
        }
    }

    /// Removes the blocks that no block before `end` needs; the lowest of a branch first, as the kernel frees them.
    pub(super) fn truncate(&mut self, end: u64, mut freed: impl FnMut(u64)) {
        let Some(tables) = self.0.as_deref_mut() else { return };
        let last = end.checked_sub(1).map_or(Branch::default(), Branch::to);
        let keep = |index: Option<usize>| index.map_or(0, |index| index + 1);
        for (list, kept) in [(&mut tables.lowest, keep(last.lowest)), (&mut tables.middle, keep(last.middle))]
        {
            while list.len() > kept {
                if let Some(block) = list.pop()
                    && block != 0
                {
                    freed(block);
                }
            }
        }
        if !last.top && tables.top != 0 {
            freed(tables.top);
            tables.top = 0;
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = u64> {
        let tables = self.tables();
        let top = (tables.top != 0).then_some(tables.top);
        tables.lowest.iter().chain(&tables.middle).copied().filter(|&block| block != 0).chain(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_block_follows_the_pointers() {
        let branch = |lowest, middle, top| Branch { lowest, middle, top };
        assert_eq!(Branch::to(0), branch(None, None, false));
        assert_eq!(Branch::to(11), branch(None, None, false));
        assert_eq!(Branch::to(12), branch(Some(0), None, false));
        assert_eq!(Branch::to(1035), branch(Some(0), None, false));
        assert_eq!(Branch::to(1036), branch(Some(1), Some(0), false));
        let triple = 12 + 1024 + 1024 * 1024;
        assert_eq!(Branch::to(triple - 1), branch(Some(1024), Some(0), false));
        assert_eq!(Branch::to(triple), branch(Some(1025), Some(1), true));
        assert_eq!(Branch::to(triple + 1024 * 1024), branch(Some(2049), Some(2), true));
        assert_eq!(Branch::to(5).end(), 12);
        assert_eq!(Branch::to(1036).end(), 2060);
    }

    #[test]
    fn blocks_are_given_from_the_top_and_taken_from_the_bottom() {
        let mut indirect = Indirect::default();
        let far = Branch::to(12 + 1024 + 1024 * 1024);
        assert_eq!(indirect.missing(far), 3);
        for block in [100, 101, 102] {
            indirect.give(far, block);
        }
        assert_eq!(indirect.of(far), [Some(100), Some(101), Some(102)]);
        assert_eq!(indirect.missing(far), 0);
        assert_eq!(indirect.missing(Branch::to(12)), 1);
        let mut freed = Vec::new();
        indirect.truncate(0, |block| freed.push(block));
        assert_eq!(freed, [102, 101, 100]);
        assert_eq!(indirect.all().count(), 0);
    }
}
