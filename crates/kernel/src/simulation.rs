//! Running a net: stepping, and the exchange of tokens with the outside.

use crate::Time;
use crate::arc::UNBOUND;
use crate::binding::{bind, store_mut, store_of};
use crate::error::RunError;
use crate::firing::Firing;
use crate::marking::Marking;
use crate::monitor::{Observer, Probe};
use crate::net::{Net, Transition};
use crate::place::{Colour, Place};
use std::sync::Arc;

/// Firings at one instant after which time is said to stand still.
const LIVELOCK: u64 = 50_000_000;
/// Stale calendar entries that are tolerated before they are dropped.
const STALE: usize = 4_096;

/// Why a run paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The time asked for has come.
    Time,
    /// The number of firings asked for is reached.
    Firings,
    /// Nothing is enabled and nothing will mature: the net is dead until a token is injected.
    Dead,
    /// An action asked to stop.
    Stopped,
}

/// A marking and its net: a run that can be stepped, fed and observed from outside.
#[derive(Clone)]
pub struct Simulation {
    net: Arc<Net>,
    marking: Marking,
    at_this_instant: u64,
}

impl Simulation {
    /// A run from the initial marking.
    pub fn new(net: &Arc<Net>, seed: u64, replication: u64) -> Self {
        Self { net: Arc::clone(net), marking: net.marking(seed, replication), at_this_instant: 0 }
    }

    /// A run from a marking of the net, for instance a clone of another run's.
    ///
    /// # Errors
    /// [`RunError::WrongNet`] where the marking belongs to another net.
    pub fn from_marking(net: &Arc<Net>, marking: Marking) -> Result<Self, RunError> {
        if marking.net_address != Arc::as_ptr(net) as usize {
            return Err(RunError::WrongNet);
        }
        Ok(Self { net: Arc::clone(net), marking, at_this_instant: 0 })
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// The marking.
    pub fn marking(&self) -> &Marking {
        &self.marking
    }

    /// The marking, to reset statistics or set speed factors.
    pub fn marking_mut(&mut self) -> &mut Marking {
        &mut self.marking
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.marking.now()
    }

    /// When something can happen next: now, if a transition may be enabled; else when the next token matures; `None`
    /// where the net is dead. (A cancelled token's time may be named too.)
    pub fn next_time(&mut self) -> Option<Time> {
        self.settle().ok()?;
        self.marking.calendar.next_time().map(Time::from_picos)
    }

    /// Fires what is enabled now.
    fn settle(&mut self) -> Result<Pause, RunError> {
        let clock = self.marking.clock;
        self.run(Time::from_picos(clock), u64::MAX)
    }

    /// Runs until the clock shows `time` and everything at that time has happened.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run_until(&mut self, time: Time) -> Result<Pause, RunError> {
        self.run(time, u64::MAX)
    }

