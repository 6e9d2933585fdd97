//! Links and switches in the net: a page for each, and for each host's bus between memory and adapter, where it has one.
//!
//! ```text
//!  pack ─▶ (fetch) ─▶ up ─▶ switch ─▶ trunk ─▶ … ─▶ switch ─▶ down ─▶ (store) ─▶ unpack
//! ```

use super::adapter::Adapter;
use super::arbitration::Arbitration;
use super::bus::{AdapterParameters, Fetch};
use super::clock::Speed;
use super::groups::Groups;
use super::lanes::Lanes;
use super::link::{Behind, Credits, GivesBack, Leads, LinkPlaces, Passes, idle, link, queue};
use super::loads::Loads;
use super::parameters::{Duplex, LinkParameters, NetworkParameters, Turns};
use super::room::{Room, Waiting};
use super::switch::{Exit, Rules, switch};
use super::topology::{Link, LinkKind, Node, Wiring};
use super::train::{HEADER, Passage, Train};
use crate::Stage;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_units::{Bytes, Duration, Rate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is between the adapters of a network.
pub(super) struct Fabric<'n> {
    pub(super) parameters: &'n NetworkParameters,
    pub(super) wiring: &'n Arc<Wiring>,
    pub(super) adapters: &'n [Adapter],
    pub(super) lanes: Lanes,
}

/// A host's bus between memory and adapter, in one direction.
struct Bus {
    queue: Place<Train>,
    passage: Arc<Passage>,
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
    pub(super) fn build(
        &self,
        page: &mut PageBuilder<'_>,
        groups: &Arc<Groups>,
        loads: Option<Place<Loads>>,
    ) -> (Vec<Place<Train>>, Vec<Stage>) {
        let (links, switches) = (self.wiring.links(), self.wiring.switches());
        let mut names = LinkNames { adapters: self.adapters, switches, taken: BTreeMap::new() };
        let link_names: Vec<String> = links.iter().map(|wire| names.link(wire.from, wire.to)).collect();
        let crossings: Vec<Place<Train>> =
            (0..switches).map(|number| page.page(&names.of(Node::Switch(number))).fifo("crossing")).collect();
        let places = self.places(page, &names, &link_names);
        let passages = self.passages();
        let arbitration = Arbitration::new(self.lanes, self.parameters.arbitration.as_ref());
        // What each switch gives back when a train has left it, by the link by which that came.
        let mut given_back: Vec<GivesBack> = vec![Vec::new(); switches as usize];
        for (number, (wire, places)) in links.iter().zip(&places).enumerate() {
            if let (Node::Switch(to), Some(credits)) = (wire.to, places.credits) {
                given_back[to as usize].push((number as u32, credits.news));
            }
        }
        let mut stages = Vec::new();
        let mut exits: Vec<Vec<Exit>> = (0..switches).map(|_| Vec::new()).collect();
        let mut first_links = vec![None; self.adapters.len()];
        for (number, (wire, &places)) in links.iter().zip(&places).enumerate() {
            let passage = self.passage(wire, &passages);
            let store = match wire.to {
                Node::Host(to) => self.store(page, to, &mut stages, &arbitration),
                Node::Switch(_) => None,
            };
            let leads = match (wire.to, &store) {
                (Node::Switch(to), _) if self.wiring.is_shared() => Leads::Whole(crossings[to as usize]),
                (Node::Switch(to), _) => Leads::Begun(crossings[to as usize]),
                (Node::Host(_), Some(store)) => Leads::Onto(store.queue),
                (Node::Host(to), None) => Leads::Whole(self.adapters[to as usize].arrivals),
            };
            // Only a host's own messages keep a gap.
            let mut left: &[(u32, Place<u8>)] = &[];
            let gap = match wire.from {
                Node::Host(from) => {
                    let first = self.fetch(page, from, (places.queue, &passage), (&mut stages, &arbitration));
                    first_links[from as usize] = Some(first);
                    self.parameters.gap
                }
                Node::Switch(from) => {
                    left = &given_back[from as usize];
                    let LinkPlaces { queue, room, .. } = places;
                    let passage = Arc::clone(&passage);
                    exits[from as usize].push(Exit { link: number as u32, queue, passage, room });
                    Duration::default()
                }
            };
            let mut page = page.reopen(&link_names[number]);
            let loads = loads.filter(|_| matches!(wire.from, Node::Switch(_)));
            let behind = Behind { given_back: left, loads };
            let turns = self.parameters.links_of(wire.kind).turns;
            let next = store.as_ref().map(|store| &store.passage);
            let passes = Passes { passage: &passage, leads, next, gap };
            stages.push(link(&mut page, places, (&arbitration, turns), passes, behind));
        }
        let rules = Rules { wiring: Arc::clone(self.wiring), groups: Arc::clone(groups), lanes: self.lanes };
        for ((number, exits), crossing) in exits.into_iter().enumerate().zip(crossings) {
            let number = number as u32;
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
    ) -> Vec<LinkPlaces> {
        let switches = self.wiring.switches();
        // What waits where there is no room for all, and how many links of each switch that concerns.
        let is_limited = self.parameters.runs_tcp() && self.parameters.has_buffers();
        let waiting: Vec<Place<Waiting>> = (0..if is_limited { switches } else { 0 })
            .map(|number| page.reopen(&names.of(Node::Switch(number))).state("waiting", Waiting::default()))
            .collect();
        let mut limited = vec![0; waiting.len()];
        let mut places: Vec<LinkPlaces> = Vec::with_capacity(link_names.len());
        for (number, wire) in self.wiring.links().iter().enumerate() {
            let mut page = page.page(&link_names[number]);
            let (parameters, back) = (self.parameters.links_of(wire.kind), wire.back as usize);
            let queue = queue(&mut page, parameters.turns);
            let idle = match places.get(back) {
                // All who are on a hub share its medium.
                _ if number > 0 && self.wiring.is_shared() && matches!(wire.from, Node::Host(_)) => {
                    places[0].idle
                }
                Some(other) if parameters.duplex == Duplex::Half && back < number => other.idle,
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
                let train = self.parameters.framing().on_wire(self.parameters.largest_train());
                let each = u32::try_from(room.get() / train).unwrap_or(u32::MAX - 1).max(1);
                Credits { news: page.fifo("credits"), each }
            });
            places.push(LinkPlaces { number: number as u32, queue, idle, room, credits });
        }
        places
    }

