//! Requests come back from the device: pages arrive or are clean, and whoever waited wakes.

use super::context::Context;
use super::exits::Places;
use super::job::{Turn, Wait, Waiting};
use crate::below::{Leaves, Leavings};
use crate::state::{Ended, Event, Moves, file_of, times};
use petrio_colours::{BlockRequest, Cause, Failure, FileCause};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::instants;

impl Context<'_> {
    /// A request has come back.
    pub(super) fn complete(&mut self, request: &BlockRequest) {
        let Some(Ended { moves, group, is_last, awaited }) = self.fs.transfers.complete(request.tag) else {
            return;
        };
        if let Some(failure) = request.status.failure() {
            self.note_failure(moves, group, failure);
        }
        if self.fs.rules.nature.shared {
            self.fs.served = request.ledger.of(Cause::Service);
        }
        let done = request.status.failure().is_none();
        self.fs.promises.flush_ends(request.tag, done);
        {
            let (system, mut kernel) = self.split();
            system.answered(&mut kernel, request);
        }
        match moves {
            Moves::Read { file, first, pages } if request.status.failure().is_some() => {
                self.memory.cache.remove(file, first, first + pages);
            }
            Moves::Read { file, first, pages } => self.memory.cache.arrived(file, first, pages),
            Moves::Write { file, first, pages } => {
                let written = self.memory.cache.written(file, first, pages);
                self.fs.balance.wrote(written);
                self.fs.promises.landed(file, first, pages);
                let done = request.status.failure().is_none();
                let (system, mut kernel) = self.split();
                system.written(&mut kernel, file, (first, pages), done);
                self.fs.events.extend(awaited.map(Event::Written));
                let queued = self.fs.transfers.queued();
                self.fs.events.extend(self.fs.room.woken(queued).map(Event::Room));
                if self.fs.waits_for_congestion && self.fs.room.is_uncongested(queued) {
                    self.fs.waits_for_congestion = false;
                    self.fs.events.push(Event::Uncongested);
                }
                if self.memory.waiters > 0 {
                    self.memory.waiters = 0;
                    self.fs.events.push(Event::Memory);
                }
            }
            Moves::Discard => {
                let (system, mut kernel) = self.split();
                system.discarded(&mut kernel);
            }
            Moves::Log | Moves::Plain | Moves::Swap => {}
        }
        self.fs.events.extend(is_last.then_some(Event::Group(group)));
    }

    /// A request could not be done. Who waits for its group hears of it; data that could not be written are lost, of which the
    /// next fsync tells (`file_check_and_advance_wb_err`); without log or metadata the file system takes no more changes
    /// (`jbd2_journal_abort`).
    fn note_failure(&mut self, moves: Moves, group: u64, failure: Failure) {
        self.fs.transfers.fail(group, failure, self.now);
        match moves {
            Moves::Log => self.fs.is_read_only = true,
            Moves::Write { file, .. } => match file_of(file) {
                Some(file) => {
                    self.fs.unwritten.insert(file, failure);
                }
                None => self.fs.is_read_only = true,
            },
            // A discard is a hint: nobody asks whether it could be done.
            Moves::Read { .. } | Moves::Plain | Moves::Swap | Moves::Discard => {}
        }
    }
}

/// Takes the requests that come back from a device.
fn complete_transition(
    page: &mut PageBuilder<'_>,
    name: &str,
    places: &Places,
    completions: Place<BlockRequest>,
) {
    let mut complete = page.transition(name);
    let request = complete.take(completions);
    let (memory, fs, system) = (
        complete.update(places.mount.memory),
        complete.update(places.mount.fs),
        complete.update(places.mount.system),
    );
    let leavings = Leavings::declare(
        &mut complete,
        &places.mount,
        fs,
        Leaves { requests: true, events: true, starts: true, ..Leaves::default() },
    );
    complete.action(move |f| {
        let request = f.take(request);
        let now = f.now();
        let (memory, fs, system) = f.update_three(memory, fs, system);
        Context { memory, fs, system: &mut **system, now }.complete(&request);
        leavings.send(f);
    });
}

/// Builds the page `completions`: requests that come `back` from the devices, and the wait queue.
pub(super) fn completions_page(
    page: &mut PageBuilder<'_>,
    places: &Places,
    back: &[(&str, Option<Place<BlockRequest>>)],
) {
    for &(name, completions) in back {
        if let Some(completions) = completions {
            complete_transition(page, name, places, completions);
        }
    }
    for (wait, place) in places.waits {
        let mut wake = page.transition(&format!("wake {}", wait.name()));
        let finished = wake.read(places.mount.finished);
        let waiting = wake.take_key(place, move |binding| *binding.get(finished));
        let memory = wake.peek(places.mount.memory);
        // Only requests fail, and are served by others.
        let fs = matches!(wait, Wait::Page | Wait::Write).then(|| wake.peek(places.mount.fs));
        let (running, jobs) = (wake.put(places.processor), places.jobs);
        wake.action(move |f| {
            let Waiting { mut job, cause, work, then, key } = f.take(waiting);
            let served = fs.map_or(Time::ZERO, |fs| f.get(fs).served);
            if cause == FileCause::Network {
                job.charge_part(FileCause::Server, served, f.now());
            }
            job.charge(cause, f.now());
            job.failure = fs.and_then(|fs| f.get(fs).failure_of(key));
            let then = if job.failure.is_some() { then.or_gives_up() } else { then };
            let costs = &f.get(memory).costs;
            let cache = times(costs.complete, 1) + work;
            let work = costs.wake_up + cache;
            job.turn = Turn { cause: FileCause::Call, cache, then, wakes: true };
            f.put(running, jobs.work(work, job));
        });
    }

    let mut forget = page.transition("forget");
    forget.priority(instants::FORGETS);
    forget.consume(places.mount.finished);
    forget.action(|_| {});

    let mut rise = page.transition("rise");
    let sleeper = rise.take(places.sleeping);
    let memory = rise.peek(places.mount.memory);
    let (running, jobs) = (rise.put(places.processor), places.jobs);
    rise.action(move |f| {
        let (mut job, cause, then) = f.take(sleeper);
        job.charge(cause, f.now());
        job.turn = Turn { cause: FileCause::Call, cache: Time::ZERO, then, wakes: true };
        let work = f.get(memory).costs.wake_up;
        f.put(running, jobs.work(work, job));
    });
}
