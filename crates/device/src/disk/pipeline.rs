//! Two rates in a row: blocks that come off the medium and go out over the bus, or the other way.
//!
//! The bus moves one block at a time, in order, each as soon as it is there. Blocks of one run become available at even
//! steps, so the end of a run follows from its first and its last block alone: with `b` per block, a start `f`, and
//! availabilities `a₁ … aₙ` in even steps, the end is `max(f + n·b, a₁ + n·b, aₙ + b)`.

use petrio_kernel::Time;

/// A bus that follows the medium.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipeline {
    block: Time,
    free: Time,
}

impl Pipeline {
    /// A bus that needs `block` for each block and is free from `free` on.
    pub(super) fn new(block: Time, free: Time) -> Self {
        Self { block, free }
    }

    /// `blocks` blocks follow, the first available at `first` and the last at `last`, evenly spaced.
    pub(super) fn run(&mut self, blocks: u64, first: Time, last: Time) {
        if blocks == 0 {
            return;
        }
        let all = self.span(blocks);
        self.free = (self.free + all).max(first + all).max(last + self.block);
    }

    /// When the last block has passed.
    pub(super) fn end(&self) -> Time {
        self.free
    }

    fn span(&self, blocks: u64) -> Time {
        Time::from_picos(self.block.as_picos().saturating_mul(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_when_moving_its_blocks_one_by_one_ends() {
        for (block, step, first, free) in [(7, 3, 100, 0), (3, 7, 100, 0), (5, 5, 0, 400), (0, 9, 20, 10)] {
            let (mut one_by_one, blocks) = (free, 40);
            for index in 0..blocks {
                one_by_one = one_by_one.max(first + index * step) + block;
            }
            let mut pipeline = Pipeline::new(Time::from_picos(block), Time::from_picos(free));
            pipeline.run(blocks, Time::from_picos(first), Time::from_picos(first + (blocks - 1) * step));
            assert_eq!(pipeline.end().as_picos(), one_by_one);
        }
    }
}
