//! What the shim writes, and who follows a program from outside: a file for each thread, slots of 64 bytes, numbers as this machine has
//! them. `shim/record.h` and [`write`] are the other side.
//!
//! The header says how many slots are whole; what a killed program leaves is read up to there.

pub(crate) mod write;

use crate::error::RecordError;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

const SLOT: usize = 64;
const MAGIC: u64 = 0x3143_4552_5445_5000;

/// What a header says of traps where the program was followed from outside.
const FOLLOWED: u32 = 2;

/// Where no number is.
pub(crate) const NONE: u64 = u64::MAX;

macro_rules! kinds {
    ($($name:ident,)*) => {
        /// What a record is; the numbers of `enum petrio_kind`, from 1 on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub(crate) enum Kind {
            $($name,)*
        }

        const KINDS: &[Kind] = &[$(Kind::$name,)*];
    };
}

kinds! {
    Begin, Exec, Fork, Thread, Join, ThreadJoin, Exit, Sleep, Name, Open, Create, Read, Write, Close, Unlink, Rmdir, Rename, Mkdir,
    Stat, Fsync, Fdatasync, SyncRange, Sync, Truncate, Allocate, List, Map, Unseen, Rank, Send, Receive, PostSend, PostReceive, Wait,
    Collective, Mpi,
}

/// What the flags of a record say.
pub(crate) mod flag {
    pub(crate) const READS: u16 = 1;
    pub(crate) const WRITES: u16 = 2;
    pub(crate) const DURABLE: u16 = 4;
    pub(crate) const DIRECT: u16 = 8;
    pub(crate) const DIRECTORY: u16 = 16;
}

/// The ending of files of records.
pub(crate) const RECORDS: &str = "raw";
/// That of empty files which say of a thread that nothing more of it could be written.
pub(crate) const LOST: &str = "lost";

/// All files with an ending in a folder of raw records.
pub(crate) fn raw_files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, RecordError> {
    let failed = |source| RecordError::Folder { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == ending) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Who wrote a stream.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) process: u32,
    pub(crate) thread: u32,
    /// Of a thread that its process made: the number by which its maker speaks of it.
    pub(crate) token: u64,
    /// Nanoseconds of the monotonic clock, and since 1970.
    pub(crate) began: u64,
    pub(crate) began_unix: u64,
    pub(crate) parent: u32,
    /// Whether system calls that no function of the C library's made are in it.
    pub(crate) traps: bool,
    /// Whether it was written from outside, by who followed the program.
    pub(crate) is_followed: bool,
    used: u64,
}

/// A record; which of its numbers mean what depends on its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Nanoseconds of the monotonic clock.
    pub(crate) begin: u64,
    pub(crate) took: u64,
    pub(crate) compute: u64,
    pub(crate) file: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) extra: u64,
    pub(crate) kind: Kind,
    pub(crate) error: u16,
    pub(crate) flags: u16,
    pub(crate) text: Vec<u8>,
}

impl Record {
    /// One of a kind with nothing in it.
    pub(crate) const fn new(kind: Kind, begin: u64) -> Self {
        Self {
            begin,
            took: 0,
            compute: 0,
            file: 0,
            offset: 0,
            length: 0,
            extra: 0,
            kind,
            error: 0,
            flags: 0,
            text: Vec::new(),
        }
    }

    pub(crate) const fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn words(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }
}

/// The records of a thread, one after the other.
pub(crate) struct Stream {
    path: PathBuf,
    pub(crate) header: Header,
    source: BufReader<File>,
    left: u64,
}

fn number(slot: &[u8; SLOT], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&slot[at..at + 8]);
    u64::from_ne_bytes(bytes)
}

fn halves(slot: &[u8; SLOT], at: usize) -> [u32; 2] {
    let number = number(slot, at).to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([number[at], number[at + 1], number[at + 2], number[at + 3]]);
    [half(0), half(4)]
}

