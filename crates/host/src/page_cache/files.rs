//! The files that have pages in the cache, and the order in which those with dirty pages are to be written.
//!
//! The order is that of fs/fs-writeback.c: files wait in the order in which they became dirty (`b_dirty`, from which `b_io` is
//! filled); a file of which a pass has left dirty pages waits behind (`b_more_io`) and keeps its age, or begins anew
//! (`redirty_tail`).

use super::FileKey;
use super::tree::NONE;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::{as_number, low_half};

/// Where a file waits to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Queue {
    /// It has no dirty pages.
    None,
    /// In the order in which the files became dirty.
    Dirty,
    /// Passed over once, in the order in which that happened.
    Turned,
}

/// A file with pages in the cache.
#[derive(Clone, Debug, Persist)]
pub(super) struct File {
    pub(super) key: FileKey,
    /// A process's memory, not a file.
    pub(super) anonymous: bool,
    /// A file that lives in memory alone.
    pub(super) shared: bool,
    /// The tree of its pages.
    pub(super) root: u32,
    pub(super) cached: u64,
    pub(super) dirty: u64,
    pub(super) writeback: u64,
    /// Of a process, or of such a file: the pages that it has, in memory or swapped out.
    pub(super) pages: u64,
    pub(super) dirty_since: Time,
    pub(super) queue: Queue,
    previous: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug, Persist)]
struct ListEnds {
    head: u32,
    tail: u32,
}

/// All files.
#[derive(Clone, Debug, Persist)]
pub(super) struct Files {
    slab: Vec<File>,
    free: Vec<u32>,
    numbers: FastMap<FileKey, u32>,
    processes: FastMap<u32, u32>,
    dirty: ListEnds,
    turned: ListEnds,
    dirty_files: u64,
}

impl Default for Files {
    fn default() -> Self {
        let empty = ListEnds { head: NONE, tail: NONE };
        Self {
            slab: Vec::new(),
            free: Vec::new(),
            numbers: FastMap::default(),
            processes: FastMap::default(),
            dirty: empty,
            turned: empty,
            dirty_files: 0,
        }
    }
}

impl Files {
    pub(super) fn file(&self, number: u32) -> &File {
        &self.slab[number as usize]
    }

    pub(super) fn file_mut(&mut self, number: u32) -> &mut File {
        &mut self.slab[number as usize]
    }

    pub(super) fn find(&self, key: FileKey) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    pub(super) fn get(&self, key: FileKey) -> Option<&File> {
        self.find(key).map(|number| self.file(number))
    }

    pub(super) fn find_or_add(&mut self, key: FileKey) -> u32 {
        if let Some(number) = self.find(key) {
            return number;
        }
        let number = self.add(key, false);
        self.numbers.insert(key, number);
        number
    }

    pub(super) fn process(&self, process: u32) -> Option<u32> {
        self.processes.get(&process).copied()
    }

    pub(super) fn process_or_add(&mut self, process: u32) -> u32 {
        if let Some(number) = self.process(process) {
            return number;
        }
        let number = self.add(FileKey(u64::from(process)), true);
        self.processes.insert(process, number);
        number
    }

    /// Forgets a file without pages.
    pub(super) fn forget(&mut self, number: u32) {
        self.leave_queue(number);
        let file = &self.slab[number as usize];
        if file.anonymous {
            self.processes.remove(&low_half(file.key.0));
        } else {
            self.numbers.remove(&file.key);
        }
        self.free.push(number);
    }

    /// Files with dirty pages.
    pub(super) fn dirty_files(&self) -> u64 {
        self.dirty_files
    }

    /// A file has got its first dirty page.
    pub(super) fn become_dirty(&mut self, number: u32, now: Time) {
        self.file_mut(number).dirty_since = now;
        self.enter_queue(number, Queue::Dirty);
    }

    /// The file whose turn it is, of those dirty since `older_than` or before.
    pub(super) fn next_dirty(&self, older_than: Option<Time>) -> Option<u32> {
        let is_old = |number: u32| older_than.is_none_or(|time| self.file(number).dirty_since <= time);
        // The first queue is in the order of age, so its head decides; the second holds only the few files in progress.
        let mut number = self.dirty.head;
        if number != NONE && is_old(number) {
            return Some(number);
        }
        number = self.turned.head;
        while number != NONE {
            if is_old(number) {
                return Some(number);
            }
            number = self.file(number).next;
        }
        None
    }

    pub(super) fn enter_queue(&mut self, number: u32, queue: Queue) {
        self.leave_queue(number);
        let ends = match queue {
            Queue::None => return,
            Queue::Dirty => &mut self.dirty,
            Queue::Turned => &mut self.turned,
        };
        let old = ends.tail;
        ends.tail = number;
        if old == NONE {
            ends.head = number;
        } else {
            self.slab[old as usize].next = number;
        }
        let file = &mut self.slab[number as usize];
        (file.previous, file.next, file.queue) = (old, NONE, queue);
        self.dirty_files += 1;
    }

    pub(super) fn leave_queue(&mut self, number: u32) {
        let File { previous, next, queue, .. } = self.slab[number as usize];
        let ends = match queue {
            Queue::None => return,
            Queue::Dirty => &mut self.dirty,
            Queue::Turned => &mut self.turned,
        };
        if previous == NONE {
            ends.head = next;
        }
        if next == NONE {
            ends.tail = previous;
        }
        if previous != NONE {
            self.slab[previous as usize].next = next;
        }
        if next != NONE {
            self.slab[next as usize].previous = previous;
        }
        self.slab[number as usize].queue = Queue::None;
        self.dirty_files -= 1;
    }

    fn add(&mut self, key: FileKey, anonymous: bool) -> u32 {
        let file = File {
            key,
            anonymous,
            shared: false,
            root: NONE,
            cached: 0,
            dirty: 0,
            writeback: 0,
            pages: 0,
            dirty_since: Time::ZERO,
            queue: Queue::None,
            previous: NONE,
            next: NONE,
        };
        if let Some(number) = self.free.pop() {
            self.slab[number as usize] = file;
            return number;
        }
        self.slab.push(file);
        as_number(self.slab.len() - 1)
    }
}
