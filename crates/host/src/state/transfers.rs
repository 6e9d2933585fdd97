//! Block requests on their way, and what their completion means.

use crate::page_cache::FileKey;
use petrio_colours::Failure;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};
use std::collections::BTreeMap;

/// What a request moves, and so what follows when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Moves {
    /// Brings pages of a file into the cache.
    Read {
        /// The file.
        file: FileKey,
        /// First page.
        first: u64,
        /// Pages.
        pages: u64,
    },
    /// Writes pages of a file.
    Write {
        /// The file.
        file: FileKey,
        /// First page.
        first: u64,
        /// Pages.
        pages: u64,
    },
    /// Into the log.
    Log,
    /// Past the cache, or a flush: somebody waits for its group.
    Plain,
    /// Memory of processes.
    Swap,
    /// Nothing: blocks that were given back are discarded.
    Discard,
}

#[derive(Clone, Copy, Debug, Persist)]
struct Transfer {
    moves: Moves,
    group: u64,
    in_use: bool,
    /// Of a write of cached pages: which of them it is, in the order in which they were sent.
    sent: u64,
    /// Requests that it takes in the device's queue.
    requests: u32,
}

/// A write of cached pages that is on its way.
#[derive(Clone, Copy, Debug, Persist)]
struct UnderWay {
    first: u64,
    pages: u64,
    /// Whether somebody waits for it.
    awaited: bool,
}

/// The requests of a mount that are on their way. A request's number is its slot; a group is a set that somebody can
/// wait for, and so is a write of cached pages, by its place in the order in which these were sent.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Transfers {
    slots: Vec<Transfer>,
    free: Vec<u32>,
    /// Requests left in each group on its way: few at a time.
    groups: Vec<(u64, u32)>,
    next_group: u64,
    writes: u32,
    /// Requests in the device's queue that these writes take.
    queued: u32,
    /// The writes of cached pages on their way, by file and in the order in which they were sent.
    under_way: BTreeMap<(FileKey, u64), UnderWay>,
    /// How many have been sent.
    sent: u64,
    /// Groups of which a request could not be done, and when that was found.
    failed: Vec<(u64, Failure, Time)>,
}

/// A request that has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// What it was for.
    pub(crate) moves: Moves,
    /// Its group.
    pub(crate) group: u64,
    /// It was the last of its group.
    pub(crate) is_last: bool,
    /// The write that it is, if somebody waits for that.
    pub(crate) awaited: Option<u64>,
}

impl Transfers {
    /// A new group, empty.
    pub(crate) fn group(&mut self) -> u64 {
        self.next_group += 1;
        self.next_group
    }

    /// Whether requests of a group are on their way.
    pub(crate) fn is_pending(&self, group: u64) -> bool {
        self.groups.iter().any(|&(other, _)| other == group)
    }

