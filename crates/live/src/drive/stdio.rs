//! fread and fwrite with a buffer as glibc has it, over pread and pwrite.
//!
//! A read takes what the buffer holds; of the rest whole blocks go straight to the caller, and what is left fills the
//! buffer (`_IO_file_xsgetn`). A seek into the middle of a block reads that block (`_IO_new_file_seekoff`). A write
//! fills the buffer and, when it overflows, writes it, then whole blocks straight from the caller, and keeps the rest
//! (`_IO_new_file_xsputn`); right after opening or seeking there is no room in the buffer yet, so whole blocks go
//! straight at once. Source: glibc 2.36 `libio/fileops.c`; the buffer is the file system's preferred block, 4 KiB on
//! ext3 and ext4.
//!
//! glibc itself can't be called without unsafe code. Left out: the few nanoseconds of its locking, and its shorter read
//! (up to the position only) after a seek that follows a read past the buffer.

use petrio_units::numbers::as_index;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of the buffer, and of a block.
const BUFFER_BYTES: usize = 4096;

/// What a stream reads and writes.
pub(crate) trait Target {
    /// Reads into `data`, as far as there is something.
    fn read_at(&self, data: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of `data`.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
}

impl Target for File {
    fn read_at(&self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, data, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, data, offset)
    }
}

/// A file's buffer in the C library.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    buffer: Box<[u8; BUFFER_BYTES]>,
    /// The first byte of the file that the buffer holds.
    first: u64,
    /// Bytes in it.
    length: usize,
    /// Whether they are to be written.
    dirty: bool,
    /// Whether the stream is writing, so that its buffer has room.
    is_writing: bool,
    /// Where the next access would be without a seek.
    next: u64,
}

impl Stream {
    pub(crate) fn new() -> Self {
        Self {
            buffer: Box::new([0; BUFFER_BYTES]),
            first: 0,
            length: 0,
            dirty: false,
            is_writing: false,
            next: 0,
        }
    }

    /// Writes what is in the buffer: fflush, and part of fseek, fclose and fsync.
    pub(super) fn flush(&mut self, file: &impl Target) -> io::Result<()> {
        if self.dirty {
            file.write_all_at(&self.buffer[..self.length], self.first)?;
            self.length = 0;
            self.dirty = false;
        }
        Ok(())
    }

    /// fseek and fread; how many bytes came.
    pub(crate) fn read(&mut self, file: &impl Target, data: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.is_writing {
            self.flush(file)?;
            self.length = 0;
            self.is_writing = false;
        }
        let holds = |stream: &Self| (stream.first..stream.first + stream.length as u64).contains(&offset);
        if !holds(self) && offset != self.next && !offset.is_multiple_of(BUFFER_BYTES as u64) {
            self.first = offset - offset % BUFFER_BYTES as u64;
            self.length = file.read_at(&mut self.buffer[..], self.first)?;
        }
        let mut done = 0;
        if holds(self) {
            let from = as_index(offset - self.first);
            done = data.len().min(self.length - from);
            data[..done].copy_from_slice(&self.buffer[from..from + done]);
        }
        while done < data.len() {
            let at = offset + done as u64;
            let wanted = data.len() - done;
            if wanted >= BUFFER_BYTES {
                let whole = wanted - wanted % BUFFER_BYTES;
                let got = file.read_at(&mut data[done..done + whole], at)?;
                // The buffer is empty after a read past it.
                self.length = 0;
                if got == 0 {
                    break;
                }
                done += got;
                continue;
            }
            self.first = at;
            self.length = file.read_at(&mut self.buffer[..], at)?;
            let take = wanted.min(self.length);
            if take == 0 {
                break;
            }
            data[done..done + take].copy_from_slice(&self.buffer[..take]);
            done += take;
        }
        self.next = offset + done as u64;
        Ok(done)
    }

