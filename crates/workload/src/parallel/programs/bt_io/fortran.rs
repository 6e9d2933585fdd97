//! Fortran's files as gfortran's library reads and writes them: through one buffer a file.
//!
//! Records are put into the buffer as long as they follow what is there and find room; it is written before anything else is
//! put into it. A read of what isn't in the buffer fills it, from that byte on. Source: gcc's libgfortran/io/unix.c (buf_write,
//! buf_read, buf_flush). What is in the buffer at the end of a dump is written with it, and each dump is read with an empty
//! one, while the library keeps both until the next.

use crate::parallel::act::{Act, Acts, Call, Direction};
use crate::program::ProgramError;
use petrio_colours::FileId;
use petrio_time::Time;
use std::ops::Range;

/// Records of a file, through its buffer.
pub(super) struct Buffered<I> {
    direction: Direction,
    file: FileId,
    /// Bytes of records that follow each other.
    records: I,
    /// Bytes that the buffer has for whole records, and bytes that it has.
    room: u64,
    size: u64,
    /// Written and not yet on their way, or read.
    held: Range<u64>,
    /// To be written or read next.
    wanted: Range<u64>,
}

impl<I: Iterator<Item = Range<u64>> + Send> Buffered<I> {
    /// Records of `record` bytes, which aren't cut.
    pub(super) fn new(direction: Direction, file: FileId, (size, record): (u64, u64), records: I) -> Self {
        let room = (size / record).max(1) * record;
        Self { direction, file, records, room, size, held: 0..0, wanted: 0..0 }
    }

    fn write(&mut self) -> Option<Range<u64>> {
        loop {
            if self.wanted.is_empty() {
                let Some(next) = self.records.next() else {
                    let held = std::mem::replace(&mut self.held, 0..0);
                    return (!held.is_empty()).then_some(held);
                };
                self.wanted = next;
            }
            if self.held.is_empty() {
                self.held = self.wanted.start..self.wanted.start;
            }
            let left = self.room - (self.held.end - self.held.start);
            if self.wanted.start != self.held.end || left == 0 {
                return Some(std::mem::replace(&mut self.held, 0..0));
            }
            self.held.end = self.wanted.end.min(self.wanted.start + left);
            self.wanted.start = self.held.end;
        }
    }

    fn read(&mut self) -> Option<Range<u64>> {
        loop {
            if self.held.contains(&self.wanted.start) {
                self.wanted.start = self.held.end.min(self.wanted.end);
            }
            if !self.wanted.is_empty() {
                self.held = self.wanted.start..self.wanted.start + self.size;
                return Some(self.held.clone());
            }
            self.wanted = self.records.next()?;
        }
    }
}

impl<I: Iterator<Item = Range<u64>> + Send> Acts for Buffered<I> {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let range = match self.direction {
            Direction::Read => self.read(),
            Direction::Write => self.write(),
        };
        let Some(range) = range else { return Ok(None) };
        Ok(Some(Act::Call(Call::access(self.direction, self.file, range.start, range.end - range.start))))
    }
}
