//! Which transactions have a dirty block, and how many blocks of a file are in some that have not been committed.

use super::TransactionId;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// Where a dirty block stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Owner {
    /// The running transaction, if it dirtied the block.
    pub(super) running: Option<TransactionId>,
    /// The committing transaction.
    pub(super) committing: Option<TransactionId>,
    /// A committed transaction whose copy is not in place.
    pub(super) checkpoint: Option<TransactionId>,
}

impl Owner {
    pub(super) fn is_nobody(self) -> bool {
        self == Self::default()
    }

    /// Whether a transaction has it that has not been committed.
    pub(super) fn is_held(self) -> bool {
        self.running.is_some() || self.committing.is_some()
    }
}

/// One block less of a file is held.
pub(super) fn let_go(held: &mut FastMap<u64, u64>, file: u64) {
    if let Some(count) = held.get_mut(&file) {
        *count -= 1;
        if *count == 0 {
            held.remove(&file);
        }
    }
}
