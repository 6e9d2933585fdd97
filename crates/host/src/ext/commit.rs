//! Committing a transaction: the thread kjournald or jbd2 (figure 27 of the dissertation).
//!
//! ```text
//! wanted ─▶ locked ─▶ flushing ─▶ logging ─▶ recording ─▶ finished
//!           (handles  (data of     (descriptor (commit      (its blocks may be
//!            end)      ordered      and         block, with  written in place)
//!                      files)       copies)     flushes)
//! ```
//!
//! After `journal_commit_transaction` of fs/jbd (2.6.24) and fs/jbd2 (6.x). JBD waits for the data before it logs, JBD2 before
//! its commit block; meanwhile handles go to the next transaction. Data that the thread writes wait for room in the device's queue
//! as those of others do. Each block of the log is a request of its own, which the block layer merges. Leaves out the checksummed
//! asynchronous commit.

use super::Ext;
use crate::below::{Kernel, ThreadStep, own};
use crate::below::{Leaves, MountPlaces};
use crate::daemon::Daemon;
use crate::journal::{CommitPlan, Ordered};
use crate::page_cache::FileKey;
use crate::state::{Event, Touch};
use petrio_colours::{Direction, Purpose};
use petrio_kernel::{Key, PageBuilder, Place, Take, TransitionBuilder};
use petrio_persist::Persist;

/// A commit under way.
#[derive(Clone, Copy, Debug, Persist)]
struct Commit {
    plan: Option<CommitPlan>,
    /// Which of the files whose data it waits for is being sent, and between which pages.
    ordered: usize,
    from: u64,
    to: u64,
    /// Writes that had been sent when it had sent all of its own, and which of the files it waits for.
    sent: u64,
    awaited: usize,
    /// Its log blocks.
    logging: u64,
    /// Whether the device on which data lie has been flushed for it, where the log is apart, and by what.
    flushed: bool,
    flushing: u64,
    /// What it waits for, and where it goes on.
    key: Key,
    phase: Phase,
}

/// Where a commit that waited goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Phase {
    Flushing,
    Logging,
    Recording,
    Finished,
}

impl Ext {
    /// No handle is open any more: new ones go to the next transaction.
    fn close(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) {
        commit.plan = self.journal.begin_logging();
        kernel.fs.events.push(Event::Handle);
    }

    /// JBD2 says in the log's superblock that it isn't empty any more, before anything else; what to wait for.
    fn begin_log(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) -> Option<Event> {
        let plan = commit.plan.as_mut().filter(|_| !self.rules.is_old())?;
        std::mem::take(&mut plan.superblock).then(|| {
            let group = kernel.fs.transfers.group();
            self.write_superblock(kernel, (false, false), group);
            Event::Group(group)
        })
    }

    /// Sends data off that the transaction waits for, as far as there is room in the queue; what to wait for if there isn't.
    /// Blocks are found for none: of what has none, the transaction tells nothing.
    fn flush_ordered(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) -> Option<Event> {
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited(touch);
        let group = kernel.fs.transfers.group();
        while let Some(&Ordered { file, first, end }) = self.journal.ordered().get(commit.ordered) {
            let key = FileKey(file);
            if commit.from == 0 {
                commit.to = kernel.memory.cache.dirty_end(key, first, end);
            }
            let range = (first.max(commit.from), commit.to);
            if let Some(at) = kernel.write_in_room(self, key, range, u64::MAX, touch, group).full_at {
                commit.from = at;
                return Some(kernel.room());
            }
            (commit.ordered, commit.from) = (commit.ordered + 1, 0);
        }
        if commit.sent == 0 {
            (commit.sent, commit.ordered) = (kernel.fs.transfers.sent(), usize::MAX);
        }
        None
    }

    /// A write of data on its way that the transaction waits for.
    fn data_on_the_way(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) -> Option<Event> {
        let transfers = &mut kernel.fs.transfers;
        while let Some(&Ordered { file, first, end }) = self.journal.ordered().get(commit.awaited) {
            if let Some(write) = transfers.await_write(FileKey(file), (first, end), commit.sent) {
                return Some(Event::Written(write));
            }
            commit.awaited += 1;
        }
        None
    }

    /// Sends the log blocks off; what to wait for.
    fn write_log(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) -> Option<Event> {
        let plan = commit.plan?;
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited(touch);
        let group = kernel.fs.transfers.group();
        if plan.superblock && self.rules.is_old() {
            let superblock = self.journal.parameters().first_block;
            kernel.fs.send_to_log(superblock, touch, group, kernel.now);
        }
        for (first, count) in self.journal.log_runs(0, plan.logged) {
            for block in first..first + count {
                kernel.fs.send_to_log(block, touch, group, kernel.now);
            }
        }
        commit.logging = group;
        // On a log apart they are waited for after the data.
        (!kernel.fs.rules.log_apart && kernel.fs.transfers.is_pending(group)).then_some(Event::Group(group))
    }

