//! What the log holds is written in place: every 30 seconds, and where the log is short of room.
//!
//! After `xfs_log_worker` of fs/xfs/xfs_log.c and xfs_trans_ail.c: the worker has written all that is in the log and not in place,
//! buffers in the order in which they lie; where nothing has happened since, the superblock is logged twice to say that nothing is in the log
//! ("covering"). A buffer of the running checkpoint is left until that is on the device.

use super::thread::{Before, worker_page};
use super::{COVERS, Xfs};
use crate::below::MountPlaces;
use crate::below::{Kernel, own};
use crate::daemon::Daemon;
use crate::state::{Event, Moves, Touch};
use crate::xfs::items::Buffer;
use crate::xfs::log::Item;
use petrio_colours::Direction;
use petrio_kernel::{PageBuilder, Time};
use petrio_persist::Persist;

/// How often the worker looks (`xfs_syncd_centisecs`).
pub(super) const PERIOD: Time = Time::from_whole_seconds(30);

/// Items that are written together where the log is short.
const TOGETHER: usize = 128;

/// Bytes of the superblock that covering logs (`struct xfs_dsb`).
const SUPERBLOCK_BYTES: u64 = 264;

/// What the worker does.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Work {
    /// The worker's time has come.
    due: bool,
    /// Whether the superblock was logged and is to be written.
    covered: bool,
    /// Items that are being written.
    items: Vec<Item>,
    under_way: bool,
}

impl Xfs {
    /// The next step of writing in place; what to wait for, or that there is nothing to do.
    fn write_in_place(&mut self, kernel: &mut Kernel<'_>) -> Option<Event> {
        if std::mem::take(&mut self.work.under_way) {
            for item in std::mem::take(&mut self.work.items) {
                self.log.in_place(item);
            }
        }
        if std::mem::take(&mut self.work.covered) {
            return self.write_oldest(kernel, usize::MAX);
        }
        if std::mem::take(&mut self.work.due) {
            self.remove_inactive(kernel, None);
            if !self.log.is_clean() {
                self.ask_for(kernel, self.log.sequence());
            } else if self.covers > 0 && self.log.oldest(1).is_empty() && !self.log.is_under_way() {
                return Some(self.cover(kernel));
            }
            return self.write_oldest(kernel, usize::MAX);
        }
        if !self.log.is_short() {
            return None;
        }
        let event = self.write_oldest(kernel, TOGETHER);
        event.or_else(|| {
            // All that is left is in the running checkpoint.
            (!self.log.is_clean()).then(|| self.ask_for(kernel, self.log.sequence()))
        })
    }

    fn cover(&mut self, kernel: &mut Kernel<'_>) -> Event {
        let left = self.covers - 1;
        self.changes.clear();
        self.changes.change(Buffer::sector(0, 0), 0, SUPERBLOCK_BYTES);
        let sequence = self.commit(kernel);
        debug_assert!(left < COVERS);
        self.covers = left;
        self.work.covered = true;
        self.ask_for(kernel, sequence)
    }

    /// Sends the oldest items off, each buffer as a request of its own that the block layer may merge.
    fn write_oldest(&mut self, kernel: &mut Kernel<'_>, most: usize) -> Option<Event> {
        let items = self.log.oldest(most);
        let buffer = |item: &Item| match *item {
            Item::Buffer(sector) => self.log.buffer(sector),
            Item::Inode(file) => self.volume.cluster(file),
        };
        let mut buffers: Vec<Buffer> = items.iter().filter_map(buffer).collect();
        buffers.sort_unstable();
        buffers.dedup();
        if buffers.is_empty() {
            items.iter().for_each(|&item| self.log.in_place(item));
            return None;
        }
        (self.work.items, self.work.under_way) = (items, true);
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, false);
        for Buffer { sector, sectors } in buffers {
            kernel.fs.send_metadata((sector, sectors.into()), touch, group, kernel.now, Moves::Plain);
        }
        Some(Event::Group(group))
    }
}

/// Builds the page `in place`.
pub(super) fn in_place_page(page: &mut PageBuilder<'_>, places: &MountPlaces) {
    let ticks = page.fifo::<()>("ticks");
    page.initial_after(ticks, (), PERIOD);
    let due = page.fifo::<()>("due");
    let mut tick = page.transition("tick");
    tick.consume(ticks);
    let (again, out) = (tick.put(ticks), tick.put(due));
    let system = tick.update(places.system);
    tick.action(move |f| {
        own::<Xfs>(f.update(system)).work.due = true;
        f.put_at_pace(again, (), PERIOD);
        f.put(out, ());
    });
    let triggers = [("look", due), ("make room", places.short)];
    worker_page(page, places, &triggers, |xfs, kernel| xfs.write_in_place(kernel).map(Before::Event));
}
