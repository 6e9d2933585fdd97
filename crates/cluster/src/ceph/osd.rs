//! An OSD: threads that take operations, and BlueStore below them.

use super::effort::{Transaction, Work};
use super::store_parameters::{CACHE_BLOCK, StoreRules};
use crate::replication::NodeMemory;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::Bytes;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// A queue of operations, and its threads.
#[derive(Clone, Debug, Persist)]
pub(super) struct OpQueue {
    /// Threads that have nothing to do.
    pub free: u32,
    pub waiting: VecDeque<Work>,
    /// Placement groups that a thread works at.
    pub locked: SmallVec<[u32; 2]>,
}

/// What RocksDB's thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Committing {
    Nothing,
    /// It waits for a flush, a processor, or the log.
    Batch,
}

/// An OSD.
#[derive(Clone, Debug, Persist)]
pub(super) struct Osd {
    /// Whether it works, and how often it has begun or ended to.
    pub alive: bool,
    pub life: u64,
    pub queues: Vec<OpQueue>,
    /// Transactions that wait for RocksDB, and those of the batch that it is at.
    pub ready: Vec<Transaction>,
    pub batch: Vec<Transaction>,
    pub committing: Committing,
    /// Bytes of RocksDB's log so far, after which its place in it goes round.
    pub logged: u64,
    /// Deferred data, and how many requests of the last ones are under way.
    pub deferred: Vec<(u64, u64)>,
    pub deferring: u32,
    /// Deferred data have come to their places since the last flush.
    pub deferred_done: bool,
    pub memory: Option<NodeMemory>,
    /// Placement groups that it fills, and that it is filled with.
    pub gives: u32,
    pub gets: u32,
    /// Requests to its device, with the life in which they were sent.
    pub ios: Slab<(u64, super::effort::Io)>,
}

impl Osd {
    pub(super) fn new(rules: &StoreRules) -> Self {
        let queue = OpQueue { free: rules.threads, waiting: VecDeque::new(), locked: SmallVec::new() };
        Self {
            alive: true,
            life: 0,
            queues: vec![queue; rules.shards as usize],
            ready: Vec::new(),
            batch: Vec::new(),
            committing: Committing::Nothing,
            logged: 0,
            deferred: Vec::new(),
            deferring: 0,
            deferred_done: false,
            memory: (rules.cache.get() > 0).then(|| NodeMemory::new(rules.cache, Bytes(CACHE_BLOCK))),
            gives: 0,
            gets: 0,
            ios: Slab::new(),
        }
    }

    /// It stops, or begins to work: nothing is left of what it was at. What its device still does is heard of in vain.
    pub(super) fn begins_anew(&mut self, rules: &StoreRules, alive: bool) {
        let Self { life, logged, ios, .. } = std::mem::replace(self, Self::new(rules));
        (self.alive, self.life, self.logged, self.ios) = (alive, life + 1, logged, ios);
    }

    /// The next work of a queue whose placement group nobody is at, if a thread is free.
    pub(super) fn next(&mut self, queue: usize) -> Option<Work> {
        let OpQueue { free, waiting, locked } = &mut self.queues[queue];
        if *free == 0 {
            return None;
        }
        let at = waiting.iter().position(|work| !locked.contains(&work.group))?;
        let work = waiting.remove(at)?;
        *free -= 1;
        locked.push(work.group);
        Some(work)
    }

    /// A thread is free again.
    pub(super) fn release(&mut self, queue: usize, group: u32) {
        let OpQueue { free, locked, .. } = &mut self.queues[queue];
        *free += 1;
        locked.retain(|other| *other != group);
    }
}
