//! The same systems as somebody would write them by hand: a heap of events, and a match on what happens.

use super::nets::{BUFFER, CONSUME, JOBS, MEAN_GAP, PRODUCE, STATIONS};
use petrio_kernel::Time;
use petrio_kernel::statistics::Tally;
use petrio_random::{Generator, exponential, generator, uniform_below};
use petrio_units::numbers::as_index;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The seed of all streams.
pub(super) const SEED: u64 = 1;

/// A system that runs on for so many jobs.
pub trait HandLoop {
    /// Runs until so many more jobs are done.
    fn run(&mut self, jobs: u64);
    /// The figure by which it is compared with its net.
    fn answer(&self) -> f64;
}

/// Events by time, then in the order of their scheduling.
struct Events<E> {
    heap: BinaryHeap<Reverse<(u64, u64, E)>>,
    order: u64,
}

impl<E: Ord> Default for Events<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), order: 0 }
    }
}

impl<E: Ord + Copy> Events<E> {
    fn schedule(&mut self, at: u64, event: E) {
        self.heap.push(Reverse((at, self.order, event)));
        self.order += 1;
    }

    fn next(&mut self) -> (u64, E) {
        let Reverse((at, _, event)) = self.heap.pop().expect("something is always pending");
        (at, event)
    }
}

fn draw(random: &mut Generator, mean: f64) -> u64 {
    Time::from_seconds(exponential(random, mean)).as_picos()
}

fn seconds(span: u64) -> f64 {
    Time::from_picos(span).as_seconds()
}

/// What happens at one server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AtServer {
    Arrival,
    Departure,
}

/// M/M/1.
pub(super) struct OneServer {
    events: Events<AtServer>,
    arrivals: Generator,
    services: Generator,
    queue: VecDeque<u64>,
    serving: Option<u64>,
    sojourn: Tally,
}

impl OneServer {
    /// With services from the stream of this name.
    pub(super) fn new(path: &str, purpose: &str) -> Self {
        let mut events = Events::default();
        events.schedule(0, AtServer::Arrival);
        Self {
            events,
            arrivals: generator(SEED, 0, "", "arrivals"),
            services: generator(SEED, 0, path, purpose),
            queue: VecDeque::new(),
            serving: None,
            sojourn: Tally::default(),
        }
    }

    fn start(&mut self, now: u64, came: u64) {
        self.serving = Some(came);
        let service = draw(&mut self.services, 1.0);
        self.events.schedule(now + service, AtServer::Departure);
    }
}

impl HandLoop for OneServer {
    fn run(&mut self, jobs: u64) {
        let enough = self.sojourn.count() + jobs;
        while self.sojourn.count() < enough {
            match self.events.next() {
                (now, AtServer::Arrival) => {
                    let gap = draw(&mut self.arrivals, MEAN_GAP);
                    self.events.schedule(now + gap, AtServer::Arrival);
                    if self.serving.is_none() {
                        self.start(now, now);
                    } else {
                        self.queue.push_back(now);
                    }
                }
                (now, AtServer::Departure) => {
                    if let Some(came) = self.serving.take() {
                        self.sojourn.record(seconds(now - came));
                    }
                    if let Some(came) = self.queue.pop_front() {
                        self.start(now, came);
                    }
                }
            }
        }
    }

    fn answer(&self) -> f64 {
        self.sojourn.mean()
    }
}

struct Station {
    random: Generator,
    queue: VecDeque<u64>,
    serving: Option<u64>,
}

/// A closed network.
pub(super) struct Closed {
    /// A service ends at this station.
    events: Events<usize>,
    routes: Generator,
    stations: Vec<Station>,
    sojourn: Tally,
}

impl Closed {
    pub(super) fn new() -> Self {
        let station = |number| Station {
            random: generator(SEED, 0, &format!("station{number}"), "service"),
            queue: VecDeque::new(),
            serving: None,
        };
        let mut network = Self {
            events: Events::default(),
            routes: generator(SEED, 0, "", "routes"),
            stations: (0..STATIONS as u64).map(station).collect(),
            sojourn: Tally::default(),
        };
        (0..JOBS).for_each(|_| network.arrive(0, 0));
        network
    }

