//! fread and fwrite: how the C library's buffer turns calls into system calls (glibc 2.36, libio/fileops.c).
//!
//! A read takes what the buffer holds; of what is wanted beyond, whole blocks are read straight to the caller and the
//! rest fills the buffer (`_IO_file_xsgetn`). A write fills the buffer; when it overflows, the buffer is written, then
//! whole blocks straight from the caller, and the rest stays in the buffer (`_IO_new_file_xsputn`). Leaves out line
//! buffering, ungetc and wide streams.

use petrio_persist::Persist;
use smallvec::SmallVec;

/// Bytes of the buffer: the file system's preferred block (`st_blksize`).
pub const BUFFER_BYTES: u64 = 4096;

/// A system call that the library makes: from where, how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Persist)]
pub struct SystemCall {
    /// First byte of the file.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// The system calls of one call of the library, in order.
pub type SystemCalls = SmallVec<[SystemCall; 3]>;

/// A stream's buffer: the bytes of the file that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Stream {
    first: u64,
    length: u64,
    dirty: bool,
}

impl Stream {
    /// fread of `length` bytes at `offset` of a file of `size` bytes.
    pub fn read(&mut self, offset: u64, length: u64, size: u64) -> SystemCalls {
        let mut calls = self.settle();
        let end = (offset + length).min(size);
        let mut position = offset;
        if (self.first..self.first + self.length).contains(&position) {
            position = end.min(self.first + self.length);
        }
        let straight = end.saturating_sub(position) / BUFFER_BYTES * BUFFER_BYTES;
        if straight > 0 {
            calls.push(SystemCall { offset: position, length: straight });
            position += straight;
        }
        if position < end {
            let fill = BUFFER_BYTES.min(size - position);
            calls.push(SystemCall { offset: position, length: fill });
            *self = Self { first: position, length: fill, dirty: false };
        }
        calls
    }

    /// fwrite of `length` bytes at `offset`.
    pub fn write(&mut self, offset: u64, length: u64) -> SystemCalls {
        let mut calls = SystemCalls::new();
        let fresh = !self.dirty || self.first + self.length != offset;
        if fresh {
            calls = self.settle();
            *self = Self { first: offset, length: 0, dirty: true };
        }
        // The buffer doesn't exist before the first write, which therefore goes past it.
        let room = if fresh { 0 } else { BUFFER_BYTES - self.length };
        if !fresh && length <= room {
            self.length += length;
            return calls;
        }
        if !fresh {
            calls.push(SystemCall { offset: self.first, length: BUFFER_BYTES });
        }
        let position = offset + room;
        let left = length - room;
        let straight = left / BUFFER_BYTES * BUFFER_BYTES;
        if straight > 0 {
            calls.push(SystemCall { offset: position, length: straight });
        }
        *self = Self { first: position + straight, length: left - straight, dirty: true };
        calls
    }

    /// fflush, or fclose: what is still in the buffer is written.
    pub fn settle(&mut self) -> SystemCalls {
        let mut calls = SystemCalls::new();
        if self.dirty && self.length > 0 {
            calls.push(SystemCall { offset: self.first, length: self.length });
        }
        if self.dirty {
            *self = Self::default();
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(calls: &SystemCalls) -> Vec<(u64, u64)> {
        calls.iter().map(|call| (call.offset, call.length)).collect()
    }

    #[test]
    fn small_reads_fill_the_buffer_once_in_4096_bytes() {
        let mut stream = Stream::default();
        assert_eq!(pairs(&stream.read(0, 1_000, 1 << 20)), [(0, 4_096)]);
        for call in 1..4 {
            assert!(stream.read(call * 1_000, 1_000, 1 << 20).is_empty());
        }
        assert_eq!(pairs(&stream.read(4_000, 1_000, 1 << 20)), [(4_096, 4_096)]);
    }

    #[test]
    fn large_reads_go_straight_to_the_caller_in_whole_blocks() {
        let mut stream = Stream::default();
        assert_eq!(pairs(&stream.read(0, 65_536, 1 << 20)), [(0, 65_536)]);
        assert_eq!(pairs(&stream.read(65_536, 10_000, 1 << 20)), [(65_536, 8_192), (73_728, 4_096)]);
    }

    #[test]
    fn the_end_of_the_file_shortens_the_last_call() {
        assert_eq!(pairs(&Stream::default().read(0, 9_000, 5_000)), [(0, 4_096), (4_096, 904)]);
        assert!(Stream::default().read(6_000, 10, 5_000).is_empty());
    }

    /// Observed with strace under glibc 2.36: fwrite of 64 KiB three times, then 100, 10,000 and 4,096 bytes, then
    /// fclose.
    #[test]
    fn writes_fill_the_buffer_first_and_whole_blocks_go_straight() {
        let mut stream = Stream::default();
        assert_eq!(pairs(&stream.write(0, 65_536)), [(0, 65_536)]);
        assert_eq!(pairs(&stream.write(65_536, 65_536)), [(65_536, 4_096), (69_632, 61_440)]);
        assert_eq!(pairs(&stream.write(131_072, 65_536)), [(131_072, 4_096), (135_168, 61_440)]);
        assert!(stream.write(196_608, 100).is_empty());
        assert_eq!(pairs(&stream.write(196_708, 10_000)), [(196_608, 4_096), (200_704, 4_096)]);
        assert_eq!(pairs(&stream.write(206_708, 4_096)), [(204_800, 4_096)]);
        assert_eq!(pairs(&stream.settle()), [(208_896, 1_908)]);
    }

    #[test]
    fn every_byte_written_reaches_the_file_once() {
        let mut stream = Stream::default();
        let (mut offset, mut written) = (0, 0);
        for length in (1..2_000).map(|step| step * 37 % 9_001 + 1) {
            written += stream.write(offset, length).iter().map(|call| call.length).sum::<u64>();
            offset += length;
        }
        written += stream.settle().iter().map(|call| call.length).sum::<u64>();
        assert_eq!(written, offset);
    }
}
