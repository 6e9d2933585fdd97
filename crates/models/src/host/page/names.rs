//! Operations on names: directories are read and changed, within a journal handle where they change.
//!
//! Which blocks that touches is the volume's knowledge ([`crate::host::file_system`]); here they are brought into memory,
//! logged, and the file's pages dropped where it goes or shrinks.

use super::context::Context;
use super::job::{Job, Next, Stage, Then};
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::journal::BlockKey;
use crate::host::state::{Event, Touch, times};
use petrio_colours::{Direction, FileCause, Operation};

/// Blocks that an operation on names may dirty: both directories with an index, both inodes, bitmaps, descriptors, superblock
/// (`EXT3_DATA_TRANS_BLOCKS` twice, about).
const CREDITS: u64 = 32;

impl Context<'_> {
    /// Carries out an operation on names.
    pub(super) fn change_names(&mut self, job: &mut Job) -> Next {
        if job.stage == Stage::Done {
            return Next::Return;
        }
        let op = job.op.clone();
        // do_truncate of fs/open.c takes the inode's lock.
        if op.operation == Operation::Truncate
            && !std::mem::replace(&mut job.locks, true)
            && let Err(turn) = self.fs.locks.take(op.file)
        {
            return Self::wait(Event::Lock(turn), FileCause::Write, Then::Names);
        }
        let changes = op.operation.changes();
        let id = match changes.then(|| self.start_handle(CREDITS)).transpose() {
            Ok(id) => id,
            Err(event) => return Self::wait(event, FileCause::Journal, Then::Names),
        };
        self.fs.touched.clear();
        if let Err(error) = self.fs.volume.operate(&op, &mut self.fs.touched) {
            job.handle = id.map(|id| (id, CREDITS));
            return self.fail(job, error.failure());
        }
        let group = self.bring_touched(Touch::of(&op, Direction::Read, true));
        if let Some(id) = id {
            self.log_touched(id);
            self.note_change(job, id);
            self.stop_handle(id, CREDITS);
        }
        let mut work = self.drop_pages(job);
        if op.operation == Operation::Truncate {
            self.fs.inodes.get_mut(op.file).size = op.length;
        }
        if changes {
            work += self.memory.costs.journal_handle;
        }
        match op.operation {
            Operation::Open | Operation::Create => self.fs.opened.reset(op.process, op.file),
            _ => {}
        }
        job.stage = Stage::Done;
        self.unlock(job);
        match group {
            None if work == petrio_kernel::Time::ZERO => Next::Return,
            None => Next::Run { work, cause: FileCause::Cache, cache: work, then: Then::Return },
            Some(group) => {
                job.waited = true;
                Next::Wait { event: Event::Group(group), cause: FileCause::Read, work, then: Then::Return }
            }
        }
    }

    /// The inodes of all that is concerned have changed in this transaction.
    fn note_change(&mut self, job: &Job, id: u64) {
        let op = &job.op;
        if matches!(op.operation, Operation::Create | Operation::Mkdir) {
            *self.fs.inodes.get_mut(op.file) = Default::default();
        }
        for file in [Some(op.file), Some(op.parent), op.replaced].into_iter().flatten() {
            let inode = self.fs.inodes.get_mut(file);
            (inode.sync, inode.data_sync) = (id, id);
        }
    }

    /// The pages of a file that goes or shrinks; what dropping them costs.
    fn drop_pages(&mut self, job: &Job) -> petrio_kernel::Time {
        let from = match job.op.operation {
            Operation::Unlink | Operation::Rmdir => Some((job.op.file, 0)),
            Operation::Truncate => Some((job.op.file, job.op.length.div_ceil(PAGE_BYTES))),
            Operation::Rename => job.op.replaced.map(|file| (file, 0)),
            _ => None,
        };
        let Some((file, from)) = from else { return petrio_kernel::Time::ZERO };
        let key = self.fs.key(file);
        if self.fs.rules.logs_data() {
            let pages = self.fs.inodes.get(file).size.div_ceil(PAGE_BYTES);
            (from..pages).for_each(|index| self.journal.forget(BlockKey { file: key.0, index }));
        }
        let removed = self.memory.cache.remove(key, from, u64::MAX);
        match from {
            0 => self.fs.promises.removed(key),
            _ => self.fs.promises.gone(key, from, u64::MAX),
        }
        // Of a file that only shrinks, what lies before keeps waiting for its blocks.
        let left = if from == 0 { 0 } else { self.dirty_holes(key, u64::MAX) };
        self.fs.set_delayed(file, left);
        self.fs.takes_unconverted(file, from, u64::MAX - from);
        times(self.memory.costs.reclaim, removed.clean + removed.dirty)
    }
}
