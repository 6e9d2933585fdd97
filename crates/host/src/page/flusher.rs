//! The flusher: the thread that writes dirty pages back, because they are old or because there are many.
//!
//! ```text
//! tick (every wake-up) ─┐
//! nudge (a writer) ─────┴▶ work ─▶ writes some pages of the file whose turn it is ─▶ processor ─▶ work …
//!                            └─ too many writes on their way: waits for room      └─ nothing to do: idle
//! ```
//!
//! After pdflush (mm/page-writeback.c, 2.6.24) and fs/fs-writeback.c (6.x): beyond the background limit it writes file after
//! file, up to `pages_a_pass` of each; otherwise what is older than `expire`. One thread for each file system.

use super::context::Context;
use super::exits::Places;
use crate::below::Stop;
use crate::below::{Leaves, Leavings};
use crate::daemon::Daemon;
use crate::kernel_profile::Throttling;
use crate::state::{Event, Touch, times};
use petrio_colours::Direction;
use petrio_kernel::{Key, PageBuilder, Time};
use petrio_stage::function::Function;
use petrio_stage::instants;
use petrio_stage::processor::Processors;

/// What the flusher does next.
enum Flush {
    /// It needs a processor for what it has sent off, and goes on.
    Run(Time),
    /// It waits.
    Wait(Event),
    /// There is nothing to do.
    Idle,
}

impl Context<'_> {
    fn flush(&mut self) -> Flush {
        let queued = self.fs.transfers.queued();
        if queued >= self.fs.room.up_to(queued) {
            return Flush::Wait(self.kernel().room());
        }
        let rules = &self.fs.rules.kernel.write_back;
        let least = u64::from(rules.pages_a_pass.max(1));
        let most = match rules.throttling {
            Throttling::WriterPauses => self.fs.balance.pass(self.memory.limits().limit, least),
            Throttling::WriterWritesBack => least,
        };
        let expired = self.now.as_picos().checked_sub(rules.expire.time().as_picos()).map(Time::from_picos);
        self.fs.balance.begin_pass(self.fs.transfers.writes() == 0, self.now);
        let over = self.is_over_background() || self.memory.waiters > 0;
        let mut tried = 0;
        let files = self.memory.cache.files_dirty();
        while tried < files {
            let next = if over {
                self.memory.cache.next_dirty_file(None)
            } else {
                expired.and_then(|expired| self.memory.cache.next_dirty_file(Some(expired)))
            };
            let Some(key) = next else { break };
            tried += 1;
            if key.mount() != self.fs.number {
                self.memory.cache.turn(key);
                continue;
            }
            let reads = Touch::daemon(self.fs.daemon(Daemon::Flusher), Direction::Read, true);
            let touch = Touch::daemon(self.fs.daemon(Daemon::Flusher), Direction::Write, false);
            let (system, mut kernel) = self.split();
            match system.find_blocks(&mut kernel, key, reads) {
                Ok(()) => {}
                Err(Stop::Wait(event, _)) => return Flush::Wait(event),
                // Whoever syncs the file hears of it.
                Err(Stop::Fail(_)) => continue,
            }
            let group = kernel.fs.transfers.group();
            let written = kernel.write_in_room(system, key, (0, u64::MAX), most, touch, group);
            self.fs.balance.end_pass(self.now);
            if written.pages == 0 {
                // All of it belongs to a transaction that has not been committed: later, behind all that can be written.
                self.memory.cache.requeue(key, self.now);
                self.memory.cache.turn(key);
                let (system, mut kernel) = self.split();
                system.passed_over(&mut kernel, key);
                continue;
            }
            if self.memory.cache.counts(key).dirty > 0 {
                self.memory.cache.turn(key);
            }
            return Flush::Run(times(self.memory.costs.submit, written.requests));
        }
        self.fs.flushing = false;
        Flush::Idle
    }

    /// Whether more is dirty than may lie about, not counting what is being written already (`wb_over_bg_thresh`).
    fn is_over_background(&self) -> bool {
        let limits = self.memory.limits();
        let of_device = self.fs.rules.dirty_limit.is_some_and(|most| {
            self.memory.cache.dirty_of(self.fs.number) > limits.of_device(most).background
        });
        of_device || self.memory.cache.dirty() > limits.background
    }
}

/// Builds the page `flusher`.
pub(super) fn flusher_page(
    page: &mut PageBuilder<'_>,
    places: &Places,
    processors: &mut Processors,
    wake_up: Time,
) {
    let work = page.fifo::<()>("turn");
    let thread = processors.client_for::<()>(Function::WriteBack);
    processors.returns(thread, move |ran| {
        let turn = ran.may_put(work, 1);
        move |f, _, _| f.put(turn, ())
    });
    let ticks = page.fifo::<()>("ticks");
    page.initial_after(ticks, (), wake_up);
    let waiting = page.keyed::<Key>("waiting", |key| *key);

    let mut tick = page.transition("tick");
    tick.consume(ticks);
    let fs = tick.update(places.mount.fs);
    let (again, turn) = (tick.put(ticks), tick.may_put(work, 1));
    tick.action(move |f| {
        f.put_at_pace(again, (), wake_up);
        let fs = f.update(fs);
        if !std::mem::replace(&mut fs.flushing, true) {
            f.put(turn, ());
        }
    });

    let mut nudge = page.transition("nudge");
    nudge.consume(places.mount.nudges);
    let turn = nudge.put(work);
    nudge.action(move |f| f.put(turn, ()));

    let mut write = page.transition("write back");
    write.consume(work);
    let (memory, fs, system) =
        (write.update(places.mount.memory), write.update(places.mount.fs), write.update(places.mount.system));
    let running = write.may_put(places.processor, 1);
    let wait = write.may_put(waiting, 1);
    let leavings = Leavings::declare(
        &mut write,
        &places.mount,
        fs,
        Leaves { requests: true, starts: true, stops: true, commits: true, ..Leaves::default() },
    );
    write.action(move |f| {
        let now = f.now();
        let (memory, fs, system) = f.update_three(memory, fs, system);
        match (Context { memory, fs, system: &mut **system, now }).flush() {
            Flush::Run(work) => f.put(running, thread.work(work, Box::new(()))),
            Flush::Wait(event) => f.put(wait, event.key()),
            Flush::Idle => {}
        }
        leavings.send(f);
    });

    let woken = page.fifo::<()>("woken");
    let mut resume = page.transition("resume");
    let finished = resume.read(places.mount.finished);
    let waiter = resume.take_key(waiting, move |binding| *binding.get(finished));
    let up = resume.put(woken);
    resume.action(move |f| {
        f.take(waiter);
        f.put(up, ());
    });
    // What it finds may make it wait for the same again, which is forgotten before.
    let mut go_on = page.transition("go on");
    go_on.priority(instants::GOES_ON);
    go_on.consume(woken);
    let turn = go_on.put(work);
    go_on.action(move |f| f.put(turn, ()));
}