impl Stream {
    /// `None` where nothing was written yet.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, RecordError> {
        let failed = |source| RecordError::Folder { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let slots = file.metadata().map_err(failed)?.len() / SLOT as u64;
        let mut source = BufReader::new(file);
        let mut slot = [0; SLOT];
        if slots == 0 || source.read_exact(&mut slot).is_err() || number(&slot, 0) == 0 {
            return Ok(None);
        }
        if number(&slot, 0) != MAGIC {
            let what = "it is no record of petrio's, or one of another version".to_owned();
            return Err(RecordError::Damaged { path: path.to_owned(), what });
        }
        let ([process, thread], [parent, traps]) = (halves(&slot, 8), halves(&slot, 40));
        let header = Header {
            process,
            thread,
            token: number(&slot, 16),
            began: number(&slot, 24),
            began_unix: number(&slot, 32),
            parent,
            traps: traps != 0,
            is_followed: traps == FOLLOWED,
            used: number(&slot, 56).min(slots - 1),
        };
        Ok(Some(Self { path: path.to_owned(), left: header.used, header, source }))
    }

    /// Something is wrong with the record that is being read.
    fn damaged<T>(&self, what: &str) -> Result<T, RecordError> {
        let what = format!("byte {}: {what}", (self.header.used - self.left + 1) * SLOT as u64);
        Err(RecordError::Damaged { path: self.path.clone(), what })
    }

    fn slot(&mut self) -> Result<[u8; SLOT], RecordError> {
        let mut slot = [0; SLOT];
        let read = self.source.read_exact(&mut slot);
        read.map_err(|source| RecordError::Folder { path: self.path.clone(), source })?;
        Ok(slot)
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, RecordError> {
        if self.left == 0 {
            return Ok(None);
        }
        let slot = self.slot()?;
        let small = number(&slot, 56).to_ne_bytes();
        let small = |at: usize| u16::from_ne_bytes([small[at], small[at + 1]]);
        let slots = small(6);
        let Some(&kind) = usize::from(small(0)).checked_sub(1).and_then(|kind| KINDS.get(kind)) else {
            return self.damaged("a record is of no kind that is known");
        };
        if u64::from(slots) >= self.left {
            return self.damaged("a record's text goes beyond the end");
        }
        self.left -= 1 + u64::from(slots);
        let mut text = Vec::with_capacity(usize::from(slots) * SLOT);
        for _ in 0..slots {
            text.extend(self.slot()?);
        }
        while text.last() == Some(&0) {
            text.pop();
        }
        Ok(Some(Record {
            begin: number(&slot, 0),
            took: number(&slot, 8),
            compute: number(&slot, 16),
            file: number(&slot, 24),
            offset: number(&slot, 32),
            length: number(&slot, 40),
            extra: number(&slot, 48),
            kind,
            error: small(2),
            flags: small(4),
            text,
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A stream of slots whose header says that so many are whole.
    fn stream(slots: &[[u8; SLOT]], used: u64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.1.1.raw");
        let mut header = [0; SLOT];
        header[..8].copy_from_slice(&MAGIC.to_ne_bytes());
        header[56..].copy_from_slice(&used.to_ne_bytes());
        std::fs::write(&path, [&[header], slots].concat().concat()).unwrap();
        (folder, path)
    }

    fn record(kind: u16, slots: u16) -> [u8; SLOT] {
        let mut slot = [0; SLOT];
        slot[56..58].copy_from_slice(&kind.to_ne_bytes());
        slot[62..].copy_from_slice(&slots.to_ne_bytes());
        slot
    }

    #[test]
    fn what_was_not_whole_when_its_program_was_killed_is_left_out() {
        let (_folder, path) = stream(&[record(8, 0), record(12, 0)], 1);
        let mut stream = Stream::open(&path).unwrap().unwrap();
        assert_eq!(stream.next().unwrap().unwrap().kind, Kind::Sleep);
        assert!(stream.next().unwrap().is_none());
    }

    #[test]
    fn what_nobody_wrote_is_refused_with_the_name_of_its_file() {
        let kinds = u16::try_from(KINDS.len()).unwrap();
        for slots in
            [[record(0, 0), record(0, 0)], [record(kinds + 1, 0), record(1, 0)], [record(1, 9), record(1, 0)]]
        {
            let (_folder, path) = stream(&slots, 2);
            let mut stream = Stream::open(&path).unwrap().unwrap();
            let error = stream.next().unwrap_err();
            assert!(matches!(&error, RecordError::Damaged { path: found, .. } if *found == path), "{error}");
        }
        let (_folder, path) = stream(&[], 0);
        std::fs::write(&path, [1; 128]).unwrap();
        assert!(matches!(Stream::open(&path), Err(RecordError::Damaged { .. })));
        // Begun, and nothing written.
        std::fs::write(&path, [0; 128]).unwrap();
        assert!(Stream::open(&path).unwrap().is_none());
    }
}
