//! Running a net: stepping, and the exchange of tokens with the outside.

use crate::Time;
use crate::arc::UNBOUND;
use crate::binding::{bind, store_mut, store_of};
use crate::error::RunError;
use crate::firing::{Firing, follow};
use crate::marking::Marking;
use crate::monitor::{Observer, Probe};
use crate::net::{Net, Transition};
use crate::place::{Colour, Place};
use crate::structure::{Structure, TransitionSpec};
use petrio_persist::Persist;
use petrio_time::numbers::as_number;
use std::sync::Arc;

/// Firings at one instant after which time is said to stand still, unless told otherwise.
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
#[derive(Clone, Persist)]
pub struct Simulation {
    #[persist(keep)]
    net: Arc<Net>,
    marking: Marking,
    /// Firings before the clock came to where it is.
    instant_began: u64,
    /// Firings allowed at one instant.
    instant_limit: u64,
}

impl Simulation {
    /// A run from the initial marking.
    pub fn new(net: &Arc<Net>, seed: u64, replication: u64) -> Self {
        Self {
            net: Arc::clone(net),
            marking: net.marking(seed, replication),
            instant_began: 0,
            instant_limit: LIVELOCK,
        }
    }

    /// A run from a marking of the net, for instance a clone of another run's.
    ///
    /// # Errors
    /// [`RunError::WrongNet`] where the marking belongs to another net.
    pub fn from_marking(net: &Arc<Net>, marking: Marking) -> Result<Self, RunError> {
        if marking.net_address != Arc::as_ptr(net) as usize {
            return Err(RunError::WrongNet);
        }
        let instant_began = marking.firings_total;
        Ok(Self { net: Arc::clone(net), marking, instant_began, instant_limit: LIVELOCK })
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// The marking.
    pub fn marking(&self) -> &Marking {
        &self.marking
    }

    /// The marking, to reset statistics.
    pub fn marking_mut(&mut self) -> &mut Marking {
        &mut self.marking
    }

    /// Sets a page's own speed factor: 2 halves the delays and service times that begin on it and on the pages below.
    /// Geometry and positions stay as they are. Factors must be positive.
    ///
    /// What is in progress keeps the end that was computed when it began.
    pub fn set_speed(&mut self, page: usize, factor: f64) {
        self.marking.set_speed(&self.net.structure, page, factor);
    }

    /// Draws from other random streams from here on, from the beginning of those of this seed and replication; what has been drawn
    /// stays.
    pub fn reseed(&mut self, seed: u64, replication: u64) {
        self.marking.reseed(&self.net.structure, seed, replication);
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.marking.now()
    }

    /// Sets how many firings at one instant mean that time stands still: 50 million unless told otherwise.
    pub fn limit_firings_at_one_instant(&mut self, firings: u64) {
        self.instant_limit = firings;
    }

    /// Lets everything happen that happens now, and says when something can happen next; `None` where the net is dead.
    /// (A cancelled token's time may be named too.)
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn next_time(&mut self) -> Result<Option<Time>, RunError> {
        self.run(self.now(), u64::MAX)?;
        Ok(self.marking.calendar.next_time().map(Time::from_picos))
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
        let enough = marking.firings_total.saturating_add(firings);
        loop {
            if marking.attention && attend(marking)? {
                return Ok(Pause::Stopped);
            }
            let limit = enough.min(self.instant_began.saturating_add(self.instant_limit));
            loop {
                if marking.firings_total >= limit {
                    if marking.firings_total >= enough {
                        return Ok(Pause::Firings);
                    }
                    if !marking.agenda.is_empty() {
                        return Err(livelock(net, marking, self.instant_limit));
                    }
                }
                let Some(index) = next_transition(marking) else { break };
                let transition = &net.transitions[index as usize];
                if !enabled(index, &transition.spec, marking) {
                    continue;
                }
                fire(index, transition, &net.structure, marking);
                if marking.attention && attend(marking)? {
                    return Ok(Pause::Stopped);
                }
            }
            let Some(first) = marking.calendar.pop_until(until) else {
                let dead = marking.calendar.len() == 0;
                if until != u64::MAX && until > marking.clock {
                    marking.clock = until;
                    self.instant_began = marking.firings_total;
                }
                return Ok(if dead { Pause::Dead } else { Pause::Time });
            };
            if first.time > marking.clock {
                marking.clock = first.time;
                self.instant_began = marking.firings_total;
            }
            marking.event(&net.structure, first.place, first.tag);
            while let Some(entry) = marking.calendar.pop_until(first.time) {
                marking.event(&net.structure, entry.place, entry.tag);
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
            let place = self.net.structure.places[port.index()].path.clone();
            return Err(RunError::Past { place, at, now: self.now() });
        }
        if !at.is_never() {
            self.marking.insert(&self.net.structure, port.index, token, at.as_picos(), true);
        }
        Ok(())
    }

    /// Takes the ready tokens out of a port, in the order of its discipline.
    pub fn drain<T: Colour>(&mut self, port: Place<T>) -> impl Iterator<Item = T> + '_ {
        let index = port.index();
        let marking = &mut self.marking;
        let net = &*self.net;
        std::iter::from_fn(move || {
            let store = store_mut::<T>(&mut *marking.stores[index]);
            let token = store.ready.pop()?;
            let changed = store.level.leave_ready(marking.clock, 1);
            marking.left(&net.structure, as_number(index), 1, changed);
            Some(token)
        })
    }

    /// Attaches a histogram and batch means to a probe.
    pub fn attach_histogram(&mut self, probe: Probe) {
        self.marking.probes[probe.0 as usize].attach();
    }

    /// The probe of a path.
    pub fn find_probe(&self, path: &str) -> Option<Probe> {
        self.net
            .structure
            .probes
            .iter()
            .position(|probe| probe.path == path)
            .map(|index| Probe(as_number(index)))
    }

    /// Observes the tokens that arrive at a place from now on: each is added to `state`. Read it back with
    /// [`Simulation::observed`].
    pub fn observe<T: Colour, S: Colour>(
        &mut self,
        place: Place<T>,
        state: S,
        add: impl Fn(&mut S, Time, &T) + Clone + Send + Sync + 'static,
    ) {
        self.marking.stores[place.index()].level_mut().observed = true;
        self.marking.observers.add(place.index, Box::new(Observer::<T, S, _>::new(state, add)));
    }

    /// The state of the first observer of a place whose state is of this type.
    pub fn observed<T: Colour, S: 'static>(&self, place: Place<T>) -> Option<&S> {
        self.marking.observers.of(place.index).iter().find_map(|observer| observer.state().downcast_ref())
    }

