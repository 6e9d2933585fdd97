//! The pages of a file in a client's memory, and what of them is dirty: byte by byte, as WRITEs have it (fs/nfs/write.c).
//!
//! A page has one run of dirty bytes. A write that doesn't join it has the page written first; one to a page all of whose bytes are
//! known makes all of them dirty, so that neighbours join.

use crate::copy_cost::PAGE_BYTES;
use crate::read_ahead::CacheView;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// A page.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Page {
    /// Whether all of it is what the server has, or what was written since.
    pub(super) uptodate: bool,
    /// Reading it starts the next window.
    pub(super) marker: bool,
    /// What is dirty of it: from a byte of it up to another.
    pub(super) dirty: Option<(u64, u64)>,
}

/// The pages of a file, by their index.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Pages {
    pub(super) pages: BTreeMap<u64, Page>,
    dirty: u64,
}

/// A run of dirty bytes of a file, and whether the page behind its last one is dirty, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) bytes: u64,
    pub(super) more: bool,
}

impl Pages {
    pub(super) fn is_dirty(&self) -> bool {
        self.dirty > 0
    }

    /// Dirty pages.
    pub(super) fn dirty(&self) -> u64 {
        self.dirty
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    pub(super) fn is_uptodate(&self, index: u64) -> bool {
        self.pages.get(&index).is_some_and(|page| page.uptodate)
    }

    /// A page is there, read or about to be.
    pub(super) fn insert(&mut self, index: u64) {
        self.pages.entry(index).or_default().uptodate = true;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Without the pages from `first` on.
    pub(super) fn cut(&mut self, first: u64) {
        self.pages.split_off(&first);
        self.dirty = self.pages.values().filter(|page| page.dirty.is_some()).count() as u64;
    }

    /// Whether bytes of a page would join what is dirty of it.
    pub(super) fn joins(&self, index: u64, (from, to): (u64, u64)) -> bool {
        let dirty = self.pages.get(&index).and_then(|page| page.dirty);
        dirty.is_none_or(|(start, end)| from <= end && to >= start)
    }

    /// Bytes of a page become dirty.
    pub(super) fn make_dirty(&mut self, index: u64, (from, to): (u64, u64)) {
        let page = self.pages.entry(index).or_default();
        page.dirty = match page.dirty {
            None => {
                self.dirty += 1;
                Some((from, to))
            }
            Some((start, end)) => Some((start.min(from), end.max(to))),
        };
    }

    /// What is dirty, in the order in which it is sent: a run for each piece of contiguous bytes; it is clean then.
    pub(super) fn take_dirty(&mut self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut before: Option<(u64, u64)> = None;
        for (&index, page) in &mut self.pages {
            let Some((from, to)) = page.dirty.take() else { continue };
            let start = index * PAGE_BYTES + from;
            match (before, runs.last_mut()) {
                (Some((_, end)), Some(run)) if end == start => run.bytes += to - from,
                (Some((last, _)), Some(run)) => {
                    run.more = last + 1 == index;
                    runs.push(Run { bytes: to - from, more: false });
                }
                _ => runs.push(Run { bytes: to - from, more: false }),
            }
            before = Some((index, index * PAGE_BYTES + to));
        }
        self.dirty = 0;
        runs
    }
}

impl CacheView for Pages {
    fn cached(&self, index: u64) -> bool {
        self.pages.contains_key(&index)
    }

    fn next_missing(&self, index: u64, most: u64) -> u64 {
        (index..index + most).find(|at| !self.cached(*at)).unwrap_or(index + most)
    }

    fn previous_missing(&self, index: u64, most: u64) -> Option<u64> {
        let least = index.saturating_sub(most);
        match (least..=index).rev().find(|at| !self.cached(*at)) {
            Some(at) => Some(at),
            None if least == 0 => None,
            None => Some(least),
        }
    }

    fn folio_pages(&self, _: u64) -> u64 {
        1
    }

    /// NFS has single pages.
    fn largest_folio_pages(&self) -> u64 {
        1
    }
}