    /// Where the log is another device's, sends a flush of the device on which data lie, once they are there, if one is
    /// needed (`jbd2_journal_commit_transaction`). JBD sends none.
    fn flush_data(&mut self, kernel: &mut Kernel<'_>, commit: &mut Commit) {
        let rules = &kernel.fs.rules;
        let wanted =
            rules.log_apart && self.rules.barriers && !self.rules.is_old() && self.journal.flushes_data();
        if wanted && !commit.flushed && self.data_on_the_way(kernel, commit).is_none() {
            commit.flushed = true;
            self.journal.begin_flush();
            commit.flushing = self.flush_beneath_log(kernel);
        }
    }

    /// What a commit block on a log apart still waits for: the flush, and the log blocks.
    fn before_record(&self, kernel: &Kernel<'_>, commit: &Commit) -> Option<Event> {
        let groups = [commit.flushing, commit.logging];
        let pending = groups.into_iter().find(|&group| kernel.fs.transfers.is_pending(group));
        pending.map(Event::Group)
    }

    /// Makes durable what lies on the file system's own device.
    pub(super) fn flush_beneath_log(&mut self, kernel: &mut Kernel<'_>) -> u64 {
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Flush, true);
        kernel.fs.send_flush(touch, Purpose::Journal, group, kernel.now);
        group
    }

    /// Sends the commit block off; what to wait for.
    fn record(&mut self, kernel: &mut Kernel<'_>, commit: Commit) -> Event {
        let logged = commit.plan.map_or(0, |plan| plan.logged);
        let group = kernel.fs.transfers.group();
        let [(block, _), _] = self.journal.log_runs(logged, 1);
        let barriers = self.rules.barriers;
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited_buffer(touch);
        let request = kernel.fs.send_to_log(block, touch, group, kernel.now);
        (request.flush_before, request.force_unit_access) = (barriers, barriers);
        let tag = request.tag;
        self.journal.begin_flush();
        if barriers && !kernel.fs.rules.log_apart {
            kernel.fs.promises.flush_begins(tag);
        }
        Event::Group(group)
    }

    /// The commit block is durable: blocks may be written in place.
    fn finish(&mut self, kernel: &mut Kernel<'_>) -> bool {
        let finished = self.journal.finish();
        for key in &finished.blocks {
            let file = FileKey(key.file);
            kernel.fs.promises.logged(file, key.index);
            if kernel.memory.cache.look(file, key.index).is_none() {
                kernel.memory.make_room(1);
                kernel.memory.cache.insert_for_write(file, key.index, 1, 1, true);
            }
            kernel.memory.cache.make_dirty(file, key.index, 1, kernel.now);
        }
        finished.superblock
    }

    /// Writes the log's tail into its superblock.
    pub(super) fn write_tail(&mut self, kernel: &mut Kernel<'_>, flush_before: bool, group: u64) {
        let barriers = self.rules.barriers;
        self.write_superblock(kernel, (barriers && flush_before, barriers), group);
    }

    /// Writes the log's superblock, after a flush and durable at once, or not.
    fn write_superblock(
        &mut self,
        kernel: &mut Kernel<'_>,
        (flush_before, force_unit_access): (bool, bool),
        group: u64,
    ) {
        let superblock = self.journal.parameters().first_block;
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Journal), Direction::Write, true);
        let touch = kernel.fs.rules.awaited_buffer(touch);
        let request = kernel.fs.send_to_log(superblock, touch, group, kernel.now);
        (request.flush_before, request.force_unit_access) = (flush_before, force_unit_access);
    }

    fn announce(&mut self, kernel: &mut Kernel<'_>) {
        kernel.fs.events.extend([Event::Committed(self.journal.committed()), Event::Handle]);
        if self.journal.wants_commit() {
            kernel.fs.signals.commit = true;
        }
    }
}

