//! The locks that a client holds on extents of objects, and the pages that it has written under each.
//!
//! After lustre/osc/osc_lock.c and lustre/ldlm: a lock stays when what it was taken for is over, until a server calls it back; then
//! nobody new may use it, who uses it goes on, what is dirty under it is written, and it goes back (`osc_ldlm_blocking_ast`). Left out:
//! that
//! locks which nobody uses are given up by themselves (the LRU's ageing, `lru_max_age`), and group locks.

use super::layout::FILE_PAGES;
use petrio_colours::FileId;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// A range without pages, which grows by what is added.
const NOTHING: (u64, u64) = (u64::MAX, 0);

/// A lock.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lock {
    pub(super) file: FileId,
    pub(super) object: u16,
    pub(super) writes: bool,
    /// The first page, and the page behind the last; [`FILE_PAGES`]: all that follow.
    pub(super) extent: (u64, u64),
    pub(super) is_granted: bool,
    /// The requests with which it was asked for.
    group: u64,
    /// Its server wants it back.
    pub(super) is_called: bool,
    /// Operations that use it.
    users: u32,
    /// Pages written under it that aren't on their server.
    pub(super) unwritten: u64,
    /// Those of them written since the last ones were sent because there were enough for an RPC, and the range that they lie in.
    pub(super) unsent: u64,
    pub(super) range: (u64, u64),
}

impl Lock {
    fn covers(&self, (from, to): (u64, u64)) -> bool {
        self.extent.0 <= from && self.extent.1 >= to
    }

    /// Whether it may go back now.
    fn may_go(&self) -> bool {
        self.is_called && self.is_granted && self.users == 0
    }
}

/// All that a client holds or has asked for.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Locks {
    all: BTreeMap<u32, Lock>,
    of_objects: BTreeMap<(FileId, u16), Vec<u32>>,
    next: u32,
}

impl Locks {
    pub(super) fn get(&self, number: u32) -> Option<&Lock> {
        self.all.get(&number)
    }

    /// A lock that an operation asks for, which uses it when it comes.
    pub(super) fn ask(
        &mut self,
        (file, object): (FileId, u16),
        writes: bool,
        extent: (u64, u64),
        group: u64,
    ) -> u32 {
        self.next = self.next.wrapping_add(1);
        let lock = Lock {
            file,
            object,
            writes,
            extent,
            is_granted: false,
            group,
            is_called: false,
            users: 1,
            unwritten: 0,
            unsent: 0,
            range: NOTHING,
        };
        self.all.insert(self.next, lock);
        self.of_objects.entry((file, object)).or_default().push(self.next);
        self.next
    }

    pub(super) fn granted(&mut self, number: u32, extent: (u64, u64)) {
        if let Some(lock) = self.all.get_mut(&number) {
            (lock.is_granted, lock.extent) = (true, extent);
        }
    }

    fn of(&self, object: (FileId, u16)) -> impl Iterator<Item = (u32, &Lock)> {
        let numbers = self.of_objects.get(&object).into_iter().flatten();
        numbers.filter_map(|number| Some((*number, self.all.get(number)?)))
    }

    /// A lock that may be used for an extent.
    pub(super) fn covering(&self, object: (FileId, u16), writes: bool, extent: (u64, u64)) -> Option<u32> {
        let may = |lock: &Lock| lock.is_granted && (lock.writes || !writes) && lock.covers(extent);
        self.of(object).find(|(_, lock)| may(lock) && !lock.is_called).map(|found| found.0)
    }

    /// The requests with which somebody else here asks for a lock on an object that may do: who comes later waits for it, and doesn't have
    /// it called back (`osc_lock_enqueue_wait`).
    pub(super) fn asked(&self, object: (FileId, u16), writes: bool) -> Option<u64> {
        let may = |lock: &Lock| !lock.is_granted && (lock.writes || !writes);
        self.of(object).find(|(_, lock)| may(lock)).map(|(_, lock)| lock.group)
    }

    /// The same, also one that is called back already: for who holds it.
    pub(super) fn held(&self, object: (FileId, u16), extent: (u64, u64), own: &[u32]) -> Option<u32> {
        let mut all = self.of(object);
        all.find(|(number, lock)| lock.is_granted && lock.covers(extent) && own.contains(number))
            .map(|found| found.0)
    }

    /// Whether what is known of an object's end holds.
    pub(super) fn knows_end(&self, object: (FileId, u16)) -> bool {
        self.of(object).any(|(_, lock)| lock.is_granted && !lock.is_called && lock.extent.1 == FILE_PAGES)
    }

    pub(super) fn used(&mut self, number: u32) {
        if let Some(lock) = self.all.get_mut(&number) {
            lock.users += 1;
        }
    }