    /// Runs for a number of firings.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run_firings(&mut self, firings: u64) -> Result<Pause, RunError> {
        self.run(Time::NEVER, firings)
    }

    /// Runs until nothing is left to happen.
    ///
    /// # Errors
    /// See [`RunError`]; a net that never dies ends in nothing but an error, so prefer a bound.
    pub fn run_to_end(&mut self) -> Result<Pause, RunError> {
        self.run(Time::NEVER, u64::MAX)
    }

    /// Runs until `time`, for at most `firings`, whichever comes first.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run(&mut self, time: Time, firings: u64) -> Result<Pause, RunError> {
        let net = &*self.net;
        let marking = &mut self.marking;
        let until = time.as_picos();
        let mut left = firings;
        loop {
            while let Some(index) = marking.worklist.pop(marking.conflict.as_mut()) {
                if left == 0 {
                    marking.worklist.push(index);
                    return Ok(Pause::Firings);
                }
                let transition = &net.transitions[index as usize];
                if !enabled(transition, net, marking) {
                    continue;
                }
                fire(index, transition, net, marking)?;
                left -= 1;
                self.at_this_instant += 1;
                if self.at_this_instant > LIVELOCK {
                    return Err(livelock(net, marking, self.at_this_instant));
                }
                if marking.stop {
                    marking.stop = false;
                    return Ok(Pause::Stopped);
                }
            }
            let Some(next) = marking.calendar.next_time() else {
                if until != u64::MAX {
                    marking.clock = marking.clock.max(until);
                    self.at_this_instant = 0;
                }
                return Ok(Pause::Dead);
            };
            if next > until {
                marking.clock = marking.clock.max(until);
                return Ok(Pause::Time);
            }
            if next > marking.clock {
                self.at_this_instant = 0;
            }
            marking.clock = next;
            while let Some(entry) = marking.calendar.pop_at(next) {
                marking.event(net, entry.place, entry.tag);
            }
            if let Some(delay) = marking.overflow.take() {
                return Err(RunError::Overflow { now: marking.now(), origin: "a service time".to_owned(), delay });
            }
            if marking.stale > STALE && marking.stale * 2 > marking.calendar.len() {
                marking.purge_calendar();
            }
        }
    }

    /// A token arrives from outside at a port (any place) at a time that is not in the past.
    ///
    /// # Errors
    /// [`RunError::Past`] where the clock has gone beyond `at`.
    pub fn inject<T: Colour>(&mut self, port: Place<T>, token: T, at: Time) -> Result<(), RunError> {
        if at < self.now() {
            let place = self.net.places[port.index()].path.clone();
            return Err(RunError::Past { place, at, now: self.now() });
        }
        if !at.is_never() {
            self.marking.insert(&self.net, port.index, token, at.as_picos(), true);
        }
        Ok(())
    }

    /// Takes the ready tokens out of a port, in the order of its discipline.
    pub fn drain<T: Colour>(&mut self, port: Place<T>) -> impl Iterator<Item = T> + '_ {
        let index = port.index();
        let marking = &mut self.marking;
        let net = &*self.net;
        std::iter::from_fn(move || {
            let token = store_mut::<T>(&mut *marking.stores[index]).ready.pop()?;
            marking.levels[index].ready -= 1;
            marking.levels[index].leave(marking.clock, 1);
            marking.fewer(net, index);
            Some(token)
        })
    }

    /// Attaches a histogram and batch means to a probe.
    pub fn attach_histogram(&mut self, probe: Probe) {
        self.marking.probes[probe.0 as usize].attach();
    }

    /// The probe of a path.
    pub fn find_probe(&self, path: &str) -> Option<Probe> {
        self.net.probes.iter().position(|probe| probe.path == path).map(|index| Probe(index as u32))
    }

    /// Observes the tokens that arrive at a place from now on: each is added to `state`. Read it back with
    /// [`Simulation::observed`].
    pub fn observe<T: Colour, S: Clone + Send + Sync + 'static>(
        &mut self,
        place: Place<T>,
        state: S,
        add: impl Fn(&mut S, Time, &T) + Clone + Send + Sync + 'static,
    ) {
        self.marking.levels[place.index()].observed = true;
        self.marking.observers.push((place.index, Box::new(Observer::<T, S, _>::new(state, add))));
    }

    /// The state of the first observer of a place whose state is of this type.
    pub fn observed<T: Colour, S: 'static>(&self, place: Place<T>) -> Option<&S> {
        self.marking
            .observers
            .iter()
            .filter(|(index, _)| *index == place.index)
            .find_map(|(_, observer)| observer.state().downcast_ref())
    }

    /// Checks that no token was lost or made: every place's counters agree with its contents, and every declared
    /// conserved quantity has its initial value.
    ///
    /// # Errors
    /// [`RunError::Conservation`] naming the place or quantity.
    pub fn check_conservation(&self) -> Result<(), RunError> {
        let error = |what| Err(RunError::Conservation { now: self.now(), what });
        for (index, store) in self.marking.stores.iter().enumerate() {
            let (ready, total) = store.census();
            let level = &self.marking.levels[index];
            if (ready, total) != (level.ready as usize, level.total as usize) {
                return error(format!(
                    "place \"{}\" holds {total} tokens ({ready} ready), but its counters say {} ({})",
                    self.net.places[index].path, level.total, level.ready
                ));
            }
        }
        for quantity in &self.net.conserved {
            let now: i64 = quantity
                .places
                .iter()
                .map(|(place, weight)| weight * i64::from(self.marking.levels[*place as usize].total))
                .sum();
            if now != quantity.initial {
                return error(format!("the conserved quantity \"{}\" is {now}, not {}", quantity.path, quantity.initial));
            }
        }
        Ok(())
    }

    /// Visits every token of a place: ready, delayed, waiting and in service.
    pub fn for_each_token<T: Colour>(&self, place: Place<T>, mut visit: impl FnMut(&T)) {
        let store = store_of::<T>(&*self.marking.stores[place.index()]);
        store.ready.for_each(&mut visit);
        store.timed.iter().for_each(|(_, token)| visit(token));
        if let Some(station) = &store.station {
            station.for_each(&mut visit);
        }
    }
}

