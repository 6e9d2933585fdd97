//! What a transaction changes, in the pieces in which it is logged: 128 bytes of a buffer, the core of an inode and its fork.
//!
//! After fs/xfs/xfs_buf_item.c, xfs_inode_item.c and xfs_icreate_item.c of Linux 6.18. Each region of an item has a header of 12 bytes
//! in the log (`struct xlog_op_header`). What was changed and has not been written in place since is logged again with each new change
//! ("relogging"): a buffer's dirty pieces add up, and an inode's fork stays with its core.

use petrio_colours::FileId;
use petrio_persist::Persist;

/// `struct xlog_op_header`.
pub(super) const OPERATION: u64 = 12;

/// Bytes of a buffer that are logged together (XFS_BLF_CHUNK).
pub(super) const PIECE_BYTES: u64 = 128;

/// A buffer's format up to its bitmap of pieces (`struct xfs_buf_log_format`), and a word of that.
const BUFFER_FORMAT: u64 = 20;
const BUFFER_WORD: u64 = 4;

/// An inode's format (`struct xfs_inode_log_format`) and its core of version 3 (`struct xfs_log_dinode`).
const INODE_FORMAT: u64 = 56;
pub(super) const INODE_CORE: u64 = 176;

/// A chunk of new inodes (`struct xfs_icreate_log`): the inodes themselves aren't logged.
const CREATED_CHUNK: u64 = 28;

/// A metadata buffer: where it lies, in blocks of 4 KiB and sectors of 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub struct Buffer {
    /// Its first sector.
    pub sector: u64,
    /// Its sectors: 1, 8 or 32.
    pub sectors: u32,
}

impl Buffer {
    /// A sector of a block: superblock, AGF, AGI, AGFL are the first four of a group.
    #[must_use]
    pub const fn sector(block: u64, sector: u64) -> Self {
        Self { sector: block * 8 + sector, sectors: 1 }
    }

    /// So many blocks.
    #[must_use]
    pub const fn blocks(block: u64, blocks: u32) -> Self {
        Self { sector: block * 8, sectors: blocks * 8 }
    }

    /// Its first block of 4 KiB.
    #[must_use]
    pub const fn block(self) -> u64 {
        self.sector / 8
    }

    /// Pages of memory that it touches.
    #[must_use]
    pub const fn pages(self) -> u64 {
        (self.sectors as u64).div_ceil(8)
    }

    fn words(self) -> u64 {
        (u64::from(self.sectors) * 512).div_ceil(PIECE_BYTES * 32)
    }
}

/// Pieces of a buffer: a bit for each 128 bytes of up to 16 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Pieces(u128);

impl Pieces {
    /// Those in which the bytes `from .. to` lie.
    #[must_use]
    pub fn of(from: u64, to: u64) -> Self {
        let (first, end) = ((from / PIECE_BYTES).min(127), to.div_ceil(PIECE_BYTES).min(128));
        let below = |bit: u64| if bit >= 128 { u128::MAX } else { (1 << bit) - 1 };
        Self(below(end) & !below(first))
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// How many, and in how many runs.
    #[must_use]
    pub fn runs(self) -> (u64, u64) {
        let begins = self.0 & !(self.0 << 1);
        (u64::from(self.0.count_ones()), u64::from(begins.count_ones()))
    }
}

/// Bytes that a changed buffer takes in the log: its format, and each run of pieces.
#[must_use]
pub(super) fn buffer_bytes(buffer: Buffer, dirty: Pieces) -> u64 {
    let (pieces, runs) = dirty.runs();
    OPERATION + BUFFER_FORMAT + BUFFER_WORD * buffer.words() + runs * OPERATION + pieces * PIECE_BYTES
}

/// Bytes that an inode takes: format and core, and each of its two forks, of so many bytes, that was changed.
#[must_use]
pub(super) fn inode_bytes(fork: Option<u64>, attributes: Option<u64>) -> u64 {
    let forks = [fork, attributes].into_iter().flatten().filter(|&bytes| bytes > 0);
    let forks: u64 = forks.map(|bytes| OPERATION + bytes.next_multiple_of(4)).sum();
    OPERATION + INODE_FORMAT + OPERATION + INODE_CORE + forks
}

/// Bytes that a chunk of new inodes takes.
#[must_use]
pub(super) const fn created_bytes() -> u64 {
    OPERATION + CREATED_CHUNK
}

/// What an operation reads and changes. Filled again and again by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct Changes {
    /// Buffers that must be in memory before, in the order of need.
    pub reads: Vec<Buffer>,
    /// Buffers changed, and where.
    pub buffers: Vec<(Buffer, Pieces)>,
    /// Inodes changed: the bytes of the fork, where that was changed too.
    pub inodes: Vec<(FileId, Option<u64>)>,
    /// Inodes of which the fork of extended attributes was changed, which now has so many bytes.
    pub attributes: Vec<(FileId, u64)>,
    /// Chunks of inodes made: the first block of each.
    pub created: Vec<u64>,
    /// Blocks given back: first and count.
    pub freed: Vec<(u64, u64)>,
    /// Metadata buffers given back: no longer in memory, nor to be written.
    pub forgotten: Vec<Buffer>,
}

