//! Making room in the log: the oldest transaction's blocks are written in place, and the log's tail moves on.
//!
//! After `log_do_checkpoint` and `cleanup_journal_tail` of fs/jbd and fs/jbd2: one transaction after the other, until as much is free
//! as a transaction may need. Before the tail moves, what was written in place is made durable by a flush (JBD2 with barriers).
//! In the kernel the process that needs the space does this; here it waits for a thread that does.

use super::Ext;
use crate::below::{Kernel, ThreadStep, own};
use crate::below::{Leaves, MountPlaces};
use crate::daemon::Daemon;
use crate::journal::BlockKey;
use crate::page_cache::FileKey;
use crate::state::{Event, Touch};
use petrio_colours::Direction;
use petrio_kernel::{Key, PageBuilder};
use petrio_persist::Persist;
use petrio_stage::instants;

impl Ext {
    /// The next step; what to wait for before the one after, or none when there is room again.
    fn checkpoint(&mut self, kernel: &mut Kernel<'_>, check: &mut Check) -> Option<Event> {
        let mut keys = Vec::new();
        while self.journal.is_short() {
            if self.journal.releasable() > 0 {
                let flush = !self.rules.is_old();
                // A flush before a write to a log apart wouldn't reach what was written in place.
                let apart = kernel.fs.rules.log_apart;
                if flush && apart && self.rules.barriers && !std::mem::replace(&mut check.flushed, true) {
                    return Some(Event::Group(self.flush_beneath_log(kernel)));
                }
                check.flushed = false;
                self.journal.release();
                let group = kernel.fs.transfers.group();
                self.write_tail(kernel, flush && !apart, group);
                return Some(Event::Group(group));
            }
            let held_by = self.journal.oldest(&mut keys);
            if !keys.is_empty() {
                match self.write_in_place(kernel, &mut keys) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            match held_by.or(self.journal.committing()) {
                Some(id) => {
                    if self.journal.request(id) {
                        kernel.fs.signals.commit = true;
                    }
                    return Some(Event::Committed(id));
                }
                None => break,
            }
        }
        kernel.fs.events.push(Event::Handle);
        None
    }

    /// Writes blocks in place, each by a request of its own that the block layer may merge (`__flush_batch`); what to wait for, or
    /// none where nothing had to be written.
    fn write_in_place(&mut self, kernel: &mut Kernel<'_>, keys: &mut [BlockKey]) -> Option<Event> {
        keys.sort_unstable();
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited(touch);
        let mut on_the_way = None;
        let mut sent = 0;
        for &key in &*keys {
            let (file, index) = (FileKey(key.file), key.index);
            sent += kernel.write_pages(self, file, (index, index + 1), 1, touch, group).1;
            match kernel.memory.cache.look(file, index) {
                Some(page) if page.writeback => on_the_way = Some((file, index)),
                // Clean or gone: somebody has written or dropped it.
                _ => self.journal.in_place(key),
            }
        }
        if sent > 0 {
            return Some(Event::Group(group));
        }
        let (file, index) = on_the_way?;
        let sent = kernel.fs.transfers.sent();
        kernel.fs.transfers.await_write(file, (index, index + 1), sent).map(Event::Written)
    }
}

/// A look at the log.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Check {
    /// What it waits for.
    key: Key,
    /// Whether the file system's own device has been flushed since, where the log is apart.
    flushed: bool,
}

/// Builds the page `checkpoint`.
pub(super) fn checkpoint_page(page: &mut PageBuilder<'_>, places: &MountPlaces) {
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    let checking = page.fifo::<Check>("checking");
    let waiting = page.keyed::<Check>("waiting", |check| check.key);

    let mut begin = page.transition("begin");
    begin.consume(places.short);
    begin.consume(idle);
    let out = begin.put(checking);
    begin.action(move |f| f.put(out, Check::default()));

    let mut check = page.transition("write in place");
    let looking = check.take(checking);
    let (wait, back) = (check.may_put(waiting, 1), check.may_put(idle, 1));
    let leaves = Leaves { requests: true, logs: true, events: true, commits: true, ..Leaves::default() };
    let step = ThreadStep::declare(&mut check, places, leaves);
    check.action(move |f| {
        let mut check = f.take(looking);
        match step.take(f, |system, kernel| own::<Ext>(system).checkpoint(kernel, &mut check)) {
            Some(event) => f.put(wait, Check { key: event.key(), ..check }),
            None => f.put(back, ()),
        }
        step.send(f);
    });

    let woken = page.fifo::<Check>("woken");
    let mut resume = page.transition("resume");
    let event = resume.read(places.finished);
    let waiter = resume.take_key(waiting, move |binding| *binding.get(event));
    let up = resume.put(woken);
    resume.action(move |f| {
        let check = f.take(waiter);
        f.put(up, check);
    });
    // What it finds may make it wait for the same again, which is forgotten before.
    let mut go_on = page.transition("go on");
    go_on.priority(instants::GOES_ON);
    let check = go_on.take(woken);
    let out = go_on.put(checking);
    go_on.action(move |f| {
        let check = f.take(check);
        f.put(out, check);
    });
    let thread = [idle.id(), checking.id(), waiting.id(), woken.id()];
    page.conserve("thread", &thread.map(|place| (place, 1)));
}
