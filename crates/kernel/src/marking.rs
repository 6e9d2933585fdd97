//! A marking: everything that changes while a net runs.

use crate::Time;
use crate::arc::{ARC_LIMIT, UNBOUND};
use crate::binding::{store_mut, store_of};
use crate::calendar::Calendar;
use crate::error::RunError;
use crate::level::{Level, PlaceStatistics};
use crate::monitor::{AnyObserver, Probe, ProbeState};
use crate::net::{Adjacency, Net};
use crate::place::{Colour, Place};
use crate::random::{self, Generator};
use crate::station::{Env, StationStatistics};
use crate::store::{AnyStore, DELAYED, View};
use crate::worklist::Worklist;
use std::sync::Arc;

/// Tokens, clock, random streams and statistics of one run of a [`Net`].
///
/// Cloning a marking forks the run: both copies continue from here, each as if the other did not exist.
pub struct Marking {
    pub(crate) clock: u64,
    pub(crate) stores: Vec<Box<dyn AnyStore>>,
    pub(crate) levels: Vec<Level>,
    pub(crate) calendar: Calendar,
    /// Calendar entries known to be stale.
    pub(crate) stale: usize,
    pub(crate) worklist: Worklist,
    /// Conditions that fail, by transition.
    pub(crate) missing: Vec<u32>,
    pub(crate) generators: Vec<Generator>,
    /// Breaks conflicts at random where the run asks for it.
    pub(crate) conflict: Option<Generator>,
    pub(crate) firings: Vec<u64>,
    /// Firings since the marking was made; never reset.
    pub(crate) firings_total: u64,
    /// Effective speed of each page: the product along its path.
    pub(crate) speeds: Vec<f64>,
    /// Each page's own factor.
    pub(crate) own_speeds: Vec<f64>,
    pub(crate) probes: Vec<ProbeState>,
    pub(crate) observers: Vec<(u32, Box<dyn AnyObserver>)>,
    pub(crate) statistics_from: u64,
    pub(crate) slots: [u32; ARC_LIMIT],
    /// Something below wants attention after the firing.
    pub(crate) attention: bool,
    pub(crate) fault: Option<Box<RunError>>,
    pub(crate) overflow: Option<Time>,
    pub(crate) stop: bool,
    pub(crate) net_address: usize,
}

impl Clone for Marking {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock,
            stores: self.stores.iter().map(|store| store.clone_box()).collect(),
            levels: self.levels.clone(),
            calendar: self.calendar.clone(),
            stale: self.stale,
            worklist: self.worklist.clone(),
            missing: self.missing.clone(),
            generators: self.generators.clone(),
            conflict: self.conflict.clone(),
            firings: self.firings.clone(),
            firings_total: self.firings_total,
            speeds: self.speeds.clone(),
            own_speeds: self.own_speeds.clone(),
            probes: self.probes.clone(),
            observers: self.observers.iter().map(|(place, observer)| (*place, observer.clone_box())).collect(),
            statistics_from: self.statistics_from,
            slots: self.slots,
            attention: self.attention,
            fault: self.fault.clone(),
            overflow: self.overflow,
            stop: self.stop,
            net_address: self.net_address,
        }
    }
}

impl Marking {
    pub(crate) fn new(net: &Arc<Net>, seed: u64, replication: u64) -> Self {
        let streams = &net.streams;
        let mut marking = Self {
            clock: 0,
            stores: net.places.iter().map(|place| place.prototype.clone_box()).collect(),
            levels: vec![Level::default(); net.places.len()],
            calendar: Calendar::default(),
            stale: 0,
            worklist: Worklist::new(net.transitions.iter().map(|transition| transition.rank)),
            missing: net.transitions.iter().map(|transition| transition.conditions).collect(),
            generators: streams
                .iter()
                .map(|stream| random::generator(seed, replication, &stream.path, &stream.purpose))
                .collect(),
            conflict: None,
            firings: vec![0; net.transitions.len()],
            firings_total: 0,
            speeds: vec![1.0; net.pages.len()],
            own_speeds: vec![1.0; net.pages.len()],
            probes: vec![ProbeState::default(); net.probes.len()],
            observers: Vec::new(),
            statistics_from: 0,
            slots: [UNBOUND; ARC_LIMIT],
            attention: false,
            fault: None,
            overflow: None,
            stop: false,
            net_address: Arc::as_ptr(net) as usize,
        };
        for (index, adjacency) in net.adjacency.iter().enumerate() {
            // An empty place is below every limit but zero.
            debug_assert_eq!(marking.levels[index].total, 0);
            for condition in adjacency.below.iter().filter(|condition| condition.threshold > 0) {
                marking.missing[condition.transition as usize] -= 1;
            }
        }
        for starter in &net.starters {
            starter(net, &mut marking);
        }
        for transition in 0..net.transitions.len() as u32 {
            marking.worklist.push(transition);
        }
        // Statistics start with the initial tokens in place, so that none of these counts as an arrival.
        marking.reset_statistics();
        marking
    }

