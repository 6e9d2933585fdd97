//! What is kept for each process and file: the state of read-ahead, the C library's buffer.

use crate::read_ahead::ReadAheadState;
use crate::stdio::Stream;
use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_number;

/// An open file of a process.
#[derive(Clone, Copy, Debug, Persist)]
pub(crate) struct Open {
    pub(crate) read_ahead: ReadAheadState,
    pub(crate) stream: Stream,
    /// The page in which the last read ended.
    pub(crate) last_page: Option<u64>,
    /// Faults on its mapping that found no page in memory, less the pages that others found there (`mmap_miss`).
    pub(crate) mapped_misses: u32,
    /// The byte after the last one read or written.
    pub(crate) next_byte: u64,
}

/// The open files of a mount.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Opened {
    files: Vec<Open>,
    by_owner: FastMap<(u32, FileId), u32>,
    last: ((u32, FileId), u32),
    fresh: Open,
}

impl Opened {
    pub(crate) fn new(read_ahead: ReadAheadState) -> Self {
        let fresh =
            Open { read_ahead, stream: Stream::default(), last_page: None, mapped_misses: 0, next_byte: 0 };
        Self {
            files: Vec::new(),
            by_owner: FastMap::default(),
            last: ((u32::MAX, FileId(u32::MAX)), 0),
            fresh,
        }
    }

    /// A process' open file; opened at its first use.
    pub(crate) fn get(&mut self, process: u32, file: FileId) -> &mut Open {
        let owner = (process, file);
        if self.last.0 != owner {
            let next = as_number(self.files.len());
            let index = *self.by_owner.entry(owner).or_insert(next);
            if index == next {
                self.files.push(self.fresh);
            }
            self.last = (owner, index);
        }
        &mut self.files[self.last.1 as usize]
    }

    /// A process reads or writes up to `end` from `position` on: whether that is a jump. Beginning again isn't: copies
    /// are measured in walks that do.
    pub(crate) fn jumps(&mut self, (process, file): (u32, FileId), position: u64, end: u64) -> bool {
        let open = self.get(process, file);
        let follows = open.next_byte == position || position == 0;
        open.next_byte = end;
        !follows
    }

    /// Forgets what was remembered of an open file: it was opened anew.
    pub(crate) fn reset(&mut self, process: u32, file: FileId) {
        let fresh = self.fresh;
        *self.get(process, file) = fresh;
    }
}
