//! A firing: what an action may do, through the arcs that its transition declared.

use crate::Time;
use crate::arc::{Bound, Cancel, Put, Reset, Take, Timer, UNBOUND, Update};
use crate::binding::{store_mut, store_of};
use crate::error::RunError;
use crate::marking::Marking;
use crate::monitor::Probe;
use crate::place::{Colour, Discipline, Key};
use crate::store::{AnyStore, Removed, View};
use crate::structure::{PageId, Stream, Structure, TransitionSpec};
use petrio_random::Generator;
use petrio_time::numbers::as_number;

use crate::calendar::DELAYED;

/// One firing of a transition. It takes no model time.
///
/// The action takes what its [`take`](crate::TransitionBuilder::take) arcs declare and puts what its
/// [`put`](crate::TransitionBuilder::put) arcs declare; the engine checks the numbers after every firing.
pub struct Firing<'a> {
    pub(crate) net: &'a Structure,
    pub(crate) marking: &'a mut Marking,
    pub(crate) transition: &'a TransitionSpec,
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
        let marking = &mut *self.marking;
        let store = store_mut::<T>(&mut *marking.stores[index]);
        let token = if self.binds && marking.slots[arc.arc as usize] != UNBOUND {
            let slot = marking.slots[arc.arc as usize];
            let token = store.ready.remove(slot);
            if self.transition.shares_places {
                follow(
                    self.transition,
                    self.net,
                    &mut marking.slots,
                    arc.place,
                    slot,
                    as_number(store.ready.len()),
                );
            }
            token
        } else {
            store.ready.pop()
        };
        let changed = store.level.leave_ready(marking.clock, 1);
        marking.left(self.net, arc.place, 1, changed);
        token.expect("an enabled transition has its tokens")
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

    /// Changes the resident tokens of two update arcs to different places at once.
    ///
    /// # Panics
    /// When both arcs lead to the same place, or one to a place that is not a state: bugs in the net.
    #[inline]
    pub fn update_two<A: Colour, B: Colour>(&mut self, a: Update<A>, b: Update<B>) -> (&mut A, &mut B) {
        let stores = self.marking.stores.get_disjoint_mut([a.place as usize, b.place as usize]);
        let [a, b] = stores.expect("the arcs lead to different places");
        (resident(&mut **a), resident(&mut **b))
    }

    /// Changes the resident tokens of three update arcs to different places at once.
    ///
    /// # Panics
    /// As of [`update_two`](Self::update_two).
    #[inline]
    pub fn update_three<A: Colour, B: Colour, C: Colour>(
        &mut self,
        a: Update<A>,
        b: Update<B>,
        c: Update<C>,
    ) -> (&mut A, &mut B, &mut C) {
        let places = [a.place as usize, b.place as usize, c.place as usize];
        let [a, b, c] =
            self.marking.stores.get_disjoint_mut(places).expect("the arcs lead to different places");
        (resident(&mut **a), resident(&mut **b), resident(&mut **c))
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

    /// How long what takes `span` takes on a page, at that page's speed: for what one page's transition begins on
    /// another's part. Put what comes of it with [`put_at_pace`](Self::put_at_pace).
    #[inline]
    pub fn span_on(&self, page: PageId, span: Time) -> Time {
        span.divided_by(self.marking.speeds[page.0 as usize])
    }

    /// Puts a token that is there after a delay which no speed factor touches: the time until a position is reached
    /// (a wheel's turn), a think time, an arrival.
    #[inline]
    pub fn put_at_pace<T: Colour>(&mut self, arc: Put<T>, token: T, delay: Time) -> Timer<T> {
        self.put_delayed(arc, token, delay)
    }

    #[inline]
    fn put_delayed<T: Colour>(&mut self, arc: Put<T>, token: T, delay: Time) -> Timer<T> {
        self.given += arc.counts;
        let marking = &mut *self.marking;
        let index = arc.place as usize;
        let Some(at) = Time::from_picos(marking.clock).checked_add(delay) else {
            self.overflow(delay);
            return self.put_delayed(Put::new(0, arc.place), token, Time::NEVER);
        };
        let store = store_mut::<T>(&mut *marking.stores[index]);
        store.level.enter(marking.clock);
        let (total, limited) = (store.level.total, store.level.limited);
        if store.level.observed {
            marking.observers.show(marking.clock, arc.place, &token);
        }
        let (slot, generation) = store.timed.insert(token, at.is_never());
        if !at.is_never() {
            marking.calendar.push(at.as_picos(), arc.place, DELAYED + slot);
        }
        if limited {
            marking.total_changed(&self.net.adjacency[index], total - 1, total);
        }
        Timer::new(arc.place, slot, generation)
    }

    #[cold]
    fn overflow(&mut self, delay: Time) {
        let origin = format!("transition \"{}\"", self.transition.path);
        self.marking.fault(RunError::Overflow { now: self.now(), origin, delay });
    }

    /// Cancels a delayed token: it is removed and returned. `None` where it has matured or was cancelled before.
    pub fn cancel<T: Colour>(&mut self, arc: Cancel<T>, timer: Timer<T>) -> Option<T> {
        debug_assert_eq!(arc.place, timer.place, "a timer is cancelled through an arc to its own place");
        let marking = &mut *self.marking;
        let index = arc.place as usize;
        let store = store_mut::<T>(&mut *marking.stores[index]);
        let (token, stale) = store.timed.cancel(timer.slot.0, timer.generation)?;
        store.level.leave(marking.clock, 1);
        let total = store.level.total;
        marking.stale += usize::from(stale);
        marking.total_changed(&self.net.adjacency[index], total + 1, total);
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
        let marking = &mut *self.marking;
        marking.stale += removed.stale;
        let level = marking.stores[place as usize].level_mut();
        let tokens = as_number(removed.ready + removed.delayed);
        level.leave(marking.clock, tokens);
        level.ready -= as_number(removed.ready);
        let changed = level.changed();
        marking.fewer_ready(self.net, place, as_number(removed.ready), changed);
        marking.total_changed(&self.net.adjacency[place as usize], changed.total + tokens, changed.total);
        tokens as usize
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
        let transition = self.transition.path.clone();
        self.marking.fault(RunError::Model { now: self.now(), transition, message: message.into() });
    }
}

/// The token of a state place.
fn resident<T: Colour>(store: &mut dyn AnyStore) -> &mut T {
    let store = store_mut::<T>(store);
    store.ready.first().and_then(|slot| store.ready.get_mut(slot)).expect("a state place keeps its token")
}

/// Removing a token moved others: follow them for the arcs that were bound to them. `left` tokens are left.
#[cold]
pub(crate) fn follow(
    transition: &TransitionSpec,
    net: &Structure,
    slots: &mut [u32],
    place: u32,
    removed: u32,
    left: u32,
) {
    for search in transition.searches.iter().filter(|search| search.place == place) {
        let slot = &mut slots[search.arc as usize];
        match net.places[place as usize].discipline {
            // Everything behind it moved up.
            Discipline::Fifo | Discipline::Station if *slot > removed && *slot != UNBOUND => *slot -= 1,
            // The last one filled the gap.
            Discipline::Bag if *slot == left => *slot = removed,
            _ => {}
        }
    }
}
