//! A net: pages, places, transitions and arcs. Immutable, shared by threads; all that changes is in a
//! [`Marking`](crate::Marking).

use crate::firing::Firing;
use crate::marking::Marking;
use crate::names::Names;
use crate::structure::{Structure, TransitionSpec};
use petrio_persist::{Kinds, SharedParts};
use petrio_random::fnv1a;
use std::sync::Arc;

pub(crate) type Action = Box<dyn Fn(&mut Firing<'_>) + Send + Sync>;
/// Puts an initial token into a marking, for a seed and a replication.
pub(crate) type Starter = Box<dyn Fn(&Structure, &mut Marking, (u64, u64)) + Send + Sync>;

/// What the firing of a simple transition needs comes first and fills one line of 64 bytes: in a net of thousands of
/// parts a transition mostly comes from main memory again when it fires.
#[repr(C, align(64))]
pub(crate) struct Transition {
    pub(crate) action: Action,
    pub(crate) spec: TransitionSpec,
}

pub(crate) struct Conserved {
    pub(crate) path: String,
    /// Places and how much one of their tokens counts.
    pub(crate) places: Vec<(u32, i64)>,
    pub(crate) initial: i64,
}

/// An immutable, compiled net.
///
/// Build one with [`NetBuilder`](crate::NetBuilder), make a [`Marking`] of it with [`Net::marking`], and run that with
/// a [`Simulation`](crate::Simulation).
pub struct Net {
    pub(crate) name: String,
    pub(crate) structure: Structure,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) conserved: Vec<Conserved>,
    pub(crate) starters: Vec<Starter>,
    pub(crate) names: Names,
    pub(crate) kinds: Kinds,
}

impl Net {
    /// The net's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The initial marking, with random streams for this seed and replication.
    pub fn marking(self: &Arc<Self>, seed: u64, replication: u64) -> Marking {
        let transitions = self.transitions.iter().map(|transition| &transition.spec);
        let address = Arc::as_ptr(self) as usize;
        let mut marking =
            Marking::before_the_start(&self.structure, transitions, address, (seed, replication));
        for starter in &self.starters {
            starter(&self.structure, &mut marking, (seed, replication));
        }
        marking.start(self.transitions.len());
        marking
    }

    /// Paths of all places, by index.
    pub fn place_paths(&self) -> impl Iterator<Item = &str> {
        self.structure.places.iter().map(|place| place.path.as_str())
    }

    /// Paths of all transitions, by index.
    pub fn transition_paths(&self) -> impl Iterator<Item = &str> {
        self.transitions.iter().map(|transition| transition.spec.path.as_str())
    }

    /// Paths of all pages, by index; the first is the net itself and its path is empty.
    pub fn page_paths(&self) -> impl Iterator<Item = &str> {
        self.structure.pages.iter().map(|page| page.path.as_str())
    }

    /// The index of a place.
    pub fn find_place(&self, path: &str) -> Option<usize> {
        let path_of = |place: u32| self.structure.places[place as usize].path.as_str();
        self.names.places.find(path, path_of).map(|found| found as usize)
    }

    /// The index of a transition.
    pub fn find_transition(&self, path: &str) -> Option<usize> {
        let path_of = |transition: u32| self.transitions[transition as usize].spec.path.as_str();
        self.names.transitions.find(path, path_of).map(|found| found as usize)
    }

    /// The index of a page.
    pub fn find_page(&self, path: &str) -> Option<usize> {
        let path_of = |page: u32| self.structure.pages[page as usize].path.as_str();
        self.names.pages.find(path, path_of).map(|found| found as usize)
    }

    /// What all of its markings share: needed to write one down, and to read it.
    pub fn known(self: &Arc<Self>) -> SharedParts {
        SharedParts::of(&self.marking(0, 0)).with(&self.kinds)
    }

    /// What its tokens pass on without their own type saying so.
    pub const fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Of nets with other places, colours or transitions it is another number, so that a marking that was written down isn't read into
    /// one that it doesn't fit.
    pub fn shape(&self) -> u64 {
        let places = self.structure.places.iter().flat_map(|place| [&*place.path, place.colour]);
        // Each name with an end.
        fnv1a(places.chain(self.transition_paths()).flat_map(|name| name.bytes().chain([0])))
    }

    /// Whether the markings of this net can be serialised and hashed: every place is encodable.
    pub fn is_encodable(&self) -> bool {
        self.structure.places.iter().all(|place| place.encode.is_some())
    }
}
