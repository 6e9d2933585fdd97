//! A marking: everything that changes while a net runs.

use crate::Time;
use crate::adjacency::Adjacency;
use crate::agenda::Agenda;
use crate::arc::UNBOUND;
use crate::binding::{store_mut, store_of};
use crate::calendar::{Calendar, DELAYED};
use crate::error::RunError;
use crate::level::{Changed, PlaceStatistics};
use crate::monitor::{Observers, Probe, ProbeState};
use crate::place::{Colour, Place};
use crate::station::{Env, StationStatistics};
use crate::store::{AnyStore, Matured, View};
use crate::structure::{Structure, TransitionSpec};
use crate::sum::NamedSum;
use petrio_persist::Persist;
use petrio_random::{Generator, generator};
use petrio_time::numbers::as_number;
use std::sync::Arc;

/// Tokens, clock, random streams and statistics of one run of a [`Net`](crate::Net).
///
/// Cloning a marking forks the run: both copies continue from here, each as if the other did not exist.
#[derive(Persist)]
pub struct Marking {
    pub(crate) clock: u64,
    pub(crate) stores: Vec<Box<dyn AnyStore>>,
    pub(crate) calendar: Calendar,
    /// Calendar entries known to be stale.
    pub(crate) stale: usize,
    pub(crate) agenda: Agenda,
    pub(crate) generators: Vec<Generator>,
    /// Breaks conflicts at random where the run asks for it.
    pub(crate) conflict: Option<Generator>,
    /// Firings since the marking was made; never reset.
    pub(crate) firings_total: u64,
    /// Effective speed of each page: the product along its path.
    pub(crate) speeds: Vec<f64>,
    /// Each page's own factor.
    pub(crate) own_speeds: Vec<f64>,
    pub(crate) probes: Vec<ProbeState>,
    pub(crate) observers: Observers,
    pub(crate) statistics_from: u64,
    #[persist(keep)]
    pub(crate) sums: Arc<[NamedSum]>,
    /// What each of them has to come to.
    pub(crate) sum_values: Vec<i64>,
    /// Which token each input arc of the transition under test is bound to; room for the one with the most.
    #[persist(keep)]
    pub(crate) slots: Box<[u32]>,
    /// Something below wants attention after the firing.
    pub(crate) attention: bool,
    #[persist(keep)]
    pub(crate) fault: Option<Box<RunError>>,
    pub(crate) stop: bool,
    #[persist(keep)]
    pub(crate) net_address: usize,
}

impl Clone for Marking {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock,
            stores: self.stores.iter().map(|store| store.clone_box()).collect(),
            calendar: self.calendar.clone(),
            stale: self.stale,
            agenda: self.agenda.clone(),
            generators: self.generators.clone(),
            conflict: self.conflict.clone(),
            firings_total: self.firings_total,
            speeds: self.speeds.clone(),
            own_speeds: self.own_speeds.clone(),
            probes: self.probes.clone(),
            observers: self.observers.clone(),
            statistics_from: self.statistics_from,
            sums: Arc::clone(&self.sums),
            sum_values: self.sum_values.clone(),
            slots: self.slots.clone(),
            attention: self.attention,
            fault: self.fault.clone(),
            stop: self.stop,
            net_address: self.net_address,
        }
    }
}

