//! A network whose hosts send and receive what a test says.

use crate::topology::{TopologyParameters, Wiring};
use crate::{GroupPort, Network, NetworkParameters, Port, Writers};
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_stage::processor::Processors;
use petrio_units::Bytes;
use std::sync::Arc;

/// A network alone, with a port for each host.
pub(super) struct Bench {
    pub(super) run: Simulation,
    pub(super) ports: Vec<Port>,
    /// Of the messages that are sent from now on.
    pub(super) service_level: u8,
    group: Option<GroupPort>,
}

/// What arrived: when, from whom, and the number of the message.
pub(super) type Arrival = (Time, u32, u64);

impl Bench {
    pub(super) fn new(parameters: &NetworkParameters, wiring: Wiring, hosts: u32) -> Self {
        Self::with_group(parameters, wiring, hosts, (&[], &[]))
    }

    /// With a group of hosts, to which these others may send, too.
    pub(super) fn with_group(
        parameters: &NetworkParameters,
        wiring: Wiring,
        hosts: u32,
        (members, senders): (&[u32], &[u32]),
    ) -> Self {
        parameters.check().unwrap();
        let mut net = NetBuilder::new("network");
        let mut page = net.top();
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut network = Network::new(&mut page, "lan", parameters, Arc::new(wiring), &names);
        let ports: Vec<Port> = (0..hosts).map(|host| network.port(&mut page, host, "test")).collect();
        let group = (!members.is_empty()).then(|| network.group(&mut page, (members, senders), "group"));
        network.finish(&mut page, &mut [], &[]);
        Self { run: Simulation::new(&net.build().unwrap(), 1, 0), ports, service_level: 0, group }
    }

    /// A star of hosts that write what is longer into each other's memory; also with processors whose time messages cost.
    pub(super) fn writing(parameters: &NetworkParameters, hosts: u32, eager: Bytes) -> Self {
        let mut net = NetBuilder::new("network");
        let mut page = net.top();
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let wiring = Arc::new(Wiring::new(&TopologyParameters::Star, hosts).unwrap());
        let mut network = Network::new(&mut page, "lan", parameters, wiring, &names);
        let writers = Writers::new(&mut network, &mut page, "test", &(0..hosts).collect(), eager);
        let ports: Vec<Port> =
            (0..hosts).map(|host| writers.port(&mut network, &mut page, host, "test")).collect();
        let mut processors: Vec<Processors> =
            names.iter().map(|name| Processors::new(&mut page.page(name), 1)).collect();
        network.finish(&mut page, &mut processors, &(0..hosts as usize).collect::<Vec<_>>());
        for (name, processors) in names.iter().zip(processors) {
            processors.finish(&mut page.reopen(name));
        }
        Self { run: Simulation::new(&net.build().unwrap(), 1, 0), ports, service_level: 0, group: None }
    }

    /// A star of these hosts.
    pub(super) fn star(parameters: &NetworkParameters, hosts: u32) -> Self {
        Self::new(parameters, Wiring::new(&TopologyParameters::Star, hosts).unwrap(), hosts)
    }

    /// A host sends a message at a time.
    pub(super) fn send(
        &mut self,
        (from, to): (u32, u32),
        connection: u32,
        bytes: u64,
        number: u64,
        at: Time,
    ) {
        let message = Message {
            source: from,
            destination: to,
            connection,
            service: self.ports[to as usize].service,
            verb: Verb::Send,
            service_level: self.service_level,
            bytes,
            payload: Parcel::new(Box::new(number)),
        };
        self.run.inject(self.ports[from as usize].send, Box::new(message), at).unwrap();
    }

    /// A host sends a message to the group at a time.
    pub(super) fn send_to_group(&mut self, from: u32, bytes: u64, number: u64, at: Time) {
        let group = self.group.as_ref().unwrap();
        let message = Message {
            source: from,
            destination: group.destination,
            connection: 0,
            service: group.service,
            verb: Verb::Send,
            service_level: self.service_level,
            bytes,
            payload: Parcel::new(Box::new(number)),
        };
        self.run.inject(self.ports[from as usize].send, Box::new(message), at).unwrap();
    }

    /// What has arrived of what went to the group: when, from whom, the number of the message, and the member.
    pub(super) fn drain_group(&mut self) -> Vec<(Time, u32, u64, u32)> {
        let received = self.group.as_ref().unwrap().received.clone();
        let now = self.run.now();
        let mut all = Vec::new();
        for (host, place) in received {
            for message in self.run.drain(place) {
                all.push((now, message.source, *message.payload.get::<u64>().unwrap(), host));
            }
        }
        all
    }

    /// Runs until so many of the group's members have received a message; what arrived.
    pub(super) fn await_group(&mut self, count: usize) -> Vec<(Time, u32, u64, u32)> {
        let mut all = Vec::new();
        while all.len() < count {
            let next = self.run.next_time().unwrap().expect("they arrive");
            self.run.run_until(next).unwrap();
            all.extend(self.drain_group());
        }
        all
    }

    /// Runs until so many messages have arrived at these hosts; what arrived.
    pub(super) fn await_messages(&mut self, hosts: &[u32], count: usize) -> Vec<Arrival> {
        let mut all = Vec::new();
        while all.len() < count {
            let next = self.run.next_time().unwrap().expect("they arrive");
            self.run.run_until(next).unwrap();
            for &host in hosts {
                for message in self.run.drain(self.ports[host as usize].received) {
                    all.push((next, message.source, *message.payload.get::<u64>().unwrap()));
                }
            }
        }
        all
    }

    /// How many frames were dropped before the links to these hosts, and how many bytes they were.
    pub(super) fn dropped(&self, hosts: u32) -> (u64, f64) {
        let links = (0..hosts).filter_map(|host| self.run.find_probe(&format!("lan/h{host}/down/dropped")));
        links.fold((0, 0.0), |(frames, bytes), probe| {
            let tally = self.run.marking().probe(probe).tally();
            (frames + tally.count(), bytes + tally.mean() * tally.count() as f64)
        })
    }

    /// Runs to the end; what arrives at a host, in order, each with its time.
    pub(super) fn arrivals(&mut self, host: u32) -> Vec<Arrival> {
        let mut all = Vec::new();
        let place = self.ports[host as usize].received;
        while let Some(next) = self.run.next_time().unwrap() {
            self.run.run_until(next).unwrap();
            for message in self.run.drain(place) {
                all.push((next, message.source, *message.payload.get::<u64>().unwrap()));
            }
        }
        all
    }
}
