//! A packed 4-ary heap of calendar entries: the fastest event set while it fits the first-level cache.

use super::entry::Entry;
use petrio_persist::Persist;

/// Children per node: four entries of 24 bytes span one and a half cache lines, and the tree is half as deep as a
/// binary one.
const ARITY: usize = 4;

/// A min-heap by (time, order).
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Heap {
    entries: Vec<Entry>,
}

impl Heap {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn first(&self) -> Option<&Entry> {
        self.entries.first()
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let mut hole = self.entries.len();
        self.entries.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.entries[parent].key() <= entry.key() {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = entry;
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.pop()?;
        if self.entries.is_empty() {
            return Some(last);
        }
        let first = self.entries[0];
        self.sift_down(0, last);
        Some(first)
    }

    fn sift_down(&mut self, mut hole: usize, entry: Entry) {
        let entries = self.entries.as_mut_slice();
        loop {
            let first_child = hole * ARITY + 1;
            if first_child >= entries.len() {
                break;
            }
            let children = &entries[first_child..entries.len().min(first_child + ARITY)];
            let mut least = 0;
            for child in 1..children.len() {
                if children[child].key() < children[least].key() {
                    least = child;
                }
            }
            if children[least].key() >= entry.key() {
                break;
            }
            entries[hole] = children[least];
            hole = first_child + least;
        }
        entries[hole] = entry;
    }

    /// Takes every entry out, in no particular order, keeping the capacity.
    pub(super) fn drain_into(&mut self, target: &mut Vec<Entry>) {
        target.append(&mut self.entries);
    }
}