/// Builds the page `journal`.
pub(super) fn commit_page(page: &mut PageBuilder<'_>, places: &MountPlaces) {
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    let locked = page.fifo::<Commit>("locked");
    let flushing = page.fifo::<Commit>("flushing");
    let logging = page.fifo::<Commit>("logging");
    let recording = page.fifo::<Commit>("recording");
    let finished = page.fifo::<Commit>("finished");
    let waiting = page.keyed::<Commit>("waiting", |commit| commit.key);

    begin(page, places, (idle, locked));
    let mut flush = page.transition("flush");
    let commit = flush.take(locked);
    flush.consume(places.closed);
    decide((flush, true), places, commit, (flushing, waiting), |ext, kernel, commit| {
        ext.close(kernel, commit);
        None
    });

    let mut log = page.transition("log");
    let commit = log.take(flushing);
    decide((log, false), places, commit, (logging, waiting), |ext, kernel, commit| {
        if let Some(event) = ext.begin_log(kernel, commit) {
            return Some((event, Phase::Flushing));
        }
        if let Some(event) = ext.flush_ordered(kernel, commit) {
            return Some((event, Phase::Flushing));
        }
        if ext.rules.is_old()
            && let Some(event) = ext.data_on_the_way(kernel, commit)
        {
            return Some((event, Phase::Flushing));
        }
        ext.flush_data(kernel, commit);
        ext.write_log(kernel, commit).map(|event| (event, Phase::Logging))
    });

    let mut record = page.transition("record");
    let commit = record.take(logging);
    decide((record, false), places, commit, (recording, waiting), |ext, kernel, commit| {
        ext.flush_data(kernel, commit);
        match ext.data_on_the_way(kernel, commit).or_else(|| ext.before_record(kernel, commit)) {
            Some(event) => Some((event, Phase::Logging)),
            None => Some((ext.record(kernel, *commit), Phase::Recording)),
        }
    });

    let mut finish = page.transition("finish");
    let commit = finish.take(recording);
    decide((finish, false), places, commit, (finished, waiting), |ext, kernel, _| {
        // The commit block's flush has made durable what was written in place before.
        let group = kernel.fs.transfers.group();
        if ext.finish(kernel) {
            ext.write_tail(kernel, false, group);
        }
        ext.discard_freed(kernel, group);
        kernel.fs.transfers.is_pending(group).then_some((Event::Group(group), Phase::Finished))
    });

    end(page, places, (finished, idle));
    let mut resume = page.transition("resume");
    let event = resume.read(places.finished);
    let commit = resume.take_key(waiting, move |binding| *binding.get(event));
    let out = [flushing, logging, recording, finished].map(|place| resume.may_put(place, 1));
    resume.action(move |f| {
        let commit = f.take(commit);
        f.put(out[commit.phase as usize], commit);
    });
    // Nothing is being committed, or one transaction.
    let commit = [locked, flushing, logging, recording, finished, waiting].map(Place::id);
    let thread: Vec<_> = [idle.id()].into_iter().chain(commit).map(|place| (place, 1)).collect();
    page.conserve("thread", &thread);
}

/// A transaction that is old enough, or that somebody wants committed, is locked: its open handles are closed first.
fn begin(page: &mut PageBuilder<'_>, places: &MountPlaces, (idle, locked): (Place<()>, Place<Commit>)) {
    let mut expire = page.transition("expire");
    let id = expire.take(places.ages);
    let system = expire.update(places.system);
    let wanted = expire.may_put(places.wanted, 1);
    expire.action(move |f| {
        let id = f.take(id);
        let journal = &mut own::<Ext>(f.update(system)).journal;
        if journal.running() == Some(id) && journal.request(id) {
            f.put(wanted, ());
        }
    });

    let mut lock = page.transition("lock");
    lock.consume(places.wanted);
    lock.consume(idle);
    let system = lock.update(places.system);
    let (out, closed, back) =
        (lock.may_put(locked, 1), lock.may_put(places.closed, 1), lock.may_put(idle, 1));
    lock.action(move |f| {
        let journal = &mut own::<Ext>(f.update(system)).journal;
        if !journal.wants_commit() || journal.lock().is_none() {
            return f.put(back, ());
        }
        let none_open = journal.open_handles() == 0;
        f.put(
            out,
            Commit {
                plan: None,
                ordered: 0,
                from: 0,
                to: 0,
                sent: 0,
                awaited: 0,
                logging: 0,
                flushed: false,
                flushing: 0,
                key: 0,
                phase: Phase::Flushing,
            },
        );
        if none_open {
            f.put(closed, ());
        }
    });
}

/// Those who waited for the commit are told.
fn end(page: &mut PageBuilder<'_>, places: &MountPlaces, (finished, idle): (Place<Commit>, Place<()>)) {
    let mut end = page.transition("end");
    end.consume(finished);
    let back = end.put(idle);
    let step =
        ThreadStep::declare(&mut end, places, Leaves { events: true, commits: true, ..Leaves::default() });
    end.action(move |f| {
        step.take(f, |system, kernel| own::<Ext>(system).announce(kernel));
        step.send(f);
        f.put(back, ());
    });
}

/// A transition that takes a commit one step further, to `out`, or to wait; and whether something happens then that others wait for.
fn decide(
    (mut transition, events): (TransitionBuilder<'_>, bool),
    places: &MountPlaces,
    commit: Take<Commit>,
    (out, waiting): (Place<Commit>, Place<Commit>),
    step: impl Fn(&mut Ext, &mut Kernel<'_>, &mut Commit) -> Option<(Event, Phase)> + Send + Sync + 'static,
) {
    let (out, wait) = (transition.may_put(out, 1), transition.may_put(waiting, 1));
    let leaves = Leaves { requests: true, logs: true, events, ..Leaves::default() };
    let thread = ThreadStep::declare(&mut transition, places, leaves);
    transition.action(move |f| {
        let mut commit = f.take(commit);
        match thread.take(f, |system, kernel| step(own::<Ext>(system), kernel, &mut commit)) {
            None => f.put(out, commit),
            Some((event, phase)) => f.put(wait, Commit { key: event.key(), phase, ..commit }),
        }
        thread.send(f);
    });
}
