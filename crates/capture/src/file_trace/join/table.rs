//! Descriptors and what they stand for, rebuilt from the calls: who shares a table, and what a table's entries share.
//!
//! As in the kernel: a thread has a table of descriptors, which other threads may share; a descriptor stands for an
//! opened file with its position, which other descriptors (dup, fork) may share.

use crate::file_trace::join::queue::Position;
use crate::recorder::kernel_event::Inode;
use petrio_trace::event::{Access, FileKey, Totals};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Things in numbered boxes that are used again.
#[derive(Debug)]
pub(crate) struct Boxes<T> {
    boxes: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Boxes<T> {
    fn default() -> Self {
        Self { boxes: Vec::new(), free: Vec::new() }
    }
}

impl<T> Boxes<T> {
    pub(crate) fn insert(&mut self, value: T) -> usize {
        match self.free.pop() {
            Some(index) => {
                self.boxes[index] = Some(value);
                index
            }
            None => {
                self.boxes.push(Some(value));
                self.boxes.len() - 1
            }
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.boxes.get(index)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.boxes.get_mut(index)?.as_mut()
    }

    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        let value = self.boxes.get_mut(index)?.take();
        self.free.extend(value.is_some().then_some(index));
        value
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.boxes.iter().enumerate().filter_map(|(index, value)| Some((index, value.as_ref()?)))
    }
}

/// Which opened file.
pub(crate) type OpenId = usize;
/// Which table.
pub(crate) type TableId = usize;

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) open: OpenId,
    pub(crate) close_on_exec: bool,
}

/// A table of descriptors, and what its owner's memory maps.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) threads: u32,
    pub(crate) descriptors: BTreeMap<u32, Descriptor>,
    /// Whether descriptors may be missing: of a process that ran before the capture.
    pub(crate) is_incomplete: bool,
    /// Inodes known to be mapped, and opened files that are mapped and whose inode isn't known.
    pub(crate) mapped: SmallVec<[Inode; 8]>,
    pub(crate) mapped_unknown: SmallVec<[OpenId; 2]>,
}

/// What is known of an opened file's nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Nothing yet.
    Unknown,
    /// A file with pages in the cache.
    File,
    /// A directory, a device, a file of /proc: none that a trace has.
    Other,
}

/// An opened file.
#[derive(Debug)]
pub(crate) struct Open {
    /// Descriptors that stand for it.
    pub(crate) references: u32,
    pub(crate) nature: Nature,
    pub(crate) file: FileKey,
    pub(crate) access: Option<Access>,
    pub(crate) appends: bool,
    pub(crate) synchronous: bool,
    pub(crate) position: Option<u64>,
    pub(crate) totals: Totals,
    pub(crate) all_hit: bool,
    /// Events that wait until it is known which file this is.
    pub(crate) waiting: SmallVec<[Position; 2]>,
    /// Some table's memory maps it; its first page fault may still tell which file it is.
    pub(crate) is_mapped: bool,
    /// A call closes it, which isn't over.
    pub(crate) is_closing: bool,
    /// One who has it, as descriptor, and when it was opened, for a look at /proc.
    pub(crate) holder: (u32, u32),
    pub(crate) opened_ns: u64,
}

impl Open {
    pub(crate) fn new(holder: (u32, u32), opened_ns: u64) -> Self {
        Self {
            references: 0,
            nature: Nature::Unknown,
            file: FileKey::UNKNOWN,
            access: None,
            appends: false,
            synchronous: false,
            position: Some(0),
            totals: Totals::default(),
            all_hit: true,
            waiting: SmallVec::new(),
            is_mapped: false,
            is_closing: false,
            holder,
            opened_ns,
        }
    }
}

/// A descriptor of a process as /proc shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) descriptor: u32,
    pub(crate) close_on_exec: bool,
    pub(crate) access: Access,
    pub(crate) appends: bool,
    pub(crate) synchronous: bool,
    pub(crate) position: Option<u64>,
    /// None where it is no regular file.
    pub(crate) file: Option<ShownFile>,
}

/// A regular file as /proc shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownFile {
    pub(crate) inode: Inode,
    pub(crate) size: u64,
    /// None where its name has gone.
    pub(crate) path: Option<String>,
}
