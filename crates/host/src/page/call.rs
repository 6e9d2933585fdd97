//! The call: the C library, the way into the kernel, and back.
//!
//! An operation that goes through fread or fwrite becomes the system calls that its buffer makes of it (figures 20 and 25 of
//! the dissertation). Leaves out signals.

use super::context::Context;
use super::job::{Job, Next, SyncState, Then};
use crate::kernel_profile::Ring;
use crate::state::Event;
use petrio_colours::{Failure, FileCause, FileOp, Operation, Status, Submission};
use petrio_kernel::Time;

impl Context<'_> {
    /// What a call costs before anything is done, and the step that comes first.
    fn first_step(&self, job: &Job) -> (Time, Then) {
        let costs = self.memory.costs;
        match job.op.operation {
            Operation::Read => (costs.read, Then::LookUp),
            Operation::Write => (costs.write, Then::Begin),
            Operation::Close if job.end > 0 => (costs.write, Then::Begin),
            Operation::Fsync | Operation::Fdatasync | Operation::Sync | Operation::SyncRange => {
                (costs.fsync, Then::Sync)
            }
            Operation::Compute => (Time::from_picos(job.op.length), Then::Return),
            Operation::Exchange => (Time::ZERO, Then::Return),
            Operation::Touch => (Time::ZERO, Then::Touch),
            Operation::Open | Operation::Close => (half(costs.open), Then::Names),
            Operation::Stat | Operation::Readdir | Operation::SetAttributes | Operation::SetXattr => {
                (half(costs.namespace), Then::Names)
            }
            Operation::Create
            | Operation::Truncate
            | Operation::Unlink
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::Rename
            | Operation::Link
            | Operation::Symlink
            | Operation::Tmpfile
            | Operation::Allocate => (costs.namespace, Then::Names),
        }
    }

    /// An operation comes from a process.
    pub(super) fn enter(&mut self, job: &mut Job) -> Next {
        job.past_cache = job.op.flags.direct && self.fs.rules.nature.direct;
        if job.op.operation == Operation::Read {
            let size = self.fs.inodes.get(job.op.file).size;
            job.found = Some(size.saturating_sub(job.op.offset)).filter(|&found| found < job.op.length);
        }
        if self.fs.is_read_only && job.op.operation.changes() {
            return self.fail(job, Failure::ReadOnly);
        }
        if job.op.flags.submission == Submission::Ring && self.fs.rules.kernel.ring == Ring::Missing {
            return self.fail(job, Failure::NotImplemented);
        }
        // Carried out before it comes here, where anything carries messages.
        if job.op.operation == Operation::Exchange {
            return self.fail(job, Failure::NotConnected);
        }
        let costs = self.memory.costs;
        let mut work = Time::ZERO;
        let accesses = matches!(job.op.operation, Operation::Read | Operation::Write);
        if job.op.flags.mapped && accesses && self.system.exists(job.op.file) {
            job.past_cache = false;
            // No call is made: the process goes on as soon as it has a processor.
            let then = if job.op.operation == Operation::Write { Then::Begin } else { Then::LookUp };
            return Next::Run { work: Time::ZERO, cause: FileCause::Copy, cache: Time::ZERO, then };
        }
        if job.op.flags.stdio {
            work = costs.stdio;
            let size = self.fs.inodes.get(job.op.file).size;
            let (offset, length) = (job.op.offset, job.op.length);
            let stream = &mut self.fs.opened.get(job.op.process, job.op.file).stream;
            match job.op.operation {
                Operation::Read => job.calls = stream.read(offset, length, size),
                Operation::Write => job.calls = stream.write(offset, length),
                Operation::Close => job.calls = stream.settle(),
                _ => {}
            }
            if matches!(job.op.operation, Operation::Read | Operation::Write | Operation::Close) {
                (job.position, job.end) = (0, 0);
                // Bytes that move between the library's buffer and the process only.
                let moved: u64 = job.calls.iter().map(|call| call.length).sum();
                let buffered = length.saturating_sub(moved);
                work += self.memory.to_user.time(buffered, length.max(1), length.max(1));
                if job.calls.is_empty() && job.op.operation != Operation::Close {
                    return Next::Run { work, cause: FileCause::Call, cache: Time::ZERO, then: Then::Return };
                }
                job.calls.reverse();
                self.open_call(job);
            }
        }
        let (cost, then) = self.first_step(job);
        let may_be_there = self.fs.rules.nature.shared && then == Then::Names;
        if self.system.exists(job.op.file) || is_new(job.op.operation) || may_be_there {
            // Nothing can come between: one turn on the processor instead of two.
            if then == Then::LookUp
                && let Some(Next::Run { work: reading, cause, cache, then }) = self.hit(job)
            {
                job.entry = work + cost;
                return Next::Run { work: reading + work + cost, cause, cache, then };
            }
            Next::Run { work: work + cost, cause: FileCause::Call, cache: Time::ZERO, then }
        } else {
            job.failure = Some(Failure::NotFound);
            Next::Run { work: work + cost, cause: FileCause::Call, cache: Time::ZERO, then: Then::Return }
        }
    }

    /// An operation that can't be done goes back to its process.
    pub(super) fn fail(&mut self, job: &mut Job, failure: Failure) -> Next {
        job.failure = Some(failure);
        self.give_up(job)
    }

    /// An operation that can't go on gives back what it holds.
    pub(super) fn give_up(&mut self, job: &mut Job) -> Next {
        if let Some(change) = job.change.take() {
            let (system, mut kernel) = self.split();
            system.end(&mut kernel, change);
        }
        self.system.given_up(&job.op);
        self.unlock(job);
        Next::Return
    }

    /// Gives back a file's lock, if the operation has it.
    pub(super) fn unlock(&mut self, job: &mut Job) {
        if std::mem::take(&mut job.locks) {
            self.fs.events.extend(self.fs.locks.give_back(job.op.file).map(Event::Lock));
        }
    }

    /// The next system call of the library, if there is one.
    fn open_call(&mut self, job: &mut Job) -> bool {
        let Some(call) = job.calls.pop() else { return false };
        (job.position, job.end) = (call.offset, call.offset + call.length);
        job.piece = 0;
        (job.at_end, job.checked) = (false, false);
        true
    }

    /// A system call is over: the next one, or back to the process.
    pub(super) fn end_call(&mut self, job: &mut Job) -> Next {
        if !self.open_call(job) {
            if job.op.operation == Operation::Close {
                job.stage = SyncState::Begin;
                let work = half(self.memory.costs.open);
                return Next::Run { work, cause: FileCause::Call, cache: Time::ZERO, then: Then::Names };
            }
            return Next::Return;
        }
        job.stage = SyncState::Begin;
        let costs = self.memory.costs;
        let (work, then) = match job.op.operation {
            Operation::Read => (costs.read, Then::LookUp),
            _ => (costs.write, Then::Begin),
        };
        Next::Run { work, cause: FileCause::Call, cache: Time::ZERO, then }
    }
}

/// An operation as it returns to its process: a read with what it found (generic_file_read_iter, mm/filemap.c).
pub(super) fn leave(job: Job) -> FileOp {
    let mut op = job.op;
    if let Some(found) = job.found {
        (op.length, op.cut_short) = (found, true);
    }
    op.status = Status::of_call(job.failure, job.waited);
    op
}

/// Whether it needs no file that is there.
fn is_new(operation: Operation) -> bool {
    operation.makes() || matches!(operation, Operation::Sync | Operation::Compute | Operation::Touch)
}

fn half(span: Time) -> Time {
    Time::from_picos(span.as_picos() / 2)
}
