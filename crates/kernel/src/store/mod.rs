//! A place's tokens in a marking: ready ones, delayed ones, and those in service.

mod keyed;
mod ready;
mod timed;
mod treap;
mod view;

pub(crate) use ready::Ready;
pub(crate) use timed::Timed;
pub use view::{Slot, View};

use crate::place::{Colour, Key};
use crate::station::{Env, Station, StationStatistics};
use std::any::Any;

/// What the engine needs of a store without knowing its colour.
pub(crate) trait AnyStore: Any + Send + Sync {
    fn clone_box(&self) -> Box<dyn AnyStore>;
    /// A delayed token of a plain place is due and becomes ready; says whether it came from outside, `None` where it
    /// was cancelled.
    fn mature(&mut self, tag: u32) -> Option<bool>;
    /// A calendar entry of a station is due.
    fn event(&mut self, tag: u32, env: &mut Env<'_>);
    /// Drops a consumed token that the action did not ask for.
    fn discard(&mut self, slot: Option<u32>);
    /// The token that goes first.
    fn first(&self) -> Option<u32>;
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

/// The tokens of one place.
pub(crate) struct PlaceStore<T: Colour> {
    pub(crate) ready: Ready<T>,
    pub(crate) timed: Timed<T>,
    pub(crate) station: Option<Box<dyn Station<T>>>,
}

impl<T: Colour> Clone for PlaceStore<T> {
    fn clone(&self) -> Self {
        Self { ready: self.ready.clone(), timed: self.timed.clone(), station: self.station.clone() }
    }
}

impl<T: Colour> PlaceStore<T> {
    pub(crate) fn new(ready: Ready<T>, station: Option<Box<dyn Station<T>>>) -> Self {
        Self { ready, timed: Timed::default(), station }
    }

    /// A token arrives now: it is ready at once, or a station takes it.
    #[inline]
    pub(crate) fn arrive(&mut self, token: T, env: &mut Env<'_>) {
        match &mut self.station {
            None => {
                self.ready.push(token);
                env.level.ready += 1;
            }
            Some(station) => station.arrive(token, env, &mut self.ready),
        }
    }

    /// Removes delayed tokens for which `doomed` holds.
    fn cancel_delayed(&mut self, ready: usize, doomed: impl FnMut(&T) -> bool) -> Removed {
        let found = self.timed.find(doomed);
        let stale = found
            .iter()
            .filter_map(|(slot, generation)| self.timed.cancel(*slot, *generation))
            .filter(|(_, stale)| *stale)
            .count();
        Removed { ready, delayed: found.len(), stale }
    }

    /// Removes every token, ready or delayed. Tokens in service stay: a station is reset by its scheduler.
    pub(crate) fn reset(&mut self) -> Removed {
        let ready = self.ready.clear();
        self.cancel_delayed(ready, |_| true)
    }

    /// Removes the tokens with keys in a range, ready or delayed.
    pub(crate) fn reset_keys(&mut self, first: Key, last: Key) -> Removed {
        let ready = self.ready.remove_keys(first, last);
        match self.ready.key_of().cloned() {
            Some(key_of) => self.cancel_delayed(ready, |token| (first..=last).contains(&key_of(token))),
            None => Removed { ready, delayed: 0, stale: 0 },
        }
    }
}

/// What a reset arc removed.
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

    #[inline]
    fn mature(&mut self, tag: u32) -> Option<bool> {
        let (token, from_outside) = self.timed.mature(tag - DELAYED)?;
        self.ready.push(token);
        Some(from_outside)
    }

    #[inline]
    fn event(&mut self, tag: u32, env: &mut Env<'_>) {
        match tag.checked_sub(DELAYED) {
            // A token whose delay is over arrives.
            Some(slot) => match self.timed.mature(slot) {
                Some((token, from_outside)) => {
                    if from_outside {
                        env.level.enter(env.now);
                    }
                    self.arrive(token, env);
                }
                None => *env.stale -= 1,
            },
            None => {
                if let Some(station) = &mut self.station {
                    station.event(tag, env, &mut self.ready);
                }
            }
        }
    }

    fn discard(&mut self, slot: Option<u32>) {
        match slot {
            Some(slot) => drop(self.ready.remove(slot)),
            None => drop(self.ready.pop()),
        }
    }

    fn first(&self) -> Option<u32> {
        self.ready.first()
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
        if let Some(station) = &mut self.station {
            station.tracker_mut().reset(now);
        }
    }
}

/// Calendar tags from here on are slots of delayed tokens; below are a station's own.
pub(crate) const DELAYED: u32 = 1 << 31;
