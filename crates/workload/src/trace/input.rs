//! Decompressed bytes, handed out as lines or as fixed-size records, without a copy and with the place kept.

use super::error::{Fault, Problem};
use std::io::{self, Read};
use std::ops::Range;

/// No line of a text format is longer; binary content has no line ends and would otherwise fill the memory.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 16;

/// Bytes that detection looks at.
pub(crate) const SAMPLE_BYTES: usize = 1 << 16;

const BUFFER_BYTES: usize = 1 << 18;

/// A window that slides over the source.
pub(crate) struct Input {
    source: Box<dyn Read + Send>,
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
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Self {
        Self {
            source,
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
        while self.advance()? {
            if is_data(self.current_line()) {
                return Ok(Some(self.current_line()));
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

    /// All that has not been handed out, for a format that is read from its end.
    pub(crate) fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        if !self.at_end {
            self.source.read_to_end(&mut rest)?;
            self.at_end = true;
        }
        self.offset += rest.len() as u64;
        Ok(rest)
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