    /// The bus by which a host's adapter fetches what it sends; without one, its link's queue.
    fn fetch(
        &self,
        page: &mut PageBuilder<'_>,
        host: u32,
        (up, passage): (Place<Train>, &Arc<Passage>),
        (stages, arbitration): (&mut Vec<Stage>, &Arbitration),
    ) -> Place<Train> {
        let Some(adapter) = &self.parameters.adapter else { return up };
        let bus = self.bus(adapter, Some(adapter.fetching()));
        self.cross(page, (host, "fetch"), &bus, (Leads::Onto(up), Some(passage)), (stages, arbitration))
    }

    /// The bus by which a host's adapter stores what it receives.
    fn store(
        &self,
        page: &mut PageBuilder<'_>,
        host: u32,
        stages: &mut Vec<Stage>,
        arbitration: &Arbitration,
    ) -> Option<Bus> {
        let passage = self.bus(self.parameters.adapter.as_ref()?, None);
        let leads = Leads::Whole(self.adapters[host as usize].arrivals);
        let queue = self.cross(page, (host, "store"), &passage, (leads, None), (stages, arbitration));
        Some(Bus { queue, passage })
    }

    fn bus(&self, adapter: &AdapterParameters, fetch: Option<Fetch>) -> Arc<Passage> {
        // An adapter has all of a frame before it sends or stores it.
        Arc::new(Passage { fetch, passed_on_after: None, ..self.passes(adapter.bus, adapter.latency, None) })
    }

    /// A bus, which is a link without lanes that nobody waits for room at; where trains wait for it.
    fn cross(
        &self,
        page: &mut PageBuilder<'_>,
        (host, name): (u32, &str),
        passage: &Arc<Passage>,
        (leads, next): (Leads, Option<&Arc<Passage>>),
        (stages, arbitration): (&mut Vec<Stage>, &Arbitration),
    ) -> Place<Train> {
        let mut adapter = page.reopen(&self.adapters[host as usize].name);
        let mut page = adapter.page(name);
        let queue = queue(&mut page, Turns::Connections);
        let places = LinkPlaces { number: u32::MAX, queue, idle: idle(&mut page), room: None, credits: None };
        let behind = Behind { given_back: &[], loads: None };
        let passes = Passes { passage, leads, next, gap: Duration::default() };
        let turns = Turns::Connections;
        stages.push(link(&mut page, places, (&arbitration.of_one(), turns), passes, behind));
        queue
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
