//! A thread's records, as who follows it writes them: whole ones with one call, so that what is killed leaves whole ones.
//!
//! What a program did that is killed is written when its threads end. Only who follows it, killed itself, loses what it did within the
//! last tenth of a second.

use super::{FOLLOWED, Kind, LOST, MAGIC, Record, SLOT};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// So many nanoseconds, or so many bytes, are held.
const HELD_TIME: u64 = 100_000_000;
const HELD_BYTES: usize = 1 << 16;

/// Says of a thread that nothing more of it can be written: an empty file, which a full disk has room for.
pub(crate) fn lose(folder: &Path, process: u32, thread: u32) {
    let _ = File::create(folder.join(format!("{process}.{thread}.{LOST}")));
}

/// Texts are no longer: two paths.
const TEXT_MAX: usize = 16_384;

/// Nanoseconds of the monotonic clock, which the shim reads, too.
pub(crate) fn now() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// Whose records they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whose {
    pub(crate) process: u32,
    pub(crate) thread: u32,
    pub(crate) parent: u32,
    /// See [`Header`](super::Header).
    pub(crate) token: u64,
}

/// A file of records.
#[derive(Debug)]
pub(crate) struct StreamWriter {
    file: File,
    /// Records that aren't written yet, and since when.
    held: Vec<u8>,
    since: u64,
}

impl StreamWriter {
    /// Begins one in a folder of raw records.
    ///
    /// # Errors
    /// A file that can't be made.
    pub(crate) fn create(folder: &Path, whose: Whose) -> io::Result<Self> {
        let began = now();
        let Whose { process, thread, parent, token } = whose;
        let path = folder.join(format!("{process}.{thread}.{began}.raw"));
        let mut file = OpenOptions::new().create_new(true).append(true).open(path)?;
        let mut header = Vec::with_capacity(SLOT);
        header.extend(MAGIC.to_ne_bytes());
        header.extend(process.to_ne_bytes());
        header.extend(thread.to_ne_bytes());
        for number in [token, began, nanoseconds(ClockId::Realtime)] {
            header.extend(number.to_ne_bytes());
        }
        header.extend(parent.to_ne_bytes());
        header.extend(FOLLOWED.to_ne_bytes());
        // All that is there is whole.
        header.extend(0u64.to_ne_bytes());
        header.extend(u64::MAX.to_ne_bytes());
        file.write_all(&header)?;
        Ok(Self { file, held: Vec::new(), since: began })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn push(&mut self, record: &Record) -> io::Result<()> {
        let Record { begin, took, compute, file, offset, length, extra, kind, error, flags, text } = record;
        let text = text.get(..TEXT_MAX).unwrap_or(text);
        let slots = u16::try_from(text.len().div_ceil(SLOT)).unwrap_or(0);
        for number in [begin, took, compute, file, offset, length, extra] {
            self.held.extend(number.to_ne_bytes());
        }
        for number in [number_of(*kind), *error, *flags, slots] {
            self.held.extend(number.to_ne_bytes());
        }
        self.held.extend_from_slice(text);
        self.held.resize(self.held.len().next_multiple_of(SLOT), 0);
        if self.held.len() >= HELD_BYTES || begin.saturating_sub(self.since) >= HELD_TIME {
            self.since = *begin;
            return self.flush();
        }
        Ok(())
    }

    /// Writes what is held.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.held);
        self.held.clear();
        written
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        // A disk that is full now was told of before, or takes the last records alone.
        let _ = self.flush();
    }
}

/// As `enum petrio_kind` has it.
const fn number_of(kind: Kind) -> u16 {
    kind as u16 + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{NONE, RECORDS, Stream, flag, raw_files};
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let whose = Whose { process: 7, thread: 9, parent: 3, token: 11 };
        let records: Vec<Record> = [(Kind::Open, "/a"), (Kind::Mpi, ""), (Kind::Rename, &"x\0y".repeat(100))]
            .into_iter()
            .zip(1u16..)
            .map(|((kind, text), at)| Record {
                begin: 1,
                took: 2,
                compute: 3,
                file: 4,
                offset: 5,
                length: 6,
                extra: NONE,
                kind,
                error: at,
                flags: flag::DIRECT,
                text: text.into(),
            })
            .collect();
        let mut writer = StreamWriter::create(folder.path(), whose).unwrap();
        records.iter().for_each(|record| writer.push(record).unwrap());
        drop(writer);
        let path = raw_files(folder.path(), RECORDS).unwrap().remove(0);
        let mut stream = Stream::open(&path).unwrap().unwrap();
        let header = &stream.header;
        assert_eq!((header.process, header.thread, header.parent, header.token), (7, 9, 3, 11));
        assert!(header.traps && header.is_followed);
        for record in &records {
            assert_eq!(stream.next().unwrap().as_ref(), Some(record));
        }
        assert!(stream.next().unwrap().is_none());
    }
}
