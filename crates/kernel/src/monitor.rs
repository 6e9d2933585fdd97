//! Monitors: what a run records beyond the counters that are always on.
//!
//! - A [`Probe`] is declared in the net and fed by actions ([`Firing::record`](crate::Firing::record)): count, mean and
//!   variance always, and, once [`Simulation::attach_histogram`](crate::Simulation::attach_histogram) names it, a
//!   histogram and batch means.
//! - An observer is attached to a place from outside and sees every arriving token: a data collector, a time ledger.

use crate::Time;
use crate::place::Colour;
use crate::statistics::{BatchMeans, Tally};
use petrio_persist::{Damage, Kept, Persist, Reader, Writer};
use petrio_time::numbers::whole_part;
use std::any::Any;
use std::marker::PhantomData;

/// A handle on a probe of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe(pub(crate) u32);

/// Histograms keep three significant digits.
const HISTOGRAM_DIGITS: u8 = 3;

/// What a probe has recorded since statistics were reset.
#[derive(Clone, Default, Persist)]
pub struct ProbeState {
    tally: Tally,
    detail: Option<Box<Detail>>,
}

#[derive(Clone, Persist)]
struct Detail {
    histogram: hdrhistogram::Histogram<u64>,
    batches: BatchMeans,
}

impl Detail {
    fn new() -> Self {
        let histogram = hdrhistogram::Histogram::new(HISTOGRAM_DIGITS).expect("three digits are allowed");
        Self { histogram, batches: BatchMeans::new() }
    }
}

impl ProbeState {
    #[inline]
    pub(crate) fn record(&mut self, value: f64) {
        self.tally.record(value);
        if let Some(detail) = &mut self.detail {
            detail.batches.record(value);
            detail.histogram.saturating_record(whole_part(value));
        }
    }

    pub(crate) fn attach(&mut self) {
        self.detail.get_or_insert_with(|| Box::new(Detail::new()));
    }

    pub(crate) fn reset(&mut self) {
        self.tally = Tally::default();
        if let Some(detail) = &mut self.detail {
            **detail = Detail::new();
        }
    }

    /// Count, mean, variance, extremes.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The histogram of the values' whole parts, where one is attached.
    pub fn histogram(&self) -> Option<&hdrhistogram::Histogram<u64>> {
        self.detail.as_ref().map(|detail| &detail.histogram)
    }

    /// Batch means, where a histogram is attached.
    pub fn batches(&self) -> Option<&BatchMeans> {
        self.detail.as_ref().map(|detail| &detail.batches)
    }
}

/// An observer of some colour.
pub(crate) trait AnyObserver: Kept + Send + Sync {
    fn clone_box(&self) -> Box<dyn AnyObserver>;
    fn arrival(&mut self, now: Time, token: &dyn Any);
    fn state(&self) -> &dyn Any;
    fn state_mut(&mut self) -> &mut dyn Any;
}

/// A typed observer: a state, and a function that adds a token to it.
#[derive(Persist)]
#[persist(bound = "S: Persist")]
pub(crate) struct Observer<T, S, F> {
    pub(crate) state: S,
    #[persist(keep)]
    pub(crate) add: F,
    colour: PhantomData<fn(&T)>,
}

impl<T, S, F> Observer<T, S, F> {
    pub(crate) fn new(state: S, add: F) -> Self {
        Self { state, add, colour: PhantomData }
    }
}

impl<T, S, F> AnyObserver for Observer<T, S, F>
where
    T: Colour,
    S: Colour,
    F: Fn(&mut S, Time, &T) + Clone + Send + Sync + 'static,
{
    fn clone_box(&self) -> Box<dyn AnyObserver> {
        Box::new(Self::new(self.state.clone(), self.add.clone()))
    }

    fn arrival(&mut self, now: Time, token: &dyn Any) {
        if let Some(token) = token.downcast_ref::<T>() {
            (self.add)(&mut self.state, now, token);
        }
    }

    fn state(&self) -> &dyn Any {
        &self.state
    }

    fn state_mut(&mut self) -> &mut dyn Any {
        &mut self.state
    }
}

/// The observers of a marking by place, so that a token is shown to its own however many places are observed.
#[derive(Default)]
pub(crate) struct Observers(Vec<Vec<Box<dyn AnyObserver>>>);

impl Observers {
    /// One more of a place, after those that it has.
    pub(crate) fn add(&mut self, place: u32, observer: Box<dyn AnyObserver>) {
        let place = place as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Vec::new);
        }
        self.0[place].push(observer);
    }

    /// Those of a place.
    pub(crate) fn of(&self, place: u32) -> &[Box<dyn AnyObserver>] {
        self.0.get(place as usize).map_or(&[], Vec::as_slice)
    }

    /// The same, to be changed.
    pub(crate) fn of_mut(&mut self, place: u32) -> &mut [Box<dyn AnyObserver>] {
        self.0.get_mut(place as usize).map_or(&mut [], Vec::as_mut_slice)
    }

    /// Shows an arriving token to those who observe its place.
    #[cold]
    pub(crate) fn show<T: Colour>(&mut self, now: u64, place: u32, token: &T) {
        for observer in self.0.get_mut(place as usize).into_iter().flatten() {
            observer.arrival(Time::from_picos(now), token);
        }
    }
}

impl Clone for Observers {
    fn clone(&self) -> Self {
        let clone_of_place =
            |place: &Vec<Box<dyn AnyObserver>>| place.iter().map(|observer| observer.clone_box()).collect();
        Self(self.0.iter().map(clone_of_place).collect())
    }
}

impl Persist for Observers {
    fn save(&self, to: &mut Writer<'_>) {
        self.0.len().save(to);
        for place in &self.0 {
            place.len().save(to);
            place.iter().for_each(|observer| observer.save_kept(to));
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("an observer"))
    }

    /// Who observes and did not then begins anew.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        for place in 0..from.count()? {
            for observer in 0..from.count()? {
                let own = self.0.get_mut(place).and_then(|observers| observers.get_mut(observer));
                own.ok_or_else(|| from.not_from_nothing("an observer"))?.restore_kept(from)?;
            }
        }
        Ok(())
    }
}
