//! Which requests are on which path, and what becomes of them when paths fail and come back. No net and no clock.

use super::parameters::{MultipathParameters, PathSelector};
use super::selector::{Group, Load};
use super::tally::{PathTally, Tally};
use petrio_colours::{BlockRequest, Direction, Failure, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;
use std::collections::VecDeque;

/// What happens to a path, or is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Event {
    /// It carries nothing from now on.
    Fail(usize),
    /// Whoever waits for an answer over it learns of that; of the failure of this number.
    Detect(usize, u64),
    /// It carries again.
    Restore(usize),
    /// multipathd looks at it; after the failure of this number.
    Check(usize, u64),
    /// Whoever waits for any path has waited long enough, if none has come since the loss of this number.
    GiveUp(u64),
    /// Requests go over the best group again.
    FailBack,
}

/// What an event brings about.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Outcome {
    /// Requests that go over a path.
    pub(super) sends: Vec<(usize, BlockRequest)>,
    /// Requests that are over.
    pub(super) complete: Vec<BlockRequest>,
    /// What happens after a while.
    pub(super) events: Vec<(Event, Time)>,
}

/// A request that isn't over.
#[derive(Clone, Debug, Persist)]
struct Flight {
    /// As it came.
    request: BlockRequest,
    /// The number under which it was sent last.
    sent: u64,
    /// The path that it was sent over; none while there is none.
    path: Option<usize>,
    /// How often that path had failed when it was sent.
    failures: u64,
    /// Whether the device has it.
    delivered: bool,
}

/// A path.
#[derive(Clone, Debug, Persist)]
struct Path {
    /// Whether it carries.
    is_up: bool,
    /// Whether it hasn't been given up.
    is_usable: bool,
    /// How often it has failed.
    failures: u64,
    load: Load,
}

/// What answers a way asks of a request that is on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// It goes on over this path.
    On(usize, BlockRequest),
    /// Its way is gone.
    Lost,
    /// It was never sent.
    Unknown,
}

/// All that changes.
#[derive(Clone, Debug, Persist)]
pub struct Multipath {
    rules: Rules,
    paths: Vec<Path>,
    /// The groups, the best first.
    groups: Vec<Group>,
    /// The group that requests go over.
    current: Option<usize>,
    flights: Slab<Flight>,
    /// Those that wait for any path, by slot.
    waiting: VecDeque<u32>,
    sent: u64,
    /// How often there was no path any more.
    losses: u64,
    /// Whether those that wait for any path have been given up.
    given_up: bool,
    completed: u64,
    tally: Tally,
    /// Kept so that nothing is allocated for each request.
    outcome: Outcome,
}

/// What its parameters say.
#[derive(Clone, Copy, Debug, Persist)]
struct Rules {
    selector: PathSelector,
    in_a_row: u32,
    detected_after: Time,
    polling_interval: Time,
    /// How long those that find no path wait.
    patience: Option<Time>,
    failback: Option<Time>,
}

impl Multipath {
    /// All paths are up.
    pub(super) fn new(parameters: &MultipathParameters) -> Self {
        let path = |path: &super::parameters::PathParameters| Path {
            is_up: true,
            is_usable: true,
            failures: 0,
            load: Load { requests: 0, bytes: 0, throughput: path.throughput.unwrap_or(1).into() },
        };
        let interval = parameters.polling_interval.time();
        let patience = match (parameters.queue_if_no_path, parameters.no_path_retry) {
            (true, _) => None,
            (false, times) => Some(Time::from_picos(interval.as_picos().saturating_mul(times.into()))),
        };
        Self {
            rules: Rules {
                selector: parameters.selector,
                in_a_row: parameters.rr_min_io.get(),
                detected_after: parameters.detected_after.time(),
                polling_interval: interval,
                patience,
                failback: parameters.failback.map(petrio_units::Duration::time),
            },
            paths: parameters.paths.iter().map(path).collect(),
            groups: parameters.grouped().into_iter().map(Group::new).collect(),
            current: None,
            flights: Slab::new(),
            waiting: VecDeque::new(),
            sent: 0,
            losses: 0,
            given_up: false,
            completed: 0,
            tally: Tally { paths: vec![PathTally::default(); parameters.paths.len()], ..Tally::default() },
            outcome: Outcome::default(),
        }
    }

    /// What has been counted.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Requests that came: those that are over, and those that aren't.
    pub(super) fn came(&self) -> i64 {
        let under_way = self.flights.iter().count();
        i64::try_from(self.completed)
            .unwrap_or(i64::MAX)
            .saturating_add(i64::try_from(under_way).unwrap_or(i64::MAX))
    }

    /// A request comes.
    pub(super) fn enter(&mut self, request: BlockRequest, now: Time) -> Outcome {
        let mut outcome = std::mem::take(&mut self.outcome);
        let flight = Flight { request, sent: u64::MAX, path: None, failures: 0, delivered: false };
        let slot = self.flights.insert(flight);
        self.map(slot, now, &mut outcome);
        outcome
    }

