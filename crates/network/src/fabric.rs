//! Links and switches in the net: a page for each, and for each host's bus between memory and adapter, where it has one.
//!
//! ```text
//!  pack ─▶ (fetch) ─▶ up ─▶ switch ─▶ trunk ─▶ … ─▶ switch ─▶ down ─▶ (store) ─▶ unpack
//! ```

use super::adapter::Adapter;
use super::arbitration::Arbitration;
use super::bus::{AdapterParameters, Fetch};
use super::clock::Speed;
use super::entrance::Entrance;
use super::groups::Groups;
use super::lanes::Lanes;
use super::link::{Behind, Credits, Freed, GivesBack, Leads, LinkPlaces, Queueing, Space, idle, link, queue};
use super::loads::Loads;
use super::parameters::{Duplex, LinkParameters, NetworkParameters, Turns};
use super::passing::Passing;
use super::room::{Room, Waiting};
use super::switch::{Exit, Rules, switch};
use super::topology::{Link, LinkKind, Node, Wiring};
use super::train::{Came, HEADER, Passage, Train};
use super::wire::{Wire, WirePlaces, wire};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::Stage;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration, Rate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Links of a switch that its transition puts trains onto itself. No real one has more; an imagined one of thousands of
/// ports would have as many arcs to each.
const MOST_PORTS: usize = 256;

/// What is between the adapters of a network.
pub(super) struct Fabric<'n> {
    pub(super) parameters: &'n NetworkParameters,
    pub(super) wiring: &'n Arc<Wiring>,
    pub(super) adapters: &'n [Adapter],
    pub(super) lanes: Lanes,
}

/// What a link's trains lie in.
#[derive(Clone, Copy)]
enum CablePlaces {
    Link(LinkPlaces),
    Wire(WirePlaces),
}

impl CablePlaces {
    fn entrance(self, leads: Leads, passing: &Arc<Passing>) -> Entrance {
        match self {
            Self::Link(places) => Entrance::Queue(places.queue),
            Self::Wire(places) => {
                Entrance::Wire(Wire { places, to: leads.to(), passing: Arc::clone(passing) })
            }
        }
    }
}

/// How each link is passed.
struct Passages {
    host: Arc<Passage>,
    trunk: Arc<Passage>,
    /// What takes no time.
    nothing: Arc<Passage>,
}

