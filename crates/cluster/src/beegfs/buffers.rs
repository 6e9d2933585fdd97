//! The buffers of a client's cache `buffered`: one a file at most, of which there is a limited number on a host.
//!
//! ```text
//!   write ─▶ its buffer goes on where it ends, and has room ─▶ copied                        full: written to the servers
//!         └▶ else what is in there is written, then: a new buffer, or past all buffers where it is as long as one, or would not be hit
//!   read  ─▶ its buffer overlaps ─▶ copied, what lies before it asked for                    what lies behind: a new buffer
//!         └▶ else: as much as a buffer holds is read at once, or past all buffers
//! ```
//!
//! After `FhgfsOpsHelper_writeCached`, `__FhgfsOpsHelper_writeCacheFlushed`, `…_readCached`, `…_readCacheFlushed` (client_module,
//! filesystem/FhgfsOpsHelper.c, 8.3.1) and FsFileInfo.h: who hits rarely has no buffer. No buffer reaches beyond the chunk that it begins in.
//! Left out: buffers of who appends, which need locks at a server (`tuneUseGlobalAppendLocks`, off by default), and mapped files.

use petrio_colours::FileId;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What hits are worth at first, at most, and at least (`FSFILEINFO_CACHE_HITS_INITIAL`, `…_THRESHOLD`, `…_MISS_THRESHOLD`).
const HITS: (i32, i32, i32) = (3, 5, -5);
/// What is read at once of a file's beginning where little is wanted (`FSFILEINFO_CACHE_SLOWSTART_READLEN`).
const SLOW_START: u64 = 64 << 10;

/// A range of a file that is moved between client and servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Move {
    pub(super) writes: bool,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// A file's buffer.
#[derive(Clone, Copy, Debug, Persist)]
struct Buffer {
    writes: bool,
    offset: u64,
    used: u64,
    most: u64,
}

/// How a process fares with an open file.
#[derive(Clone, Copy, Debug, Persist)]
struct Hits {
    hits: i32,
    /// Where its last write ended, and its last read.
    written: u64,
    read: u64,
}

impl Default for Hits {
    fn default() -> Self {
        Self { hits: HITS.0, written: 0, read: 0 }
    }
}

impl Hits {
    fn note(&mut self, is_hit: bool) {
        self.hits = if is_hit { (self.hits + 1).min(HITS.1) } else { (self.hits - 1).max(HITS.2) };
    }
}

/// All of a client's.
#[derive(Clone, Debug, Persist)]
pub(super) struct Buffers {
    /// Bytes of one; how many there may be; bytes of a chunk.
    size: u64,
    most: usize,
    chunk: u64,
    of: BTreeMap<FileId, Buffer>,
    hits: BTreeMap<(u32, FileId), Hits>,
}

impl Buffers {
    pub(super) fn new((size, most): (u64, usize), chunk: u64) -> Self {
        Self { size, most, chunk, of: BTreeMap::new(), hits: BTreeMap::new() }
    }

    /// Whether a file has something in its buffer that no server has.
    pub(super) fn is_dirty(&self, file: FileId) -> bool {
        self.of.get(&file).is_some_and(|buffer| buffer.writes)
    }

    /// Files with such a buffer.
    pub(super) fn dirty(&self) -> Vec<FileId> {
        self.of.iter().filter(|(_, buffer)| buffer.writes).map(|(file, _)| *file).collect()
    }

    /// How long a buffer may be that begins there.
    fn longest(&self, offset: u64) -> u64 {
        self.size.min(self.chunk - offset % self.chunk)
    }

    /// A process writes; what is moved for it, one after the other.
    pub(super) fn write(&mut self, (process, file): (u32, FileId), offset: u64, length: u64) -> Vec<Move> {
        let (size, through) = (self.size, Move { writes: true, offset, length });
        let hits = self.hits.entry((process, file)).or_default();
        let is_near = (hits.written..hits.written + size).contains(&offset);
        hits.written = offset + length;
        let mut moves = Vec::new();
        match self.of.get_mut(&file) {
            None => hits.note(is_near),
            Some(own) if own.writes && offset == own.offset + own.used && length <= own.most - own.used => {
                hits.note(true);
                own.used += length;
                let is_full = own.used == own.most;
                return if is_full { self.flush(file).into_iter().collect() } else { moves };
            }
            Some(_) => {
                hits.note(false);
                moves.extend(self.flush(file));
            }
        }
        let is_hit = self.hits.get(&(process, file)).is_some_and(|hits| hits.hits > 0);
        let most = self.longest(offset);
        if is_hit && length < most && self.of.len() < self.most {
            self.of.insert(file, Buffer { writes: true, offset, used: length, most });
        } else {
            moves.push(through);
        }
        moves
    }

    /// A process reads of a file that ends at `end`; whether others on its host have the file open, too, to read it.
    pub(super) fn read(
        &mut self,
        (process, file): (u32, FileId),
        (offset, length): (u64, u64),
        end: u64,
        is_shared: bool,
    ) -> Vec<Move> {
        let direct = Move { writes: false, offset, length };
        let size = self.size;
        let hits = self.hits.entry((process, file)).or_default();
        let (last, until) = (hits.read, offset + length);
        hits.read = until;
        let mut moves = Vec::new();
        match self.of.get(&file).copied() {
            None if is_shared => return vec![direct],
            None => hits.note(last + size > offset && last < until),
            Some(own) if own.writes || own.offset + own.used <= offset || own.offset >= until => {
                hits.note(false);
                moves.extend(self.flush(file));
            }
            Some(own) => {
                hits.note(true);
                if offset < own.offset {
                    moves.push(Move { length: own.offset - offset, ..direct });
                }
                let behind = own.offset + own.used;
                if until > behind {
                    self.of.remove(&file);
                    moves.push(self.fill((process, file), (behind, until - behind), end, is_shared));
                }
                return moves;
            }
        }
        moves.push(self.fill((process, file), (offset, length), end, is_shared));
        moves
    }

