//! A net: pages, places, transitions and arcs. Immutable, shared by threads; all that changes is in a
//! [`Marking`](crate::Marking).

use crate::adjacency::Adjacency;
use crate::arc::{ArcKind, ArcNumber};
use crate::binding::{Guard, SearchArc};
use crate::firing::Firing;
use crate::marking::Marking;
use crate::place::Discipline;
use crate::store::AnyStore;
use crate::sum::NamedSum;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) type Action = Box<dyn Fn(&mut Firing<'_>) + Send + Sync>;
pub(crate) type Starter = Box<dyn Fn(&Net, &mut Marking) + Send + Sync>;
pub(crate) type Encoder = fn(&dyn AnyStore) -> serde_json::Value;

/// Which way tokens cross a page border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortDirection {
    /// Into the page.
    In,
    /// Out of the page.
    Out,
    /// Shared: a fusion place that several pages update or read.
    Shared,
}

pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) place: u32,
    pub(crate) direction: PortDirection,
}

pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) parent: Option<u32>,
    pub(crate) ports: Vec<Port>,
}

pub(crate) struct PlaceSpec {
    pub(crate) path: String,
    pub(crate) page: u32,
    pub(crate) discipline: Discipline,
    pub(crate) capacity: Option<u32>,
    pub(crate) colour: &'static str,
    pub(crate) initial: usize,
    pub(crate) station: Option<(&'static str, Option<u32>)>,
    pub(crate) prototype: Box<dyn AnyStore>,
    /// The generator that a station draws from; 0, a spare one, for plain places.
    pub(crate) stream: u32,
    pub(crate) encode: Option<Encoder>,
}

#[derive(Clone)]
pub(crate) struct ArcSpec {
    pub(crate) place: u32,
    pub(crate) kind: ArcKind,
    pub(crate) weight: u32,
    pub(crate) label: Option<&'static str>,
}

/// What the firing of a simple transition needs comes first and fills one line of 64 bytes: in a net of thousands of
/// parts a transition mostly comes from main memory again when it fires.
#[repr(C, align(64))]
pub(crate) struct Transition {
    pub(crate) action: Action,
    /// Arc number, place and weight of the arcs that consume tokens unseen.
    pub(crate) consumes: Box<[(ArcNumber, u32, u32)]>,
    /// Those to be tested again because it changes tokens without taking them.
    pub(crate) notifies: Box<[u32]>,
    /// How many tokens the action takes.
    pub(crate) takes: u32,
    /// How many tokens the action puts on exact arcs.
    pub(crate) puts: u32,
    pub(crate) page: u32,
    /// How many input arcs it has.
    pub(crate) inputs: ArcNumber,
    /// Takes what its places bring first, without a guard: enabled as soon as no condition fails.
    pub(crate) simple: bool,
    /// It has `searches`.
    pub(crate) binds: bool,
    pub(crate) searches: Box<[SearchArc]>,
    /// Two selecting arcs share a place, so that taking one may move the other.
    pub(crate) shares_places: bool,
    pub(crate) guard: Option<Guard>,
    /// Rank of the priority, the most urgent 0.
    pub(crate) rank: u8,
    pub(crate) guarded: bool,
    pub(crate) priority: i32,
    /// Conditions on numbers of tokens, all of which fail in an imaginary marking before the first.
    pub(crate) conditions: u32,
    pub(crate) path: String,
    pub(crate) arcs: Vec<ArcSpec>,
}

/// What a probe counts.
pub(crate) struct ProbeSpec {
    pub(crate) path: String,
}

pub(crate) struct Conserved {
    pub(crate) path: String,
    /// Places and how much one of their tokens counts.
    pub(crate) places: Vec<(u32, i64)>,
    pub(crate) initial: i64,
}

/// A handle on a random stream of a net; see [`PageBuilder::stream`](crate::PageBuilder::stream).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub(crate) u32);

pub(crate) struct StreamSpec {
    pub(crate) path: String,
    pub(crate) purpose: String,
}

/// An immutable, compiled net.
///
/// Build one with [`NetBuilder`](crate::NetBuilder), make a [`Marking`] of it with [`Net::marking`], and run that with
/// a [`Simulation`](crate::Simulation).
pub struct Net {
    pub(crate) name: String,
    pub(crate) pages: Vec<Page>,
    pub(crate) places: Vec<PlaceSpec>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) streams: Vec<StreamSpec>,
    pub(crate) probes: Vec<ProbeSpec>,
    pub(crate) conserved: Vec<Conserved>,
    pub(crate) sums: Arc<[NamedSum]>,
    pub(crate) starters: Vec<Starter>,
    pub(crate) adjacency: Vec<Adjacency>,
    pub(crate) names: Names,
}

/// Indices by path, so that a net of a hundred thousand places is built and asked as fast, place by place, as one of
/// ten. Only looked up, never walked: no order of hashes takes part.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) pages: HashMap<String, u32>,
    pub(crate) places: HashMap<String, u32>,
    pub(crate) transitions: HashMap<String, u32>,
}

impl Names {
    fn find(index: &HashMap<String, u32>, path: &str) -> Option<usize> {
        index.get(path).map(|found| *found as usize)
    }
}

impl Net {
    /// The net's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The initial marking, with random streams for this seed and replication.
    pub fn marking(self: &Arc<Self>, seed: u64, replication: u64) -> Marking {
        Marking::new(self, seed, replication)
    }

    /// Paths of all places, by index.
    pub fn place_paths(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| place.path.as_str())
    }

    /// Paths of all transitions, by index.
    pub fn transition_paths(&self) -> impl Iterator<Item = &str> {
        self.transitions.iter().map(|transition| transition.path.as_str())
    }

    /// Paths of all pages, by index; the first is the net itself and its path is empty.
    pub fn page_paths(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(|page| page.path.as_str())
    }

    /// The index of a place.
    pub fn find_place(&self, path: &str) -> Option<usize> {
        Names::find(&self.names.places, path)
    }

    /// The index of a transition.
    pub fn find_transition(&self, path: &str) -> Option<usize> {
        Names::find(&self.names.transitions, path)
    }

    /// The index of a page.
    pub fn find_page(&self, path: &str) -> Option<usize> {
        Names::find(&self.names.pages, path)
    }

    /// Whether the markings of this net can be serialised and hashed: every place is encodable.
    pub fn is_encodable(&self) -> bool {
        self.places.iter().all(|place| place.encode.is_some())
    }
}