impl Changes {
    /// Empties it.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.buffers.clear();
        self.inodes.clear();
        self.attributes.clear();
        self.created.clear();
        self.freed.clear();
        self.forgotten.clear();
    }

    /// Whether nothing is logged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty() && self.inodes.is_empty() && self.created.is_empty()
    }

    /// A buffer must be in memory.
    pub fn read(&mut self, buffer: Buffer) {
        if !self.reads.contains(&buffer) {
            self.reads.push(buffer);
        }
    }

    /// Bytes `from .. to` of a buffer were changed.
    pub fn change(&mut self, buffer: Buffer, from: u64, to: u64) {
        let pieces = Pieces::of(from, to);
        match self.buffers.iter_mut().find(|(other, _)| *other == buffer) {
            Some((_, dirty)) => *dirty = dirty.with(pieces),
            None => self.buffers.push((buffer, pieces)),
        }
    }

    /// An inode's core was changed.
    pub fn core(&mut self, file: FileId) {
        if !self.inodes.iter().any(|(other, _)| *other == file) {
            self.inodes.push((file, None));
        }
    }

    /// An inode's fork was changed, which now has so many bytes.
    pub fn fork(&mut self, file: FileId, bytes: u64) {
        self.core(file);
        if let Some((_, fork)) = self.inodes.iter_mut().find(|(other, _)| *other == file) {
            *fork = Some(bytes);
        }
    }

    /// An inode's fork of extended attributes was changed, which now has so many bytes.
    pub fn attributes(&mut self, file: FileId, bytes: u64) {
        self.core(file);
        self.attributes.push((file, bytes));
    }

    /// Blocks were given back.
    pub fn free(&mut self, block: u64, count: u64) {
        match self.freed.last_mut() {
            Some(last) if last.0 + last.1 == block => last.1 += count,
            _ => self.freed.push((block, count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of structures in fs/xfs/libxfs/xfs_log_format.h: an AGF with a changed field is 24 + 128 bytes in two regions, an inode
    /// without fork 56 + 176 in two.
    #[test]
    fn items_take_the_bytes_of_their_structures() {
        assert_eq!(buffer_bytes(Buffer::sector(0, 1), Pieces::of(40, 60)), 12 + 24 + 12 + 128);
        assert_eq!(buffer_bytes(Buffer::blocks(16, 4), Pieces::of(600, 604)), 12 + 36 + 12 + 128);
        assert_eq!((inode_bytes(None, None), inode_bytes(Some(16), None)), (256, 284));
        assert_eq!(inode_bytes(None, Some(7)), 276, "in words of four bytes");
    }

    #[test]
    fn pieces_apart_are_regions_of_their_own() {
        let apart = Pieces::of(0, 56).with(Pieces::of(4_000, 4_096));
        assert_eq!(apart.runs(), (2, 2));
        assert_eq!(apart.with(Pieces::of(128, 129)).runs(), (3, 2));
        assert_eq!(Pieces::of(0, 16_384).runs(), (128, 1));
        assert_eq!(Pieces::default().runs(), (0, 0));
    }
}
