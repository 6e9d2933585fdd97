//! A network in the net: a page for each host's adapter, each switch and each link.

use super::adapter::{Acknowledged, Adapter, Common};
use super::clock::Speed;
use super::fluid::fluid;
use super::ideal::multiplexer;
use super::link::{Behind, Credits, GivesBack, Leads, LinkPlaces, idle, link, queue};
use super::loads::Loads;
use super::parameters::{Duplex, Level, LinkParameters, MOST_LANES, NetworkParameters};
use super::room::{Room, Waiting};
use super::switch::{Exit, switch};
use super::topology::{Link, LinkKind, Node, Wiring};
use super::train::{HEADER, Passage, Train};
use crate::Stage;
use crate::processor::Processors;
use petrio_colours::Message;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_units::{Bytes, Duration, Rate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A network while its net is built: first its hosts take ports on it, then the rest follows.
#[derive(Debug)]
pub struct Network {
    name: String,
    parameters: NetworkParameters,
    wiring: Arc<Wiring>,
    adapters: Vec<Adapter>,
    services: u32,
}

/// A service of a host: where it sends messages, and where it receives those that are for it.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Its host's number on the network.
    pub host: u32,
    /// Its number, by which messages to it are marked.
    pub service: u32,
    /// Where it puts messages.
    pub send: Place<Box<Message>>,
    /// Where it finds them.
    pub received: Place<Box<Message>>,
}

impl Network {
    /// Begins the page `name` of a network of these hosts. Its parameters have been checked.
    pub fn new(
        parent: &mut PageBuilder<'_>,
        name: &str,
        parameters: &NetworkParameters,
        wiring: Arc<Wiring>,
        hosts: &[&str],
    ) -> Self {
        let mut page = parent.page(name);
        let has_trains = matches!(parameters.level, Level::Train | Level::Packet) && !parameters.runs_tcp();
        let has_windows = parameters.window.is_some() && has_trains;
        let adapters =
            hosts.iter().map(|host| Adapter::new(&mut page.page(host), host, has_windows)).collect();
        Self { name: name.to_owned(), parameters: parameters.clone(), wiring, adapters, services: 0 }
    }

    /// A port for a service of a host.
    ///
    /// # Panics
    /// If the network has no such host.
    pub fn port(&mut self, parent: &mut PageBuilder<'_>, host: u32, service: &str) -> Port {
        let number = self.services;
        self.services += 1;
        let mut network = parent.reopen(&self.name);
        let adapter = &mut self.adapters[host as usize];
        let received = network.reopen(&adapter.name).fifo(&format!("for {service}"));
        adapter.services.push((number, received));
        Port { host, service: number, send: adapter.send, received }
    }

    /// The name of its page.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where a host gives messages to the network.
    pub(super) fn sends(&self, host: u32) -> Place<Box<Message>> {
        self.adapters[host as usize].send
    }

    /// Builds the rest. Messages cost each host time of those `processors` that `of_hosts` says; of one that has none they
    /// cost nothing.
    pub fn finish(
        self,
        parent: &mut PageBuilder<'_>,
        processors: &mut [Processors],
        of_hosts: &[usize],
    ) -> Vec<Stage> {
        let mut page = parent.reopen(&self.name);
        let acknowledged = self.acknowledgements(&mut page);
        // By what waits before links only some choose.
        let loads = (self.wiring.adapts() && matches!(self.parameters.level, Level::Train | Level::Packet))
            .then(|| page.state("loads", Loads::of(self.wiring.links().len())));
        let common = Common { parameters: &self.parameters, wiring: &self.wiring, acknowledged, loads };
        let (first_links, mut stages) = match self.parameters.level {
            Level::Ideal => (self.ideal(&mut page), Vec::new()),
            Level::Train | Level::Packet => self.links(&mut page, loads),
            Level::Fluid => self.fluid(&mut page),
        };
        for (host, (adapter, queue)) in self.adapters.iter().zip(first_links).enumerate() {
            let mut page = page.reopen(&adapter.name);
            let mut own = of_hosts.get(host).and_then(|&own| processors.get_mut(own));
            if self.parameters.runs_tcp() {
                adapter.connections(&mut page, &common, own, queue);
                continue;
            }
            stages.extend(adapter.sending(&mut page, &common, own.as_deref_mut(), queue));
            adapter.receiving(&mut page, &common, own);
        }
        stages
    }

