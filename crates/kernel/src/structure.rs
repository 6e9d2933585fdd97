//! What is said of a net as data: pages, places, arcs, streams. Markings and firings look at this much of it; what its
//! transitions do is added in [`Net`](crate::Net).

use crate::adjacency::Adjacency;
use crate::arc::{ArcKind, ArcNumber};
use crate::binding::{Guard, SearchArc};
use crate::place::Discipline;
use crate::store::AnyStore;
use crate::sum::NamedSum;
use std::sync::Arc;

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

/// How a marking gets the empty store of a place.
pub(crate) enum Prototype {
    /// Made: all places of a colour and a plain discipline begin alike, and nets of thousands of parts have a million of these.
    Made(fn() -> Box<dyn AnyStore>),
    /// Copied: it has keys or serves.
    Copied(Box<dyn AnyStore>),
}

impl Prototype {
    /// An empty store that knows whom its tokens concern.
    pub(crate) fn store(&self, adjacency: &Adjacency, is_plain: bool) -> Box<dyn AnyStore> {
        let mut store = match self {
            Self::Made(make) => make(),
            Self::Copied(store) => store.clone_box(),
        };
        store.level_mut().concern(adjacency, is_plain);
        store
    }
}

pub(crate) struct PlaceSpec {
    pub(crate) path: String,
    pub(crate) page: u32,
    pub(crate) discipline: Discipline,
    pub(crate) capacity: Option<u32>,
    pub(crate) colour: &'static str,
    pub(crate) initial: usize,
    pub(crate) station: Option<(&'static str, Option<u32>)>,
    pub(crate) prototype: Prototype,
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
    /// No condition of the transition looks at the token, so that a change of it concerns the transition not.
    pub(crate) unseen: bool,
}

/// A transition but for its action. What the firing of a simple one needs comes first: see
/// [`Transition`](crate::net::Transition).
#[repr(C)]
pub(crate) struct TransitionSpec {
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
    pub(crate) arcs: Box<[ArcSpec]>,
}

/// What a probe counts.
pub(crate) struct ProbeSpec {
    pub(crate) path: String,
}

/// A page of a net; see [`PageBuilder::id`](crate::PageBuilder::id).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageId(pub(crate) u32);

/// A handle on a random stream of a net; see [`PageBuilder::stream`](crate::PageBuilder::stream).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub(crate) u32);

pub(crate) struct StreamSpec {
    pub(crate) path: String,
    pub(crate) purpose: String,
}

/// What a marking knows of its net.
pub(crate) struct Structure {
    pub(crate) pages: Vec<Page>,
    pub(crate) places: Vec<PlaceSpec>,
    pub(crate) streams: Vec<StreamSpec>,
    pub(crate) probes: Vec<ProbeSpec>,
    pub(crate) sums: Arc<[NamedSum]>,
    pub(crate) adjacency: Vec<Adjacency>,
}