impl Marking {
    /// A marking without tokens, of the net at this address.
    pub(crate) fn before_the_start<'t>(
        net: &Structure,
        transitions: impl Iterator<Item = &'t TransitionSpec> + Clone,
        net_address: usize,
        (seed, replication): (u64, u64),
    ) -> Self {
        let binding = transitions.clone().filter(|transition| !transition.simple);
        let most_bound = binding.map(|transition| transition.inputs as usize).max().unwrap_or(0);
        let mut marking = Self {
            clock: 0,
            stores: (net.places.iter().zip(&net.adjacency))
                .map(|(place, adjacency)| place.prototype.store(adjacency, place.station.is_none()))
                .collect(),
            calendar: Calendar::default(),
            stale: 0,
            agenda: Agenda::new(transitions.map(|transition| (transition.rank, transition.conditions))),
            generators: net
                .streams
                .iter()
                .map(|stream| generator(seed, replication, &stream.path, &stream.purpose))
                .collect(),
            conflict: None,
            firings_total: 0,
            speeds: vec![1.0; net.pages.len()],
            own_speeds: vec![1.0; net.pages.len()],
            probes: vec![ProbeState::default(); net.probes.len()],
            observers: Observers::default(),
            statistics_from: 0,
            sums: Arc::clone(&net.sums),
            sum_values: Vec::new(),
            slots: vec![UNBOUND; most_bound].into(),
            attention: false,
            fault: None,
            stop: false,
            net_address,
        };
        for adjacency in &net.adjacency {
            // Places are empty yet, and an empty place is below every limit but zero.
            for condition in adjacency.below.iter().filter(|condition| condition.threshold > 0) {
                marking.agenda.holds(condition.transition);
            }
        }
        marking
    }

    /// Begins with the tokens that are there: all transitions are looked at.
    pub(crate) fn start(&mut self, transitions: usize) {
        for transition in 0..as_number(transitions) {
            self.agenda.list(transition);
        }
        // Statistics start with the initial tokens in place, so that none of these counts as an arrival.
        self.reset_statistics();
        self.sum_values = self.sums.iter().map(|named| named.sum.value(&self.stores)).collect();
    }

    /// The clock.
    pub fn now(&self) -> Time {
        Time::from_picos(self.clock)
    }

    /// Firings of all transitions since the marking was made.
    pub fn firings_total(&self) -> u64 {
        self.firings_total
    }

    /// Firings of a transition (by index, see [`Net::find_transition`](crate::Net::find_transition)) since statistics
    /// were reset.
    pub fn firings(&self, transition: usize) -> u64 {
        self.agenda.firings(transition)
    }

    /// The counters of a place.
    pub fn statistics<T>(&self, place: Place<T>) -> PlaceStatistics {
        self.statistics_at(place.index as usize)
    }

    /// The counters of a place by index (see [`Net::find_place`](crate::Net::find_place)).
    pub fn statistics_at(&self, place: usize) -> PlaceStatistics {
        self.stores[place].level().statistics(self.clock, self.statistics_from)
    }

    /// The counters of a station; `None` for a plain place.
    pub fn station<T>(&self, place: Place<T>) -> Option<StationStatistics> {
        self.station_at(place.index as usize)
    }

    /// The counters of a station by index.
    pub fn station_at(&self, place: usize) -> Option<StationStatistics> {
        self.stores[place].station_statistics(self.clock)
    }

    /// What a probe has recorded.
    pub fn probe(&self, probe: Probe) -> &ProbeState {
        &self.probes[probe.0 as usize]
    }

    /// Tokens of a place, ready or not.
    pub fn len<T>(&self, place: Place<T>) -> usize {
        self.stores[place.index as usize].level().total as usize
    }

    /// Whether a place holds no token.
    pub fn is_empty<T>(&self, place: Place<T>) -> bool {
        self.len(place) == 0
    }

    /// The ready tokens of a place.
    pub fn view<T: Colour>(&self, place: Place<T>) -> View<'_, T> {
        View { store: store_of(&*self.stores[place.index as usize]) }
    }

    /// Since when the statistics count.
    pub fn statistics_from(&self) -> Time {
        Time::from_picos(self.statistics_from)
    }

    /// Starts all statistics anew from now, leaving tokens, clock and random streams as they are (after a warm-up).
    pub fn reset_statistics(&mut self) {
        let now = self.clock;
        self.statistics_from = now;
        for (value, named) in self.sum_values.iter_mut().zip(&*self.sums) {
            *value -= named.sum.taken_since(&self.stores);
        }
        self.stores.iter_mut().for_each(|store| store.reset_statistics(now));
        self.agenda.reset_statistics();
        self.probes.iter_mut().for_each(ProbeState::reset);
    }

    /// Sets a page's own speed factor; what is in progress keeps the end that was computed when it began.
    pub(crate) fn set_speed(&mut self, net: &Structure, page: usize, factor: f64) {
        assert!(factor > 0.0 && factor.is_finite(), "a speed factor is positive and finite");
        self.own_speeds[page] = factor;
        for (index, page) in net.pages.iter().enumerate() {
            // A parent comes before its children.
            let above = page.parent.map_or(1.0, |parent| self.speeds[parent as usize]);
            self.speeds[index] = above * self.own_speeds[index];
        }
    }

    /// Breaks conflicts between transitions of equal priority at random instead of in a fixed order.
    pub fn resolve_conflicts_at_random(&mut self, seed: u64, replication: u64) {
        self.conflict = Some(generator(seed, replication, "", "conflict"));
    }

    /// Other random streams from here on: those of this seed and replication.
    pub(crate) fn reseed(&mut self, net: &Structure, seed: u64, replication: u64) {
        let streams = net.streams.iter();
        self.generators =
            streams.map(|stream| generator(seed, replication, &stream.path, &stream.purpose)).collect();
        if self.conflict.is_some() {
            self.resolve_conflicts_at_random(seed, replication);
        }
    }

    /// A token arrives at a place now, or after a delay of model time, from outside or at the start.
    pub(crate) fn insert<T: Colour>(
        &mut self,
        net: &Structure,
        place: u32,
        token: T,
        at: u64,
        outside: bool,
    ) {
        if at <= self.clock {
            return self.arrive(net, place, token);
        }
        let store = store_mut::<T>(&mut *self.stores[place as usize]);
        let slot = if outside {
            store.timed.insert_outside(token)
        } else {
            store.level.enter(self.clock);
            store.timed.insert(token, false).0
        };
        let total = store.level.total;
        self.calendar.push(at, place, DELAYED + slot);
        if !outside {
            self.total_changed(&net.adjacency[place as usize], total - 1, total);
        }
    }

    /// A token arrives now.
    #[inline]
    pub(crate) fn arrive<T: Colour>(&mut self, net: &Structure, place: u32, token: T) {
        let store = store_mut::<T>(&mut *self.stores[place as usize]);
        if !store.level.plain {
            return self.arrive_at_station(net, place, token);
        }
        store.level.enter(self.clock);
        store.level.ready += 1;
        let changed = store.level.changed();
        if store.level.observed {
            self.observers.show(self.clock, place, &token);
        }
        store.ready.push(token);
        self.one_more_ready(net, place, changed);
        if changed.limited {
            self.total_changed(&net.adjacency[place as usize], changed.total - 1, changed.total);
        }
    }

    fn arrive_at_station<T: Colour>(&mut self, net: &Structure, place: u32, token: T) {
        if self.stores[place as usize].level().observed {
            self.observers.show(self.clock, place, &token);
        }
        self.at_station(net, place, |store, env| {
            let store = store_mut::<T>(store);
            store.level.enter(env.now);
            store.arrive(token, env);
        });
    }

    /// Lets a station act, with what it may touch.
    pub(crate) fn at_station(
        &mut self,
        net: &Structure,
        place: u32,
        act: impl FnOnce(&mut dyn AnyStore, &mut Env<'_>),
    ) {
        let index = place as usize;
        let spec = &net.places[index];
        let store = &mut *self.stores[index];
        let (ready, total) = (store.level().ready, store.level().total);
        let mut overflow = None;
        let mut env = Env {
            now: self.clock,
            place,
            calendar: &mut self.calendar,
            random: &mut self.generators[spec.stream as usize],
            speed: self.speeds[spec.page as usize],
            stale: &mut self.stale,
            overflow: &mut overflow,
        };
        act(store, &mut env);
        let (ready_now, total_now) = (store.level().ready, store.level().total);
        if let Some(delay) = overflow {
            self.fault(RunError::Overflow {
                now: self.now(),
                origin: format!("station \"{}\"", spec.path),
                delay,
            });
        }
        if ready_now != ready {
            self.ready_changed(&net.adjacency[index], ready, ready_now);
        }
        if total_now != total {
            self.total_changed(&net.adjacency[index], total, total_now);
        }
    }

    /// The run can't go on; the first reason counts.
    #[cold]
    pub(crate) fn fault(&mut self, error: RunError) {
        self.attention = true;
        self.fault.get_or_insert_with(|| Box::new(error));
    }

    /// A calendar entry is due.
    #[inline]
    pub(crate) fn event(&mut self, net: &Structure, place: u32, tag: u32) {
        let (matured, level) = self.stores[place as usize].mature(tag, self.clock);
        let changed = level.changed();
        match matured {
            Matured::Ready => {}
            Matured::FromOutside => {
                self.total_changed(&net.adjacency[place as usize], changed.total - 1, changed.total);
            }
            Matured::Cancelled => {
                self.stale -= 1;
                return;
            }
            Matured::ForStation => return self.at_station(net, place, |store, env| store.event(tag, env)),
        }
        self.one_more_ready(net, place, changed);
    }

    /// Some ready tokens have left a place.
    #[inline]
    pub(crate) fn left(&mut self, net: &Structure, place: u32, tokens: u32, changed: Changed) {
        self.fewer_ready(net, place, tokens, changed);
        if changed.limited {
            self.total_changed(&net.adjacency[place as usize], changed.total + tokens, changed.total);
        }
    }

    /// Some ready tokens fewer.
    #[inline]
    pub(crate) fn fewer_ready(&mut self, net: &Structure, place: u32, tokens: u32, changed: Changed) {
        let Changed { ready, first, .. } = changed;
        if ready < first.threshold && first.threshold <= ready + tokens {
            self.agenda.fails(first.transition);
        }
        if changed.concerns_others {
            self.fewer_ready_for_others(&net.adjacency[place as usize], tokens, ready);
        }
    }

    #[inline(never)]
    fn fewer_ready_for_others(&mut self, adjacency: &Adjacency, tokens: u32, now: u32) {
        for condition in adjacency.ready.iter().skip(1) {
            if now < condition.threshold && condition.threshold <= now + tokens {
                self.agenda.fails(condition.transition);
            }
        }
        self.particulars_changed(adjacency);
    }

    /// One ready token more; the most frequent change.
    #[inline]
    fn one_more_ready(&mut self, net: &Structure, place: u32, changed: Changed) {
        if changed.first.threshold == changed.ready {
            self.agenda.holds(changed.first.transition);
        }
        if changed.concerns_others {
            self.one_more_ready_for_others(&net.adjacency[place as usize], changed.ready);
        }
    }

    #[inline(never)]
    fn one_more_ready_for_others(&mut self, adjacency: &Adjacency, now: u32) {
        for condition in adjacency.ready.iter().skip(1).filter(|condition| condition.threshold == now) {
            self.agenda.holds(condition.transition);
        }
        self.particulars_changed(adjacency);
    }

    /// Adjusts the transitions for which the number of ready tokens crossed a threshold.
    fn ready_changed(&mut self, adjacency: &Adjacency, before: u32, now: u32) {
        for condition in &adjacency.ready {
            let (held, holds) = (before >= condition.threshold, now >= condition.threshold);
            self.adjust(condition.transition, held, holds);
        }
        self.particulars_changed(adjacency);
    }

    /// Other tokens may satisfy guards and selections now.
    #[inline]
    fn particulars_changed(&mut self, adjacency: &Adjacency) {
        for &transition in &adjacency.particular {
            self.agenda.reconsider(transition);
        }
    }

    /// Adjusts the transitions for which the number of tokens crossed a limit.
    pub(crate) fn total_changed(&mut self, adjacency: &Adjacency, before: u32, now: u32) {
        for condition in &adjacency.below {
            let (held, holds) = (before < condition.threshold, now < condition.threshold);
            self.adjust(condition.transition, held, holds);
        }
    }

    /// A condition of a transition may have changed.
    #[inline]
    fn adjust(&mut self, transition: u32, held: bool, holds: bool) {
        if holds && !held {
            self.agenda.holds(transition);
        } else if held && !holds {
            self.agenda.fails(transition);
        }
    }

    /// Drops stale calendar entries when they are most of the calendar, so that cancelled timers cost no memory.
    pub(crate) fn purge_calendar(&mut self) {
        let stores = &mut self.stores;
        self.calendar.retain(|entry| {
            let store = &mut *stores[entry.place as usize];
            let live = store.is_live(entry.tag);
            if !live {
                store.forget(entry.tag);
            }
            live
        });
        self.stale = 0;
    }
}
