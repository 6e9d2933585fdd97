//! A station whose order of service a [`Scheduler`] decides.

use super::{Env, Served, ServiceTime, Serving, Station, Tracker};
use crate::Time;
use crate::place::Colour;
use crate::store::Timed;
use std::any::Any;

/// What a scheduler wants done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision<T> {
    /// Serve this token. `service: None` asks the station's service-time function.
    Dispatch {
        /// The token; it need not be one that arrived: a scheduler may merge and split.
        token: T,
        /// Its service time.
        service: Option<Time>,
    },
    /// Make this token ready at once; it counts as outstanding until a transition completes it (a request sent to a
    /// device downstream).
    Release(T),
    /// Serve nothing before this time, though something may be waiting.
    IdleUntil(Time),
    /// Nothing to serve until something arrives or completes.
    Empty,
}

/// The contract between a station and the policy that orders its work.
///
/// The station tells the scheduler of arrivals, completions and wake-ups, and after each of them asks
/// [`Scheduler::decide`] again and again, as long as fewer than the allowed number are outstanding and the answer is a
/// dispatch or a release. A scheduler need not be work-conserving, may have several tokens outstanding, may merge
/// tokens, and may split what is complete.
pub trait Scheduler<T>: Any + Send + Sync {
    /// A token arrives.
    fn arrive(&mut self, now: Time, token: T);

    /// What to do now.
    fn decide(&mut self, now: Time) -> Decision<T>;

    /// A token was served or completed: what leaves the station is put into `finished`. By default the token itself.
    fn complete(&mut self, now: Time, token: T, finished: &mut Vec<T>) {
        let _ = now;
        finished.push(token);
    }

    /// The time of an [`Decision::IdleUntil`] has come.
    fn wake(&mut self, now: Time) {
        let _ = now;
    }

    /// Tokens waiting (arrived, neither dispatched nor merged into another).
    fn waiting(&self) -> usize;

    /// Visits the waiting tokens, for inspection and conservation checks.
    fn for_each(&self, visit: &mut dyn FnMut(&T));
}

/// A scheduler that can be copied with its marking.
trait CloneScheduler<T>: Scheduler<T> {
    fn clone_scheduler(&self) -> Box<dyn CloneScheduler<T>>;
}

impl<T: 'static, S: Scheduler<T> + Clone> CloneScheduler<T> for S {
    fn clone_scheduler(&self) -> Box<dyn CloneScheduler<T>> {
        Box::new(self.clone())
    }
}

pub(super) struct Scheduled<T: Colour> {
    scheduler: Box<dyn CloneScheduler<T>>,
    serving: Timed<Serving<T>>,
    released: u32,
    allowed: u32,
    /// When the pending wake-up is due, and its generation.
    wake: Option<(u64, u32)>,
    generation: u32,
    finished: Vec<T>,
    service: ServiceTime<T>,
    tracker: Tracker,
}

impl<T: Colour> Clone for Scheduled<T> {
    fn clone(&self) -> Self {
        Self {
            scheduler: self.scheduler.clone_scheduler(),
            serving: self.serving.clone(),
            released: self.released,
            allowed: self.allowed,
            wake: self.wake,
            generation: self.generation,
            finished: self.finished.clone(),
            service: self.service.clone(),
            tracker: self.tracker.clone(),
        }
    }
}

/// Calendar tags with this bit are wake-ups; the others are slots of tokens in service.
const WAKE: u32 = 1 << 30;

impl<T: Colour> Scheduled<T> {
    pub(super) fn new(allowed: u32, scheduler: impl Scheduler<T> + Clone, service: ServiceTime<T>) -> Self {
        Self {
            scheduler: Box::new(scheduler),
            serving: Timed::default(),
            released: 0,
            allowed,
            wake: None,
            generation: 0,
            finished: Vec::new(),
            service,
            tracker: Tracker::new(Some(allowed)),
        }
    }

    fn pump(&mut self, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        while self.serving.len() as u32 + self.released < self.allowed {
            match self.scheduler.decide(Time::from_picos(env.now)) {
                Decision::Dispatch { token, service } => {
                    let span = service.unwrap_or_else(|| (self.service)(&token, env.random));
                    self.tracker.dispatch(env.now);
                    let (slot, _) = self.serving.insert(Serving { token, started: env.now }, false);
                    env.after(span, slot);
                }
                Decision::Release(token) => {
                    self.released += 1;
                    served.push(token);
                }
                Decision::IdleUntil(time) => {
                    self.wake_at(time.max(Time::from_picos(env.now)), env);
                    return;
                }
                Decision::Empty => return,
            }
        }
    }

    fn wake_at(&mut self, time: Time, env: &mut Env<'_>) {
        if time.is_never() || self.wake.is_some_and(|(at, _)| at == time.as_picos()) {
            return;
        }
        if self.wake.is_some() {
            *env.stale += 1;
        }
        self.generation = (self.generation + 1) % WAKE;
        env.calendar.push(time.as_picos(), env.place, WAKE | self.generation);
        self.wake = Some((time.as_picos(), self.generation));
    }

    /// Merging and splitting changes how many tokens the place holds; `expected` is what it would hold without.
    fn recount(&mut self, expected: usize, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        self.tracker.set_waiting(env.now, self.scheduler.waiting() as u32);
        let held = self.len() + served.ready.len();
        if held != expected {
            let total = (served.level.total as usize + held - expected) as u32;
            served.level.recount(env.now, total);
        }
    }

    fn settle(&mut self, token: T, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let mut finished = std::mem::take(&mut self.finished);
        self.scheduler.complete(Time::from_picos(env.now), token, &mut finished);
        for token in finished.drain(..) {
            served.push(token);
        }
        self.finished = finished;
    }
}

impl<T: Colour> Station<T> for Scheduled<T> {
    fn clone_box(&self) -> Box<dyn Station<T>> {
        Box::new(self.clone())
    }

    fn arrive(&mut self, token: T, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let expected = self.len() + served.ready.len() + 1;
        self.tracker.arrive(env.now);
        self.scheduler.arrive(Time::from_picos(env.now), token);
        self.pump(env, served);
        self.recount(expected, env, served);
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let expected = self.len() + served.ready.len();
        if tag & WAKE != 0 {
            if self.wake != Some((env.now, tag & !WAKE)) {
                *env.stale -= 1;
                return;
            }
            self.wake = None;
            self.scheduler.wake(Time::from_picos(env.now));
        } else {
            let Some((serving, _)) = self.serving.mature(tag) else { return };
            self.tracker.complete(env.now, serving.started);
            self.settle(serving.token, env, served);
        }
        self.pump(env, served);
        self.recount(expected, env, served);
    }

    fn complete(&mut self, token: T, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let expected = self.len() + served.ready.len() + 1;
        self.released = self.released.saturating_sub(1);
        self.settle(token, env, served);
        self.pump(env, served);
        self.recount(expected, env, served);
    }

    fn is_live(&self, tag: u32) -> bool {
        if tag & WAKE != 0 {
            self.wake.is_some_and(|(_, generation)| generation == tag & !WAKE)
        } else {
            self.serving.is_live(tag)
        }
    }

    fn len(&self) -> usize {
        self.scheduler.waiting() + self.serving.len()
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn scheduler(&self) -> Option<&dyn Scheduler<T>> {
        Some(&*self.scheduler)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.scheduler.for_each(visit);
        self.serving.iter().for_each(|(_, serving)| visit(&serving.token));
    }
}