    /// What was brought about has been done.
    pub(super) fn carried_out(&mut self, mut outcome: Outcome) {
        outcome.sends.clear();
        outcome.complete.clear();
        outcome.events.clear();
        self.outcome = outcome;
    }

    /// Something happens to a path.
    pub(super) fn happens(&mut self, event: Event, now: Time) -> Outcome {
        let mut outcome = std::mem::take(&mut self.outcome);
        match event {
            Event::Fail(path) => self.fail(path, now, &mut outcome),
            Event::Detect(path, failure) => self.detect((path, failure), now, &mut outcome),
            Event::Restore(path) => self.restore(path, now, &mut outcome),
            Event::Check(path, failure) => self.check((path, failure), now, &mut outcome),
            Event::GiveUp(loss) => self.give_up(loss, now, &mut outcome),
            Event::FailBack => {
                let best = self.best_group();
                self.go_over_to(best);
            }
        }
        outcome
    }

    /// A request reaches the far end of a path: whether the device gets it.
    pub(super) fn deliver(&mut self, request: &BlockRequest) -> bool {
        let is_alive = self.alive(request).is_some();
        if let Some(flight) = self.flights.get_mut(slot_of(request)).filter(|_| is_alive) {
            flight.delivered = true;
        }
        is_alive
    }

    /// The device has answered: over which path the answer goes.
    pub(super) fn back(&mut self, request: BlockRequest) -> Answer {
        let path = path_of(&request);
        if path >= self.paths.len() {
            return Answer::Unknown;
        }
        match self.alive(&request) {
            Some(_) => Answer::On(path, request),
            None => {
                self.tally.answers_lost += 1;
                Answer::Lost
            }
        }
    }

    /// An answer has reached the host.
    pub(super) fn arrive(&mut self, mut request: BlockRequest) -> Option<BlockRequest> {
        if self.alive(&request).is_none() {
            self.tally.answers_lost += 1;
            return None;
        }
        let Flight { request: was, path, .. } = self.flights.remove(slot_of(&request))?;
        self.leave(path, was.bytes());
        if let Some(path) = path {
            let tally = &mut self.tally.paths[path];
            match was.direction {
                Direction::Read => tally.reads.add(was.blocks.into()),
                Direction::Write => tally.writes.add(was.blocks.into()),
                Direction::Flush => tally.flushes += 1,
                Direction::Discard => tally.discards += 1,
            }
        }
        (request.id, request.tag) = (was.id, was.tag);
        self.completed += 1;
        Some(request)
    }

    /// The request that one on its way stands for, if that path hasn't failed since.
    fn alive(&self, request: &BlockRequest) -> Option<&Flight> {
        let flight = self.flights.get(slot_of(request))?;
        let path = &self.paths[flight.path?];
        (flight.sent == request.id.0 && path.is_up && flight.failures == path.failures).then_some(flight)
    }

    /// A request takes a path, or waits for one, or fails.
    fn map(&mut self, slot: u32, now: Time, outcome: &mut Outcome) {
        let Some(flight) = self.flights.get(slot) else { return };
        let bytes = flight.request.bytes();
        if !self.current.is_some_and(|group| self.has_path(group)) {
            let best = self.best_group();
            self.go_over_to(best);
        }
        let (paths, rules) = (&self.paths, (self.rules.selector, self.rules.in_a_row));
        let chosen = self.current.and_then(|group| {
            let load = |path: usize| paths[path].is_usable.then_some(paths[path].load);
            self.groups[group].select(rules, bytes, load)
        });
        match chosen {
            Some(path) => {
                let load = &mut self.paths[path].load;
                load.requests += 1;
                load.bytes += bytes;
                self.send(slot, path, outcome);
            }
            None if self.given_up || self.rules.patience == Some(Time::ZERO) => {
                self.refuse(slot, outcome);
            }
            None => {
                self.tally.waited += 1;
                self.tally.waits_since.get_or_insert(now);
                self.waiting.push_back(slot);
            }
        }
    }

    /// A request goes over a path; over one that is down it gets nowhere until that is known.
    fn send(&mut self, slot: u32, path: usize, outcome: &mut Outcome) {
        let Path { is_up, failures, .. } = self.paths[path];
        let Some(flight) = self.flights.get_mut(slot) else { return };
        flight.sent = self.sent;
        flight.path = Some(path);
        flight.failures = failures;
        flight.delivered = false;
        if is_up {
            let tag = (path as u64) << u32::BITS | u64::from(slot);
            let request = BlockRequest { id: RequestId(self.sent), tag, ..flight.request.clone() };
            outcome.sends.push((path, request));
        }
        self.sent += 1;
    }

    /// A request fails, since no path leads to the device.
    fn refuse(&mut self, slot: u32, outcome: &mut Outcome) {
        let Some(Flight { mut request, .. }) = self.flights.remove(slot) else { return };
        request.status = Status::Failed(Failure::Device);
        self.tally.failed += 1;
        self.completed += 1;
        outcome.complete.push(request);
    }

