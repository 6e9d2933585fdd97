//! The multipartition: which cells of the grid a rank holds (NPB, BT/make_set and define).
//!
//! The cube of N³ is cut into q³ cells. A rank holds one cell of each slab of the third dimension, along a diagonal, so that in
//! every sweep of every dimension each rank always has a cell to work on.

use super::CELL_BYTES;
use crate::parallel::io::{Datatype, View};
use crate::program::ProgramError;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::ops::Range;
use std::sync::Arc;

/// A cube of `length`³ cells on `side`² ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Grid {
    pub(super) length: u64,
    pub(super) side: u32,
}

/// A block of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Block {
    /// Which of the blocks of each dimension it is.
    pub(super) at: [u32; 3],
    /// Its first cell in each dimension.
    pub(super) low: [u64; 3],
    /// Its cells in each dimension.
    pub(super) size: [u64; 3],
}

impl Block {
    pub(super) const fn bytes(&self) -> u64 {
        self.size[0] * self.size[1] * self.size[2] * CELL_BYTES
    }
}

impl Grid {
    /// The `number`-th block (from 0) of a rank.
    pub(super) fn block(&self, rank: u32, number: u32) -> Block {
        let side = u64::from(self.side);
        let (column, row) = (u64::from(rank) % side, u64::from(rank) / side);
        let number = u64::from(number);
        let at = [(column + number) % side, (row + side - number) % side, number];
        let range = at.map(|at| self.cut(at));
        Block {
            at: at.map(as_number),
            low: [range[0].start, range[1].start, range[2].start],
            size: [0, 1, 2].map(|dimension: usize| range[dimension].end - range[dimension].start),
        }
    }

    /// The cells of the `at`-th block in one dimension: the first ones have one more where they can't be alike.
    fn cut(&self, at: u64) -> Range<u64> {
        let side = u64::from(self.side);
        let (size, excess) = (self.length / side, self.length % side);
        let start = at * size + at.min(excess);
        start..start + size + u64::from(at < excess)
    }

    pub(super) fn blocks(&self, rank: u32) -> impl Iterator<Item = Block> {
        (0..self.side).map(move |number| self.block(rank, number))
    }

    /// The ranks that hold the next blocks in a dimension, and those before.
    pub(super) const fn neighbours(&self, rank: u32, dimension: usize) -> (u32, u32) {
        let side = self.side;
        let (column, row) = (rank % side, rank / side);
        let (next_column, last_column) = ((column + 1) % side, (column + side - 1) % side);
        let (next_row, last_row) = ((row + 1) % side, (row + side - 1) % side);
        match dimension {
            0 => (next_column + row * side, last_column + row * side),
            1 => (column + next_row * side, column + last_row * side),
            // The next slab's block of the same place in the others is one column back and one row on.
            _ => (last_column + next_row * side, next_column + last_row * side),
        }
    }

    /// Bytes of a dump.
    pub(super) const fn dump_bytes(&self) -> u64 {
        self.length * self.length * self.length * CELL_BYTES
    }

    /// Bytes of a rank's part of a dump.
    pub(super) fn rank_bytes(&self, rank: u32) -> u64 {
        self.blocks(rank).map(|block| block.bytes()).sum()
    }

    /// What a rank sees of the dumps: its blocks, as subarrays of the cube.
    pub(super) fn view(&self, rank: u32) -> Result<View, ProgramError> {
        let cell = Arc::new(Datatype::bytes(CELL_BYTES)?);
        let sizes = [self.length; 3];
        let part =
            |block: Block| Ok((0, Arc::new(Datatype::subarray(&sizes, &block.size, &block.low, &cell)?)));
        // Each lies in a slab of its own, so that their order is the file's.
        let parts = self.blocks(rank).map(part).collect::<Result<Vec<_>, ProgramError>>()?;
        Ok(View::new(0, Arc::new(Datatype::placed(parts)?)))
    }
}

/// The rows of a rank's blocks in a dump, in the order in which the program goes through them: bytes of the file.
#[derive(Clone, Debug, Persist)]
pub(in crate::parallel) struct Rows {
    grid: Grid,
    rank: u32,
    /// Where the dump begins.
    base: u64,
    number: u32,
    block: Block,
    row: [u64; 2],
}

impl Rows {
    pub(super) fn new(grid: Grid, rank: u32, base: u64) -> Self {
        Self { grid, rank, base, number: 0, block: grid.block(rank, 0), row: [0, 0] }
    }
}

impl Iterator for Rows {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        if self.number == self.grid.side {
            return None;
        }
        let Block { low, size, .. } = self.block;
        let length = self.grid.length;
        let cell = low[0] + length * (low[1] + self.row[0] + length * (low[2] + self.row[1]));
        let start = self.base + cell * CELL_BYTES;
        self.row[0] += 1;
        if self.row[0] == size[1] {
            self.row = [0, self.row[1] + 1];
            if self.row[1] == size[2] {
                self.row = [0, 0];
                self.number += 1;
                if self.number < self.grid.side {
                    self.block = self.grid.block(self.rank, self.number);
                }
            }
        }
        Some(start..start + size[0] * CELL_BYTES)
    }
}
