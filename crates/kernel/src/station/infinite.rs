//! Infinitely many servers: every token is served at once.

use super::service::{Env, Served, ServiceTime, Serving, Station};
use super::tracker::Tracker;
use crate::place::Colour;
use crate::tokens::Timed;
use petrio_persist::Persist;

#[derive(Clone, Persist)]
pub(super) struct Infinite<T: Colour> {
    serving: Timed<Serving<T>>,
    #[persist(keep)]
    service: ServiceTime<T>,
    tracker: Tracker,
}

impl<T: Colour> Infinite<T> {
    pub(super) fn new(service: ServiceTime<T>) -> Self {
        Self { serving: Timed::default(), service, tracker: Tracker::new(None) }
    }
}

impl<T: Colour> Station<T> for Infinite<T> {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, _served: &mut Served<'_, T>) {
        self.tracker.arrive(env.now);
        self.tracker.start(env.now, env.now);
        let span = (self.service)(&token, env.random);
        let (slot, _) = self.serving.insert(Serving { token, started: env.now }, false);
        env.after(span, slot);
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>) {
        let Some((serving, _)) = self.serving.mature(tag) else { return };
        self.tracker.complete(env.now, serving.started);
        self.tracker.sojourn(env.now, serving.started);
        served.push(serving.token);
    }

    fn is_live(&self, tag: u32) -> bool {
        self.serving.is_live(tag)
    }

    fn len(&self) -> usize {
        self.serving.len()
    }

    fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    fn tracker_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.serving.iter().for_each(|(_, serving)| visit(&serving.token));
    }
}
