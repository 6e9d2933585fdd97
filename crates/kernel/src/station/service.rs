//! What a station is to its place: it takes tokens in, hears of its events, and gives tokens out that it has served.

use super::tracker::Tracker;
use crate::Time;
use crate::calendar::Calendar;
use crate::level::Level;
use crate::place::Colour;
use crate::tokens::Ready;
use petrio_persist::{Kept, Persist, persist_boxed};
use petrio_random::Generator;
use std::sync::Arc;

/// Draws the time that a server needs for a token.
pub(crate) type ServiceTime<T> = Arc<dyn Fn(&T, &mut Generator) -> Time + Send + Sync>;

/// What a place may touch while one of its events is handled.
pub(crate) struct Env<'a> {
    pub(crate) now: u64,
    pub(crate) place: u32,
    pub(crate) calendar: &'a mut Calendar,
    pub(crate) random: &'a mut Generator,
    /// The speed factor of the place's page.
    pub(crate) speed: f64,
    /// Calendar entries known to be stale.
    pub(crate) stale: &'a mut usize,
    /// Set when a point in time lies beyond the horizon.
    pub(crate) overflow: &'a mut Option<Time>,
}

impl Env<'_> {
    /// Schedules an event of this place after `span` of its page's time; returns when, or `None` for never.
    pub(super) fn after(&mut self, span: Time, tag: u32) -> Option<u64> {
        let span = span.divided_by(self.speed);
        if span.is_never() {
            return None;
        }
        match Time::from_picos(self.now).checked_add(span) {
            Some(at) => {
                self.calendar.push(at.as_picos(), self.place, tag);
                Some(at.as_picos())
            }
            None => {
                *self.overflow = Some(span);
                None
            }
        }
    }
}

/// Where a station puts what it has served.
pub(crate) struct Served<'a, T> {
    pub(crate) ready: &'a mut Ready<T>,
    pub(crate) level: &'a mut Level,
}

impl<T: Colour> Served<'_, T> {
    /// A served token is ready.
    pub(super) fn push(&mut self, token: T) {
        self.ready.push(token);
        self.level.ready += 1;
    }
}

/// A station at work in a marking.
pub(crate) trait Station<T: Colour>: Forked<T> + Kept + Send + Sync {
    fn arrive(&mut self, token: T, env: &mut Env<'_>, served: &mut Served<'_, T>);
    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>);
    fn is_live(&self, tag: u32) -> bool;
    /// Tokens waiting or in service.
    fn len(&self) -> usize;
    fn tracker(&self) -> &Tracker;
    fn tracker_mut(&mut self) -> &mut Tracker;
    /// Visits the tokens waiting or in service.
    fn for_each(&self, visit: &mut dyn FnMut(&T));
}

/// What every station has by itself, as a marking is forked.
pub(crate) trait Forked<T: Colour> {
    fn clone_box(&self) -> Box<dyn Station<T>>;
}

impl<T: Colour, S: Station<T> + Clone + 'static> Forked<T> for S {
    fn clone_box(&self) -> Box<dyn Station<T>> {
        Box::new(self.clone())
    }
}

impl<T: Colour> Clone for Box<dyn Station<T>> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

persist_boxed!([T: Colour] dyn Station<T>, "a station");

/// A token that waits, since when.
#[derive(Clone, Persist)]
pub(crate) struct Waiting<T> {
    pub(super) token: T,
    pub(super) arrived: u64,
}

/// A token in service, since when.
#[derive(Clone, Persist)]
pub(crate) struct Serving<T> {
    pub(super) token: T,
    pub(super) started: u64,
}