    /// Where acknowledgements pass, and how long they are under way: they are small, and wait for nobody.
    fn acknowledgements(&self, page: &mut PageBuilder<'_>) -> Option<(Place<Acknowledged>, Time)> {
        let heard: Option<Vec<_>> = self.adapters.iter().map(|adapter| adapter.heard).collect();
        let heard = heard.filter(|heard| !heard.is_empty())?;
        let mut page = page.page("acknowledgements");
        let passing = page.fifo::<Acknowledged>("passing");
        let mut hand_on = page.transition("hand on");
        let news = hand_on.take(passing);
        let hosts: Vec<_> = heard.iter().map(|&heard| hand_on.may_put(heard, 1)).collect();
        hand_on.action(move |f| {
            let news = f.take(news);
            if let Some(&host) = hosts.get(news.stream.source as usize) {
                f.put(host, news);
            }
        });
        // To a switch and on, at least.
        let link = &self.parameters.link;
        let frame = link.rate.time_for(self.parameters.framing().on_wire(0));
        let hop = link.latency.time() + if link.bucket.is_some() { Time::ZERO } else { frame };
        Some((passing, hop + hop))
    }

    /// The multiplexer; where each host's messages go.
    fn ideal(&self, page: &mut PageBuilder<'_>) -> Vec<Place<Train>> {
        let mut page = page.page("multiplexer");
        let crossing = page.fifo("crossing");
        let arrivals: Vec<_> = self.adapters.iter().map(|adapter| adapter.arrivals).collect();
        multiplexer(&mut page, &self.parameters, crossing, &arrivals);
        vec![crossing; self.adapters.len()]
    }

    /// The page on which all messages flow; where each host's go.
    fn fluid(&self, page: &mut PageBuilder<'_>) -> (Vec<Place<Train>>, Vec<Stage>) {
        let mut page = page.page("flows");
        let entering = page.fifo("entering");
        let arrivals: Vec<_> = self.adapters.iter().map(|adapter| adapter.arrivals).collect();
        let stage = fluid(&mut page, &self.parameters, &self.wiring, entering, &arrivals);
        (vec![entering; self.adapters.len()], vec![stage])
    }