    /// fseek and fwrite.
    pub(super) fn write(&mut self, file: &impl Target, data: &[u8], offset: u64) -> io::Result<()> {
        if !self.is_writing || self.next != offset {
            self.flush(file)?;
            self.is_writing = false;
        }
        self.next = offset + data.len() as u64;
        if self.length == 0 || !self.is_writing {
            self.first = offset;
            self.length = 0;
        }
        let room = if self.is_writing { BUFFER_BYTES - self.length } else { 0 };
        self.is_writing = true;
        let take = data.len().min(room);
        self.buffer[self.length..self.length + take].copy_from_slice(&data[..take]);
        self.length += take;
        self.dirty = self.length > 0;
        let rest = &data[take..];
        if rest.is_empty() {
            return Ok(());
        }
        self.flush(file)?;
        let whole = rest.len() - rest.len() % BUFFER_BYTES;
        let at = offset + take as u64;
        if whole > 0 {
            file.write_all_at(&rest[..whole], at)?;
        }
        let left = &rest[whole..];
        self.buffer[..left.len()].copy_from_slice(left);
        self.first = at + whole as u64;
        self.length = left.len();
        self.dirty = !left.is_empty();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;

    /// A file in memory that notes the calls.
    #[derive(Default)]
    struct Noted {
        bytes: RefCell<Vec<u8>>,
        calls: RefCell<Vec<(char, u64, usize)>>,
    }

    impl Target for Noted {
        fn read_at(&self, data: &mut [u8], offset: u64) -> io::Result<usize> {
            self.calls.borrow_mut().push(('r', offset, data.len()));
            let bytes = self.bytes.borrow();
            let from = bytes.len().min(offset as usize);
            let take = data.len().min(bytes.len() - from);
            data[..take].copy_from_slice(&bytes[from..from + take]);
            Ok(take)
        }

        fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
            self.calls.borrow_mut().push(('w', offset, data.len()));
            let mut bytes = self.bytes.borrow_mut();
            let end = offset as usize + data.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[offset as usize..end].copy_from_slice(data);
            Ok(())
        }
    }

    #[test]
    fn small_accesses_share_a_call_and_large_ones_pass_the_buffer() {
        let file = Noted::default();
        let mut stream = Stream::new();
        for record in 0..8 {
            stream.write(&file, &[1; 1024], record * 1024).unwrap();
        }
        stream.flush(&file).unwrap();
        assert_eq!(file.calls.take(), [('w', 0, 4096), ('w', 4096, 4096)]);
        // After a seek, whole blocks go straight; the rest waits, and the next write fills the buffer first.
        stream.write(&file, &[2; 10_000], 0).unwrap();
        stream.write(&file, &[2; 10_000], 10_000).unwrap();
        stream.flush(&file).unwrap();
        assert_eq!(
            file.calls.take(),
            [('w', 0, 8192), ('w', 8192, 4096), ('w', 12_288, 4096), ('w', 16_384, 3616)]
        );
        let mut data = vec![0; 1024];
        for record in 0..8 {
            stream.read(&file, &mut data, record * 1024).unwrap();
        }
        assert_eq!(file.calls.take(), [('r', 0, 4096), ('r', 4096, 4096)]);
        stream.read(&file, &mut vec![0; 9_000], 0).unwrap();
        assert_eq!(file.calls.take(), [('r', 0, 8192), ('r', 8192, 4096)]);
        stream.read(&file, &mut [0; 10], 14_000).unwrap();
        assert_eq!(file.calls.take(), [('r', 12_288, 4096)]);
    }

    proptest! {
        #[test]
        fn a_stream_reads_and_writes_the_same_bytes_as_the_file_itself(
            operations in proptest::collection::vec((any::<bool>(), 0u64..20_000, 1usize..9_000, any::<u8>()), 1..40),
        ) {
            let (file, plain) = (Noted::default(), Noted::default());
            let mut stream = Stream::new();
            for (is_write, offset, length, value) in operations {
                if is_write {
                    stream.write(&file, &vec![value; length], offset).unwrap();
                    plain.write_all_at(&vec![value; length], offset).unwrap();
                } else {
                    let (mut one, mut two) = (vec![0; length], vec![0; length]);
                    let got = stream.read(&file, &mut one, offset).unwrap();
                    prop_assert_eq!(got, plain.read_at(&mut two, offset).unwrap());
                    prop_assert_eq!(one, two);
                }
            }
            stream.flush(&file).unwrap();
            prop_assert_eq!(file.bytes, plain.bytes);
        }
    }
}