    /// Adds a request to a group, which takes so many in the device's queue; its slot.
    pub(crate) fn add(&mut self, group: u64, moves: Moves, requests: u32) -> u64 {
        match self.groups.iter_mut().rev().find(|(other, _)| *other == group) {
            Some((_, left)) => *left += 1,
            None => self.groups.push((group, 1)),
        }
        let mut transfer = Transfer { moves, group, in_use: true, sent: 0, requests: 0 };
        if let Moves::Write { file, first, pages } = moves {
            self.writes += 1;
            self.queued += requests;
            self.sent += 1;
            (transfer.sent, transfer.requests) = (self.sent, requests);
            self.under_way.insert((file, self.sent), UnderWay { first, pages, awaited: false });
        }
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = transfer;
                u64::from(slot)
            }
            None => {
                self.slots.push(transfer);
                self.slots.len() as u64 - 1
            }
        }
    }

    /// A request has completed.
    pub(crate) fn complete(&mut self, slot: u64) -> Option<Ended> {
        let transfer = self.slots.get_mut(as_index(slot)).filter(|transfer| transfer.in_use)?;
        transfer.in_use = false;
        let Transfer { moves, group, sent, requests, .. } = *transfer;
        self.free.push(as_number(slot));
        let mut awaited = None;
        if let Moves::Write { file, .. } = moves {
            self.writes -= 1;
            self.queued -= requests;
            awaited = self.under_way.remove(&(file, sent)).filter(|write| write.awaited).map(|_| sent);
        }
        let at = self.groups.iter().position(|&(other, _)| other == group)?;
        self.groups[at].1 -= 1;
        let is_last = self.groups[at].1 == 0;
        if is_last {
            self.groups.swap_remove(at);
        }
        Some(Ended { moves, group, is_last, awaited })
    }

    /// A request of a group could not be done: who waits for the group hears of it when it is over.
    pub(crate) fn fail(&mut self, group: u64, failure: Failure, now: Time) {
        let mut failed = std::mem::take(&mut self.failed);
        // Of a group that was over before, everybody has heard.
        failed.retain(|&(other, _, at)| at == now || self.is_pending(other));
        failed.push((group, failure, now));
        self.failed = failed;
    }

    /// Why a request of a group could not be done, if one couldn't.
    pub(crate) fn failure(&self, group: u64) -> Option<Failure> {
        self.failed.iter().find(|(other, ..)| *other == group).map(|&(_, failure, _)| failure)
    }

    /// The group of the request that brings a page in.
    pub(crate) fn bringing(&self, key: FileKey, index: u64) -> Option<u64> {
        self.slots.iter().find_map(|transfer| match transfer.moves {
            Moves::Read { file, first, pages }
                if transfer.in_use && file == key && (first..first + pages).contains(&index) =>
            {
                Some(transfer.group)
            }
            _ => None,
        })
    }

    /// Requests on their way.
    pub(crate) fn in_flight(&self) -> usize {
        self.slots.iter().filter(|transfer| transfer.in_use).count()
    }

    /// Writes of cached pages on their way.
    pub(crate) fn writes(&self) -> u32 {
        self.writes
    }

    /// Requests that these take in the device's queue.
    pub(crate) fn queued(&self) -> u32 {
        self.queued
    }

    /// Writes of cached pages that have been sent: whoever remembers this can wait for all of them, and for none that follows.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// The oldest write of pages of a file on its way, of the first `sent` ever, which is waited for from now on.
    pub(crate) fn await_write(&mut self, file: FileKey, (from, to): (u64, u64), sent: u64) -> Option<u64> {
        let mut of_file = self.under_way.range_mut((file, 0)..=(file, sent));
        let (&(_, number), write) =
            of_file.find(|(_, write)| write.first < to && write.first.saturating_add(write.pages) > from)?;
        write.awaited = true;
        Some(number)
    }

    /// A write of any file on its way, of the first `sent` ever, which is waited for from now on.
    pub(crate) fn await_any(&mut self, sent: u64) -> Option<u64> {
        let (&(_, number), write) = self.under_way.iter_mut().find(|((_, number), _)| *number <= sent)?;
        write.awaited = true;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_group_is_over_with_its_last_request() {
        let mut transfers = Transfers::default();
        let group = transfers.group();
        let (a, b) = (transfers.add(group, Moves::Plain, 1), transfers.add(group, Moves::Plain, 1));
        let ended = |is_last| Some(Ended { moves: Moves::Plain, group, is_last, awaited: None });
        assert_eq!(transfers.complete(a), ended(false));
        assert!(transfers.is_pending(group));
        assert_eq!(transfers.complete(b), ended(true));
        assert!(!transfers.is_pending(group));
        assert_eq!(transfers.complete(b), None);
    }

    #[test]
    fn a_failure_is_known_until_everybody_has_heard_of_it() {
        let mut transfers = Transfers::default();
        let (first, second) = (transfers.group(), transfers.group());
        let slots = [transfers.add(first, Moves::Plain, 1), transfers.add(first, Moves::Plain, 1)];
        transfers.complete(slots[0]);
        transfers.fail(first, Failure::Device, Time::from_millis(1));
        transfers.fail(second, Failure::Device, Time::from_millis(2));
        assert_eq!(transfers.failure(first), Some(Failure::Device), "its other request is on its way");
        transfers.complete(slots[1]);
        transfers.fail(second, Failure::Device, Time::from_millis(3));
        assert_eq!((transfers.failure(first), transfers.failure(second)), (None, Some(Failure::Device)));
    }

    #[test]
    fn the_request_that_brings_a_page_is_found_while_it_is_on_its_way() {
        let mut transfers = Transfers::default();
        let (file, group) = (FileKey(7), transfers.group());
        let slot = transfers.add(group, Moves::Read { file, first: 10, pages: 4 }, 1);
        assert_eq!(transfers.bringing(file, 13), Some(group));
        assert_eq!(transfers.bringing(file, 14), None);
        transfers.complete(slot);
        assert_eq!(transfers.bringing(file, 13), None);
    }

    #[test]
    fn who_waits_for_pages_waits_for_what_was_sent_of_them_before() {
        let (mut transfers, file, group) = (Transfers::default(), FileKey(7), 1);
        let write = |first| Moves::Write { file, first, pages: 4 };
        let slots = [transfers.add(group, write(0), 1), transfers.add(group, write(8), 2)];
        let sent = transfers.sent();
        transfers.add(group, write(12), 1);
        assert_eq!(transfers.queued(), 4);
        assert_eq!(transfers.await_write(file, (4, 8), sent), None, "nothing of these pages is on its way");
        assert_eq!(transfers.await_write(file, (11, 20), sent), Some(2));
        assert_eq!(transfers.complete(slots[0]).unwrap().awaited, None);
        assert_eq!(transfers.complete(slots[1]).unwrap().awaited, Some(2));
        assert_eq!(transfers.await_write(file, (0, u64::MAX), sent), None, "the third was sent later");
        assert_eq!((transfers.await_any(sent), transfers.await_any(sent + 1)), (None, Some(3)));
    }
}