    /// A request is on a path no more.
    fn leave(&mut self, path: Option<usize>, bytes: u64) {
        if let Some(path) = path {
            let load = &mut self.paths[path].load;
            load.requests = load.requests.saturating_sub(1);
            load.bytes = load.bytes.saturating_sub(bytes);
        }
    }

    fn has_path(&self, group: usize) -> bool {
        self.groups[group].has(|path| self.paths[path].is_usable)
    }

    fn best_group(&self) -> Option<usize> {
        (0..self.groups.len()).find(|&group| self.has_path(group))
    }

    fn go_over_to(&mut self, group: Option<usize>) {
        if group != self.current && group.is_some() && self.current.is_some() {
            self.tally.switches += 1;
        }
        self.current = group.or(self.current);
    }

    fn fail(&mut self, path: usize, now: Time, outcome: &mut Outcome) {
        self.paths[path].is_up = false;
        self.paths[path].failures += 1;
        self.tally.paths[path].fail(now);
        let detect = Event::Detect(path, self.paths[path].failures);
        outcome.events.push((detect, self.rules.detected_after));
    }

    /// What hangs on the path takes another one.
    fn detect(&mut self, (path, failure): (usize, u64), now: Time, outcome: &mut Outcome) {
        if self.paths[path].is_up || self.paths[path].failures != failure {
            return;
        }
        self.paths[path].is_usable = false;
        self.tally.paths[path].found(now);
        if self.best_group().is_none() {
            self.losses += 1;
            if let Some(patience) = self.rules.patience {
                outcome.events.push((Event::GiveUp(self.losses), patience));
            }
        }
        for slot in self.on(path) {
            self.count_again(slot, path);
            if let Some(flight) = self.flights.get_mut(slot) {
                flight.path = None;
                let bytes = flight.request.bytes();
                self.leave(Some(path), bytes);
            }
            self.map(slot, now, outcome);
        }
    }

    /// A path is there again: what hangs on it goes on where nobody has noticed, and else multipathd is to look at it.
    fn restore(&mut self, path: usize, now: Time, outcome: &mut Outcome) {
        self.paths[path].is_up = true;
        self.tally.paths[path].restore(now);
        if self.paths[path].is_usable {
            for slot in self.on(path) {
                self.count_again(slot, path);
                self.send(slot, path, outcome);
            }
            return;
        }
        let interval = self.rules.polling_interval.as_picos();
        let next = now.as_picos().div_ceil(interval).saturating_mul(interval);
        let check = Event::Check(path, self.paths[path].failures);
        outcome.events.push((check, Time::from_picos(next).saturating_sub(now)));
    }

    /// multipathd finds a path in order again.
    fn check(&mut self, (path, failure): (usize, u64), now: Time, outcome: &mut Outcome) {
        if !self.paths[path].is_up || self.paths[path].failures != failure {
            return;
        }
        let was_without = self.best_group().is_none();
        self.paths[path].is_usable = true;
        self.given_up = false;
        self.tally.paths[path].used_again(now);
        if was_without {
            self.losses += 1;
            self.tally.end_wait(now);
            let waiting = std::mem::take(&mut self.waiting);
            waiting.into_iter().for_each(|slot| self.map(slot, now, outcome));
        }
        if let Some(after) = self.rules.failback
            && self.best_group() != self.current
        {
            outcome.events.push((Event::FailBack, after));
        }
    }

    /// Whoever waits for a path waits no longer.
    fn give_up(&mut self, loss: u64, now: Time, outcome: &mut Outcome) {
        if loss != self.losses || self.best_group().is_some() {
            return;
        }
        self.given_up = true;
        self.tally.end_wait(now);
        while let Some(slot) = self.waiting.pop_front() {
            self.refuse(slot, outcome);
        }
    }

    /// A request is sent once more; whether the device had it already can't be known.
    fn count_again(&mut self, slot: u32, path: usize) {
        let had = self.flights.get(slot).is_some_and(|flight| flight.delivered);
        self.tally.paths[path].again += 1;
        self.tally.delivered_twice += u64::from(had);
    }

    /// Those that were sent over a path, in order.
    fn on(&self, path: usize) -> Vec<u32> {
        let there = self.flights.numbered().filter(|(_, flight)| flight.path == Some(path));
        let mut there: Vec<(u64, u32)> = there.map(|(slot, flight)| (flight.sent, slot)).collect();
        there.sort_unstable();
        there.into_iter().map(|(_, slot)| slot).collect()
    }
}

/// The slot that a request's tag names.
fn slot_of(request: &BlockRequest) -> u32 {
    low_half(request.tag)
}

/// The path that a request's tag names.
fn path_of(request: &BlockRequest) -> usize {
    (request.tag >> u32::BITS) as usize
}
