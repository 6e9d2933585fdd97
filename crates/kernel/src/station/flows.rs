//! Tokens that progress at rates which are found anew whenever one arrives or leaves.

use super::service::{Env, Served, ServiceTime, Station};
use super::tracker::Tracker;
use crate::Time;
use crate::calendar::DELAYED;
use crate::place::Colour;
use petrio_persist::Persist;
use petrio_time::numbers::whole_part;
use std::sync::Arc;

/// Says how fast each of the tokens under way progresses.
pub(super) type Rates<T> = Arc<dyn Fn(Flows<'_, T>, &mut Vec<f64>) + Send + Sync>;

/// A token under way.
#[derive(Clone, Persist)]
struct Flow<T> {
    token: T,
    /// Work that is left, picoseconds at rate 1.
    left: f64,
    arrived: u64,
}

/// The tokens under way at a station, in order of arrival.
#[derive(Clone, Copy)]
pub struct Flows<'a, T>(&'a [Flow<T>]);

impl<'a, T> Flows<'a, T> {
    /// The tokens.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a T> + Clone + use<'a, T> {
        self.0.iter().map(|flow| &flow.token)
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Clone, Persist)]
pub(super) struct FlowStation<T: Colour> {
    flows: Vec<Flow<T>>,
    /// Of each of them, what gets done in a picosecond since `since`; the page's speed is in it.
    speeds: Vec<f64>,
    since: u64,
    /// The flow that ends first.
    next: usize,
    generation: u32,
    pending: bool,
    #[persist(keep)]
    service: ServiceTime<T>,
    #[persist(keep)]
    rates: Rates<T>,
    tracker: Tracker,
}

impl<T: Colour> FlowStation<T> {
    pub(super) fn new(servers: u32, service: ServiceTime<T>, rates: Rates<T>) -> Self {
        Self {
            flows: Vec::new(),
            speeds: Vec::new(),
            since: 0,
            next: 0,
            generation: 0,
            pending: false,
            service,
            rates,
            tracker: Tracker::new(Some(servers)),
        }
    }

    /// What has been done since the last look.
    fn advance(&mut self, now: u64) {
        let span = (now - self.since) as f64;
        for (flow, speed) in self.flows.iter_mut().zip(&self.speeds) {
            flow.left = (flow.left - span * speed).max(0.0);
        }
        self.since = now;
    }

    fn reschedule(&mut self, env: &mut Env<'_>) {
        if self.pending {
            *env.stale += 1;
            self.pending = false;
        }
        self.speeds.clear();
        (self.rates)(Flows(&self.flows), &mut self.speeds);
        // Who is told nothing stands still; no rate is negative, and none endless.
        self.speeds.resize(self.flows.len(), 0.0);
        for speed in &mut self.speeds {
            *speed = if *speed > 0.0 { speed.min(f64::MAX) * env.speed } else { 0.0 };
        }
        let spans = self.flows.iter().zip(&self.speeds).map(|(flow, speed)| match flow.left == 0.0 {
            true => 0.0,
            false => flow.left / speed,
        });
        let first = spans.enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((next, span)) = first else { return };
        self.next = next;
        self.generation = (self.generation + 1) % DELAYED;
        // Rounding up never finishes one early; the page's speed is in the rates already.
        let span = libm::ceil(span);
        let span = if span < u64::MAX as f64 { Time::from_picos(whole_part(span)) } else { Time::NEVER };
        let speed = std::mem::replace(&mut env.speed, 1.0);
        self.pending = env.after(span, self.generation).is_some();
        env.speed = speed;
    }
}

impl<T: Colour> Station<T> for FlowStation<T> {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, _served: &mut Served<'_, T>) {
        self.tracker.arrive(env.now);
        self.tracker.start(env.now, env.now);
        self.advance(env.now);
        let work = (self.service)(&token, env.random);
        let left = if work.is_never() { f64::INFINITY } else { work.as_picos() as f64 };
        self.flows.push(Flow { token, left, arrived: env.now });
        self.reschedule(env);
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        if tag != self.generation || !self.pending {
            *env.stale -= 1;
            return;
        }
        self.pending = false;
        self.advance(env.now);
        // The entry was for this one: rounding doesn't leave it a rest.
        self.flows[self.next].left = 0.0;
        let tracker = &mut self.tracker;
        for flow in self.flows.extract_if(.., |flow| flow.left == 0.0) {
            tracker.complete(env.now, flow.arrived);
            tracker.sojourn(env.now, flow.arrived);
            served.push(flow.token);
        }
        self.reschedule(env);
    }

    fn is_live(&self, tag: u32) -> bool {
        self.pending && tag == self.generation
    }

    fn len(&self) -> usize {
        self.flows.len()
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.flows.iter().for_each(|flow| visit(&flow.token));
    }
}