    /// The same, to be changed.
    pub fn observed_mut<T: Colour, S: 'static>(&mut self, place: Place<T>) -> Option<&mut S> {
        self.marking
            .observers
            .of_mut(place.index)
            .iter_mut()
            .find_map(|observer| observer.state_mut().downcast_mut())
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
            let level = store.level();
            if (ready, total) != (level.ready as usize, level.total as usize) {
                return error(format!(
                    "place \"{}\" holds {total} tokens ({ready} ready), but its counters say {} ({})",
                    self.net.structure.places[index].path, level.total, level.ready
                ));
            }
        }
        for quantity in &self.net.conserved {
            let now: i64 = quantity
                .places
                .iter()
                .map(|(place, weight)| weight * i64::from(self.marking.stores[*place as usize].level().total))
                .sum();
            if now != quantity.initial {
                return error(format!(
                    "the conserved quantity \"{}\" is {now}, not {}",
                    quantity.path, quantity.initial
                ));
            }
        }
        for (named, value) in self.net.structure.sums.iter().zip(&self.marking.sum_values) {
            let now = named.sum.value(&self.marking.stores);
            if now != *value {
                return error(format!("the conserved sum \"{}\" is {now}, not {value}", named.path));
            }
        }
        Ok(())
    }

    /// Visits every token of a place: ready, delayed, waiting and in service.
    pub fn for_each_token<T: Colour>(&self, place: Place<T>, mut visit: impl FnMut(&T)) {
        store_of::<T>(&*self.marking.stores[place.index()]).for_each(&mut visit);
    }
}

#[inline]
fn next_transition(marking: &mut Marking) -> Option<u32> {
    match &mut marking.conflict {
        None => marking.agenda.pop(),
        Some(random) => marking.agenda.pop_any(random),
    }
}

/// Whether a transition can fire; leaves the tokens that it would take in the marking's slots.
#[inline]
fn enabled(index: u32, transition: &TransitionSpec, marking: &mut Marking) -> bool {
    if !marking.agenda.may_fire(index) {
        return false;
    }
    if transition.simple {
        return true;
    }
    marking.slots[..transition.inputs as usize].fill(UNBOUND);
    let now = marking.now();
    bind(&transition.searches, 0, transition.guard.as_ref(), &marking.stores, &mut marking.slots, now)
}

#[inline]
fn fire(
    index: u32,
    Transition { action, spec: transition }: &Transition,
    net: &Structure,
    marking: &mut Marking,
) {
    marking.agenda.count(index);
    marking.firings_total += 1;
    let binds = transition.binds;
    let mut firing = Firing { net, marking, transition, taken: 0, given: 0, binds };
    action(&mut firing);
    let Firing { taken, given, .. } = firing;
    if !transition.consumes.is_empty() {
        consume(transition, binds, net, marking);
    }
    for &reader in &transition.notifies {
        marking.agenda.list(reader);
    }
    marking.agenda.reconsider(index);
    if (taken, given) != (transition.takes, transition.puts) {
        break_contract(transition, marking, taken, given);
    }
}

#[cold]
fn break_contract(transition: &TransitionSpec, marking: &mut Marking, taken: u32, put: u32) {
    marking.fault(RunError::ArcContract {
        now: marking.now(),
        transition: transition.path.clone(),
        taken,
        takes: transition.takes,
        put,
        puts: transition.puts,
    });
}

/// Something happened that concerns the run: an error, or whether an action asked to stop.
#[cold]
fn attend(marking: &mut Marking) -> Result<bool, RunError> {
    marking.attention = false;
    match marking.fault.take() {
        Some(fault) => Err(*fault),
        None => Ok(std::mem::take(&mut marking.stop)),
    }
}

/// Consumes the tokens that no action looks at.
#[inline]
fn consume(transition: &TransitionSpec, binds: bool, net: &Structure, marking: &mut Marking) {
    for &(arc, place, weight) in &transition.consumes {
        let index = place as usize;
        let slot = if binds { marking.slots[arc as usize] } else { UNBOUND };
        let bound = (slot != UNBOUND).then_some(slot);
        let changed = marking.stores[index].discard(bound, weight, marking.clock).changed();
        if slot != UNBOUND && transition.shares_places {
            follow(transition, net, &mut marking.slots, place, slot, changed.ready);
        }
        marking.left(net, place, weight, changed);
    }
}

#[cold]
fn livelock(net: &Net, marking: &Marking, firings: u64) -> RunError {
    let transition = net.transitions[marking.agenda.busiest()].spec.path.clone();
    RunError::Livelock { now: marking.now(), firings, transition }
}
