//! Online discards of ext4 (mount option `discard`): the device is told of blocks that files gave back.
//!
//! After fs/ext4/mballoc.c of Linux 6.x: what a transaction gave back is discarded once it is committed, by a worker of its own
//! (`ext4_discard_work`, since 5.15), one run of free blocks after the other, each of which is waited for (`ext4_trim_extent`); what has
//! been taken again by then is left out, and what is free behind it is discarded again with it (`ext4_try_to_trim_range`, since 6.6).
//! Before, the commit itself sent all of them and waited (`ext4_process_freed_data`). With data written back at any time, blocks of data
//! are discarded as soon as they are given back (`ext4_free_blocks`). No discard reaches from one group into another. Leaves out that
//! commits sent one discard after the other before 4.13, and that a discard ended with what was given back before 6.6.

use super::Ext;
use crate::below::{Freed, Kernel};
use crate::daemon::Daemon;
use crate::file_system::JournalMode;
use crate::state::Touch;
use petrio_colours::Direction;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// What is to be discarded.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Discards {
    freed: Freed,
    /// Runs whose turn is to come, from the first block to the end, and whether one is on its way.
    due: VecDeque<(u64, u64)>,
    under_way: bool,
}

impl Ext {
    /// Takes down what an operation gave back in a transaction.
    pub(super) fn note_freed(&mut self, kernel: &mut Kernel<'_>, id: u64) {
        if !self.rules.discards {
            return;
        }
        for &block in &kernel.fs.touched.forgotten {
            self.discards.freed.add(id, (block, 1));
        }
        let at_once = self.rules.mode == JournalMode::WriteBack;
        for &(first, count) in &kernel.fs.touched.freed {
            match at_once {
                true => self.discards.due.push_back((first, first + count)),
                false => self.discards.freed.add(id, (first, count)),
            }
        }
        kernel.fs.touched.freed.clear();
        if at_once {
            self.discard_next(kernel);
        }
    }

    /// A transaction is committed: what it gave back is discarded, behind it, or in this group of requests, which it waits for.
    pub(super) fn discard_freed(&mut self, kernel: &mut Kernel<'_>, group: u64) {
        let durable = self.discards.freed.durable(self.journal.committed());
        self.discards.due.extend(durable);
        if !self.rules.discards_in_commit {
            return self.discard_next(kernel);
        }
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Discard, false);
        while let Some(run) = self.next_free_run() {
            kernel.fs.send_discard(run, touch, group, kernel.now);
        }
    }

    /// The worker's next discard, unless one is on its way.
    fn discard_next(&mut self, kernel: &mut Kernel<'_>) {
        if self.discards.under_way {
            return;
        }
        let Some(run) = self.next_free_run() else { return };
        self.discards.under_way = true;
        let group = kernel.fs.transfers.group();
        // Somebody waits for it: the worker (`submit_bio_wait`).
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Discard, true);
        kernel.fs.send_discard(run, touch, group, kernel.now);
    }

    /// A discard has come back.
    pub(super) fn discard_ended(&mut self, kernel: &mut Kernel<'_>) {
        if !self.rules.discards_in_commit {
            self.discards.under_way = false;
            self.discard_next(kernel);
        }
    }

    /// The next run of what is to be discarded that nobody has taken again, within one group: the first block, and how many.
    fn next_free_run(&mut self) -> Option<(u64, u64)> {
        while let Some((first, end)) = self.discards.due.pop_front() {
            if let Some((block, count)) = self.volume.free_within(first, end) {
                if block + count < end {
                    self.discards.due.push_front((block + count, end));
                }
                return Some((block, count));
            }
        }
        None
    }
}
