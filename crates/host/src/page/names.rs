//! Operations on names: directories are read and changed, within a journal handle where they change.
//!
//! Which blocks that touches is the volume's knowledge ([`crate::file_system`]); here they are brought into memory,
//! logged, and the file's pages dropped where it goes or shrinks.

use super::context::Context;
use super::job::{Job, Next, SyncState, Then};
use crate::copy_cost::PAGE_BYTES;
use crate::state::{Event, times};
use petrio_colours::{Fallocate, FileCause, FileId, Operation};

impl Context<'_> {
    /// Carries out an operation on names.
    pub(super) fn change_names(&mut self, job: &mut Job) -> Next {
        if job.stage == SyncState::Done {
            return Next::Return;
        }
        let op = job.op.clone();
        // do_truncate of fs/open.c takes the inode's lock, as does fallocate of each file system.
        if matches!(op.operation, Operation::Truncate | Operation::Allocate)
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
        match (op.operation, op.fallocate) {
            (Operation::Truncate | Operation::Symlink, _) => {
                self.fs.inodes.get_mut(op.file).size = op.length;
            }
            (Operation::Allocate, Fallocate::Extend | Fallocate::ZeroRange) => {
                let size = &mut self.fs.inodes.get_mut(op.file).size;
                *size = op.end().max(*size);
            }
            _ => {}
        }
        if changes {
            work += self.memory.costs.journal_handle;
        }
        match op.operation {
            Operation::Open | Operation::Create | Operation::Tmpfile => {
                self.fs.opened.reset(op.process, op.file);
            }
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
        let op = &job.op;
        let goes = |file: FileId| (!self.system.exists(file)).then_some((file, 0, u64::MAX));
        let pages = match op.operation {
            // What has another name stays.
            Operation::Unlink | Operation::Rmdir | Operation::Close => goes(op.file),
            Operation::Truncate => Some((op.file, op.length.div_ceil(PAGE_BYTES), u64::MAX)),
            Operation::Rename => op.replaced.and_then(goes),
            Operation::Allocate if matches!(op.fallocate, Fallocate::PunchHole | Fallocate::ZeroRange) => {
                let (from, to) = (op.offset.div_ceil(PAGE_BYTES), op.end() / PAGE_BYTES);
                (from < to).then_some((op.file, from, to))
            }
            _ => None,
        };
        let Some((file, from, to)) = pages else { return petrio_kernel::Time::ZERO };
        let key = self.fs.key(file);
        let removed = self.memory.cache.remove(key, from, to);
        match (from, to) {
            (0, u64::MAX) => self.fs.promises.removed(key),
            _ => self.fs.promises.gone(key, from, to),
        }
        let (system, mut kernel) = self.split();
        system.dropped(&mut kernel, file, (from, to));
        times(self.memory.costs.reclaim, removed.clean + removed.dirty)
    }
}