impl Fabric<'_> {
    /// Builds all links and switches; where the trains of each host go first, and the rows.
    #[expect(
        clippy::too_many_lines,
        reason = "link by link: what leads there, from where, and what it gives back"
    )]
    pub(super) fn build(
        &self,
        page: &mut PageBuilder<'_>,
        groups: &Arc<Groups>,
        loads: Option<Place<Loads>>,
    ) -> (Vec<Entrance>, Vec<Stage>) {
        let (links, switches) = (self.wiring.links(), self.wiring.switches());
        let mut names = LinkNames { adapters: self.adapters, switches, taken: BTreeMap::new() };
        let link_names: Vec<String> = links.iter().map(|cable| names.link(cable.from, cable.to)).collect();
        let crossings: Vec<Place<Box<Train>>> =
            (0..switches).map(|number| page.page(&names.of(Node::Switch(number))).fifo("crossing")).collect();
        let places = self.places(page, &names, &link_names, loads.is_some());
        let passages = self.passages();
        let arbitration = Arbitration::new(self.lanes, self.parameters.arbitration.as_ref());
        // What each switch gives back when a train has left it, by the link by which that came.
        let mut given_back: Vec<GivesBack> = vec![Vec::new(); switches as usize];
        for (number, (cable, places)) in links.iter().zip(&places).enumerate() {
            if let (Node::Switch(to), CablePlaces::Link(LinkPlaces { credits: Some(credits), .. })) =
                (cable.to, places)
            {
                given_back[to as usize].push((as_number(number), credits.news));
            }
        }
        let mut ports = vec![0usize; switches as usize];
        for cable in links {
            if let Node::Switch(from) = cable.from {
                ports[from as usize] += 1;
            }
        }
        let mut stages = Vec::new();
        let mut exits: Vec<Vec<Exit>> = (0..switches).map(|_| Vec::new()).collect();
        let mut first_links = vec![None; self.adapters.len()];
        for (number, (cable, &places)) in links.iter().zip(&places).enumerate() {
            let passage = self.passage(cable, &passages);
            let store = match cable.to {
                Node::Host(to) => self.store(page, to, &mut stages),
                Node::Switch(_) => None,
            };
            let leads = match (cable.to, &store) {
                (Node::Switch(to), _) if self.wiring.is_shared() => Leads::Whole(crossings[to as usize]),
                (Node::Switch(to), _) => Leads::Begun(crossings[to as usize]),
                (Node::Host(_), Some(store)) => Leads::Onto(store.places.trains),
                (Node::Host(to), None) => Leads::Whole(self.adapters[to as usize].arrivals),
            };
            // Only a host's own messages keep a gap.
            let gap = match cable.from {
                Node::Host(_) => self.parameters.gap,
                Node::Switch(_) => Duration::default(),
            };
            let passing = Arc::new(Passing {
                number: as_number(number),
                passage: Arc::clone(&passage),
                is_whole: matches!(leads, Leads::Whole(_)),
                next: store.as_ref().map(|store| Arc::clone(&store.passing.passage)),
                gap: gap.time(),
            });
            let entrance = places.entrance(leads, &passing);
            let mut left: &[(u32, Place<Freed>)] = &[];
            match cable.from {
                Node::Host(from) => {
                    let first = self.fetch(page, from, (&entrance, &passage), &mut stages);
                    first_links[from as usize] = Some(first);
                }
                Node::Switch(from) => {
                    left = &given_back[from as usize];
                    let room = if let CablePlaces::Link(places) = places { places.room } else { None };
                    let link = as_number(number);
                    let is_large = ports[from as usize] > MOST_PORTS;
                    let entrance = if is_large { Entrance::Queue(entrance.place()) } else { entrance };
                    exits[from as usize].push(Exit { link, entrance, passage, room });
                }
            }
            let mut page = page.reopen(&link_names[number]);
            stages.push(match places {
                CablePlaces::Wire(places) => wire(&mut page, &Wire { places, to: leads.to(), passing }),
                CablePlaces::Link(places) => {
                    let loads = loads.filter(|_| matches!(cable.from, Node::Switch(_)));
                    let behind = Behind { given_back: left, loads };
                    let queueing = self.queueing(self.parameters.links_of(cable.kind).turns);
                    link(&mut page, places, (&arbitration, queueing), (&passing, leads), behind)
                }
            });
        }
        let rules = Rules {
            wiring: Arc::clone(self.wiring),
            groups: Arc::clone(groups),
            lanes: self.lanes,
            framing: self.parameters.framing(),
        };
        for ((number, exits), crossing) in exits.into_iter().enumerate().zip(crossings) {
            let number = as_number(number);
            let mut page = page.reopen(&names.of(Node::Switch(number)));
            let behind = Behind { given_back: &given_back[number as usize], loads };
            switch(&mut page, number, &rules, crossing, exits, behind);
        }
        (first_links.into_iter().flatten().collect(), stages)
    }

    /// What trains wait in, and what a link is idle in, for each link: one of half duplex has one token for both its
    /// directions.
    fn places(
        &self,
        page: &mut PageBuilder<'_>,
        names: &LinkNames<'_>,
        link_names: &[String],
        are_loads_counted: bool,
    ) -> Vec<CablePlaces> {
        let switches = self.wiring.switches();
        // What waits where there is no room for all, and how many links of each switch that concerns.
        let is_limited = self.parameters.runs_tcp() && self.parameters.has_buffers();
        let waiting: Vec<Place<Waiting>> = (0..if is_limited { switches } else { 0 })
            .map(|number| page.reopen(&names.of(Node::Switch(number))).state("waiting", Waiting::default()))
            .collect();
        let mut limited = vec![0; waiting.len()];
        let mut places: Vec<CablePlaces> = Vec::with_capacity(link_names.len());
        for (number, wire) in self.wiring.links().iter().enumerate() {
            let mut page = page.page(&link_names[number]);
            let (parameters, back) = (self.parameters.links_of(wire.kind), wire.back as usize);
            if self.is_wire(parameters, is_limited) && !are_loads_counted {
                places.push(CablePlaces::Wire(WirePlaces::new(&mut page, self.queueing(parameters.turns))));
                continue;
            }
            let queue = queue(&mut page, self.queueing(parameters.turns));
            let is_on_hub = self.wiring.is_shared() && matches!(wire.from, Node::Host(_));
            let idle = match (places.first(), places.get(back)) {
                // All who are on a hub share its medium.
                (Some(CablePlaces::Link(first)), _) if is_on_hub => first.idle,
                (_, Some(CablePlaces::Link(other))) if parameters.duplex == Duplex::Half => other.idle,
                _ => idle(&mut page),
            };
            // A hub has no queues.
            let room = match (wire.from, parameters.buffer) {
                (Node::Switch(from), Some(buffer)) if is_limited && !self.wiring.is_shared() => {
                    let before = &mut limited[from as usize];
                    *before += 1;
                    let (link, limit) = (*before - 1, buffer.get());
                    let dropped = page.probe("dropped");
                    Some(Room { waiting: waiting[from as usize], link, limit, dropped })
                }
                _ => None,
            };
            let credits = parameters.credits.filter(|_| !self.wiring.is_shared()).map(|room| {
                let room = Space { bytes: room.get(), least: self.parameters.largest_on_wire() };
                Credits { news: page.fifo("credits"), room }
            });
            places.push(CablePlaces::Link(LinkPlaces { queue, idle, room, credits }));
        }
        places
    }

    /// How trains wait at a link.
    fn queueing(&self, turns: Turns) -> Queueing {
        Queueing { turns, framing: self.parameters.framing(), turn: self.parameters.largest_on_wire() }
    }

    /// Whether nothing but time is scarce at links of these parameters.
    fn is_wire(&self, link: &LinkParameters, is_limited: bool) -> bool {
        let has_room = !is_limited || link.buffer.is_none();
        let is_alone = !self.wiring.is_shared() && link.duplex == Duplex::Full;
        is_alone && has_room && link.credits.is_none() && self.lanes.count() == 1
    }

    /// The bus by which a host's adapter fetches what it sends; without one, its link's queue.
    fn fetch(
        &self,
        page: &mut PageBuilder<'_>,
        host: u32,
        (up, passage): (&Entrance, &Arc<Passage>),
        stages: &mut Vec<Stage>,
    ) -> Entrance {
        let Some(adapter) = &self.parameters.adapter else { return up.clone() };
        let bus = self.bus(adapter, Some(adapter.fetching()));
        Entrance::Wire(self.cross(page, (host, "fetch"), (bus, false), (up.place(), Some(passage)), stages))
    }

    /// The bus by which a host's adapter stores what it receives.
    fn store(&self, page: &mut PageBuilder<'_>, host: u32, stages: &mut Vec<Stage>) -> Option<Wire> {
        let bus = self.bus(self.parameters.adapter.as_ref()?, None);
        let to = self.adapters[host as usize].arrivals;
        Some(self.cross(page, (host, "store"), (bus, true), (to, None), stages))
    }

    fn bus(&self, adapter: &AdapterParameters, fetch: Option<Fetch>) -> Arc<Passage> {
        // An adapter has all of a frame before it sends or stores it.
        Arc::new(Passage { fetch, passed_on_after: None, ..self.passes(adapter.bus, adapter.latency, None) })
    }

    /// A bus, which is a wire.
    fn cross(
        &self,
        page: &mut PageBuilder<'_>,
        (host, name): (u32, &str),
        (passage, is_whole): (Arc<Passage>, bool),
        (to, next): (Place<Box<Train>>, Option<&Arc<Passage>>),
        stages: &mut Vec<Stage>,
    ) -> Wire {
        let mut adapter = page.reopen(&self.adapters[host as usize].name);
        let mut page = adapter.page(name);
        let places = WirePlaces::new(&mut page, self.queueing(Turns::Connections));
        let next = next.cloned();
        let passing = Passing { number: Came::BY_NONE.link, passage, is_whole, next, gap: Time::ZERO };
        let bus = Wire { places, to, passing: Arc::new(passing) };
        stages.push(wire(&mut page, &bus));
        bus
    }

    fn passages(&self) -> Passages {
        let usual = |kind| {
            let LinkParameters { rate, latency, bucket, .. } = *self.parameters.links_of(kind);
            Arc::new(self.passes(rate, latency, bucket))
        };
        let host = usual(LinkKind::Host);
        let nothing = Arc::new(Passage { speed: Speed::free(), latency: Time::ZERO, ..(*host).clone() });
        Passages { host, trunk: usual(LinkKind::Trunk), nothing }
    }

    /// How a link is passed: mostly as all others of its kind.
    fn passage(&self, wire: &Link, passages: &Passages) -> Arc<Passage> {
        // What is on a hub's medium is everywhere at once.
        if self.wiring.is_shared() && matches!(wire.to, Node::Host(_)) {
            return Arc::clone(&passages.nothing);
        }
        if wire.rate.is_none() && wire.latency.is_none() && wire.rate_factor == 1.0 {
            let usual = match wire.kind {
                LinkKind::Host => &passages.host,
                LinkKind::Trunk => &passages.trunk,
            };
            return Arc::clone(usual);
        }
        let bucket = self.parameters.links_of(wire.kind).bucket;
        Arc::new(self.passes(self.parameters.rate_of(wire), self.parameters.latency_of(wire), bucket))
    }

    fn passes(&self, rate: Rate, latency: Duration, bucket: Option<Bytes>) -> Passage {
        Passage {
            speed: Speed::new(rate, bucket),
            latency: latency.time(),
            framing: Arc::new(self.parameters.framing()),
            passed_on_after: self.parameters.cuts_through().then_some(HEADER),
            fetch: None,
        }
    }
}

/// What links and switches are called: `client0/up`, `client0/down`, `switch`, `switch2-switch0/trunk`.
struct LinkNames<'n> {
    adapters: &'n [Adapter],
    switches: u32,
    /// How many links between switches have a name already.
    taken: BTreeMap<String, u32>,
}

impl LinkNames<'_> {
    fn of(&self, node: Node) -> String {
        match node {
            Node::Host(number) => self.adapters[number as usize].name.clone(),
            Node::Switch(_) if self.switches == 1 => "switch".to_owned(),
            Node::Switch(number) => format!("switch{number}"),
        }
    }

    /// A further link between the same two has a number.
    fn link(&mut self, from: Node, to: Node) -> String {
        let name = match (from, to) {
            (Node::Host(_), _) => format!("{}/up", self.of(from)),
            (_, Node::Host(_)) => format!("{}/down", self.of(to)),
            _ => format!("{}-{}/trunk", self.of(from), self.of(to)),
        };
        let taken = self.taken.entry(name.clone()).or_insert(0);
        *taken += 1;
        if *taken == 1 { name } else { format!("{name}-{taken}") }
    }
}
