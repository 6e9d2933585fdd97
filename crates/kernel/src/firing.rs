//! A firing: what an action may do, through the arcs that its transition declared.

use crate::Time;
use crate::arc::{Bound, Cancel, Complete, Put, Reset, Take, Timer, UNBOUND, Update};
use crate::binding::{store_mut, store_of};
use crate::error::RunError;
use crate::marking::Marking;
use crate::monitor::Probe;
use crate::net::{Net, Transition};
use crate::place::{Colour, Key};
use crate::random::{Generator, Stream};
use crate::store::{DELAYED, Removed, View};

/// One firing of a transition. It takes no model time.
///
/// The action takes what its [`take`](crate::TransitionBuilder::take) arcs declare and puts what its
/// [`put`](crate::TransitionBuilder::put) arcs declare; the engine checks the numbers after every firing.
pub struct Firing<'a> {
    pub(crate) net: &'a Net,
    pub(crate) marking: &'a mut Marking,
    pub(crate) transition: &'a Transition,
    /// Tokens taken.
    pub(crate) taken: u32,
    /// Tokens put on exact arcs.
    pub(crate) given: u32,
    pub(crate) binds: bool,
}

impl Firing<'_> {
    /// The clock.
    #[inline]
    pub fn now(&self) -> Time {
        Time::from_picos(self.marking.clock)
    }

    /// Takes the token bound to an input arc; with a weight above one, call it as many times.
    ///
    /// # Panics
    /// When called more often than the arc's weight, which is a bug in the net.
    #[inline]
    pub fn take<T: Colour>(&mut self, arc: Take<T>) -> T {
        self.taken += 1;
        let index = arc.place as usize;
        let store = store_mut::<T>(&mut *self.marking.stores[index]);
        let slot = if self.binds { self.marking.slots[arc.arc as usize] } else { UNBOUND };
        let token = if slot == UNBOUND { store.ready.pop() } else { store.ready.remove(slot) };
        if self.transition.shares_places {
            let len = store.ready.len() as u32;
            let fifo = matches!(store.ready, crate::store::Ready::Fifo(_));
            self.move_slots(arc.place, arc.arc, slot, len, fifo);
        }
        self.marking.leave(self.net, index, 1, true);
        token.expect("an enabled transition has its tokens")
    }

    /// Removing a token moved others: follow them for the arcs that were bound to them.
    #[cold]
    fn move_slots(&mut self, place: u32, arc: u8, removed: u32, len: u32, fifo: bool) {
        let removed = if removed == UNBOUND { 0 } else { removed };
        for search in &self.transition.searches {
            if search.place != place || search.arc == arc {
                continue;
            }
            let slot = &mut self.marking.slots[search.arc as usize];
            if *slot == UNBOUND {
                continue;
            }
            if fifo && *slot > removed {
                *slot -= 1;
            } else if !fifo && *slot == len && removed < len && self.net.places[place as usize].moves_last() {
                *slot = removed;
            }
        }
    }

    /// Looks at the token bound to an arc.
    ///
    /// # Panics
    /// After the token was taken, which is a bug in the net.
    #[inline]
    pub fn get<T: Colour>(&self, arc: impl Bound<T>) -> &T {
        let (arc, place) = arc.position();
        let store = store_of::<T>(&*self.marking.stores[place as usize]);
        let slot = if self.binds { self.marking.slots[arc as usize] } else { UNBOUND };
        let slot = if slot == UNBOUND { store.ready.first() } else { Some(slot) };
        slot.and_then(|slot| store.ready.get(slot)).expect("a bound token is there until it is taken")
    }

    /// Changes the token of an update arc in place.
    ///
    /// # Panics
    /// On a bug in the net only: the arc's token is there while its transition fires.
    #[inline]
    pub fn update<T: Colour>(&mut self, arc: Update<T>) -> &mut T {
        let slot = if self.binds { self.marking.slots[arc.arc as usize] } else { UNBOUND };
        let store = store_mut::<T>(&mut *self.marking.stores[arc.place as usize]);
        let slot = if slot == UNBOUND { store.ready.first() } else { Some(slot) };
        slot.and_then(|slot| store.ready.get_mut(slot)).expect("a bound token can be changed in place")
    }

    /// Everything ready in the place of an arc.
    pub fn view<T: Colour>(&self, arc: impl Bound<T>) -> View<'_, T> {
        View { store: store_of(&*self.marking.stores[arc.position().1 as usize]) }
    }

    /// Puts a token that is there at once.
    #[inline]
    pub fn put<T: Colour>(&mut self, arc: Put<T>, token: T) {
        self.given += arc.counts;
        self.marking.arrive(self.net, arc.place, token);
    }

    /// Puts a token that is there after a delay; the page's speed factor divides the delay. A delay of
    /// [`Time::NEVER`] ends never, but can be cancelled.
    #[inline]
    pub fn put_after<T: Colour>(&mut self, arc: Put<T>, token: T, delay: Time) -> Timer<T> {
        let speed = self.marking.speeds[self.transition.page as usize];
        self.put_delayed(arc, token, delay.divided_by(speed))
    }

    /// Puts a token that is there after a delay which no speed factor touches: the time until a position is reached
    /// (a platter's turn), a think time, an arrival.
    #[inline]
    pub fn put_at_pace<T: Colour>(&mut self, arc: Put<T>, token: T, delay: Time) -> Timer<T> {
        self.put_delayed(arc, token, delay)
    }

    #[inline]
    fn put_delayed<T: Colour>(&mut self, arc: Put<T>, token: T, delay: Time) -> Timer<T> {
        self.given += arc.counts;
        let marking = &mut *self.marking;
        let index = arc.place as usize;
        let at = match Time::from_picos(marking.clock).checked_add(delay) {
            Some(at) => at,
            None => {
                marking.overflow = Some(delay);
                marking.attention = true;
                Time::NEVER
            }
        };
        marking.enter(self.net, index);
        if marking.levels[index].observed {
            marking.observe(arc.place, &token);
        }
        let store = store_mut::<T>(&mut *marking.stores[index]);
        let (slot, generation) = store.timed.insert(token, at.is_never());
        if !at.is_never() {
            marking.calendar.push(at.as_picos(), arc.place, DELAYED + slot);
        }
        Timer::new(arc.place, slot, generation)
    }

    /// Cancels a delayed token: it is removed and returned. `None` where it has matured or was cancelled before.
    pub fn cancel<T: Colour>(&mut self, arc: Cancel<T>, timer: Timer<T>) -> Option<T> {
        debug_assert_eq!(arc.place, timer.place, "a timer is cancelled through an arc to its own place");
        let marking = &mut *self.marking;
        let index = arc.place as usize;
        let store = store_mut::<T>(&mut *marking.stores[index]);
        let (token, stale) = store.timed.cancel(timer.slot.0, timer.generation)?;
        marking.stale += usize::from(stale);
        marking.leave(self.net, index, 1, false);
        Some(token)
    }

    /// Removes all tokens of a place, ready or delayed; returns how many. Tokens in service stay.
    pub fn reset<T: Colour>(&mut self, arc: Reset<T>) -> usize {
        let removed = store_mut::<T>(&mut *self.marking.stores[arc.place as usize]).reset();
        self.settle_reset(arc.place, removed)
    }

    /// Removes the tokens of one key from an `ordered`, `keyed` or `priority` place; returns how many.
    pub fn reset_key<T: Colour>(&mut self, arc: Reset<T>, key: Key) -> usize {
        self.reset_range(arc, key, key)
    }

    /// Removes the tokens whose key lies in `first..=last`; returns how many.
    pub fn reset_range<T: Colour>(&mut self, arc: Reset<T>, first: Key, last: Key) -> usize {
        let removed = store_mut::<T>(&mut *self.marking.stores[arc.place as usize]).reset_keys(first, last);
        self.settle_reset(arc.place, removed)
    }

    fn settle_reset(&mut self, place: u32, removed: Removed) -> usize {
        self.marking.stale += removed.stale;
        if removed.ready > 0 {
            self.marking.leave(self.net, place as usize, removed.ready as u32, true);
        }
        if removed.delayed > 0 {
            self.marking.leave(self.net, place as usize, removed.delayed as u32, false);
        }
        removed.ready + removed.delayed
    }

    /// Tells the scheduler of a station that a token which it released is complete.
    pub fn complete<T: Colour>(&mut self, arc: Complete<T>, token: T) {
        self.marking.enter(self.net, arc.place as usize);
        self.marking.at_station(self.net, arc.place, |store, env| {
            let store = store_mut::<T>(store);
            if let Some(station) = &mut store.station {
                station.complete(token, env, &mut store.ready);
            }
        });
    }

    /// The generator of a stream.
    #[inline]
    pub fn random(&mut self, stream: Stream) -> &mut Generator {
        &mut self.marking.generators[stream.0 as usize]
    }

    /// Feeds a probe.
    #[inline]
    pub fn record(&mut self, probe: Probe, value: f64) {
        self.marking.probes[probe.0 as usize].record(value);
    }

    /// Ends the run after this firing with [`Pause::Stopped`](crate::Pause::Stopped).
    pub fn stop(&mut self) {
        self.marking.stop = true;
        self.marking.attention = true;
    }

    /// Ends the run with an error: the model can't go on. Say what was asked, why it is refused, and what to do.
    pub fn fail(&mut self, message: impl Into<String>) {
        if self.marking.fault.is_none() {
            self.marking.attention = true;
            self.marking.fault = Some(Box::new(RunError::Model {
                now: self.now(),
                transition: self.transition.path.clone(),
                message: message.into(),
            }));
        }
    }
}