    /// An operation uses it no longer; whether it has to go back now.
    pub(super) fn released(&mut self, number: u32) -> bool {
        let Some(lock) = self.all.get_mut(&number) else { return false };
        lock.users = lock.users.saturating_sub(1);
        lock.may_go()
    }

    /// A server wants it back; whether that can be now.
    pub(super) fn called(&mut self, number: u32) -> bool {
        let Some(lock) = self.all.get_mut(&number) else { return false };
        lock.is_called = true;
        lock.may_go()
    }

    /// Pages of an object were written under a lock, of which so many are dirty that weren't; how many weren't sent.
    pub(super) fn dirtied(&mut self, number: u32, (from, to): (u64, u64), pages: u64) -> u64 {
        let Some(lock) = self.all.get_mut(&number) else { return 0 };
        (lock.unwritten, lock.unsent) = (lock.unwritten + pages, lock.unsent + pages);
        lock.range = (lock.range.0.min(from), lock.range.1.max(to));
        lock.unsent
    }

    /// What was written under it is sent: the range of it.
    pub(super) fn sent(&mut self, number: u32) -> (u64, u64) {
        let Some(lock) = self.all.get_mut(&number) else { return NOTHING };
        lock.unsent = 0;
        std::mem::replace(&mut lock.range, NOTHING)
    }

    /// The lock under which pages of an object were written.
    fn writing(&mut self, object: (FileId, u16), page: u64) -> Option<(u32, &mut Lock)> {
        let number = self
            .of(object)
            .find(|(_, lock)| lock.writes && lock.is_granted && lock.covers((page, page + 1)))?
            .0;
        Some((number, self.all.get_mut(&number)?))
    }

    /// Pages that were written are at their server: the lock that they were written under, and whether it has been called back and nothing
    /// keeps it any longer; none where that is gone.
    pub(super) fn written(&mut self, object: (FileId, u16), page: u64, pages: u64) -> Option<(u32, bool)> {
        let (number, lock) = self.writing(object, page)?;
        lock.unwritten = lock.unwritten.saturating_sub(pages);
        Some((number, lock.unwritten == 0 && lock.may_go()))
    }

    /// All of them with pages that aren't at their server.
    pub(super) fn unwritten(&self) -> impl Iterator<Item = (u32, &Lock)> {
        self.all.iter().filter(|(_, lock)| lock.unwritten > 0).map(|(number, lock)| (*number, lock))
    }

    /// Locks of a file, with what each still holds.
    pub(super) fn of_file(&self, file: FileId) -> impl Iterator<Item = (u32, &Lock)> {
        let objects = self.of_objects.range((file, 0)..=(file, u16::MAX));
        objects.flat_map(|(_, numbers)| numbers).filter_map(|number| Some((*number, self.all.get(number)?)))
    }

    /// What was dirty under a lock isn't any more: so many pages.
    pub(super) fn dropped(&mut self, number: u32) -> u64 {
        self.all.get_mut(&number).map_or(0, |lock| {
            lock.unsent = 0;
            std::mem::take(&mut lock.unwritten)
        })
    }

    /// It goes back.
    pub(super) fn remove(&mut self, number: u32) -> Option<Lock> {
        let lock = self.all.remove(&number)?;
        if let Some(numbers) = self.of_objects.get_mut(&(lock.file, lock.object)) {
            numbers.retain(|&other| other != number);
            if numbers.is_empty() {
                self.of_objects.remove(&(lock.file, lock.object));
            }
        }
        Some(lock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: (FileId, u16) = (FileId(3), 1);

    #[test]
    fn a_lock_that_is_called_back_goes_when_nobody_uses_it_and_nothing_is_dirty_under_it() {
        let mut locks = Locks::default();
        let lock = locks.ask(OBJECT, true, (0, 10), 7);
        assert_eq!(locks.covering(OBJECT, true, (0, 10)), None);
        assert_eq!(locks.asked(OBJECT, true), Some(7));
        locks.granted(lock, (0, FILE_PAGES));
        assert_eq!(locks.covering(OBJECT, false, (500, 600)), Some(lock));
        assert!(locks.knows_end(OBJECT));
        assert_eq!(locks.dirtied(lock, (0, 8), 8), 8);
        assert!(!locks.called(lock), "somebody uses it");
        assert_eq!(locks.covering(OBJECT, true, (0, 10)), None);
        assert_eq!(locks.held(OBJECT, (0, 10), &[lock]), Some(lock));
        assert!(locks.released(lock));
        assert_eq!(locks.sent(lock), (0, 8));
        assert_eq!(locks.written(OBJECT, 0, 5), Some((lock, false)));
        assert_eq!(locks.written(OBJECT, 5, 3), Some((lock, true)));
        assert!(locks.remove(lock).is_some() && !locks.knows_end(OBJECT));
    }
}
