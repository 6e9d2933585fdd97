//! Egalitarian processor sharing, by virtual time.
//!
//! All tokens progress at the same rate, so one clock of attained service V orders their completions: a token that
//! arrives at V with work w finishes when the clock shows V + w. An arrival or a completion changes only the clock's
//! rate, and with it the one pending calendar entry.

use super::service::{Env, Served, ServiceTime, Station};
use super::tracker::Tracker;
use crate::Time;
use crate::calendar::DELAYED;
use crate::place::Colour;
use petrio_persist::Persist;
use petrio_time::numbers::whole_part;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Beyond this many picoseconds of attained service the clock is set back, to keep its precision far below 1 ps.
const REBASE: f64 = 1e15;

#[derive(Clone, Persist)]
struct Job<T> {
    /// Attained service at which it is finished, picoseconds.
    finish: f64,
    order: u64,
    arrived: u64,
    token: T,
}

// Reversed: the standard heap brings out its greatest.
impl<T> Ord for Job<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.finish.total_cmp(&self.finish).then(other.order.cmp(&self.order))
    }
}
impl<T> PartialOrd for Job<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> PartialEq for Job<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<T> Eq for Job<T> {}

#[derive(Clone, Persist)]
pub(super) struct Sharing<T: Colour> {
    jobs: BinaryHeap<Job<T>>,
    attained: f64,
    since: u64,
    /// Service that one token gets in a picosecond, since `since`. Kept, so that a new speed factor doesn't rewrite the
    /// past.
    rate: f64,
    servers: f64,
    generation: u32,
    pending: bool,
    next_order: u64,
    #[persist(keep)]
    service: ServiceTime<T>,
    tracker: Tracker,
}

impl<T: Colour> Sharing<T> {
    pub(super) fn new(servers: u32, service: ServiceTime<T>) -> Self {
        Self {
            jobs: BinaryHeap::new(),
            attained: 0.0,
            since: 0,
            rate: 1.0,
            servers: f64::from(servers),
            generation: 0,
            pending: false,
            next_order: 0,
            service,
            tracker: Tracker::new(Some(servers)),
        }
    }

    fn advance(&mut self, env: &Env<'_>) {
        if self.jobs.is_empty() {
            self.attained = 0.0;
        } else {
            self.attained += (env.now - self.since) as f64 * self.rate;
        }
        self.since = env.now;
        if self.attained > REBASE {
            let base = std::mem::replace(&mut self.attained, 0.0);
            self.jobs = self.jobs.drain().map(|job| Job { finish: job.finish - base, ..job }).collect();
        }
    }

    fn reschedule(&mut self, env: &mut Env<'_>) {
        if self.pending {
            *env.stale += 1;
            self.pending = false;
        }
        if let Some(next) = self.jobs.peek() {
            self.generation = (self.generation + 1) % DELAYED;
            self.rate = env.speed * (self.servers / self.jobs.len() as f64).min(1.0);
            let span = (next.finish - self.attained).max(0.0) / self.rate;
            // The rate contains the page's speed already; rounding up never finishes a job early, and no work takes no
            // time.
            let span = libm::ceil(span);
            let span = if span < u64::MAX as f64 { Time::from_picos(whole_part(span)) } else { Time::NEVER };
            let speed = std::mem::replace(&mut env.speed, 1.0);
            self.pending = env.after(span, self.generation).is_some();
            env.speed = speed;
        }
    }
}

impl<T: Colour> Station<T> for Sharing<T> {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, _served: &mut Served<'_, T>) {
        self.tracker.arrive(env.now);
        self.tracker.start(env.now, env.now);
        self.advance(env);
        let work = (self.service)(&token, env.random);
        let finish = if work.is_never() { f64::INFINITY } else { self.attained + work.as_picos() as f64 };
        self.jobs.push(Job { finish, order: self.next_order, arrived: env.now, token });
        self.next_order += 1;
        self.reschedule(env);
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        if tag != self.generation || !self.pending {
            *env.stale -= 1;
            return;
        }
        self.pending = false;
        self.advance(env);
        if let Some(first) = self.jobs.peek() {
            // The entry was for this job: set the clock to its finish exactly, so that rounding doesn't add up.
            self.attained = first.finish;
        }
        while self.jobs.peek().is_some_and(|job| job.finish <= self.attained) {
            if let Some(job) = self.jobs.pop() {
                self.tracker.complete(env.now, job.arrived);
                self.tracker.sojourn(env.now, job.arrived);
                served.push(job.token);
            }
        }
        self.reschedule(env);
    }

    fn is_live(&self, tag: u32) -> bool {
        self.pending && tag == self.generation
    }

    fn len(&self) -> usize {
        self.jobs.len()
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.jobs.iter().for_each(|job| visit(&job.token));
    }
}