    /// All links and switches; the queue of each host's own link, and the rows.
    fn links(
        &self,
        page: &mut PageBuilder<'_>,
        loads: Option<Place<Loads>>,
    ) -> (Vec<Place<Train>>, Vec<Stage>) {
        let links = self.wiring.links();
        let switches = self.wiring.switches();
        let mut names = LinkNames { adapters: &self.adapters, switches, taken: BTreeMap::new() };
        let link_names: Vec<String> = links.iter().map(|wire| names.link(wire.from, wire.to)).collect();
        let crossings: Vec<Place<Train>> =
            (0..switches).map(|number| page.page(&names.of(Node::Switch(number))).fifo("crossing")).collect();
        // What waits where there is no room for all, and how many links of each switch that concerns.
        let is_limited = self.parameters.runs_tcp() && self.parameters.has_buffers();
        let waiting: Vec<Place<Waiting>> = (0..if is_limited { switches } else { 0 })
            .map(|number| page.reopen(&names.of(Node::Switch(number))).state("waiting", Waiting::default()))
            .collect();
        let mut limited = vec![0; waiting.len()];
        // What trains wait in, and what a link is idle in: a link of half duplex has one token for both its directions.
        let mut places: Vec<LinkPlaces> = Vec::with_capacity(links.len());
        let lanes = usize::from(self.parameters.virtual_lanes).clamp(1, MOST_LANES);
        for (number, wire) in links.iter().enumerate() {
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
            let mut credits = [None; MOST_LANES];
            if let Some(room) = parameters.credits.filter(|_| !self.wiring.is_shared()) {
                let train = self.parameters.framing().on_wire(self.parameters.largest_train());
                for (lane, credits) in credits.iter_mut().take(lanes).enumerate() {
                    let place = page.fifo::<()>(&format!("credits{lane}"));
                    page.initial(place, (0..(room.get() / train).max(1)).map(|_| ()));
                    *credits = Some(place);
                }
            }
            places.push(LinkPlaces { number: number as u32, queue, idle, room, credits });
        }
        let usual = [LinkKind::Host, LinkKind::Trunk].map(|kind| Arc::new(self.passage(kind)));
        let nothing = Arc::new(Passage { speed: Speed::free(), latency: Time::ZERO, ..(*usual[0]).clone() });
        let passage = |wire: &Link| {
            let usual = match wire.kind {
                LinkKind::Host => &usual[0],
                LinkKind::Trunk => &usual[1],
            };
            // What is on a hub's medium is everywhere at once.
            if self.wiring.is_shared() && matches!(wire.to, Node::Host(_)) {
                return Arc::clone(&nothing);
            }
            let is_usual = wire.rate.is_none() && wire.latency.is_none() && wire.rate_factor == 1.0;
            if is_usual { Arc::clone(usual) } else { Arc::new(self.passage_of(wire)) }
        };
        // What each switch gives back when a train has left it, by the link by which that came.
        let mut given_back: Vec<GivesBack> = vec![Vec::new(); switches as usize];
        for (number, (wire, places)) in links.iter().zip(&places).enumerate() {
            if let Node::Switch(to) = wire.to {
                given_back[to as usize].push((number as u32, places.credits));
            }
        }
        let mut stages = Vec::new();
        let mut exits: Vec<Vec<Exit>> = (0..switches).map(|_| Vec::new()).collect();
        let mut first_links = vec![None; self.adapters.len()];
        for (number, (wire, &places)) in links.iter().zip(&places).enumerate() {
            let leads = match wire.to {
                Node::Switch(to) if self.wiring.is_shared() => Leads::Whole(crossings[to as usize]),
                Node::Switch(to) => Leads::Begun(crossings[to as usize]),
                Node::Host(to) => Leads::Whole(self.adapters[to as usize].arrivals),
            };
            // Only a host's own messages keep a gap.
            let mut left: &[(u32, Credits)] = &[];
            let gap = match wire.from {
                Node::Host(from) => {
                    first_links[from as usize] = Some(places.queue);
                    self.parameters.gap
                }
                Node::Switch(from) => {
                    left = &given_back[from as usize];
                    let passage = passage(wire);
                    let LinkPlaces { queue, room, .. } = places;
                    exits[from as usize].push(Exit { link: number as u32, queue, passage, room });
                    Duration::default()
                }
            };
            let mut page = page.reopen(&link_names[number]);
            let loads = loads.filter(|_| matches!(wire.from, Node::Switch(_)));
            let behind = Behind { given_back: left, loads };
            let lanes = (lanes, self.parameters.links_of(wire.kind).turns);
            stages.push(link(&mut page, places, lanes, &passage(wire), (leads, gap), behind));
        }
        for ((number, exits), crossing) in exits.into_iter().enumerate().zip(crossings) {
            let number = number as u32;
            let mut page = page.reopen(&names.of(Node::Switch(number)));
            switch(&mut page, number, &self.wiring, crossing, exits, loads);
        }
        (first_links.into_iter().flatten().collect(), stages)
    }

    fn passage(&self, kind: LinkKind) -> Passage {
        let LinkParameters { rate, latency, bucket, .. } = *self.parameters.links_of(kind);
        self.passes(rate, latency, bucket)
    }

    /// What is different about one link.
    fn passage_of(&self, wire: &Link) -> Passage {
        let bucket = self.parameters.links_of(wire.kind).bucket;
        self.passes(self.parameters.rate_of(wire), self.parameters.latency_of(wire), bucket)
    }

    fn passes(&self, rate: Rate, latency: Duration, bucket: Option<Bytes>) -> Passage {
        Passage {
            speed: Speed::new(rate, bucket),
            latency: latency.time(),
            framing: Arc::new(self.parameters.framing()),
            passed_on_after: self.parameters.cuts_through().then_some(HEADER),
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
