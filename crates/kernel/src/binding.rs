//! Enabling: finding tokens for a transition's input arcs.
//!
//! Most transitions take whatever their places bring first and have no guard: for them a few comparisons of counters
//! decide. The others bind arc by arc, in the order of declaration, and test every condition as soon as the arcs that
//! it speaks of are bound; combinations are never materialised.

use crate::Time;
use crate::arc::{ArcNumber, Bound, UNBOUND};
use crate::place::{Colour, Key};
use crate::store::{AnyStore, PlaceStore, View};
use std::any::Any;

/// The tokens bound so far.
///
/// Guards and selections see the marking through it. It shows the clock for selections that depend on position in
/// time (which request is nearest to the head *now*); a guard that depends on the clock alone is not tested again when
/// time passes: use a delay instead.
pub struct Binding<'a> {
    pub(crate) stores: &'a [Box<dyn AnyStore>],
    pub(crate) slots: &'a [u32],
    pub(crate) now: Time,
}

impl<'a> Binding<'a> {
    /// The clock.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The token bound to an arc declared earlier.
    ///
    /// # Panics
    /// Where the arc was declared later than the condition that asks, which is a bug in the net.
    pub fn get<T: Colour>(&self, arc: impl Bound<T>) -> &'a T {
        let (arc, place) = arc.position();
        let store = store_of::<T>(&*self.stores[place as usize]);
        let slot = match self.slots[arc as usize] {
            UNBOUND => store.ready.first(),
            slot => Some(slot),
        };
        slot.and_then(|slot| store.ready.get(slot))
            .expect("an arc is declared before the conditions that use it")
    }

    /// Everything ready in the place of an arc.
    pub fn view<T: Colour>(&self, arc: impl Bound<T>) -> View<'a, T> {
        View { store: store_of::<T>(&*self.stores[arc.position().1 as usize]) }
    }
}

/// The store of a place, by its colour.
#[inline]
pub(crate) fn store_of<T: Colour>(store: &dyn AnyStore) -> &PlaceStore<T> {
    (store as &dyn Any).downcast_ref().expect("a handle carries the colour of its place")
}

/// The store of a place, by its colour.
#[inline]
pub(crate) fn store_mut<T: Colour>(store: &mut dyn AnyStore) -> &mut PlaceStore<T> {
    (store as &mut dyn Any).downcast_mut().expect("a handle carries the colour of its place")
}

type Filter = Box<dyn Fn(&Binding<'_>, u32) -> bool + Send + Sync>;
type KeyFor = Box<dyn Fn(&Binding<'_>) -> Option<u32> + Send + Sync>;

/// How an arc finds its token.
pub(crate) enum Search {
    /// Any token, for the sake of a guard or of another arc on the same place.
    Any,
    /// Any token that passes a filter.
    Filter(Filter),
    /// The one that a function names.
    Select(KeyFor),
}

/// An input arc that binds a token.
pub(crate) struct SearchArc {
    pub(crate) arc: ArcNumber,
    pub(crate) place: u32,
    /// Its token is its own; arcs that only look may share one.
    pub(crate) consumes: bool,
    pub(crate) search: Search,
}

pub(crate) type Guard = Box<dyn Fn(&Binding<'_>) -> bool + Send + Sync>;

/// Finds tokens for the arcs from `depth` on; leaves their slots in `slots`.
pub(crate) fn bind(
    arcs: &[SearchArc],
    depth: usize,
    guard: Option<&Guard>,
    stores: &[Box<dyn AnyStore>],
    slots: &mut [u32],
    now: Time,
) -> bool {
    let Some(arc) = arcs.get(depth) else {
        return guard.is_none_or(|guard| guard(&Binding { stores, slots, now }));
    };
    let store = &*stores[arc.place as usize];
    let index = arc.arc as usize;
    let taken = |slots: &[u32], slot: u32| {
        arcs[..depth].iter().any(|other| {
            other.place == arc.place && slots[other.arc as usize] == slot && (other.consumes || arc.consumes)
        })
    };
    match &arc.search {
        Search::Select(select) => {
            slots[index] = UNBOUND;
            let selected = select(&Binding { stores, slots, now });
            match selected.filter(|slot| !taken(slots, *slot)) {
                Some(slot) => {
                    slots[index] = slot;
                    bind(arcs, depth + 1, guard, stores, slots, now)
                }
                None => false,
            }
        }
        Search::Any | Search::Filter(_) => {
            let mut candidate = store.scan(None);
            while let Some(slot) = candidate {
                let passes = match &arc.search {
                    Search::Filter(filter) => {
                        slots[index] = slot;
                        filter(&Binding { stores, slots, now }, slot)
                    }
                    _ => true,
                };
                if passes && !taken(slots, slot) {
                    slots[index] = slot;
                    if bind(arcs, depth + 1, guard, stores, slots, now) {
                        return true;
                    }
                }
                candidate = store.scan(Some(slot));
            }
            false
        }
    }
}

/// Selects the oldest token of a key computed from the arcs bound so far.
pub(crate) fn select_key<T: Colour>(
    place: u32,
    key: impl Fn(&Binding<'_>) -> Key + Send + Sync + 'static,
) -> KeyFor {
    Box::new(move |binding| {
        let view = View { store: store_of::<T>(&*binding.stores[place as usize]) };
        view.with_key(key(binding)).map(|slot| slot.0)
    })
}
