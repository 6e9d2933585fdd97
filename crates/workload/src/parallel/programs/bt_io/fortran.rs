//! Fortran's files as gfortran's library reads and writes them: through one buffer a file.
//!
//! Records are put into the buffer as long as they follow what is there and find room; it is written before anything else is
//! put into it. A read of what isn't in the buffer fills it, from that byte on. Source: gcc's libgfortran/io/unix.c (buf_write,
//! buf_read, buf_flush). The buffer outlives a dump: what the next one begins with may be in it already, and what is written last
//! goes when the file is closed.

use crate::parallel::act::{Act, Acts, Call, Direction};
use crate::program::ProgramError;
use petrio_colours::FileId;
use petrio_persist::{Damage, Inside, Persist, Reader, Writer};
use petrio_time::Time;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What lies in the buffer of an open file between two dumps.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept(Arc<Mutex<Range<u64>>>);

/// Who fills the buffer points to it, and so does the rank.
impl Persist for Kept {
    fn save(&self, to: &mut Writer<'_>) {
        to.shared(&self.0);
        Inside::save(&*self.0, to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let kept = Self(from.shared()?);
        Inside::restore(&*kept.0, from)?;
        Ok(kept)
    }
}

impl Kept {
    fn take(&self) -> Range<u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, held: Range<u64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// What is yet to be written when the file is closed; the buffer is empty then.
    pub(super) fn flush(&self, file: FileId) -> Option<Act> {
        let held = self.take();
        (!held.is_empty())
            .then(|| Act::Call(Call::access(Direction::Write, file, held.start, held.end - held.start)))
    }
}

/// Records of a file, through its buffer.
#[derive(Persist)]
pub(in crate::parallel) struct Buffered<I> {
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
    /// Where the buffer lies when these records are done.
    kept: Kept,
}

impl<I: Iterator<Item = Range<u64>> + Send> Buffered<I> {
    /// Records of `record` bytes, which aren't cut, through a buffer with what is kept in it.
    pub(super) fn new(
        direction: Direction,
        file: FileId,
        (size, record): (u64, u64),
        records: I,
        kept: Kept,
    ) -> Self {
        let room = (size / record).max(1) * record;
        Self { direction, file, records, room, size, held: kept.take(), wanted: 0..0, kept }
    }

    fn write(&mut self) -> Option<Range<u64>> {
        loop {
            if self.wanted.is_empty() {
                self.wanted = self.records.next()?;
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
        let Some(range) = range else {
            self.kept.put(std::mem::take(&mut self.held));
            return Ok(None);
        };
        Ok(Some(Act::Call(Call::access(self.direction, self.file, range.start, range.end - range.start))))
    }
}
