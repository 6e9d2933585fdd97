//! The journal of ext3 and ext4 (JBD and JBD2) as a data structure: which blocks a commit logs, where, and when there
//! is no room.
//!
//! ```text
//!        handles                commit                              checkpoint
//!  ──▶ running ──▶ locked ──▶ flushing ──▶ logging ──▶ finished ──▶ (blocks written in place) ──▶ forgotten: log space is free
//! ```
//!
//! After fs/jbd (Linux 2.6.24) and fs/jbd2 (6.x): a transaction collects the blocks that handles dirty, each once; a
//! commit writes descriptor blocks, a copy of each block, and a commit block; the blocks may then be written in place,
//! and when all of the oldest transaction's are, its log space is free again. A handle waits while its transaction is
//! locked, while it would make the transaction greater than a quarter of the journal, and while less log space is free
//! than a transaction may need (`start_this_handle`, `add_transaction_credits`): that is why checkpoints come between ½
//! and ¼ of the journal.
//!
//! That data are written twice in journal mode isn't said anywhere: their blocks are logged as any others are, and stay
//! dirty for the write-back in place. Leaves out fast commits, checksums' processor time and the
//! waiting for a buffer that is just being copied into the log (`BJ_Shadow`).

mod checkpoints;
mod log;
mod owner;
mod parameters;

#[cfg(test)]
mod tests;

pub use parameters::{BlockKey, JournalParameters, TransactionId};

use checkpoints::{Checkpoint, leave};
use log::Log;
use owner::{Owner, let_go};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::whole_part;
use std::collections::VecDeque;

/// Log blocks that are never given to handles (`jbd2_log_space_left`; MIN_LOG_RESERVED_BLOCKS of fs/jbd).
const KEPT_BACK: u64 = 32;

/// Whether a handle may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It has started, in this transaction.
    In(TransactionId),
    /// Not before the running transaction is no longer locked.
    AfterLock,
    /// Not before this transaction has been committed; it has been asked for.
    AfterCommit(TransactionId),
    /// Not before log space is free: checkpoint.
    AfterCheckpoint,
}

/// The states of a transaction that is no longer running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Phase {
    Running,
    Locked,
    Committing,
    /// Its flush of what lies in place is on its way (T_COMMIT_JFLUSH; T_COMMIT_DFLUSH where the log is another device's).
    Flushing,
}

#[derive(Clone, Debug, Persist)]
struct Transaction {
    id: TransactionId,
    phase: Phase,
    began: Time,
    /// Blocks dirtied, in order, each once.
    blocks: Vec<BlockKey>,
    /// Files whose data must be on the device before the commit block.
    ordered: Vec<Ordered>,
    /// Where in that list each file is.
    ordered_at: FastMap<u64, usize>,
    /// Whether what lies in place must be durable before it is committed (`t_need_data_flush`): matters where the log is
    /// another device's.
    flushes_data: bool,
    /// Blocks freed, which an older copy in the log must not bring back.
    revoked: u64,
    handles: u32,
    /// Blocks that open handles may still dirty.
    reserved: u64,
}

/// Data of a file that a transaction waits for: what lies between the first and the last page that it concerns
/// (`i_dirty_start` and `i_dirty_end`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Ordered {
    /// The file's key.
    pub file: u64,
    /// The first page.
    pub first: u64,
    /// The page behind the last.
    pub end: u64,
}

/// What a commit writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct CommitPlan {
    /// The transaction.
    pub id: TransactionId,
    /// Log blocks before the commit block: descriptors, revokes, copies.
    pub logged: u64,
    /// Of these, copies of blocks.
    pub copies: u64,
    /// The log's superblock is written first: the log was empty.
    pub superblock: bool,
}

/// What a finished commit leaves to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Blocks that may be written in place from now on.
    pub blocks: Vec<BlockKey>,
    /// The log's tail is written into its superblock: enough space has become free.
    pub superblock: bool,
}

/// A journal.
#[derive(Clone, Debug, Persist)]
pub struct Journal {
    parameters: JournalParameters,
    log: Log,
    running: Option<Transaction>,
    committing: Option<Transaction>,
    checkpoints: VecDeque<Checkpoint>,
    owners: FastMap<BlockKey, Owner>,
    /// How many blocks of each file are in transactions that have not been committed.
    held: FastMap<u64, u64>,
    next: TransactionId,
    committed: TransactionId,
    requested: TransactionId,
    /// Emptied lists of blocks, to be used again.
    spare: Vec<Vec<BlockKey>>,
    /// Nothing is in the log, and its superblock says so.
    empty: bool,
}

