//! Dirty pages and pages under writeback: where they are, how many, and whose turn it is.

use super::files::Queue;
use super::lists::{Flags, ListName};
use super::replacement::Became;
use super::tree::{Bits, NONE, span};
use super::{FileKey, PageCache, mask};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Pages of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Pages in the cache.
    pub cached: u64,
    /// Dirty ones.
    pub dirty: u64,
    /// Those being written.
    pub writeback: u64,
}

/// Pages of one mount.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Unwritten {
    pub(super) dirty: u64,
    pub(super) writeback: u64,
}

impl PageCache {
    /// Makes those of the pages dirty that are there; `now` is remembered if they are the file's first. Answers with how many
    /// were not dirty before.
    pub fn make_dirty(&mut self, file: FileKey, index: u64, pages: u64, now: Time) -> u64 {
        let newly = self.change(file, index, pages, |cache, leaf, range| {
            let node = cache.tree.node(leaf);
            let bits = node.bits(Bits::Present) & !node.bits(Bits::Dirty) & range;
            cache.tree.set(leaf, Bits::Dirty, bits);
            bits
        });
        if newly > 0 {
            self.unwritten_mut(file).dirty += newly;
            self.most.unwritten = self.most.unwritten.max(self.dirty() + self.writeback());
            if let Some(number) = self.files.find(file) {
                let state = self.files.file_mut(number);
                state.dirty += newly;
                if state.queue == Queue::None {
                    self.files.become_dirty(number, now);
                }
            }
        }
        newly
    }

    /// The first dirty pages from `from` on that aren't being written already: where they begin and how many follow each other,
    /// at most `most`.
    pub fn dirty_run(&self, file: FileKey, from: u64, most: u64) -> Option<(u64, u64)> {
        self.run_of(file, from, most, Bits::Dirty, Some(Bits::Writeback))
    }

    /// The first pages from `from` on that are being written: where they begin and how many follow each other, at most `most`.
    pub fn writeback_run(&self, file: FileKey, from: u64, most: u64) -> Option<(u64, u64)> {
        self.run_of(file, from, most, Bits::Writeback, None)
    }

    /// One past the last dirty page of `from .. to`; 0 where there is none.
    pub fn dirty_end(&self, file: FileKey, from: u64, to: u64) -> u64 {
        self.of_both(file, from, to, Bits::Dirty, Bits::Dirty).map_or(0, |(_, end)| end)
    }

    /// Between which pages of `from .. to` all lie that are being written and have become dirty again.
    pub fn redirtied(&self, file: FileKey, from: u64, to: u64) -> Option<(u64, u64)> {
        let counts = self.counts(file);
        if counts.dirty == 0 || counts.writeback == 0 {
            return None;
        }
        self.of_both(file, from, to, Bits::Writeback, Bits::Dirty)
    }

    /// The first page of `from .. to` that is of two kinds, and one past the last.
    fn of_both(&self, file: FileKey, from: u64, to: u64, kind: Bits, other: Bits) -> Option<(u64, u64)> {
        let root = self.files.get(file)?.root;
        let (mut found, mut at) = (None, from);
        while let Some(page) = self.tree.next_page(root, kind, at).filter(|page| *page < to) {
            let node = self.tree.node(self.tree.leaf(root, page)?);
            let first = page / span(0) * span(0);
            let range = mask(page - first, to.min(first + span(0)) - page);
            let bits = node.bits(kind) & node.bits(other) & range;
            if bits != 0 {
                let begins = found.map_or(first + u64::from(bits.trailing_zeros()), |(begins, _)| begins);
                found = Some((begins, first + span(0) - u64::from(bits.leading_zeros())));
            }
            at = first + span(0);
        }
        found
    }

    /// The device begins to write these pages: those that are dirty and not being written are so no longer, and may become dirty
    /// again meanwhile. Answers with their number.
    pub fn begin_write(&mut self, file: FileKey, first: u64, pages: u64) -> u64 {
        let begun = self.change(file, first, pages, |cache, leaf, range| {
            let node = cache.tree.node(leaf);
            let bits = node.bits(Bits::Dirty) & !node.bits(Bits::Writeback) & range;
            cache.tree.clear(leaf, Bits::Dirty, bits);
            cache.tree.set(leaf, Bits::Writeback, bits);
            bits
        });
        let unwritten = self.unwritten_mut(file);
        unwritten.dirty -= begun;
        unwritten.writeback += begun;
        if let Some(number) = self.files.find(file) {
            let state = self.files.file_mut(number);
            state.dirty -= begun;
            state.writeback += begun;
            if state.dirty == 0 {
                self.files.leave_queue(number);
            }
        }
        begun
    }

    /// These pages have been written. Those that reclaim had found dirty are the next to go (`folio_rotate_reclaimable`). Answers
    /// with the number of those that were being written and are still there.
    pub fn written(&mut self, file: FileKey, first: u64, pages: u64) -> u64 {
        let written = self.change(file, first, pages, |cache, leaf, range| {
            let bits = cache.tree.node(leaf).bits(Bits::Writeback) & range;
            cache.tree.clear(leaf, Bits::Writeback, bits);
            if cache.lists.pages(ListName::Parked) > 0 {
                cache.unpark(leaf, bits);
            }
            bits
        });
        self.unwritten_mut(file).writeback -= written;
        if let Some(number) = self.files.find(file) {
            self.files.file_mut(number).writeback -= written;
        }
        written
    }

