//! The server's side of locks on extents of an object.
//!
//! After lustre/ldlm/ldlm_extent.c of Lustre 2.15. A lock that nothing stands in the way of is granted on the largest range that
//! contains what is
//! asked for and meets no lock that it conflicts with (`ldlm_extent_internal_policy_granted`, `_waiting`):
//!
//! - downwards only where nobody holds a conflicting lock on the object at all;
//! - upwards to the next one, but with more than 32 of them 32 MiB at most (`LDLM_MAX_GROWN_EXTENT`);
//! - where more than four wait, not downwards;
//! - cut to the alignment of what was asked for (`ldlm_extent_internal_policy_fixup`).
//!
//! What conflicts is called back, once. Who waits is granted in turn. Left out: that contended locks (`contended_locks`) are refused for
//! I/O without locks, which is switched off by default, and speculative locks.

use super::message::Who;
use petrio_host::lustre::FILE_PAGES;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// Conflicting locks beyond which one that is written under grows no further than this many pages (32 MiB).
const MANY: usize = 32;
const MOST_GROWN: u64 = 8192;
/// Waiting locks beyond which none grows downwards.
const MANY_WAITING: usize = 4;

/// A lock that somebody holds or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Lock {
    pub(super) client: Who,
    /// As the client numbers it.
    pub(super) number: u32,
    pub(super) writes: bool,
    /// The first page, and the page behind the last.
    pub(super) extent: (u64, u64),
    /// What was asked for.
    asked: (u64, u64),
    is_called: bool,
}

impl Lock {
    /// As it is asked for.
    pub(super) const fn new(client: Who, number: u32, writes: bool, asked: (u64, u64)) -> Self {
        Self { client, number, writes, extent: asked, asked, is_called: false }
    }

    const fn conflicts(&self, other: &Self) -> bool {
        self.writes || other.writes
    }
}

const fn overlap(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// What comes of a change: locks that are granted, and those that are called back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Came {
    pub(super) granted: Vec<Lock>,
    pub(super) called: Vec<Lock>,
}

/// The locks on an object.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Locked {
    granted: Vec<Lock>,
    waiting: VecDeque<Lock>,
}

impl Locked {
    /// Somebody asks for a lock.
    pub(super) fn ask(&mut self, lock: Lock) -> Came {
        self.waiting.push_back(lock);
        self.go_on()
    }

    /// A lock has gone back.
    pub(super) fn cancel(&mut self, client: Who, number: u32) -> Came {
        self.granted.retain(|lock| (lock.client, lock.number) != (client, number));
        self.waiting.retain(|lock| (lock.client, lock.number) != (client, number));
        self.go_on()
    }

    /// What it is on is gone, and the locks on it; who waits has what he asks for, of nothing.
    pub(super) fn forget_granted(&mut self) -> Came {
        self.granted.clear();
        self.go_on()
    }

    /// Whether anybody holds or wants anything.
    pub(super) fn is_free(&self) -> bool {
        self.granted.is_empty() && self.waiting.is_empty()
    }

    /// Who may have written furthest, but somebody: the holder of the last lock to write (`ofd_intent_policy`).
    pub(super) fn writes_last(&self, but: Who) -> Option<&Lock> {
        self.granted.iter().filter(|lock| lock.writes && lock.client != but).max_by_key(|lock| lock.extent.0)
    }

    /// Who waits is granted what he asks for, in turn, where nothing is in the way; what is, is called back.
    fn go_on(&mut self) -> Came {
        let mut came = Came::default();
        let mut still: VecDeque<Lock> = VecDeque::new();
        while let Some(mut lock) = self.waiting.pop_front() {
            let behind = still.iter().any(|other| lock.conflicts(other) && overlap(lock.asked, other.asked));
            let mut is_stopped = behind;
            for other in &mut self.granted {
                if lock.conflicts(other) && overlap(lock.asked, other.extent) {
                    is_stopped = true;
                    if !std::mem::replace(&mut other.is_called, true) {
                        came.called.push(*other);
                    }
                }
            }
            if is_stopped {
                still.push_back(lock);
                continue;
            }
            lock.extent = self.grown(&lock, still.iter().chain(&self.waiting));
            self.granted.push(lock);
            came.granted.push(lock);
        }
        self.waiting = still;
        came
    }

    /// The largest extent for a lock.
    fn grown<'w>(&self, lock: &Lock, waiting: impl Iterator<Item = &'w Lock>) -> (u64, u64) {
        let (from, to) = lock.asked;
        let (mut start, mut end) = (0, FILE_PAGES);
        let in_the_way: Vec<&Lock> = self.granted.iter().filter(|other| lock.conflicts(other)).collect();
        if !in_the_way.is_empty() {
            start = from;
            let next = in_the_way.iter().map(|other| other.extent.0).filter(|&begins| begins >= to).min();
            end = next.unwrap_or(end);
        }
        if in_the_way.len() > MANY && lock.writes {
            end = end.min((from + MOST_GROWN).max(to));
        }
        let mut wait = 0;
        for other in waiting {
            if (start, end) == (from, to) {
                break;
            }
            if !lock.conflicts(other) && other.client != lock.client {
                continue;
            }
            wait += 1;
            if wait > MANY_WAITING {
                start = from;
            }
            let (begins, ends) = other.asked;
            if !overlap((begins, ends), (start, end)) || overlap((begins, ends), (from, to)) {
                continue;
            }
            if begins < from && start != from {
                start = if ends > from { from } else { ends.min(from) };
            }
            if ends > to {
                end = begins.max(to);
            }
        }
        if wait > MANY && lock.writes {
            end = end.min((from + MOST_GROWN).max(to));
        }
        aligned((start, end), (from, to))
    }
}