    /// The clock.
    pub fn now(&self) -> Time {
        Time::from_picos(self.clock)
    }

    /// Firings of all transitions since the marking was made.
    pub fn firings_total(&self) -> u64 {
        self.firings_total
    }

    /// Firings of a transition (by index, see [`Net::find_transition`]) since statistics were reset.
    pub fn firings(&self, transition: usize) -> u64 {
        self.firings[transition]
    }

    /// The counters of a place.
    pub fn statistics<T>(&self, place: Place<T>) -> PlaceStatistics {
        self.statistics_at(place.index as usize)
    }

    /// The counters of a place by index (see [`Net::find_place`]).
    pub fn statistics_at(&self, place: usize) -> PlaceStatistics {
        self.levels[place].statistics(self.clock, self.statistics_from)
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
        self.levels[place.index as usize].total as usize
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
        self.levels.iter_mut().for_each(|level| level.reset(now));
        self.stores.iter_mut().for_each(|store| store.reset_statistics(now));
        self.firings.iter_mut().for_each(|firings| *firings = 0);
        self.probes.iter_mut().for_each(ProbeState::reset);
    }

    /// Sets a page's own speed factor: 2 halves the delays and service times that begin on it and on the pages below.
    /// Geometry and positions stay as they are. Factors must be positive.
    ///
    /// What is in progress keeps the end that was computed when it began.
    pub fn set_speed(&mut self, net: &Net, page: usize, factor: f64) {
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
        self.conflict = Some(random::generator(seed, replication, "", "conflict"));
    }

    /// A token arrives at a place now, or after a delay of model time, from outside or at the start.
    pub(crate) fn insert<T: Colour>(&mut self, net: &Net, place: u32, token: T, at: u64, outside: bool) {
        if at > self.clock {
            let slot = if outside {
                store_mut::<T>(&mut *self.stores[place as usize]).timed.insert_outside(token)
            } else {
                self.enter(net, place as usize);
                store_mut::<T>(&mut *self.stores[place as usize]).timed.insert(token, false).0
            };
            self.calendar.push(at, place, DELAYED + slot);
        } else {
            self.arrive(net, place, token);
        }
    }

    /// A token arrives now.
    #[inline]
    pub(crate) fn arrive<T: Colour>(&mut self, net: &Net, place: u32, token: T) {
        let index = place as usize;
        self.enter(net, index);
        if self.levels[index].observed {
            self.observe(place, &token);
        }
        let store = store_mut::<T>(&mut *self.stores[index]);
        if store.station.is_none() {
            store.ready.push(token);
            let level = &mut self.levels[index];
            level.ready += 1;
            let ready = level.ready;
            self.one_more_ready(&net.adjacency[index], ready);
        } else {
            self.at_station(net, place, |store, env| {
                store_mut::<T>(store).arrive(token, env);
            });
        }
    }

