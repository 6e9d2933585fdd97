//! The circular log: which blocks are taken.

use petrio_persist::Persist;

/// Positions `0..length` behind the journal's superblock.
#[derive(Clone, Debug, Persist)]
pub(super) struct Log {
    length: u64,
    head: u64,
    used: u64,
}

impl Log {
    pub(super) fn new(length: u64) -> Self {
        Self { length, head: 0, used: 0 }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn free(&self) -> u64 {
        self.length - self.used
    }

    /// Takes blocks at the head; the position of the first.
    pub(super) fn take(&mut self, blocks: u64) -> u64 {
        let first = self.head;
        self.head = (self.head + blocks) % self.length;
        // The journal's owner asks for space before; a log that overflows all the same stays full.
        self.used = (self.used + blocks).min(self.length);
        first
    }

    /// Everything before `tail` is free; without a tail, everything.
    pub(super) fn free_up_to(&mut self, tail: Option<u64>) {
        self.used -= self.used_before(tail);
    }

    /// How many taken blocks lie before `tail`; without a tail, all.
    pub(super) fn used_before(&self, tail: Option<u64>) -> u64 {
        tail.map_or(self.used, |tail| {
            let behind = (self.head + self.length - tail) % self.length;
            self.used.saturating_sub(if behind == 0 { self.length } else { behind })
        })
    }
}