impl Journal {
    /// An empty journal.
    pub fn new(parameters: JournalParameters) -> Self {
        Self {
            log: Log::new(parameters.blocks.saturating_sub(1).max(1)),
            parameters,
            running: None,
            committing: None,
            checkpoints: VecDeque::new(),
            owners: FastMap::default(),
            held: FastMap::default(),
            next: 1,
            committed: 0,
            requested: 0,
            spare: Vec::new(),
            empty: true,
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &JournalParameters {
        &self.parameters
    }

    /// Most blocks of a transaction (`j_max_transaction_buffers`).
    pub fn largest_transaction(&self) -> u64 {
        (self.parameters.blocks / self.parameters.largest_parts.max(2)).max(1)
    }

    /// Free log space, without what the committing transaction will still take, in blocks (`jbd2_log_space_left`).
    pub fn space_left(&self) -> u64 {
        let promised = match &self.committing {
            Some(transaction) if transaction.phase == Phase::Locked => self.log_blocks(transaction),
            _ => 0,
        };
        self.log.free().saturating_sub(promised + KEPT_BACK)
    }

    /// Free log space as a share of the journal.
    pub fn free_share(&self) -> f64 {
        self.log.free() as f64 / self.log.length() as f64
    }

    /// Space that must be free for a handle to start.
    fn space_needed(&self) -> u64 {
        match self.parameters.checkpoint_threshold {
            Some(share) => whole_part(share * self.log.length() as f64),
            None => self.largest_transaction(),
        }
    }

    /// Whether handles wait for log space.
    pub fn is_short(&self) -> bool {
        self.space_left() < self.space_needed()
    }

    /// Log blocks that a transaction takes with all that it may still get.
    fn log_blocks(&self, transaction: &Transaction) -> u64 {
        let blocks = transaction.blocks.len() as u64 + transaction.reserved;
        blocks + blocks.div_ceil(self.parameters.tags_per_descriptor) + 1
    }

    /// Starts a handle that may dirty `credits` blocks.
    pub fn start(&mut self, credits: u64, now: Time) -> Start {
        if self.committing.as_ref().is_some_and(|transaction| transaction.phase == Phase::Locked) {
            return Start::AfterLock;
        }
        let wanted = credits + self.running.as_ref().map_or(0, |t| t.blocks.len() as u64 + t.reserved);
        if let Some(running) = &self.running
            && wanted > self.largest_transaction()
            && !running.blocks.is_empty()
        {
            let id = running.id;
            self.request(id);
            return Start::AfterCommit(id);
        }
        // One that can't be satisfied by any checkpoint may start all the same: the journal is just small.
        if self.is_short() && (!self.checkpoints.is_empty() || self.committing.is_some()) {
            return Start::AfterCheckpoint;
        }
        let running = self.begin(now);
        running.handles += 1;
        running.reserved += credits;
        Start::In(running.id)
    }

    /// The running transaction, begun if there is none.
    fn begin(&mut self, now: Time) -> &mut Transaction {
        self.running.get_or_insert_with(|| {
            let id = self.next;
            self.next += 1;
            Transaction {
                id,
                phase: Phase::Running,
                began: now,
                blocks: self.spare.pop().unwrap_or_default(),
                ordered: Vec::new(),
                ordered_at: FastMap::default(),
                flushes_data: false,
                revoked: 0,
                handles: 0,
                reserved: 0,
            }
        })
    }

    /// The transaction of a handle that waits for nothing, because its room was reserved before: also one that is locked
    /// (`jbd2_journal_start_reserved`); and whether it has begun with this.
    pub fn join(&mut self, now: Time) -> (TransactionId, bool) {
        if let Some(locked) = self.committing.as_ref().filter(|locked| locked.phase == Phase::Locked) {
            return (locked.id, false);
        }
        let begun = self.running.is_none();
        (self.begin(now).id, begun)
    }

    /// Ends a handle; credits that it didn't use are given back.
    pub fn stop(&mut self, id: TransactionId, credits: u64) {
        for transaction in self.running.iter_mut().chain(&mut self.committing) {
            if transaction.id == id {
                transaction.handles = transaction.handles.saturating_sub(1);
                transaction.reserved = transaction.reserved.saturating_sub(credits);
            }
        }
    }

    /// A handle of transaction `id` dirties a block.
    pub fn dirty(&mut self, id: TransactionId, key: BlockKey) {
        let committing = self.committing.as_ref().is_some_and(|transaction| transaction.id == id);
        let Some(transaction) = (if committing { self.committing.as_mut() } else { self.running.as_mut() })
        else {
            return;
        };
        let owner = self.owners.entry(key).or_default();
        if !owner.is_held() {
            *self.held.entry(key.file).or_default() += 1;
        }
        let slot = if committing { &mut owner.committing } else { &mut owner.running };
        if slot.replace(id) != Some(id) {
            transaction.blocks.push(key);
        }
    }

    /// A block is freed: no older copy of it may come back (`journal_revoke`), and it needn't be logged or written in
    /// place.
    pub fn revoke(&mut self, key: BlockKey) {
        if let Some(running) = &mut self.running {
            running.revoked += 1;
        }
        self.forget(key);
    }

    /// A block is no longer dirty for the running transaction, nor wanted in place: its file was truncated.
    pub fn forget(&mut self, key: BlockKey) {
        let Some(owner) = self.owners.get_mut(&key) else { return };
        // It stays in the transaction's list, which is weeded when the transaction is locked.
        let was_held = owner.is_held();
        owner.running = None;
        if was_held && !owner.is_held() {
            let_go(&mut self.held, key.file);
        }
        if owner.is_nobody() {
            self.owners.remove(&key);
        }
        self.in_place(key);
    }

    /// Data of a file's pages must be on the device before the commit block of a transaction (ordered mode).
    pub fn order(&mut self, id: TransactionId, file: u64, (first, end): (u64, u64)) {
        for transaction in self.running.iter_mut().chain(&mut self.committing) {
            if transaction.id == id {
                transaction.flushes_data = true;
                let next = transaction.ordered.len();
                let at = *transaction.ordered_at.entry(file).or_insert(next);
                if at == next {
                    transaction.ordered.push(Ordered { file, first, end });
                }
                let ordered = &mut transaction.ordered[at];
                (ordered.first, ordered.end) = (ordered.first.min(first), ordered.end.max(end));
            }
        }
    }

    /// Somebody waits for a transaction who wants data durable that are written by now.
    pub fn flush_data(&mut self, id: TransactionId) {
        for transaction in self.running.iter_mut().chain(&mut self.committing) {
            transaction.flushes_data |= transaction.id == id;
        }
    }

    /// Whether the committing transaction wants what lies in place durable before its commit block.
    pub fn flushes_data(&self) -> bool {
        self.frees_much() || self.committing.as_ref().is_some_and(|transaction| transaction.flushes_data)
    }

    /// Asks for the commit of a transaction; tells whether that is new.
    pub fn request(&mut self, id: TransactionId) -> bool {
        let new = id > self.requested && self.running.as_ref().is_some_and(|running| running.id <= id);
        self.requested = self.requested.max(id);
        new
    }

    /// The newest transaction that has been committed.
    pub fn committed(&self) -> TransactionId {
        self.committed
    }

    /// The running transaction, if there is one.
    pub fn running(&self) -> Option<TransactionId> {
        self.running.as_ref().map(|transaction| transaction.id)
    }

    /// The committing transaction, if there is one.
    pub fn committing(&self) -> Option<TransactionId> {
        self.committing.as_ref().map(|transaction| transaction.id)
    }

    /// When the running transaction is to be committed because of its age.
    pub fn expires(&self) -> Option<Time> {
        self.running.as_ref().map(|transaction| transaction.began + self.parameters.commit_interval)
    }

    /// Whether a commit has been asked for and none is under way.
    pub fn wants_commit(&self) -> bool {
        self.committing.is_none() && self.running.as_ref().is_some_and(|running| running.id <= self.requested)
    }

    /// The committing transaction's flush of what lies in place is sent, with its commit record or before: what comes later, it
    /// doesn't cover.
    pub fn begin_flush(&mut self) {
        if let Some(transaction) = &mut self.committing {
            transaction.phase = Phase::Flushing;
        }
    }

    /// Whether the flush of a transaction is still to come, so that it makes data durable that have been written by now
    /// (`jbd2_trans_will_send_data_barrier`).
    pub fn will_flush(&self, id: TransactionId) -> bool {
        let committing = self.committing.as_ref().filter(|committing| committing.phase != Phase::Flushing);
        self.running() == Some(id) || committing.is_some_and(|committing| committing.id == id)
    }

    /// Whether a block is dirty in a transaction that has not been committed: it can't be written in place yet.
    pub fn holds(&self, key: BlockKey) -> bool {
        self.owners.get(&key).is_some_and(|owner| owner.is_held())
    }

    /// How many blocks of a file are dirty in such transactions.
    pub fn held_of(&self, file: u64) -> u64 {
        self.held.get(&file).copied().unwrap_or(0)
    }

    /// The newest uncommitted transaction that holds a block.
    pub fn holder(&self, key: BlockKey) -> Option<TransactionId> {
        self.owners.get(&key).and_then(|owner| owner.running.or(owner.committing))
    }

    /// Locks the running transaction: handles that are open may go on, new ones wait.
    pub fn lock(&mut self) -> Option<TransactionId> {
        if self.committing.is_some() {
            return None;
        }
        let mut transaction = self.running.take()?;
        transaction.phase = Phase::Locked;
        let owners = &mut self.owners;
        transaction.blocks.retain(|key| {
            let Some(owner) = owners.get_mut(key).filter(|owner| owner.running.is_some()) else {
                return false;
            };
            owner.running = None;
            owner.committing = Some(transaction.id);
            true
        });
        let id = transaction.id;
        self.requested = self.requested.max(id);
        self.committing = Some(transaction);
        Some(id)
    }

    /// Blocks that open handles may still dirty.
    pub fn credits(&self) -> u64 {
        [&self.running, &self.committing].into_iter().flatten().map(|transaction| transaction.reserved).sum()
    }

    /// Handles still open in the locked transaction.
    pub fn open_handles(&self) -> u32 {
        self.committing.as_ref().map_or(0, |transaction| transaction.handles)
    }

    /// Data that the committing transaction waits for.
    pub fn ordered(&self) -> &[Ordered] {
        self.committing.as_ref().map_or(&[], |transaction| &transaction.ordered)
    }

    /// No handle is open any more: new ones go to a new transaction, and the log blocks are taken.
    pub fn begin_logging(&mut self) -> Option<CommitPlan> {
        let (tags, revokes) = (self.parameters.tags_per_descriptor, self.parameters.revokes_per_block);
        let transaction = self.committing.as_mut()?;
        transaction.phase = Phase::Committing;
        transaction.reserved = 0;
        let copies = transaction.blocks.len() as u64;
        let logged = copies + copies.div_ceil(tags) + transaction.revoked.div_ceil(revokes);
        let first = self.log.take(logged + 1);
        let blocks = std::mem::take(&mut transaction.blocks);
        let id = transaction.id;
        self.checkpoints.push_back(Checkpoint { id, first, pending: blocks.len() as u64, blocks });
        let superblock = std::mem::take(&mut self.empty);
        Some(CommitPlan { id, logged, copies, superblock })
    }

    /// Device blocks of the committing transaction's log blocks from `skip` on: runs of neighbours, as the log wraps
    /// around.
    pub fn log_runs(&self, skip: u64, count: u64) -> [(u64, u64); 2] {
        let Some(checkpoint) = self.checkpoints.back() else { return [(0, 0); 2] };
        let device = |position: u64| self.parameters.first_block + 1 + position;
        let first = (checkpoint.first + skip) % self.log.length();
        let before_end = count.min(self.log.length() - first);
        [(device(first), before_end), (device(0), count - before_end)]
    }

    /// The commit block is on the device.
    pub fn finish(&mut self) -> Finished {
        let Some(transaction) = self.committing.take() else { return Finished::default() };
        self.committed = transaction.id;
        let mut finished = Finished::default();
        let Some(mut newest) = self.checkpoints.pop_back() else { return finished };
        let mut pending = 0;
        for &key in &newest.blocks {
            let Some(owner) = self.owners.get_mut(&key) else { continue };
            if owner.committing.take().is_none() {
                continue;
            }
            if !owner.is_held() {
                let_go(&mut self.held, key.file);
            }
            if let Some(older) = owner.checkpoint.replace(newest.id) {
                leave(&mut self.checkpoints, older);
            }
            pending += 1;
            finished.blocks.push(key);
        }
        newest.pending = pending;
        self.checkpoints.push_back(newest);
        if self.frees_much() {
            finished.superblock = self.release() > 0;
        }
        finished
    }
}