/// Whether a transition can fire; leaves the tokens that it would take in the marking's slots.
#[inline]
fn enabled(transition: &Transition, net: &Net, marking: &mut Marking) -> bool {
    if !transition.tests.iter().all(|test| test.holds(&marking.levels, &net.capacities)) {
        return false;
    }
    if transition.searches.is_empty() && transition.guard.is_none() {
        return true;
    }
    marking.slots.fill(UNBOUND);
    let now = marking.now();
    bind(&transition.searches, 0, transition.guard.as_ref(), &marking.stores, &mut marking.slots, now)
}

#[inline]
fn fire(index: u32, transition: &Transition, net: &Net, marking: &mut Marking) -> Result<(), RunError> {
    marking.firings[index as usize] += 1;
    marking.firings_total += 1;
    let binds = !transition.searches.is_empty();
    let mut firing = Firing { net, marking, transition, taken: 0, given: 0, binds };
    (transition.action)(&mut firing);
    let Firing { taken, given, .. } = firing;
    if taken != transition.takes_packed {
        discard_rest(transition, net, marking, taken);
    }
    for &place in &transition.changes {
        for &reader in &net.on_change[place as usize] {
            marking.worklist.push(reader);
        }
    }
    if transition.tests.iter().all(|test| test.holds(&marking.levels, &net.capacities)) {
        marking.worklist.push(index);
    }
    if let Some(fault) = marking.fault.take() {
        return Err(fault);
    }
    if let Some(delay) = marking.overflow.take() {
        let origin = format!("transition \"{}\"", transition.path);
        return Err(RunError::Overflow { now: marking.now(), origin, delay });
    }
    if given & transition.puts_mask != transition.puts_packed {
        return Err(RunError::ArcContract { now: marking.now(), transition: transition.path.clone() });
    }
    Ok(())
}

/// Consumes the input tokens that the action did not ask for.
fn discard_rest(transition: &Transition, net: &Net, marking: &mut Marking, taken: u128) {
    for &(arc, place, weight) in &transition.takes {
        let got = (taken >> (8 * u32::from(arc))) as u8;
        for _ in u32::from(got)..weight {
            let index = place as usize;
            let slot = if transition.searches.is_empty() { UNBOUND } else { marking.slots[arc as usize] };
            marking.stores[index].discard((slot != UNBOUND).then_some(slot));
            marking.levels[index].ready -= 1;
            marking.levels[index].leave(marking.clock, 1);
            marking.fewer(net, index);
        }
    }
}

#[cold]
fn livelock(net: &Net, marking: &Marking, firings: u64) -> RunError {
    let busiest = marking.firings.iter().enumerate().max_by_key(|(_, firings)| **firings).map_or(0, |(index, _)| index);
    RunError::Livelock { now: marking.now(), firings, transition: net.transitions[busiest].path.clone() }
}
