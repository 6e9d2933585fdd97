//! Forcing the log: the checkpoint that gathers changes is written, and whoever waits for it is told.
//!
//! After `xlog_cil_push_work` of fs/xfs/xfs_log_cil.c and `xlog_force_lsn`, `xlog_write_iclog` of xfs_log.c. One checkpoint is written at a
//! time: who forces the log while one is on its way waits until the log buffer before is written, so that all who come meanwhile are in the
//! next (`xlog_force_lsn`: "by waiting for the previous I/O to complete, we can allow a few more transactions into this iclog"). As many
//! log buffers as there are are written at once; the last, with the commit record, waits for all others. Leaves out that a checkpoint is
//! formatted when it is forced: here that is when it is written. What a checkpoint gave back is discarded once it is in the log.

use super::Xfs;
use super::thread::{Before, worker_page};
use crate::below::Kernel;
use crate::below::MountPlaces;
use crate::daemon::Daemon;
use crate::state::{Event, Touch};
use crate::xfs::log::LogWrite;
use petrio_colours::{Direction, Purpose};
use petrio_kernel::{PageBuilder, Time};

/// How long a log buffer of 32 KiB takes to be filled: copying at some 5 GB/s and as much again for what the items need. Not measured;
/// it only keeps apart what isn't one request.
const FILLS: Time = Time::from_micros(12);

impl Xfs {
    /// The next step of writing checkpoints; what to wait for, or that nobody wants one.
    fn force(&mut self, kernel: &mut Kernel<'_>) -> Option<Before> {
        if self.writes.is_empty() {
            if self.sending > self.log.committed() {
                self.log.finish(self.sending);
                self.discard_freed(kernel);
                kernel.fs.events.push(Event::Committed(self.sending));
            }
            if self.requested <= self.log.committed() || self.log.is_clean() {
                return None;
            }
            let (mut writes, mut items) = (Vec::new(), Vec::new());
            self.sending = self.log.checkpoint(&mut writes, &mut items)?;
            self.requested = self.requested.max(self.sending);
            self.put_off_flush(&mut writes);
            self.writes.extend(writes);
        }
        if let Some(group) = self.flush_beneath(kernel) {
            return Some(Before::Event(Event::Group(group)));
        }
        // The one with the commit record waits for all before it.
        if self.writes.len() == 1 || self.in_flight >= self.log.parameters().buffers {
            if self.in_flight == 0 {
                self.send_write(kernel);
            }
            self.in_flight = 0;
            return Some(Before::Event(Event::Group(std::mem::take(&mut self.group))));
        }
        // Each log buffer is sent as it is full: they aren't joined.
        self.send_write(kernel);
        Some(Before::Span(FILLS))
    }

    /// What is in the log now and gave blocks back: the device is told of those that nobody has taken again, all at once, and nobody waits
    /// for it (`xlog_cil_committed`, `xfs_discard_extents` of fs/xfs/xfs_discard.c).
    fn discard_freed(&mut self, kernel: &mut Kernel<'_>) {
        if !self.rules.discards {
            return;
        }
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Discard, false);
        let group = kernel.fs.transfers.group();
        for (first, end) in self.freed.durable(self.log.committed()) {
            let mut at = first;
            while let Some((block, count)) = self.volume.free_run(at, end) {
                kernel.fs.send_discard((block, count), touch, group, kernel.now);
                at = block + count;
            }
        }
    }

    /// A flush before a write to a log apart doesn't reach what lies on the file system's own device, which is flushed before
    /// (`xlog_write_iclog`): the group to wait for, if that isn't done.
    fn flush_beneath(&mut self, kernel: &mut Kernel<'_>) -> Option<u64> {
        let next = self.writes.front().filter(|write| write.flush_before && kernel.fs.rules.log_apart)?;
        let waits = next.commits && self.in_flight > 0;
        if waits || std::mem::replace(&mut self.flushed, true) {
            return None;
        }
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Flush, true);
        kernel.fs.send_flush(touch, Purpose::Journal, group, kernel.now);
        Some(group)
    }

    /// A flush is asked for by a worker of its own (`blk_kick_flush`), so that the log buffers that follow the first reach the device
    /// before it: as many as there are.
    fn put_off_flush(&self, writes: &mut [LogWrite]) {
        let others = writes.len().saturating_sub(1).min(self.log.parameters().buffers as usize);
        if let Some(first) = writes.get_mut(..others).filter(|first| !first.is_empty()) {
            first.rotate_left(1);
        }
    }

    fn send_write(&mut self, kernel: &mut Kernel<'_>) {
        let Some(write) = self.writes.pop_front() else { return };
        self.flushed = false;
        if self.in_flight == 0 {
            self.group = kernel.fs.transfers.group();
        }
        self.in_flight += 1;
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited(touch);
        let run = (write.sector, write.bytes / 512);
        let request = kernel.fs.send_sectors_to_log(run, touch, self.group, kernel.now);
        request.flush_before = write.flush_before;
        request.force_unit_access = write.commits;
        let tag = request.tag;
        if write.flush_before && !kernel.fs.rules.log_apart {
            kernel.fs.promises.flush_begins(tag);
        }
    }
}

/// Builds the page `log`.
pub(super) fn force_page(page: &mut PageBuilder<'_>, places: &MountPlaces) {
    worker_page(page, places, &[("push", places.wanted)], Xfs::force);
}
