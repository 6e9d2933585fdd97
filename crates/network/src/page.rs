//! A network in the net: a page for each host's adapter, each switch and each link.

use super::adapter::{Acknowledged, Adapter, Common};
use super::entrance::Entrance;
use super::fabric::Fabric;
use super::fluid::fluid;
use super::groups::Groups;
use super::ideal::multiplexer;
use super::lanes::Lanes;
use super::loads::Loads;
use super::parameters::{Level, NetworkParameters};
use super::topology::Wiring;
use petrio_colours::Message;
use petrio_kernel::{PageBuilder, Place, Probe, Time};
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// A network while its net is built: first its hosts take ports on it, then the rest follows.
#[derive(Debug)]
pub struct Network {
    name: String,
    parameters: NetworkParameters,
    wiring: Arc<Wiring>,
    adapters: Vec<Adapter>,
    services: u32,
    groups: Groups,
    /// At a level that doesn't hold receivers to their links, where the seconds are recorded that each one's link would need.
    unheld: Vec<Probe>,
}

/// A service of a host: where it sends messages, and where it receives those that are for it.
#[derive(Clone, Copy, Debug, Persist)]
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

impl Port {
    /// The port of a service whose only host is on no network: it has nobody to send to, and hears nothing.
    pub fn of_one_host(page: &mut PageBuilder<'_>, service: &str) -> Self {
        let (send, received) =
            (page.fifo(&format!("{service}-messages")), page.fifo(&format!("{service}-arrivals")));
        Self { host: 0, service: 0, send, received }
    }
}

/// A group of hosts to which one message goes at once.
#[derive(Clone, Debug)]
pub struct GroupPort {
    /// Its number, as the destination of messages.
    pub destination: u32,
    /// The service of its members that receives them.
    pub service: u32,
    /// Where each of the members finds them.
    pub received: Vec<(u32, Place<Box<Message>>)>,
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
        let unheld = match parameters.level {
            Level::Ideal => hosts.iter().map(|host| page.reopen(host).probe("received")).collect(),
            Level::Train | Level::Packet | Level::Fluid => Vec::new(),
        };
        let groups = Groups::of(as_number(hosts.len()));
        let parameters = parameters.clone();
        Self { name: name.to_owned(), parameters, wiring, adapters, services: 0, groups, unheld }
    }

    /// How long its adapters take for an atomic operation.
    pub(super) fn atomic(&self) -> Time {
        self.parameters.atomic().time()
    }

    /// A port for a service of a host.
    ///
    /// # Panics
    /// If the network has no such host.
    pub fn port(&mut self, parent: &mut PageBuilder<'_>, host: u32, service: &str) -> Port {
        let number = self.services;
        self.services += 1;
        let received = self.receives(parent, host, (service, number));
        Port { host, service: number, send: self.sends(host), received }
    }

    /// A group of hosts, to which these others may send, too, and a service of each that receives what goes there. At the
    /// level of packets TCP has no groups.
    ///
    /// # Panics
    /// If the network has no such host.
    pub fn group(
        &mut self,
        parent: &mut PageBuilder<'_>,
        (members, senders): (&[u32], &[u32]),
        service: &str,
    ) -> GroupPort {
        let number = self.services;
        self.services += 1;
        let destination = self.groups.add(&self.wiring, members, senders);
        let received =
            members.iter().map(|&host| (host, self.receives(parent, host, (service, number)))).collect();
        GroupPort { destination, service: number, received }
    }

    /// Where a host finds what is for a service.
    fn receives(
        &mut self,
        parent: &mut PageBuilder<'_>,
        host: u32,
        (service, number): (&str, u32),
    ) -> Place<Box<Message>> {
        let mut network = parent.reopen(&self.name);
        let adapter = &mut self.adapters[host as usize];
        let received = network.reopen(&adapter.name).fifo(&format!("for {service}"));
        adapter.services.push((number, received));
        received
    }

    /// Hosts whose links aren't held to their rate when they receive, as at the level `ideal`, each with where it is recorded
    /// for how many seconds its link would have been busy.
    pub fn unheld(&self) -> impl Iterator<Item = (&str, Probe)> {
        self.adapters.iter().map(|adapter| adapter.name.as_str()).zip(self.unheld.iter().copied())
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
        let lanes = Lanes::of(&self.parameters, &self.wiring);
        let groups = Arc::new(self.groups.clone());
        let (parameters, wiring) = (&self.parameters, &self.wiring);
        let network = self.adapters.first().map_or(0, |adapter| adapter.send.index());
        let common = Common { parameters, wiring, acknowledged, loads, lanes, groups: &groups, network };
        let (first_links, mut stages) = match self.parameters.level {
            Level::Ideal => (self.ideal(&mut page, Arc::clone(&groups)), Vec::new()),
            Level::Train | Level::Packet => {
                Fabric { parameters: &self.parameters, wiring: &self.wiring, adapters: &self.adapters, lanes }
                    .build(&mut page, &groups, loads)
            }
            Level::Fluid => self.fluid(&mut page, Arc::clone(&groups)),
        };
        for (host, (adapter, queue)) in self.adapters.iter().zip(&first_links).enumerate() {
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
    fn ideal(&self, page: &mut PageBuilder<'_>, groups: Arc<Groups>) -> Vec<Entrance> {
        let mut page = page.page("multiplexer");
        let crossing = page.fifo("crossing");
        let arrivals: Vec<_> = self.adapters.iter().map(|adapter| adapter.arrivals).collect();
        multiplexer(&mut page, &self.parameters, groups, (crossing, &arrivals), &self.unheld);
        vec![Entrance::Queue(crossing); self.adapters.len()]
    }

    /// The page on which all messages flow; where each host's go.
    fn fluid(&self, page: &mut PageBuilder<'_>, groups: Arc<Groups>) -> (Vec<Entrance>, Vec<Stage>) {
        let mut page = page.page("flows");
        let entering = page.fifo("entering");
        let arrivals: Vec<_> = self.adapters.iter().map(|adapter| adapter.arrivals).collect();
        let stage = fluid(&mut page, &self.parameters, (&self.wiring, groups), (entering, &arrivals));
        (vec![Entrance::Queue(entering); self.adapters.len()], vec![stage])
    }
}