/// Cut to the largest power of two that both ends of what was asked for are multiples of.
fn aligned((start, end): (u64, u64), (from, to): (u64, u64)) -> (u64, u64) {
    if (start, end) == (0, FILE_PAGES) {
        return (start, end);
    }
    let whole = 1u64 << (from | to).trailing_zeros().min(27);
    let last = if end == FILE_PAGES { end } else { end / whole * whole };
    (start.next_multiple_of(whole).min(from), last.max(to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn write(client: Who, number: u32, extent: (u64, u64)) -> Lock {
        Lock::new(client, number, true, extent)
    }

    #[test]
    fn one_alone_is_granted_all() {
        let mut locked = Locked::default();
        let came = locked.ask(write(0, 1, (256, 512)));
        assert_eq!(came.granted[0].extent, (0, FILE_PAGES));
        assert!(came.called.is_empty());
    }

    #[test]
    fn two_writers_of_one_region_call_each_other_back_once_each_time() {
        let mut locked = Locked::default();
        locked.ask(write(0, 1, (0, 16)));
        for turn in 1..6 {
            let (holder, next) = ((turn - 1) % 2, turn % 2);
            let came = locked.ask(write(next, turn + 1, (0, 16)));
            assert_eq!((came.granted.len(), came.called.len()), (0, 1));
            assert_eq!((came.called[0].client, came.called[0].number), (holder, turn));
            // Asking again calls nobody again.
            let came = locked.cancel(holder, turn);
            assert_eq!((came.granted.len(), came.called.len()), (1, 0));
            assert_eq!(came.granted[0].extent, (0, FILE_PAGES));
        }
    }

    #[test]
    fn blocks_side_by_side_end_with_a_lock_each() {
        let mut locked = Locked::default();
        locked.ask(write(0, 1, (0, 256)));
        assert_eq!(locked.ask(write(1, 2, (256, 512))).called.len(), 1);
        assert_eq!(locked.ask(write(2, 3, (512, 768))).called.len(), 0);
        // The first goes back, and both who wait come: the second up to the third, which has all behind.
        let came = locked.cancel(0, 1);
        let extents: Vec<(u64, u64)> = came.granted.iter().map(|lock| lock.extent).collect();
        assert_eq!(extents, [(0, 512), (512, FILE_PAGES)]);
        // The first asks once more, and calls the second back, who then has what it asks for and no more downwards.
        assert_eq!(locked.ask(write(0, 4, (0, 256))).called.len(), 1);
        let came = locked.cancel(1, 2);
        assert_eq!(came.granted[0].extent, (0, 512));
    }

    #[test]
    fn readers_share_and_a_writer_waits_for_them() {
        let mut locked = Locked::default();
        for client in 0..3 {
            assert_eq!(locked.ask(Lock::new(client, 1, false, (0, 4))).granted.len(), 1);
        }
        assert_eq!(locked.ask(write(3, 1, (2, 4))).called.len(), 3);
        // A reader who comes later waits behind the writer.
        assert_eq!(locked.ask(Lock::new(4, 1, false, (0, 4))).granted.len(), 0);
        assert!(locked.cancel(0, 1).granted.is_empty() && locked.cancel(1, 1).granted.is_empty());
        assert_eq!(locked.cancel(2, 1).granted[0].client, 3);
    }

    #[test]
    fn with_many_in_the_way_a_lock_grows_no_further_than_32_mib() {
        let mut locked = Locked::default();
        locked.ask(write(0, 0, (0, 16)));
        (1..40).for_each(|client| {
            drop(locked.ask(write(client, 0, (u64::from(client) * 16, u64::from(client) * 16 + 16))));
        });
        let came = locked.cancel(0, 0);
        let last = came.granted.last().unwrap();
        assert_eq!(last.extent, (39 * 16, 39 * 16 + MOST_GROWN));
    }

    proptest! {
        #[test]
        fn no_two_locks_that_conflict_are_granted_on_one_page(
            asked in prop::collection::vec((0u32..4, any::<bool>(), 0u64..50, 1u64..20, any::<bool>()), 1..60),
        ) {
            let mut locked = Locked::default();
            for (number, (client, writes, from, pages, gives_back)) in asked.into_iter().enumerate() {
                let came = locked.ask(Lock::new(client, number as u32, writes, (from, from + pages)));
                let mut called = came.called;
                while gives_back && let Some(lock) = called.pop() {
                    called.extend(locked.cancel(lock.client, lock.number).called);
                }
                for (at, one) in locked.granted.iter().enumerate() {
                    prop_assert!(one.extent.0 <= one.asked.0 && one.extent.1 >= one.asked.1);
                    let others = locked.granted.iter().skip(at + 1);
                    for other in others.filter(|other| one.conflicts(other)) {
                        prop_assert!(!overlap(one.extent, other.extent), "{:?} {:?}", one, other);
                    }
                }
            }
        }
    }
}
