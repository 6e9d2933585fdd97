//! What fsync and its like promise, held against what has reached the device: a witness that no step of the host asks.
//!
//! A page's content is *owed* from when it is written into the cache until the request that carries it has come back, or until the
//! transaction that holds it has been committed, where data are logged. Who begins to make something durable begins an *era*:
//! content that was written before it must not be owed when he returns; and where the file system flushes its device, a flush that was
//! sent after the last of that content had come back must be over (POSIX fsync: "until the system has completed that action or until an
//! error is detected"). It follows writes, requests and removals alone, not the page cache's own marks: what is taken for clean
//! without a request stays owed. Each promise that was broken is counted, and a run with one ends as a fault of the model.
//!
//! Leaves out that content which is written anew while it is on its way to the log is owed by the next transaction.

use crate::page_cache::FileKey;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// The witness of a mounted file system.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Promises {
    /// How many have begun to make something durable.
    era: u64,
    owed: BTreeMap<FileKey, Owed>,
    /// Writes that have come back, and as many of them as a flush has covered.
    landed: u64,
    covered: u64,
    /// Flushes on their way: the request's number, and the writes that had come back when it was sent.
    flushes: Vec<(u64, u64)>,
    broken: u64,
}

/// What is owed of a file.
#[derive(Clone, Debug, Default, Persist)]
struct Owed {
    /// Pages that wait to be sent.
    waiting: Ages,
    /// Pages on their way.
    sent: Ages,
}

impl Promises {
    /// Pages have been written into the cache.
    pub(crate) fn wrote(&mut self, file: FileKey, first: u64, pages: u64) {
        self.owed.entry(file).or_default().waiting.insert(first, first.saturating_add(pages), self.era);
    }

    /// Pages are on their way to the device.
    pub(crate) fn sent(&mut self, file: FileKey, first: u64, pages: u64) {
        let Some(owed) = self.owed.get_mut(&file) else { return };
        for (first, end, era) in owed.waiting.remove(first, first.saturating_add(pages)) {
            owed.sent.insert(first, end, era);
        }
    }

    /// Pages that were on their way are on the device.
    pub(crate) fn landed(&mut self, file: FileKey, first: u64, pages: u64) {
        self.landed += 1;
        if let Some(owed) = self.owed.get_mut(&file) {
            owed.sent.remove(first, first.saturating_add(pages));
        }
    }

    /// Content has gone past the cache, and is on the device.
    pub(crate) fn landed_past_cache(&mut self) {
        self.landed += 1;
    }

    /// Writes that have come back: what somebody remembers for whom they were the last.
    pub(crate) fn writes_landed(&self) -> u64 {
        self.landed
    }

    /// A page is in the log, in a transaction that has been committed.
    pub(crate) fn logged(&mut self, file: FileKey, index: u64) {
        self.gone(file, index, index + 1);
    }

    /// Pages from one up to another are no longer part of the file, or are lost, of which somebody hears.
    pub(crate) fn gone(&mut self, file: FileKey, from: u64, to: u64) {
        let Some(owed) = self.owed.get_mut(&file) else { return };
        owed.waiting.remove(from, to);
        owed.sent.remove(from, to);
    }

    /// A file has been removed.
    pub(crate) fn removed(&mut self, file: FileKey) {
        self.owed.remove(&file);
    }

    /// A flush of the device on which data lie is sent.
    pub(crate) fn flush_begins(&mut self, tag: u64) {
        self.flushes.push((tag, self.landed));
    }

    /// A request has come back that may have been a flush.
    pub(crate) fn flush_ends(&mut self, tag: u64, done: bool) {
        if let Some(at) = self.flushes.iter().position(|(other, _)| *other == tag) {
            let (_, landed) = self.flushes.swap_remove(at);
            if done {
                self.covered = self.covered.max(landed);
            }
        }
    }

    /// Somebody begins to make durable what has been written: the era that begins.
    pub(crate) fn begin(&mut self) -> u64 {
        self.era += 1;
        self.era
    }

    /// He who began an era returns. What was written of these pages before must be on the device, and what had come back when he had
    /// waited for it (`landed`) in no cache that forgets, where he promises that.
    pub(crate) fn returns(&mut self, file: FileKey, (from, to): (u64, u64), era: u64, landed: Option<u64>) {
        let owed = self.owed.get(&file);
        let kept = owed.is_none_or(|owed| !owed.any_before(era, (from, to)))
            && landed.is_none_or(|landed| landed <= self.covered);
        if owed.is_some_and(Owed::is_nothing) {
            self.owed.remove(&file);
        }
        self.broken += u64::from(!kept);
    }

    /// The same of all files.
    pub(crate) fn all_return(&mut self, era: u64, landed: Option<u64>) {
        self.owed.retain(|_, owed| !owed.is_nothing());
        let kept = self.owed.values().all(|owed| !owed.any_before(era, (0, u64::MAX)))
            && landed.is_none_or(|landed| landed <= self.covered);
        self.broken += u64::from(!kept);
    }

    /// How many have been broken.
    pub(crate) fn broken(&self) -> u64 {
        self.broken
    }
}

impl Owed {
    fn any_before(&self, era: u64, range: (u64, u64)) -> bool {
        self.waiting.any_before(era, range) || self.sent.any_before(era, range)
    }

    fn is_nothing(&self) -> bool {
        self.waiting.0.is_empty() && self.sent.0.is_empty()
    }
}

