//! A place's tokens in a marking: ready ones, delayed ones, and those in service.

mod view;

pub use view::{Slot, View};

use crate::calendar::DELAYED;
use crate::level::Level;
use crate::place::{Colour, Key};
use crate::station::{Env, Served, Station, StationStatistics};
use crate::tokens::{Ready, Timed};
use petrio_persist::{Kept, Persist, persist_boxed};
use std::any::Any;

/// What the engine needs of a store without knowing its colour.
pub(crate) trait AnyStore: Any + Kept + Send + Sync {
    fn clone_box(&self) -> Box<dyn AnyStore>;
    fn level(&self) -> &Level;
    fn level_mut(&mut self) -> &mut Level;
    /// A calendar entry is due: of a plain place, its token becomes ready.
    fn mature(&mut self, tag: u32, now: u64) -> (Matured, &Level);
    /// A calendar entry of a station is due.
    fn event(&mut self, tag: u32, env: &mut Env<'_>);
    /// Drops consumed tokens that the action did not ask for; returns the place's counters.
    fn discard(&mut self, slot: Option<u32>, tokens: u32, now: u64) -> &Level;
    /// The next token of a scan.
    fn scan(&self, after: Option<u32>) -> Option<u32>;
    /// Whether a calendar entry still means something.
    fn is_live(&self, tag: u32) -> bool;
    /// The calendar has dropped a stale entry.
    fn forget(&mut self, tag: u32);
    /// Tokens ready, and tokens in all.
    fn census(&self) -> (usize, usize);
    fn station_statistics(&self, now: u64) -> Option<StationStatistics>;
    fn reset_statistics(&mut self, now: u64);
}

persist_boxed!(dyn AnyStore, "a place");

/// What a calendar entry that is due came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matured {
    /// A token of the place is ready.
    Ready,
    /// A token is ready that came from outside, so that the place holds one more.
    FromOutside,
    /// It was cancelled.
    Cancelled,
    /// The place is a station, which has to be told.
    ForStation,
}

/// The tokens of one place, and its counters: together, because a firing touches both.
///
/// In this order: of a small colour, all that a plain place needs for a firing lies in two lines of 64 bytes.
#[repr(C)]
#[derive(Persist)]
#[persist(part)]
pub(crate) struct PlaceStore<T: Colour> {
    pub(crate) level: Level,
    pub(crate) timed: Timed<T>,
    pub(crate) ready: Ready<T>,
    pub(crate) station: Option<Box<dyn Station<T>>>,
}

impl<T: Colour> Clone for PlaceStore<T> {
    fn clone(&self) -> Self {
        Self {
            level: self.level.clone(),
            ready: self.ready.clone(),
            timed: self.timed.clone(),
            station: self.station.clone(),
        }
    }
}

impl<T: Colour> PlaceStore<T> {
    pub(crate) fn new(ready: Ready<T>, station: Option<Box<dyn Station<T>>>) -> Self {
        Self { level: Level::default(), ready, timed: Timed::default(), station }
    }

    /// Visits every token: ready, delayed, waiting and in service.
    pub(crate) fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.ready.for_each(&mut *visit);
        self.timed.iter().for_each(|(_, token)| visit(token));
        if let Some(station) = &self.station {
            station.for_each(visit);
        }
    }

    /// A token arrives now: it is ready at once, or a station takes it.
    #[inline]
    pub(crate) fn arrive(&mut self, token: T, env: &mut Env<'_>) {
        match &mut self.station {
            None => {
                self.ready.push(token);
                self.level.ready += 1;
            }
            Some(station) => {
                station.arrive(token, env, &mut Served { ready: &mut self.ready, level: &mut self.level });
            }
        }
    }

    /// Removes every token, ready or delayed. Tokens in service stay: a station is reset by its scheduler.
    pub(crate) fn reset(&mut self) -> Removed {
        let ready = self.ready.clear();
        let (delayed, stale) = self.timed.cancel_all(|_| true);
        Removed { ready, delayed, stale }
    }

    /// Removes the tokens with keys in a range, ready or delayed.
    pub(crate) fn reset_keys(&mut self, first: Key, last: Key) -> Removed {
        let ready = self.ready.remove_keys(first, last);
        let (delayed, stale) = match self.ready.key_of() {
            Some(key_of) => self.timed.cancel_all(|token| (first..=last).contains(&key_of(token))),
            None => (0, 0),
        };
        Removed { ready, delayed, stale }
    }
}

/// What a reset arc removed.
#[derive(Clone, Copy)]
pub(crate) struct Removed {
    pub(crate) ready: usize,
    pub(crate) delayed: usize,
    /// Calendar entries that are stale now.
    pub(crate) stale: usize,
}

impl<T: Colour> AnyStore for PlaceStore<T> {
    fn clone_box(&self) -> Box<dyn AnyStore> {
        Box::new(self.clone())
    }

    fn level(&self) -> &Level {
        &self.level
    }

    fn level_mut(&mut self) -> &mut Level {
        &mut self.level
    }

    fn mature(&mut self, tag: u32, now: u64) -> (Matured, &Level) {
        if !self.level.plain {
            return (Matured::ForStation, &self.level);
        }
        let Some((token, from_outside)) = self.timed.mature(tag - DELAYED) else {
            return (Matured::Cancelled, &self.level);
        };
        self.ready.push(token);
        if from_outside {
            self.level.enter(now);
        }
        self.level.ready += 1;
        (if from_outside { Matured::FromOutside } else { Matured::Ready }, &self.level)
    }

    fn event(&mut self, tag: u32, env: &mut Env<'_>) {
        match tag.checked_sub(DELAYED) {
            // A token whose delay is over arrives.
            Some(slot) => match self.timed.mature(slot) {
                Some((token, from_outside)) => {
                    if from_outside {
                        self.level.enter(env.now);
                    }
                    self.arrive(token, env);
                }
                None => *env.stale -= 1,
            },
            None => {
                if let Some(station) = &mut self.station {
                    station.event(tag, env, &mut Served { ready: &mut self.ready, level: &mut self.level });
                }
            }
        }
    }

    fn discard(&mut self, slot: Option<u32>, tokens: u32, now: u64) -> &Level {
        match slot {
            Some(slot) => drop(self.ready.remove(slot)),
            None => (0..tokens).for_each(|_| drop(self.ready.pop())),
        }
        self.level.leave_ready(now, tokens);
        &self.level
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        self.ready.scan(after)
    }

    fn is_live(&self, tag: u32) -> bool {
        match tag.checked_sub(DELAYED) {
            Some(slot) => self.timed.is_live(slot),
            None => self.station.as_ref().is_some_and(|station| station.is_live(tag)),
        }
    }

    fn forget(&mut self, tag: u32) {
        if let Some(slot) = tag.checked_sub(DELAYED) {
            self.timed.forget(slot);
        }
    }

    fn census(&self) -> (usize, usize) {
        let ready = self.ready.len();
        let served = self.station.as_ref().map_or(0, |station| station.len());
        (ready, ready + self.timed.len() + served)
    }

    fn station_statistics(&self, now: u64) -> Option<StationStatistics> {
        self.station.as_ref().map(|station| station.tracker().statistics(now))
    }

    fn reset_statistics(&mut self, now: u64) {
        self.level.reset(now);
        if let Some(station) = &mut self.station {
            station.tracker_mut().reset(now);
        }
    }
}
