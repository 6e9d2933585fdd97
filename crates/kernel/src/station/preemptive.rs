//! One server with preemptive-resume priority.

use super::service::{Env, Served, ServiceTime, Station};
use super::tracker::Tracker;
use crate::Time;
use crate::calendar::DELAYED;
use crate::place::{Colour, Key, KeyOf};
use petrio_persist::Persist;
use petrio_time::numbers::whole_part;

/// A job, waiting or in service.
#[derive(Clone, Persist)]
struct Job<T> {
    token: T,
    key: Key,
    order: u64,
    arrived: u64,
    /// Since when it waits (again).
    queued: u64,
    interrupted: bool,
    /// Service still needed, in the page's own time.
    remaining: Time,
}

#[derive(Clone, Persist)]
struct Running<T> {
    job: Job<T>,
    started: u64,
    /// `None`: never.
    ends: Option<u64>,
    /// The page's speed when it started, by which `ends` was computed.
    speed: f64,
}

#[derive(Clone, Persist)]
pub(super) struct Preemptive<T: Colour> {
    /// Sorted, the next one last.
    line: Vec<Job<T>>,
    running: Option<Running<T>>,
    /// Names the calendar entry of the job in service; entries with another number are stale.
    generation: u32,
    next_order: u64,
    #[persist(keep)]
    key_of: KeyOf<T>,
    #[persist(keep)]
    service: ServiceTime<T>,
    tracker: Tracker,
}

impl<T: Colour> Preemptive<T> {
    pub(super) fn new(key_of: KeyOf<T>, service: ServiceTime<T>) -> Self {
        let tracker = Tracker::new(Some(1));
        Self { line: Vec::new(), running: None, generation: 0, next_order: 0, key_of, service, tracker }
    }

    fn start(&mut self, job: Job<T>, env: &mut Env<'_>) {
        if job.interrupted {
            self.tracker.resume(env.now, job.queued);
        } else {
            self.tracker.start(env.now, job.queued);
        }
        self.generation = (self.generation + 1) % DELAYED;
        let ends = env.after(job.remaining, self.generation);
        self.running = Some(Running { job, started: env.now, ends, speed: env.speed });
    }

    fn queue(&mut self, job: Job<T>) {
        let at = self.line.partition_point(|other| (other.key, other.order) > (job.key, job.order));
        self.line.insert(at, job);
    }
}

impl<T: Colour> Station<T> for Preemptive<T> {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, _served: &mut Served<'_, T>) {
        self.tracker.arrive(env.now);
        let remaining = (self.service)(&token, env.random);
        let (key, order) = ((self.key_of)(&token), self.next_order);
        self.next_order += 1;
        let arriving =
            Job { token, key, order, arrived: env.now, queued: env.now, interrupted: false, remaining };
        match self.running.take() {
            None => self.start(arriving, env),
            Some(running) if running.job.key <= arriving.key => {
                self.running = Some(running);
                self.queue(arriving);
            }
            Some(Running { mut job, started, ends, speed }) => {
                self.tracker.preempt(env.now, started);
                if let Some(ends) = ends {
                    *env.stale += 1;
                    // Back from wall time to the page's own time.
                    job.remaining = Time::from_picos(whole_part((ends - env.now) as f64 * speed + 0.5));
                }
                job.queued = env.now;
                job.interrupted = true;
                self.queue(job);
                self.start(arriving, env);
            }
        }
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        if tag != self.generation || self.running.is_none() {
            *env.stale -= 1;
            return;
        }
        if let Some(Running { job, started, .. }) = self.running.take() {
            self.tracker.complete(env.now, started);
            self.tracker.sojourn(env.now, job.arrived);
            served.push(job.token);
        }
        if let Some(job) = self.line.pop() {
            self.start(job, env);
        }
    }

    fn is_live(&self, tag: u32) -> bool {
        tag == self.generation && self.running.is_some()
    }

    fn len(&self) -> usize {
        self.line.len() + usize::from(self.running.is_some())
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.line.iter().for_each(|job| visit(&job.token));
        self.running.iter().for_each(|running| visit(&running.job.token));
    }
}