    /// Reads into a new buffer, or past all.
    fn fill(&mut self, of: (u32, FileId), (offset, length): (u64, u64), end: u64, is_shared: bool) -> Move {
        let direct = Move { writes: false, offset, length };
        let is_hit = self.hits.get(&of).is_some_and(|hits| hits.hits > 0);
        let most = self.longest(offset);
        if !is_hit || is_shared || length >= most || self.of.len() >= self.most {
            return direct;
        }
        let most = if offset == 0 && length < SLOW_START { SLOW_START.min(most) } else { most };
        let used = most.min(end.saturating_sub(offset));
        if used > 0 {
            self.of.insert(of.1, Buffer { writes: false, offset, used, most });
        }
        Move { length: most, ..direct }
    }

    /// A file's buffer goes: what is in it that no server has is moved.
    pub(super) fn flush(&mut self, file: FileId) -> Option<Move> {
        let own = self.of.remove(&file)?;
        own.writes.then_some(Move { writes: true, offset: own.offset, length: own.used })
    }

    /// A process has closed a file.
    pub(super) fn closed(&mut self, process: u32, file: FileId) {
        self.hits.remove(&(process, file));
    }

    /// A file is gone, or was cut: what is in its buffer is of nothing any more.
    pub(super) fn forget(&mut self, file: FileId) {
        self.of.remove(&file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;
    const FILE: FileId = FileId(9);
    const ONE: (u32, FileId) = (1, FILE);

    fn buffers(most: usize) -> Buffers {
        Buffers::new((512 * KIB, most), 512 * KIB)
    }

    fn write(offset: u64, length: u64) -> Move {
        Move { writes: true, offset, length }
    }

    fn read(offset: u64, length: u64) -> Move {
        Move { writes: false, offset, length }
    }

    #[test]
    fn small_writes_go_together_once_a_chunk_is_full() {
        let mut all = buffers(4);
        let moves: Vec<Move> = (0..16).flat_map(|at| all.write(ONE, at * 64 * KIB, 64 * KIB)).collect();
        assert_eq!(moves, [write(0, 512 * KIB), write(512 * KIB, 512 * KIB)]);
        assert!(!all.is_dirty(FILE));
        // Not at a chunk's beginning, it ends where the chunk does.
        assert_eq!(all.write(ONE, 1_000 * KIB, 20 * KIB), []);
        assert_eq!(all.write(ONE, 1_020 * KIB, 4 * KIB), [write(1_000 * KIB, 24 * KIB)]);
    }

    #[test]
    fn what_is_as_long_as_a_buffer_goes_past_it() {
        let mut all = buffers(4);
        assert_eq!(all.write(ONE, 0, 512 * KIB), [write(0, 512 * KIB)]);
        assert_eq!(all.write(ONE, 512 * KIB, 4 * KIB), []);
        // It doesn't fit any more: first what is there.
        assert_eq!(
            all.write(ONE, 516 * KIB, 600 * KIB),
            [write(512 * KIB, 4 * KIB), write(516 * KIB, 600 * KIB)]
        );
    }

    #[test]
    fn who_writes_here_and_there_has_no_buffer_in_the_end() {
        let mut all = buffers(4);
        // The first is a hit, and leaves 4; then 3, 2, 1, and none.
        let moved: Vec<usize> = (0..6).map(|at| all.write(ONE, at * 5120 * KIB, 47_008).len()).collect();
        assert_eq!(moved, [0, 1, 1, 1, 2, 1], "{all:?}");
    }

    #[test]
    fn no_more_buffers_than_there_are() {
        let mut all = buffers(1);
        assert_eq!(all.write(ONE, 0, KIB), []);
        assert_eq!(all.write((1, FileId(10)), 0, KIB), [write(0, KIB)]);
        assert_eq!(all.flush(FILE), Some(write(0, KIB)));
        assert_eq!(all.write((1, FileId(10)), KIB, KIB), []);
    }

    #[test]
    fn small_reads_are_read_ahead_by_a_buffer_and_slowly_at_the_beginning() {
        let (mut all, end) = (buffers(4), 10 << 20);
        assert_eq!(all.read(ONE, (0, 4 * KIB), end, false), [read(0, 64 * KIB)]);
        assert_eq!(all.read(ONE, (4 * KIB, 60 * KIB), end, false), []);
        // The rest of the chunk at once.
        assert_eq!(all.read(ONE, (64 * KIB, 4 * KIB), end, false), [read(64 * KIB, 448 * KIB)]);
        // In part there.
        assert_eq!(all.read(ONE, (508 * KIB, 8 * KIB), end, false), [read(512 * KIB, 512 * KIB)]);
        // Who shares it reads what he asks for.
        let mut shared = buffers(4);
        assert_eq!(shared.read(ONE, (0, 4 * KIB), end, true), [read(0, 4 * KIB)]);
    }

    #[test]
    fn a_read_of_what_was_written_has_it_written_first() {
        let mut all = buffers(4);
        assert_eq!(all.write(ONE, 0, 4 * KIB), []);
        assert_eq!(all.read(ONE, (0, KIB), 4 * KIB, false), [write(0, 4 * KIB), read(0, 64 * KIB)]);
        // And a write drops what was read.
        assert_eq!(all.write(ONE, 4 * KIB, KIB), []);
        assert!(all.is_dirty(FILE));
    }
}
