//! First come first served, and head-of-line priority without preemption: c servers before one waiting line.

use super::service::{Env, Served, ServiceTime, Serving, Station, Waiting};
use super::tracker::Tracker;
use crate::place::{Colour, KeyOf};
use crate::tokens::{Ready, Timed};
use petrio_persist::Persist;
use std::collections::VecDeque;
use std::sync::Arc;

/// The waiting line, in the order in which it is served.
#[derive(Clone, Persist)]
enum Line<T> {
    Arrival(VecDeque<Waiting<T>>),
    Key(Ready<Waiting<T>>),
}

impl<T: Colour> Line<T> {
    fn push(&mut self, waiting: Waiting<T>) {
        match self {
            Self::Arrival(line) => line.push_back(waiting),
            Self::Key(heap) => heap.push(waiting),
        }
    }

    fn pop(&mut self) -> Option<Waiting<T>> {
        match self {
            Self::Arrival(line) => line.pop_front(),
            Self::Key(heap) => heap.pop(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Arrival(line) => line.len(),
            Self::Key(heap) => heap.len(),
        }
    }
}

/// What is served also remembers when it arrived.
#[derive(Clone, Persist)]
struct Job<T> {
    serving: Serving<T>,
    arrived: u64,
}

#[derive(Clone, Persist)]
pub(super) struct FirstCome<T: Colour> {
    line: Line<T>,
    serving: Timed<Job<T>>,
    free: u32,
    #[persist(keep)]
    service: ServiceTime<T>,
    tracker: Tracker,
}

impl<T: Colour> FirstCome<T> {
    pub(super) fn new(servers: u32, key: Option<KeyOf<T>>, service: ServiceTime<T>) -> Self {
        let line = match key {
            None => Line::Arrival(VecDeque::new()),
            Some(key_of) => {
                let by_token: KeyOf<Waiting<T>> = Arc::new(move |waiting| key_of(&waiting.token));
                Line::Key(Ready::priority(by_token))
            }
        };
        Self { line, serving: Timed::default(), free: servers, service, tracker: Tracker::new(Some(servers)) }
    }

    fn start(&mut self, waiting: Waiting<T>, env: &mut Env<'_>) {
        self.tracker.start(env.now, waiting.arrived);
        self.free -= 1;
        let span = (self.service)(&waiting.token, env.random);
        let serving = Serving { token: waiting.token, started: env.now };
        let (slot, _) = self.serving.insert(Job { serving, arrived: waiting.arrived }, false);
        env.after(span, slot);
    }
}

impl<T: Colour> Station<T> for FirstCome<T> {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, _served: &mut Served<'_, T>) {
        self.tracker.arrive(env.now);
        let waiting = Waiting { token, arrived: env.now };
        if self.free > 0 { self.start(waiting, env) } else { self.line.push(waiting) }
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let Some((job, _)) = self.serving.mature(tag) else { return };
        self.tracker.complete(env.now, job.serving.started);
        self.tracker.sojourn(env.now, job.arrived);
        self.free += 1;
        served.push(job.serving.token);
        if let Some(waiting) = self.line.pop() {
            self.start(waiting, env);
        }
    }

    fn is_live(&self, tag: u32) -> bool {
        self.serving.is_live(tag)
    }

    fn len(&self) -> usize {
        self.line.len() + self.serving.len()
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        match &self.line {
            Line::Arrival(line) => line.iter().for_each(|waiting| visit(&waiting.token)),
            Line::Key(heap) => heap.for_each(&mut |waiting| visit(&waiting.token)),
        }
        self.serving.iter().for_each(|(_, job)| visit(&job.serving.token));
    }
}
