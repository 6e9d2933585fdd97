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
use crate::station::Env;
use crate::store::{DELAYED, View};

/// One firing of a transition. It takes no model time.
///
/// Input tokens that the action does not take are consumed all the same; output arcs declared with
/// [`put`](crate::TransitionBuilder::put) must get exactly their weight, which the engine checks.
pub struct Firing<'a> {
    pub(crate) net: &'a Net,
    pub(crate) marking: &'a mut Marking,
    pub(crate) transition: &'a Transition,
    /// Tokens taken by arc, eight bits each.
    pub(crate) taken: u128,
    /// Tokens put by arc, eight bits each.
    pub(crate) given: u128,
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
        self.taken += 1u128 << (8 * u32::from(arc.arc));
        let index = arc.place as usize;
        self.marking.levels[index].ready -= 1;
        self.marking.levels[index].leave(self.marking.clock, 1);
        let store = store_mut::<T>(&mut *self.marking.stores[index]);
        let slot = if self.binds { self.marking.slots[arc.arc as usize] } else { UNBOUND };
        let token = if slot == UNBOUND { store.ready.pop() } else { store.ready.remove(slot) };
        if self.transition.shares_places {
            let len = store.ready.len() as u32;
            let fifo = matches!(store.ready, crate::store::Ready::Fifo(_));
            self.move_slots(arc.place, arc.arc, slot, len, fifo);
        }
        self.marking.fewer(self.net, index);
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
        self.given += 1u128 << (8 * u32::from(arc.arc));
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
        self.given += 1u128 << (8 * u32::from(arc.arc));
        let marking = &mut *self.marking;
        let index = arc.place as usize;
        let at = match Time::from_picos(marking.clock).checked_add(delay) {
            Some(at) => at,
            None => {
                marking.overflow = Some(delay);
                Time::NEVER
            }
        };
        marking.levels[index].enter(marking.clock);
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
        marking.levels[index].leave(marking.clock, 1);
        marking.fewer(self.net, index);
        Some(token)
    }

    /// Removes all tokens of a place, ready or delayed; returns how many.
    pub fn reset<T: Colour>(&mut self, arc: Reset<T>) -> usize {
        let level = &mut self.marking.levels[arc.place as usize];
        let removed = store_mut::<T>(&mut *self.marking.stores[arc.place as usize]).reset(level);
        self.settle_reset(arc.place, removed)
    }

    /// Removes the tokens of one key from an `ordered`, `keyed` or `priority` place; returns how many.
    pub fn reset_key<T: Colour>(&mut self, arc: Reset<T>, key: Key) -> usize {
        self.reset_range(arc, key, key)
    }

    /// Removes the tokens whose key lies in `first..=last`; returns how many.
    pub fn reset_range<T: Colour>(&mut self, arc: Reset<T>, first: Key, last: Key) -> usize {
        let level = &mut self.marking.levels[arc.place as usize];
        let store = store_mut::<T>(&mut *self.marking.stores[arc.place as usize]);
        let removed = store.reset_keys(first, last, level);
        self.settle_reset(arc.place, removed)
    }

    fn settle_reset(&mut self, place: u32, (removed, stale): (usize, usize)) -> usize {
        self.marking.stale += stale;
        self.marking.levels[place as usize].leave(self.marking.clock, removed as u32);
        if removed > 0 {
            self.marking.fewer(self.net, place as usize);
        }
        removed
    }

    /// Tells the scheduler of a station that a token which it released is complete.
    pub fn complete<T: Colour>(&mut self, arc: Complete<T>, token: T) {
        let index = arc.place as usize;
        let spec = &self.net.places[index];
        let marking = &mut *self.marking;
        marking.levels[index].enter(marking.clock);
        let before = marking.levels[index].ready;
        let mut env = Env {
            now: marking.clock,
            place: arc.place,
            calendar: &mut marking.calendar,
            level: &mut marking.levels[index],
            random: &mut marking.generators[spec.stream as usize],
            speed: marking.speeds[spec.page as usize],
            stale: &mut marking.stale,
            overflow: &mut marking.overflow,
        };
        let store = store_mut::<T>(&mut *marking.stores[index]);
        if let Some(station) = &mut store.station {
            station.complete(token, &mut env, &mut store.ready);
        }
        if marking.levels[index].ready > before {
            marking.more(self.net, index);
        }
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
    }

    /// Ends the run with an error: the model can't go on. Say what was asked, why it is refused, and what to do.
    pub fn fail(&mut self, message: impl Into<String>) {
        if self.marking.fault.is_none() {
            self.marking.fault = Some(RunError::Model {
                now: self.now(),
                transition: self.transition.path.clone(),
                message: message.into(),
            });
        }
    }
}
