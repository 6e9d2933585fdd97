//! What a firing of a host's page works on: the host's memory, a mounted file system and what it is, at one instant.
//!
//! The pages' files add the steps of reading, writing, syncing and so on. A step takes no time: it says what comes
//! [next](super::job::Next), and leaves requests, events and signals in the mounted file system for its page to send off.

use super::job::{Job, Next, Then};
use crate::below::{FileSystem, Kernel, Posts, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::state::{Event, Memory, Mounted};
use crate::write_back::{Limits, Position};
use petrio_colours::{AccessFlags, FileCause};
use petrio_kernel::Time;

/// One instant of a host.
pub(super) struct Context<'a> {
    pub(super) memory: &'a mut Memory,
    pub(super) fs: &'a mut Mounted,
    pub(super) system: &'a mut dyn FileSystem,
    pub(super) now: Time,
}

impl Context<'_> {
    /// The file system, and the kernel around it.
    pub(super) fn split(&mut self) -> (&mut dyn FileSystem, Kernel<'_>) {
        (&mut *self.system, Kernel { memory: &mut *self.memory, fs: &mut *self.fs, now: self.now })
    }

    /// The kernel around the file system.
    pub(super) fn kernel(&mut self) -> Kernel<'_> {
        self.split().1
    }

    /// What comes next where a file system has stopped an operation.
    pub(super) fn stopped(&mut self, job: &mut Job, stop: Stop, then: Then) -> Next {
        match stop {
            Stop::Wait(event, cause) => Self::wait(event, cause, then),
            Stop::Fail(failure) => self.fail(job, failure),
        }
    }

    /// Pages that have been written are there, and owed to the device: they are locked from `write_begin` to `write_end`, so that neither
    /// reclaim nor a write past the cache takes them meanwhile. Not where the file has been removed, or what is mapped cut off.
    pub(super) fn keep_written(&mut self, job: &Job, first: u64, pages: u64) {
        let key = job.key(self.fs.number);
        let is_cut = job.op.flags.mapped && first * PAGE_BYTES >= self.fs.inodes.get(job.op.file).size;
        let is_kept = self.fs.rules.nature.posts == Posts::Kept;
        if is_cut || is_kept || !self.system.exists(job.op.file) {
            return;
        }
        let (mut at, end) = (first, first + pages);
        while let Some((start, run)) = self.memory.cache.missing_run(key, at, end) {
            self.memory.make_room(run);
            self.memory.cache.insert_for_write(key, start, run, 1, true);
            at = start + run;
        }
        self.fs.promises.wrote(key, first, pages);
    }

    /// How much of the host's memory is dirty or being written and how much may be, and the same of this file system where it has
    /// a limit of its own.
    pub(super) fn dirty_positions(&self, flags: AccessFlags) -> (Position, Option<Position>) {
        let limits = self.memory.limits();
        let raised = |limits: Limits| if flags.real_time { limits.of_real_time() } else { limits };
        let device = self.fs.rules.dirty_limit.map(|most| Position {
            unwritten: self.memory.cache.unwritten_of(self.fs.number),
            limits: raised(limits.of_device(most)),
        });
        (Position { unwritten: self.memory.unwritten(), limits: raised(limits) }, device)
    }

    /// Waits for an event.
    pub(super) fn wait(event: Event, cause: FileCause, then: Then) -> Next {
        Next::Wait { event, cause, work: Time::ZERO, then }
    }
}
