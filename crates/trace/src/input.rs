//! Decompressed bytes, handed out as lines or as fixed-size records, without a copy and with the place kept.

use super::compression::Count;
use super::error::{Fault, Problem};
use petrio_units::numbers::as_index;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;

/// No line of a text format is longer; binary content has no line ends and would otherwise fill the memory.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 16;

/// Bytes that detection looks at.
pub(crate) const SAMPLE_BYTES: usize = 1 << 16;

const BUFFER_BYTES: usize = 1 << 18;

/// So much without a line that says something is no trace: comments at a file's head are a few pages.
const NOTHING_BYTES_MAX: u64 = 1 << 28;

/// What is kept aside because it is read from its end is compressed in itself (Parquet), and hardly shrinks any
/// further: what unpacks to more than so many times its size never was such a file.
pub(crate) const RATIO_MAX: u64 = 100;
/// Up to here nothing is asked.
pub(crate) const HARMLESS_BYTES: u64 = 64 << 20;

/// A window that slides over the source.
pub(crate) struct Input {
    source: Box<dyn Read + Send>,
    /// Bytes that the source was unpacked from.
    packed: Count,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// The current line within the buffer, without its `\n`.
    line: Range<usize>,
    /// Bytes handed out so far.
    offset: u64,
    /// Lines handed out so far.
    lines: u64,
}

impl Input {
    pub(crate) fn new(source: Box<dyn Read + Send>, packed: Count) -> Self {
        Self {
            source,
            packed,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            at_end: false,
            line: 0..0,
            offset: 0,
            lines: 0,
        }
    }

    /// Lines handed out: the number of the current line.
    pub(crate) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Bytes handed out.
    pub(crate) const fn bytes(&self) -> u64 {
        self.offset
    }

    /// Reads until at least `wanted` bytes are buffered or the source ends.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.end - self.start < wanted && !self.at_end {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The first bytes, which stay to be read; and whether they are all.
    pub(crate) fn sample(&mut self) -> io::Result<(&[u8], bool)> {
        self.fill(SAMPLE_BYTES)?;
        let end = self.end.min(self.start + SAMPLE_BYTES);
        Ok((&self.buffer[self.start..end], self.at_end && end == self.end))
    }

    /// Leaves out bytes that belong to no line (a byte-order mark).
    pub(crate) fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// The next line without its end, or `None` at the end.
    pub(crate) fn line(&mut self) -> Result<Option<&[u8]>, Fault> {
        Ok(if self.advance()? { Some(self.current_line()) } else { None })
    }

    /// The next line that holds something: not blank, and not a comment (`#`).
    pub(crate) fn data_line(&mut self) -> Result<Option<&[u8]>, Fault> {
        let since = self.offset;
        while self.advance()? {
            if is_data(self.current_line()) {
                return Ok(Some(self.current_line()));
            }
            if self.offset - since > NOTHING_BYTES_MAX {
                return Err(Problem::NothingSaid { bytes: self.offset - since }.into());
            }
        }
        Ok(None)
    }

    fn current_line(&self) -> &[u8] {
        let line = &self.buffer[self.line.clone()];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Moves to the next line; false at the end.
    fn advance(&mut self) -> Result<bool, Fault> {
        let mut searched = 0;
        let (length, taken) = loop {
            let window = &self.buffer[self.start + searched..self.end];
            if let Some(found) = memchr::memchr(b'\n', window) {
                break (searched + found, searched + found + 1);
            }
            searched = self.end - self.start;
            if searched > LINE_BYTES_MAX {
                break (searched, searched);
            }
            if self.at_end {
                if searched == 0 {
                    return Ok(false);
                }
                break (searched, searched);
            }
            self.fill(searched + 1).map_err(Fault::Io)?;
        };
        self.lines += 1;
        if length > LINE_BYTES_MAX {
            return Err(Problem::LineTooLong { limit: LINE_BYTES_MAX }.into());
        }
        self.line = self.start..self.start + length;
        self.start += taken;
        self.offset += taken as u64;
        Ok(true)
    }

    /// Leaves out what stands before a place further on, of which the bytes and the lines before it are said.
    pub(crate) fn go_to(&mut self, bytes: u64, lines: u64) -> io::Result<()> {
        while self.offset < bytes {
            if self.start == self.end {
                self.fill(1)?;
                if self.start == self.end {
                    break;
                }
            }
            let here = u64::try_from(self.end - self.start).unwrap_or(u64::MAX).min(bytes - self.offset);
            // No more than lie in the buffer.
            self.start += as_index(here);
            self.offset += here;
        }
        self.lines = lines;
        Ok(())
    }

    /// All that has not been handed out, as a file without a name, for a format that is read from its end. It takes no
    /// more than half of the room for temporary files.
    pub(crate) fn kept_aside(&mut self) -> Result<File, Fault> {
        let folder = std::env::temp_dir();
        let room = petrio_bounds::disk::left(&folder).map_or(u64::MAX, |room| room / 2);
        let mut file = tempfile::tempfile_in(&folder).map_err(Fault::Io)?;
        let mut kept = 0;
        loop {
            kept += (self.end - self.start) as u64;
            if kept > room {
                return Err(
                    Problem::NoRoomAside { bytes: kept, room, folder: folder.display().to_string() }.into()
                );
            }
            let packed = self.packed.get();
            if kept > HARMLESS_BYTES && kept / RATIO_MAX > packed {
                return Err(Problem::Inflated { bytes: kept, packed }.into());
            }
            file.write_all(&self.buffer[self.start..self.end]).map_err(Fault::Io)?;
            self.start = self.end;
            if self.at_end {
                break;
            }
            self.fill(1).map_err(Fault::Io)?;
        }
        self.offset += kept;
        file.rewind().map_err(Fault::Io)?;
        Ok(file)
    }

    /// The next `count` bytes, or `None` at the end; fewer are an error.
    pub(crate) fn chunk(&mut self, count: usize) -> Result<Option<&[u8]>, Fault> {
        if self.end - self.start < count {
            self.fill(count).map_err(Fault::Io)?;
        }
        match self.end - self.start {
            0 => Ok(None),
            found if found < count => Err(Problem::CutOff { found, needed: count }.into()),
            _ => {
                self.start += count;
                self.offset += count as u64;
                Ok(Some(&self.buffer[self.start - count..self.start]))
            }
        }
    }
}

/// Whether a line holds something: not blank, and not a comment.
pub(crate) fn is_data(line: &[u8]) -> bool {
    match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None | Some(b'#') => false,
        Some(_) => true,
    }
}
