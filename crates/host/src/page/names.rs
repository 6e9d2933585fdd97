//! Operations on names: directories are read and changed, within a journal handle where they change.
//!
//! Which blocks that touches is the volume's knowledge ([`crate::file_system`]); here they are brought into memory,
//! logged, and the file's pages dropped where it goes or shrinks.

use super::context::Context;
use super::job::{Job, Next, SyncState, Then};
use crate::copy_cost::PAGE_BYTES;
use crate::state::{Event, times};
use petrio_colours::{FileCause, Operation};

impl Context<'_> {
    /// Carries out an operation on names.
    pub(super) fn change_names(&mut self, job: &mut Job) -> Next {
        if job.stage == SyncState::Done {
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
        let (system, mut kernel) = self.split();
        let group = match system.change_names(&mut kernel, &op) {
            Ok(group) => group,
            Err(stop) => return self.stopped(job, stop, Then::Names),
        };
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
        job.stage = SyncState::Done;
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
        let removed = self.memory.cache.remove(key, from, u64::MAX);
        match from {
            0 => self.fs.promises.removed(key),
            _ => self.fs.promises.gone(key, from, u64::MAX),
        }
        let (system, mut kernel) = self.split();
        system.dropped(&mut kernel, file, from);
        times(self.memory.costs.reclaim, removed.clean + removed.dirty)
    }
}
