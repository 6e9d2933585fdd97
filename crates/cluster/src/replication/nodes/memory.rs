//! What a node has in memory of its disk: whole blocks, of which those go first that have not been used for the longest
//! time. Pure.

use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::Bytes;
use std::collections::BTreeMap;

/// A node's memory. Looking takes constant time, using and keeping take the logarithm of its blocks: it is asked once a
/// request, beside which that is little.
#[derive(Clone, Debug, Persist)]
pub struct NodeMemory {
    /// Sectors of a block.
    block: u64,
    most: usize,
    /// When each block was used last.
    used: FastMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

impl NodeMemory {
    /// An empty one of such a size, in blocks of such a size (a multiple of 512 bytes).
    pub fn new(memory: Bytes, block: Bytes) -> Self {
        let sectors = (block.get() / SECTOR_BYTES).max(1);
        let most = usize::try_from(memory.get() / (sectors * SECTOR_BYTES)).unwrap_or(usize::MAX);
        Self { block: sectors, most, used: FastMap::default(), by_use: BTreeMap::new(), uses: 0 }
    }

    /// Whether all of these sectors are there.
    pub fn holds(&self, address: u64, sectors: u32) -> bool {
        self.touched(address, sectors).all(|block| self.used.contains_key(&block))
    }

    /// These sectors are used, as far as they are there.
    pub fn use_them(&mut self, address: u64, sectors: u32) {
        for block in self.touched(address, sectors) {
            if let Some(last) = self.used.get(&block).copied() {
                self.by_use.remove(&last);
                self.note(block);
            }
        }
    }

    /// These sectors have been read or written: whole blocks of them are kept from now on.
    pub fn keep(&mut self, address: u64, sectors: u32) {
        self.use_them(address, sectors);
        let end = (address + u64::from(sectors)) / self.block;
        for block in address.div_ceil(self.block)..end {
            if self.used.contains_key(&block) || self.most == 0 {
                continue;
            }
            if self.used.len() >= self.most
                && let Some((_, oldest)) = self.by_use.pop_first()
            {
                self.used.remove(&oldest);
            }
            self.note(block);
        }
    }

    /// What these sectors hold isn't known any more.
    pub fn forget(&mut self, address: u64, sectors: u32) {
        for block in self.touched(address, sectors) {
            if let Some(last) = self.used.remove(&block) {
                self.by_use.remove(&last);
            }
        }
    }

    fn touched(&self, address: u64, sectors: u32) -> std::ops::Range<u64> {
        address / self.block..(address + u64::from(sectors)).div_ceil(self.block)
    }

    fn note(&mut self, block: u64) {
        self.uses += 1;
        self.used.insert(block, self.uses);
        self.by_use.insert(self.uses, block);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_read_whole_is_there_until_more_was_used_since() {
        let mut memory = NodeMemory::new(Bytes(4 << 10), Bytes(1 << 10));
        memory.keep(0, 4);
        assert!(memory.holds(0, 4) && memory.holds(1, 2) && !memory.holds(3, 2));
        memory.keep(9, 2);
        assert!(!memory.holds(9, 1), "half a block isn't known");
        memory.keep(8, 4);
        memory.use_them(0, 1);
        memory.keep(100, 2);
        assert!(memory.holds(0, 2), "the first was used last");
        assert!(!memory.holds(2, 2), "and the second goes");
        memory.forget(8, 1);
        assert!(!memory.holds(8, 2) && memory.holds(10, 2));
    }

    proptest! {
        /// Against a list of blocks in the order of their last use.
        #[test]
        fn it_is_a_list_by_last_use(steps in prop::collection::vec((0u8..3, 0u64..40, 1u32..12), 1..200)) {
            let mut memory = NodeMemory::new(Bytes(8 << 10), Bytes(1 << 10));
            let mut naive: Vec<u64> = Vec::new();
            for (what, address, sectors) in steps {
                let end = address + u64::from(sectors);
                let touched: Vec<u64> = (address / 2..end.div_ceil(2)).collect();
                let there = touched.iter().all(|block| naive.contains(block));
                prop_assert_eq!(memory.holds(address, sectors), there);
                match what {
                    0 => memory.use_them(address, sectors),
                    1 => memory.keep(address, sectors),
                    _ => memory.forget(address, sectors),
                }
                for block in touched.iter().filter(|_| what < 2) {
                    if let Some(at) = naive.iter().position(|known| known == block) {
                        naive.remove(at);
                        naive.push(*block);
                    }
                }
                if what == 1 {
                    for block in address.div_ceil(2)..end / 2 {
                        if !naive.contains(&block) {
                            naive.push(block);
                            if naive.len() > 8 {
                                naive.remove(0);
                            }
                        }
                    }
                }
                if what == 2 {
                    naive.retain(|block| !touched.contains(block));
                }
                prop_assert_eq!(memory.used.len(), naive.len());
                prop_assert_eq!(memory.by_use.len(), naive.len());
            }
        }
    }
}
