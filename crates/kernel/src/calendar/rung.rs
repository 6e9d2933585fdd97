//! One rung of the ladder: a span of time cut into equal buckets of unsorted entries.

use super::entry::Entry;
use petrio_persist::Persist;
use petrio_time::numbers::{as_index, as_number};

/// Entries per chunk: a chunk is 344 bytes, so appending touches one cache line most of the time.
const CHUNK: usize = 14;
const NONE: u32 = u32::MAX;

/// A handful of entries of one bucket; buckets are linked lists of chunks, so that they grow without allocation once
/// the pool has grown.
#[derive(Clone, Debug, Persist)]
struct Chunk {
    entries: [Entry; CHUNK],
    len: u32,
    next: u32,
}

/// Chunks shared by all rungs.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Pool {
    chunks: Vec<Chunk>,
    free: Vec<u32>,
}

impl Pool {
    fn take(&mut self, next: u32) -> u32 {
        if let Some(index) = self.free.pop() {
            let chunk = &mut self.chunks[index as usize];
            chunk.len = 0;
            chunk.next = next;
            return index;
        }
        self.chunks.push(Chunk { entries: [Entry::default(); CHUNK], len: 0, next });
        as_number(self.chunks.len() - 1)
    }
}

#[derive(Clone, Copy, Debug, Persist)]
struct Bucket {
    head: u32,
    count: u32,
}

/// Buckets of `1 << shift` picoseconds from `start` on.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Rung {
    start: u64,
    /// The first time that lies beyond this rung.
    end: u64,
    shift: u32,
    /// The bucket to be taken next; those before it are empty for good.
    cursor: usize,
    buckets: Vec<Bucket>,
}

impl Rung {
    /// Lays the rung over `[start, end)` for about `expected` entries, `per_bucket` in each.
    pub(super) fn reset(&mut self, start: u64, end: u64, expected: usize, per_bucket: usize) {
        let wanted = (expected / per_bucket).max(2) as u64;
        let width = ((end - start) / wanted).max(1);
        // The next power of two at or below the width: an index is a shift, and there are at most twice as many
        // buckets as wanted.
        self.shift = 63 - width.leading_zeros();
        self.start = start;
        self.end = end;
        self.cursor = 0;
        let count = as_index((end - 1 - start) >> self.shift) + 1;
        self.buckets.clear();
        self.buckets.resize(count, Bucket { head: NONE, count: 0 });
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn push(&mut self, pool: &mut Pool, entry: Entry) {
        let bucket = &mut self.buckets[as_index((entry.time - self.start) >> self.shift)];
        if bucket.head == NONE || pool.chunks[bucket.head as usize].len as usize == CHUNK {
            bucket.head = pool.take(bucket.head);
        }
        let chunk = &mut pool.chunks[bucket.head as usize];
        chunk.entries[chunk.len as usize] = entry;
        chunk.len += 1;
        bucket.count += 1;
    }

    /// The next bucket that holds anything: its entries are moved to `target`; returns its span `[start, end)`.
    pub(super) fn next_bucket(&mut self, pool: &mut Pool, target: &mut Vec<Entry>) -> Option<(u64, u64)> {
        while self.cursor < self.buckets.len() {
            let index = self.cursor;
            self.cursor += 1;
            let bucket = self.buckets[index];
            if bucket.count == 0 {
                continue;
            }
            self.buckets[index] = Bucket { head: NONE, count: 0 };
            let mut at = bucket.head;
            while at != NONE {
                let chunk = &pool.chunks[at as usize];
                target.extend_from_slice(&chunk.entries[..chunk.len as usize]);
                pool.free.push(at);
                at = chunk.next;
            }
            let start = self.start + ((index as u64) << self.shift);
            let end = start.saturating_add(1 << self.shift).min(self.end);
            return Some((start, end));
        }
        None
    }
}
