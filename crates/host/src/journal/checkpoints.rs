//! Committed transactions: which blocks are still to be written in place, and which log space nobody needs any more.

use super::{BlockKey, Journal, TransactionId};
use petrio_persist::Persist;
use std::collections::VecDeque;

/// A committed transaction whose blocks are not all in place yet.
#[derive(Clone, Debug, Persist)]
pub(super) struct Checkpoint {
    pub(super) id: TransactionId,
    /// Log position of its first block.
    pub(super) first: u64,
    pub(super) blocks: Vec<BlockKey>,
    pub(super) pending: u64,
}

impl Journal {
    /// A block has been written in place (or needn't be any more).
    pub fn in_place(&mut self, key: BlockKey) {
        let Some(owner) = self.owners.get_mut(&key) else { return };
        let Some(id) = owner.checkpoint.take() else { return };
        if owner.is_nobody() {
            self.owners.remove(&key);
        }
        leave(&mut self.checkpoints, id);
    }

    /// Log blocks of the oldest transactions that nobody needs any more.
    pub fn releasable(&self) -> u64 {
        let needed = self.checkpoints.iter().find(|oldest| self.is_needed(oldest));
        self.log.used_before(needed.map(|oldest| oldest.first))
    }

    /// Whether they are as many as a transaction may need: only then jbd2 writes the tail along with a commit.
    pub fn frees_much(&self) -> bool {
        self.releasable() >= self.largest_transaction()
    }

    /// Gives these blocks back; how many. The log's superblock must then be written before they are used again.
    pub fn release(&mut self) -> u64 {
        let before = self.log.free();
        while let Some(oldest) = self.checkpoints.front() {
            if self.is_needed(oldest) {
                break;
            }
            if let Some(mut oldest) = self.checkpoints.pop_front() {
                oldest.blocks.clear();
                self.spare.push(oldest.blocks);
            }
        }
        self.log.free_up_to(self.checkpoints.front().map(|oldest| oldest.first));
        self.log.free() - before
    }

    fn is_needed(&self, checkpoint: &Checkpoint) -> bool {
        checkpoint.pending > 0 || Some(checkpoint.id) == self.committing()
    }

    /// The blocks of the oldest transaction that are still to be written in place, and which transaction holds those
    /// back that were dirtied again.
    pub fn oldest(&self, out: &mut Vec<BlockKey>) -> Option<TransactionId> {
        out.clear();
        let oldest = self.checkpoints.front().filter(|oldest| Some(oldest.id) != self.committing())?;
        let mut held_by = None;
        for &key in &oldest.blocks {
            let Some(owner) = self.owners.get(&key).filter(|owner| owner.checkpoint == Some(oldest.id))
            else {
                continue;
            };
            match owner.running.or(owner.committing) {
                None => out.push(key),
                holder => held_by = held_by.max(holder),
            }
        }
        held_by
    }

    /// Whether committed transactions wait to be written in place.
    pub fn has_checkpoints(&self) -> bool {
        self.checkpoints.front().is_some_and(|oldest| Some(oldest.id) != self.committing())
    }
}

/// A block of a committed transaction needs no writing in place any more.
pub(super) fn leave(checkpoints: &mut VecDeque<Checkpoint>, id: TransactionId) {
    // Transactions are few and ascend.
    if let Ok(at) = checkpoints.binary_search_by_key(&id, |checkpoint| checkpoint.id) {
        checkpoints[at].pending = checkpoints[at].pending.saturating_sub(1);
    }
}