/// Pages and the era of their content, as ranges: first page, the one behind the last, and the era.
#[derive(Clone, Debug, Default, Persist)]
struct Ages(BTreeMap<u64, (u64, u64)>);

impl Ages {
    /// Adds those of `first .. end` that aren't there; the others keep their era, which is older.
    fn insert(&mut self, first: u64, end: u64, era: u64) {
        let before = self.0.range(..=first).next_back().map_or(first, |(_, &(end, _))| end);
        let mut at = first.max(before);
        while at < end {
            let next = self.0.range(at..end).next().map(|(&next, &(behind, _))| (next, behind));
            let (stop, behind) = next.unwrap_or((end, end));
            if at < stop {
                self.add(at, stop, era);
            }
            at = behind;
        }
    }

    /// Adds pages that aren't there, to the range before them where that has their era.
    fn add(&mut self, first: u64, end: u64, era: u64) {
        match self.0.range_mut(..first).next_back() {
            Some((_, (before, older))) if *before == first && *older == era => *before = end,
            _ => {
                self.0.insert(first, (end, era));
            }
        }
    }

    /// Takes `first .. end` out.
    fn remove(&mut self, first: u64, end: u64) -> Vec<(u64, u64, u64)> {
        let mut taken = Vec::new();
        while let Some((&other, &(other_end, era))) = self.0.range(..end).next_back()
            && other_end > first
        {
            self.0.remove(&other);
            if other_end > end {
                self.0.insert(end, (other_end, era));
            }
            if other < first {
                self.0.insert(other, (first, era));
            }
            taken.push((other.max(first), other_end.min(end), era));
        }
        taken
    }

    /// Whether any of `from .. to` are of an era before one.
    fn any_before(&self, era: u64, (from, to): (u64, u64)) -> bool {
        let begins = self.0.range(..=from).next_back().map_or(from, |(&first, _)| first);
        self.0.range(begins..to.max(begins)).any(|(_, &(end, older))| end > from && older < era)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileKey = FileKey(7);
    const ALL: (u64, u64) = (0, u64::MAX);

    /// Whether somebody who returns now breaks what he promised.
    fn breaks(promises: &Promises, range: (u64, u64), era: u64, landed: Option<u64>) -> bool {
        let mut promises = promises.clone();
        let before = promises.broken();
        promises.returns(FILE, range, era, landed);
        promises.broken() > before
    }

    #[test]
    fn what_was_written_before_is_owed_until_it_has_come_back_and_what_was_written_behind_it_is_not() {
        let mut promises = Promises::default();
        promises.wrote(FILE, 0, 8);
        let era = promises.begin();
        promises.wrote(FILE, 4, 8);
        promises.sent(FILE, 0, 6);
        assert!(breaks(&promises, ALL, era, None), "two wait, six are on their way");
        promises.landed(FILE, 0, 6);
        assert!(breaks(&promises, ALL, era, None), "two wait");
        assert!(!breaks(&promises, (0, 6), era, None), "of these none");
        promises.sent(FILE, 6, 2);
        promises.landed(FILE, 6, 2);
        assert!(!breaks(&promises, ALL, era, None), "what is left is younger");
        let later = promises.begin();
        promises.all_return(later, None);
        assert_eq!(promises.broken(), 1);
    }

    #[test]
    fn content_that_is_written_while_older_is_on_its_way_is_owed_by_itself() {
        let mut promises = Promises::default();
        promises.wrote(FILE, 3, 1);
        promises.sent(FILE, 3, 1);
        promises.wrote(FILE, 3, 1);
        let era = promises.begin();
        promises.landed(FILE, 3, 1);
        assert!(breaks(&promises, ALL, era, None));
        promises.gone(FILE, 0, u64::MAX);
        assert!(!breaks(&promises, ALL, era, None), "nobody can have it any more");
    }

    #[test]
    fn a_flush_covers_what_had_come_back_when_it_was_sent() {
        let mut promises = Promises::default();
        promises.wrote(FILE, 0, 1);
        promises.sent(FILE, 0, 1);
        let era = promises.begin();
        promises.flush_begins(9);
        promises.landed(FILE, 0, 1);
        promises.flush_ends(9, true);
        let landed = Some(promises.writes_landed());
        assert!(!breaks(&promises, ALL, era, None), "nobody says that it was flushed");
        assert!(breaks(&promises, ALL, era, landed), "it was sent too early");
        promises.flush_begins(9);
        promises.landed_past_cache();
        assert!(breaks(&promises, ALL, era, landed), "it is on its way");
        promises.flush_ends(9, true);
        assert!(!breaks(&promises, ALL, era, landed));
        assert!(breaks(&promises, ALL, era, Some(promises.writes_landed())), "that came back behind it");
    }

    #[test]
    fn a_stream_is_one_range_and_older_content_keeps_its_era() {
        let mut ages = Ages::default();
        (0..100).for_each(|at| ages.insert(at * 4, at * 4 + 4, 0));
        assert_eq!(ages.0, BTreeMap::from([(0, (400, 0))]));
        assert_eq!(ages.remove(100, 200), [(100, 200, 0)]);
        ages.insert(50, 500, 3);
        let expected = BTreeMap::from([(0, (100, 0)), (100, (200, 3)), (200, (400, 0)), (400, (500, 3))]);
        assert_eq!(ages.0, expected);
        assert!(ages.any_before(3, (0, 101)) && !ages.any_before(3, (100, 200)));
        assert!(!ages.any_before(3, (400, 500)) && ages.any_before(4, (499, 500)));
    }
}