    fn arrive(&mut self, now: u64, station: usize) {
        if self.stations[station].serving.is_none() {
            self.start(now, station, now);
        } else {
            self.stations[station].queue.push_back(now);
        }
    }

    fn start(&mut self, now: u64, number: usize, came: u64) {
        let station = &mut self.stations[number];
        station.serving = Some(came);
        let service = draw(&mut station.random, 1.0);
        self.events.schedule(now + service, number);
    }
}

impl HandLoop for Closed {
    fn run(&mut self, jobs: u64) {
        for _ in 0..jobs {
            let (now, number) = self.events.next();
            if let Some(came) = self.stations[number].serving.take() {
                self.sojourn.record(seconds(now - came));
            }
            if let Some(came) = self.stations[number].queue.pop_front() {
                self.start(now, number, came);
            }
            let route = as_index(uniform_below(&mut self.routes, STATIONS as u64));
            self.arrive(now, route);
        }
    }

    fn answer(&self) -> f64 {
        self.sojourn.mean()
    }
}

/// What happens between producer and consumer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AtBuffer {
    Produced,
    Consumed,
}

/// A producer, a bounded buffer, a consumer.
pub(super) struct ProducerConsumer {
    events: Events<AtBuffer>,
    produce: Generator,
    consume: Generator,
    buffer: VecDeque<u64>,
    /// An item is ready, but there is no room.
    blocked: bool,
    consuming: Option<u64>,
    sojourn: Tally,
}

impl ProducerConsumer {
    pub(super) fn new() -> Self {
        let mut events = Events::default();
        events.schedule(0, AtBuffer::Produced);
        Self {
            events,
            produce: generator(SEED, 0, "", "produce"),
            consume: generator(SEED, 0, "", "consume"),
            buffer: VecDeque::new(),
            blocked: false,
            consuming: None,
            sojourn: Tally::default(),
        }
    }

    fn deposit(&mut self, now: u64) {
        let time = draw(&mut self.produce, PRODUCE);
        self.events.schedule(now + time, AtBuffer::Produced);
        self.buffer.push_back(now);
    }

    fn fetch(&mut self, now: u64) {
        if let (None, Some(came)) = (self.consuming, self.buffer.pop_front()) {
            self.consuming = Some(came);
            let time = draw(&mut self.consume, CONSUME);
            self.events.schedule(now + time, AtBuffer::Consumed);
        }
    }
}

impl HandLoop for ProducerConsumer {
    fn run(&mut self, jobs: u64) {
        let enough = self.sojourn.count() + jobs;
        while self.sojourn.count() < enough {
            let (now, event) = self.events.next();
            match event {
                AtBuffer::Produced => {
                    if self.buffer.len() < BUFFER as usize {
                        self.deposit(now);
                        if self.consuming.is_none() {
                            self.fetch(now);
                        }
                    } else {
                        self.blocked = true;
                    }
                }
                AtBuffer::Consumed => {
                    if let Some(came) = self.consuming.take() {
                        self.sojourn.record(seconds(now - came));
                    }
                    self.fetch(now);
                    if std::mem::take(&mut self.blocked) {
                        self.deposit(now);
                    }
                }
            }
        }
    }

    fn answer(&self) -> f64 {
        self.sojourn.mean()
    }
}

/// The hold model: the next event is taken and scheduled again.
pub(super) struct Hold {
    events: Events<u64>,
    delays: Generator,
    now: u64,
}

impl Hold {
    pub(super) fn new(pending: u64) -> Self {
        let mut hold = Self { events: Events::default(), delays: generator(SEED, 0, "", "delays"), now: 0 };
        for token in 0..pending {
            let delay = draw(&mut hold.delays, 1.0);
            hold.events.schedule(delay, token);
        }
        hold
    }
}

impl HandLoop for Hold {
    fn run(&mut self, jobs: u64) {
        for _ in 0..jobs {
            let (now, token) = self.events.next();
            self.now = now;
            let delay = draw(&mut self.delays, 1.0);
            self.events.schedule(now + delay, token);
        }
    }

    fn answer(&self) -> f64 {
        seconds(self.now)
    }
}
