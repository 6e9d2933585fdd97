//! A policy of somebody's own: which pages of files go is its to say.
//!
//! It is told of the pages that may go: what comes, what is used by calls, what is gone. Pages that have to be written or read first are none
//! of them: they are gone for it, and come again once that has been done. The cache is in single pages then. Of pages of processes, and where
//! the policy has no answer, the one that hasn't been used for longest goes.

use super::lists::{Flags, ListName};
use super::tree::NONE;
use super::{FileKey, PageCache, Reclaimed};
use std::fmt::Debug;
use std::sync::Arc;

/// A page of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CachedPage {
    /// Its file; what a file system keeps of itself is a file, too.
    pub file: FileKey,
    /// Which page of it, of 4 KiB.
    pub index: u64,
}

/// Decides which pages go.
pub trait Replacement: Debug + Send + Sync {
    /// A page may go from now on, which has come last of all.
    fn came(&mut self, page: CachedPage);

    /// A page that may go was read or written by a call.
    fn used(&mut self, page: CachedPage);

    /// A page can't go any more: it has gone, or has to be written or read first.
    fn gone(&mut self, page: CachedPage);

    /// The page that is to go next, of those that came and haven't gone; none where it doesn't matter.
    fn victim(&mut self) -> Option<CachedPage>;

    /// Another that decides as this one would from here on.
    fn copied(&self) -> Box<dyn Replacement>;
}

/// Makes one for each host.
pub trait Replaces: Debug + Send + Sync {
    /// One that knows no page yet.
    fn replacement(&self) -> Box<dyn Replacement>;
}

/// What makes them, as a parameter.
#[derive(Clone, Debug)]
pub struct OwnReplacement(pub Arc<dyn Replaces>);

/// The same is what was put there once.
impl PartialEq for OwnReplacement {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a policy is told of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Became {
    Came,
    Used,
    Gone,
}

/// The policy of a cache, where it has one of somebody's own.
#[derive(Debug, Default)]
pub(super) struct Own(Option<Box<dyn Replacement>>);

impl Own {
    pub(super) fn of(own: Option<&OwnReplacement>) -> Self {
        Self(own.map(|own| own.0.replacement()))
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.is_some()
    }
}

impl Clone for Own {
    fn clone(&self) -> Self {
        Self(self.0.as_ref().map(|own| own.copied()))
    }
}

impl PageCache {
    /// Tells the policy of a folio, if there is one and the folio may go.
    #[inline]
    pub(super) fn tell_own(&mut self, id: u32, what: Became) {
        if self.own.is_there() {
            self.tell(id, what);
        }
    }

    #[cold]
    fn tell(&mut self, id: u32, what: Became) {
        let entry = *self.lists.entry(id);
        if entry.list() != ListName::Inactive || entry.has(Flags::ANONYMOUS) {
            return;
        }
        let (leaf, slot) = entry.place();
        let node = self.tree.node(leaf);
        let page = CachedPage { file: self.files.file(node.file()).key, index: node.first() + slot };
        let Some(own) = &mut self.own.0 else { return };
        match what {
            Became::Came => own.came(page),
            Became::Used => own.used(page),
            Became::Gone => own.gone(page),
        }
    }

    /// Frees the pages that the policy names, until there are so many or it names none that may go.
    pub(super) fn reclaim_as_told(&mut self, goal: u64, reclaimed: &mut Reclaimed) {
        let mut being_read = Vec::new();
        while reclaimed.freed < goal {
            let Some(page) = self.own.0.as_mut().and_then(|own| own.victim()) else { break };
            let id = self.folio_at(page.file, page.index);
            if id == NONE || self.lists.entry(id).list() != ListName::Inactive {
                break;
            }
            reclaimed.scanned += 1;
            if self.lists.entry(id).has(Flags::LOCKED) {
                self.tell_own(id, Became::Gone);
                being_read.push(id);
            } else if !self.park_if_unwritten(id, reclaimed) {
                self.evict(id, reclaimed);
            }
        }
        for id in being_read {
            self.tell_own(id, Became::Came);
        }
    }
}
