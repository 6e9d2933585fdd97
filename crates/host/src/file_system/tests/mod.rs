//! Tests of the layout, and the helper with which they look at transactions.

#![allow(clippy::unwrap_used)]

mod files;
mod positions;
mod properties;
mod transactions;

use super::*;
use petrio_colours::{FileId, FileOp, Operation};

const MEBI_BLOCKS: u64 = 256;

fn fresh(family: Family, mebibytes: u64) -> Volume {
    Volume::format(&FileSystemParameters::of(family), mebibytes * MEBI_BLOCKS).unwrap()
}

/// As the kernel of the observations mounts it.
fn modern(family: Family) -> Volume {
    let parameters =
        FileSystemParameters { allocation: Some(Allocation::MultiBlock), ..FileSystemParameters::of(family) };
    Volume::format(&parameters, 1024 * MEBI_BLOCKS).unwrap()
}

/// A volume with what its operations touched since the last commit.
struct Log {
    volume: Volume,
    touched: Touched,
    mapping: Mapping,
}

impl Log {
    fn new(volume: Volume) -> Self {
        Self { volume, touched: Touched::default(), mapping: Mapping::default() }
    }

    fn operate(&mut self, operation: Operation, file: u32, parent: u32) {
        self.go(&FileOp { operation, file: FileId(file), parent: FileId(parent), ..FileOp::default() });
    }

    fn go(&mut self, op: &FileOp) {
        self.volume.operate(op, &mut self.touched).unwrap();
    }

    fn append(&mut self, file: u32, blocks: u64) {
        let file = FileId(file);
        for _ in 0..blocks {
            let at = self.volume.size(file) / BLOCK_SIZE;
            self.volume.allocate(file, at, 1, &mut self.mapping, &mut self.touched).unwrap();
            self.volume.grow(file, (at + 1) * BLOCK_SIZE);
            self.volume.touch_inode(file, &mut self.touched);
        }
    }

    /// Blocks logged and revoked since the last time, each in ascending order.
    fn commit(&mut self) -> (Vec<u64>, Vec<u64>) {
        let mut logged = std::mem::take(&mut self.touched.dirtied);
        let mut revoked = std::mem::take(&mut self.touched.forgotten);
        self.touched.clear();
        logged.sort_unstable();
        logged.dedup();
        logged.retain(|block| !revoked.contains(block));
        revoked.sort_unstable();
        (logged, revoked)
    }

    fn block(&mut self, file: u32, at: u64) -> u64 {
        self.volume.map(FileId(file), at, 1, &mut self.mapping);
        self.mapping.segments[0].block.unwrap()
    }

    /// The indirect blocks, or nodes, that a block needs.
    fn above(&mut self, file: u32, at: u64) -> Vec<u64> {
        self.volume.map(FileId(file), at, 1, &mut self.mapping);
        self.mapping.metadata.iter().map(|&(_, block)| block).collect()
    }
}