    /// The file whose turn to be written it is: in the order in which they became dirty, of those dirty since `older_than` or
    /// before, or of all.
    pub fn next_dirty_file(&self, older_than: Option<Time>) -> Option<FileKey> {
        self.files.next_dirty(older_than).map(|number| self.files.file(number).key)
    }

    /// Puts a file that is still dirty behind all others, as if it had become dirty only `now` (`redirty_tail`).
    pub fn requeue(&mut self, file: FileKey, now: Time) {
        if let Some(number) = self.dirty_file(file) {
            self.files.become_dirty(number, now);
        }
    }

    /// Puts a file that is still dirty behind all others for this round; its age stays (`requeue_io`: a pass has written its
    /// share of the file).
    pub fn turn(&mut self, file: FileKey) {
        if let Some(number) = self.dirty_file(file) {
            self.files.enter_queue(number, Queue::Turned);
        }
    }

    /// How many files have dirty pages.
    pub fn files_dirty(&self) -> u64 {
        self.files.dirty_files()
    }

    /// Since when the file has had dirty pages; `None` where it has none.
    pub fn dirty_since(&self, file: FileKey) -> Option<Time> {
        self.dirty_file(file).map(|number| self.files.file(number).dirty_since)
    }

    /// Pages of a mount that are dirty.
    pub fn dirty_of(&self, mount: u32) -> u64 {
        self.mounts.get(mount as usize).map_or(0, |unwritten| unwritten.dirty)
    }

    /// Pages of a mount that are dirty or being written.
    pub fn unwritten_of(&self, mount: u32) -> u64 {
        self.mounts.get(mount as usize).map_or(0, |unwritten| unwritten.dirty + unwritten.writeback)
    }

    /// The counts of the mount of a file.
    pub(super) fn unwritten_mut(&mut self, file: FileKey) -> &mut Unwritten {
        let mount = file.mount() as usize;
        if mount >= self.mounts.len() {
            self.mounts.resize(mount + 1, Unwritten::default());
        }
        &mut self.mounts[mount]
    }

    /// Pages of a file.
    pub fn counts(&self, file: FileKey) -> FileCounts {
        self.files.get(file).map_or(FileCounts::default(), |file| FileCounts {
            cached: file.cached,
            dirty: file.dirty,
            writeback: file.writeback,
        })
    }

    fn dirty_file(&self, file: FileKey) -> Option<u32> {
        self.files.find(file).filter(|number| self.files.file(*number).queue != Queue::None)
    }

    /// Applies a change to each leaf of a range; the change answers with the bits that it concerned, this with their number.
    fn change(
        &mut self,
        file: FileKey,
        index: u64,
        pages: u64,
        mut change: impl FnMut(&mut Self, u32, u64) -> u64,
    ) -> u64 {
        let end = index.saturating_add(pages);
        let mut at = index;
        let mut changed = 0;
        while at < end {
            let next = (at / span(0) + 1) * span(0);
            if let Some(leaf) = self.leaf_at_hand(file, at) {
                changed += u64::from(change(self, leaf, mask(at % span(0), end.min(next) - at)).count_ones());
            }
            at = next;
        }
        changed
    }

    /// The first run of pages of one kind that aren't of another.
    fn run_of(
        &self,
        file: FileKey,
        from: u64,
        most: u64,
        kind: Bits,
        except: Option<Bits>,
    ) -> Option<(u64, u64)> {
        if most == 0 {
            return None;
        }
        let root = self.files.get(file)?.root;
        let bits_from = |leaf: u32, index: u64| {
            let node = self.tree.node(leaf);
            (node.bits(kind) & !except.map_or(0, |except| node.bits(except))) >> (index % span(0))
        };
        let mut first = from;
        loop {
            first = self.tree.next_page(root, kind, first)?;
            let bits = bits_from(self.tree.leaf(root, first)?, first);
            if bits != 0 {
                first += u64::from(bits.trailing_zeros());
                break;
            }
            first = (first / span(0) + 1) * span(0);
        }
        let mut end = first;
        while end - first < most {
            let Some(leaf) = self.tree.leaf(root, end) else { break };
            let slot = end % span(0);
            let run = u64::from((!bits_from(leaf, end)).trailing_zeros()).min(span(0) - slot);
            end += run;
            if run < span(0) - slot {
                break;
            }
        }
        Some((first, (end - first).min(most)))
    }

    /// Folios that waited for these pages to be written go to the tail of the inactive list, if nothing else keeps them.
    pub(super) fn unpark(&mut self, leaf: u32, bits: u64) {
        let mut bits = bits;
        let mut last = NONE;
        while bits != 0 {
            let id = self.tree.node(leaf).slot(u64::from(bits.trailing_zeros()));
            bits &= bits - 1;
            if id != last
                && self.lists.entry(id).list() == ListName::Parked
                && !self.folio_has(id, &[Bits::Dirty, Bits::Writeback])
            {
                self.lists.clear(id, Flags::REFERENCED);
                self.lists.move_to_tail(id, ListName::Inactive);
                self.tell_own(id, Became::Came);
            }
            last = id;
        }
    }
}