    /// Lets a place act, with what it may touch.
    #[inline]
    pub(crate) fn at_station(&mut self, net: &Net, place: u32, act: impl FnOnce(&mut dyn AnyStore, &mut Env<'_>)) {
        let index = place as usize;
        let spec = &net.places[index];
        let level = &mut self.levels[index];
        let (ready, total) = (level.ready, level.total);
        let mut env = Env {
            now: self.clock,
            place,
            calendar: &mut self.calendar,
            level,
            random: &mut self.generators[spec.stream as usize],
            speed: self.speeds[spec.page as usize],
            stale: &mut self.stale,
            overflow: &mut self.overflow,
        };
        act(&mut *self.stores[index], &mut env);
        let level = &self.levels[index];
        let (ready_now, total_now) = (level.ready, level.total);
        if ready_now != ready {
            self.ready_changed(&net.adjacency[index], ready, ready_now);
        }
        if total_now != total {
            self.total_changed(&net.adjacency[index], total, total_now);
        }
    }

    /// A calendar entry is due.
    #[inline]
    pub(crate) fn event(&mut self, net: &Net, place: u32, tag: u32) {
        let index = place as usize;
        let adjacency = &net.adjacency[index];
        if adjacency.plain {
            match self.stores[index].mature(tag) {
                Some(from_outside) => {
                    if from_outside {
                        self.enter(net, index);
                    }
                    let level = &mut self.levels[index];
                    level.ready += 1;
                    let ready = level.ready;
                    self.one_more_ready(adjacency, ready);
                }
                None => self.stale -= 1,
            }
            return;
        }
        self.at_station(net, place, |store, env| store.event(tag, env));
    }

    /// One token more in a place.
    #[inline]
    pub(crate) fn enter(&mut self, net: &Net, place: usize) {
        let level = &mut self.levels[place];
        level.enter(self.clock);
        let total = level.total;
        let adjacency = &net.adjacency[place];
        if !adjacency.below.is_empty() {
            self.total_changed(adjacency, total - 1, total);
        }
    }

    /// Some tokens fewer in a place, all of which were ready where `ready` says so.
    #[inline]
    pub(crate) fn leave(&mut self, net: &Net, place: usize, tokens: u32, ready: bool) {
        let adjacency = &net.adjacency[place];
        let level = &mut self.levels[place];
        level.leave(self.clock, tokens);
        let total = level.total;
        if ready {
            level.ready -= tokens;
            let ready = level.ready;
            if ready < adjacency.ready_ceiling {
                self.ready_changed(adjacency, ready + tokens, ready);
            }
        }
        if !adjacency.below.is_empty() {
            self.total_changed(adjacency, total + tokens, total);
        }
    }

    /// One ready token more; the most frequent change.
    #[inline]
    fn one_more_ready(&mut self, adjacency: &Adjacency, now: u32) {
        if now > adjacency.ready_ceiling {
            return;
        }
        for condition in &adjacency.ready {
            if condition.threshold == now {
                let missing = &mut self.missing[condition.transition as usize];
                *missing -= 1;
                if *missing == 0 {
                    self.worklist.push(condition.transition);
                }
            }
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
            if self.missing[transition as usize] == 0 {
                self.worklist.push(transition);
            }
        }
    }

    /// Adjusts the transitions for which the number of tokens crossed a limit.
    fn total_changed(&mut self, adjacency: &Adjacency, before: u32, now: u32) {
        for condition in &adjacency.below {
            let (held, holds) = (before < condition.threshold, now < condition.threshold);
            self.adjust(condition.transition, held, holds);
        }
    }

    /// A condition of a transition may have changed.
    #[inline]
    fn adjust(&mut self, transition: u32, held: bool, holds: bool) {
        let missing = &mut self.missing[transition as usize];
        if holds && !held {
            *missing -= 1;
            if *missing == 0 {
                self.worklist.push(transition);
            }
        } else if held && !holds {
            *missing += 1;
        }
    }

    #[cold]
    pub(crate) fn observe<T: Colour>(&mut self, place: u32, token: &T) {
        let now = Time::from_picos(self.clock);
        for (observed, observer) in &mut self.observers {
            if *observed == place {
                observer.arrival(now, token);
            }
        }
    }

    /// Drops stale calendar entries when they are most of the calendar, so that cancelled timers cost no memory.
    pub(crate) fn purge_calendar(&mut self) {
        let stores = &self.stores;
        let mut forgotten = Vec::new();
        let mut calendar = std::mem::take(&mut self.calendar);
        let gone = std::cell::RefCell::new(&mut forgotten);
        calendar.retain(|entry| {
            let live = stores[entry.place as usize].is_live(entry.tag);
            if !live {
                gone.borrow_mut().push((entry.place, entry.tag));
            }
            live
        });
        self.calendar = calendar;
        for (place, tag) in forgotten {
            self.stores[place as usize].forget(tag);
        }
        self.stale = 0;
    }
}
