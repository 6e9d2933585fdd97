//! When a generator's requests are issued: thinking, waiting, and time limits.
//!
//! A generator has a clock of its own, which runs while it thinks and stands while it waits. The think time of the next
//! request begins when a request is issued that it doesn't wait for, or when one completes that it does. A time limit
//! is a reading of that clock: when it comes and the request hasn't completed, the clock stands until it has. Where
//! generators share processors, the clock stands, too, while a generator has none: it gives its own away when it begins to
//! wait, to the one that has been ready longest.

use super::generator::{Drawn, Plan, Urgency};
use crate::due::Due;
use crate::earliest::Earliest;
use crate::source::{Phase, RequestSource, SourceError, SourceItem};
use petrio_colours::{BlockRequest, Direction, RequestId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use rand_core::Rng;
use std::collections::{BTreeMap, VecDeque};

/// A generator at work.
#[derive(Clone, Debug, Persist)]
struct Worker<R> {
    plan: Plan,
    random: R,
    /// The request issued last, which the next may follow.
    previous: Option<Drawn>,
    /// The request to be issued next.
    next: Drawn,
    /// The clock's reading at which it is issued.
    next_at: u64,
    /// The clock: its reading, and since when it has been running from there.
    reading: u64,
    since: Time,
    /// The request whose completion it waits for.
    waits_for: Option<RequestId>,
    /// Whether it has a processor to think on.
    thinks: bool,
    /// Time limits that lie ahead: the clock's reading, and whose completion it will wait for.
    limits: Vec<(u64, RequestId)>,
}

impl<R: Rng> Worker<R> {
    /// The next reading at which something happens: a limit, or the next request (which comes after a limit of the same
    /// reading).
    fn next_reading(&self) -> u64 {
        self.limits
            .iter()
            .map(|&(reading, _)| reading)
            .min()
            .map_or(self.next_at, |limit| limit.min(self.next_at))
    }

    fn due(&self) -> Due {
        if self.waits_for.is_some() || !self.thinks {
            return Due::AfterCompletion;
        }
        match self.since.checked_add(Time::from_picos(self.next_reading() - self.reading)) {
            Some(time) if !time.is_never() => Due::At(time),
            // A think time beyond the horizon never ends.
            _ => Due::Never,
        }
    }

    /// Brings the clock to `now`, unless a time limit stops it before. Returns whether the next request is due.
    fn run_to(&mut self, now: Time) -> bool {
        if self.waits_for.is_some() || !self.thinks {
            return false;
        }
        let reached = self.reading.saturating_add((now - self.since).as_picos());
        let reading = self.next_reading();
        if reading > reached {
            return false;
        }
        let limit = self.limits.iter().position(|&(limit, _)| limit == reading);
        if let Some(limit) = limit {
            // Not completed, or it would have been taken off the list.
            self.since += Time::from_picos(reading - self.reading);
            self.reading = reading;
            self.waits_for = Some(self.limits.swap_remove(limit).1);
            return false;
        }
        true
    }
}

/// A synthetic workload at work: all its generators as one source. A generator's number, from 0, is its requests'
/// process.
#[derive(Clone, Debug, Persist)]
pub struct SyntheticSource<R> {
    workers: Vec<Worker<R>>,
    /// When each is due.
    due: Earliest,
    /// A draw that failed when the source was made, to be reported at the first question.
    #[persist(keep)]
    failed: Option<super::error::SyntheticError>,
    requests: u64,
    until: Time,
    issued: u64,
    /// Requests that some generator waits for, now or later.
    awaited: BTreeMap<RequestId, usize>,
    /// Processors that nobody thinks on, and who would.
    processors: usize,
    ready: VecDeque<usize>,
}

impl<R: Rng + Send> SyntheticSource<R> {
    pub(super) fn new(
        plans: impl Iterator<Item = (Plan, R)>,
        requests: Option<u64>,
        duration: Option<Time>,
        processors: Option<u32>,
    ) -> Self {
        let mut workers = Vec::new();
        let mut processors = processors.map_or(usize::MAX, |processors| processors as usize);
        let mut ready = VecDeque::new();
        let mut failed = None;
        for (plan, mut random) in plans {
            match plan.draw(None, &mut random) {
                Ok(next) => workers.push(Worker {
                    thinks: if processors > 0 {
                        processors -= 1;
                        true
                    } else {
                        ready.push_back(workers.len());
                        false
                    },
                    plan,
                    random,
                    previous: None,
                    next_at: next.think,
                    next,
                    reading: 0,
                    since: Time::ZERO,
                    waits_for: None,
                    limits: Vec::new(),
                }),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let mut source = Self {
            due: Earliest::new(workers.len()),
            workers,
            failed,
            requests: requests.unwrap_or(u64::MAX),
            until: duration.unwrap_or(Time::NEVER),
            issued: 0,
            awaited: BTreeMap::new(),
            processors,
            ready,
        };
        for index in 0..source.workers.len() {
            source.note(index);
        }
        source
    }

    /// A generator may be due at another time.
    fn note(&mut self, index: usize) {
        let due = match self.workers[index].due() {
            Due::At(time) if time >= self.until => Due::Never,
            due => due,
        };
        self.due.set(index, due);
    }

    /// A generator that has begun to wait at a time gives its processor to the next, if it had one.
    fn give_processor(&mut self, index: usize, at: Time) {
        let worker = &mut self.workers[index];
        if worker.waits_for.is_none() || !std::mem::take(&mut worker.thinks) {
            return;
        }
        self.processors += 1;
        if let Some(next) = self.ready.pop_front() {
            self.take_processor(next, at);
            self.note(next);
        }
    }

    /// A generator thinks on from a time, if there is a processor for it; otherwise it is ready to.
    fn take_processor(&mut self, index: usize, at: Time) {
        if self.processors == 0 {
            self.ready.push_back(index);
            return;
        }
        self.processors -= 1;
        let worker = &mut self.workers[index];
        (worker.thinks, worker.since) = (true, at);
    }

    /// The generator that is due first; of those due at the same time, the first.
    fn earliest(&self) -> (Due, usize) {
        if self.issued >= self.requests { (Due::Never, 0) } else { self.due.first() }
    }
}

impl<R: Rng + Send> SyntheticSource<R> {
    /// A generator that would go on beyond the end of model time, where nothing else ends the workload.
    fn beyond_horizon(&self) -> Option<SourceError> {
        if self.issued >= self.requests || !self.until.is_never() {
            return None;
        }
        let thinks = self.workers.iter().position(|worker| worker.waits_for.is_none() && worker.thinks)?;
        Some(
            super::error::SyntheticError::BeyondHorizon { generator: thinks + 1, issued: self.issued }.into(),
        )
    }
}

impl<R: Rng + Persist + Send> RequestSource for SyntheticSource<R> {
    fn due(&mut self) -> Result<Due, SourceError> {
        match self.failed.take() {
            Some(error) => Err(error.into()),
            None => match self.earliest().0 {
                Due::Never => self.beyond_horizon().map_or(Ok(Due::Never), Err),
                due => Ok(due),
            },
        }
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem>, SourceError> {
        let index = loop {
            let (Due::At(time), index) = self.earliest() else { return Ok(None) };
            if time > now {
                return Ok(None);
            }
            if self.workers[index].run_to(now) {
                break index;
            }
            self.give_processor(index, self.workers[index].since);
            self.note(index);
        };
        let id = RequestId(self.issued);
        let worker = &mut self.workers[index];
        let drawn = worker.next;
        worker.reading = worker.next_at;
        worker.since = now;
        worker.previous = Some(drawn);
        match drawn.urgency {
            Urgency::NotCritical => {}
            Urgency::Critical => {
                worker.waits_for = Some(id);
                self.awaited.insert(id, index);
            }
            Urgency::Limited(limit) => {
                worker.limits.push((worker.reading.saturating_add(limit), id));
                self.awaited.insert(id, index);
            }
        }
        worker.next = worker.plan.draw(worker.previous.as_ref(), &mut worker.random)?;
        worker.next_at = worker.reading.saturating_add(worker.next.think);
        self.issued += 1;
        let alignment = worker.plan.alignment;
        self.give_processor(index, now);
        self.note(index);
        Ok(Some(SourceItem {
            request: BlockRequest {
                id,
                process: as_number(index),
                device: drawn.device,
                direction: drawn.direction,
                synchronous: drawn.direction == Direction::Read || drawn.urgency != Urgency::NotCritical,
                address: drawn.start * alignment,
                // Drawn so that it fits 32 bits.
                blocks: as_number(drawn.length * alignment),
                issued: now,
                ..BlockRequest::default()
            },
            measured: None,
            phase: Phase::Measured,
            depth: 0,
        }))
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let Some(index) = self.awaited.remove(&id) else { return Ok(()) };
        let worker = &mut self.workers[index];
        // A limit that passed before `now` has stopped the clock already, whether or not anybody asked.
        worker.run_to(now);
        let since = worker.since;
        self.give_processor(index, since);
        let worker = &mut self.workers[index];
        if worker.waits_for == Some(id) {
            worker.waits_for = None;
            self.take_processor(index, now);
        } else {
            worker.limits.retain(|&(_, awaited)| awaited != id);
        }
        self.note(index);
        Ok(())
    }
}
