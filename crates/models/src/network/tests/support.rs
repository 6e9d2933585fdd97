//! A network whose hosts send and receive what a test says.

use crate::network::topology::{TopologyParameters, Wiring};
use crate::network::{Network, NetworkParameters, Port};
use petrio_colours::{Message, Parcel};
use petrio_kernel::{NetBuilder, Simulation, Time};
use std::sync::Arc;

/// A network alone, with a port for each host.
pub(super) struct Bench {
    pub(super) run: Simulation,
    pub(super) ports: Vec<Port>,
}

/// What arrived: when, from whom, and the number of the message.
pub(super) type Arrival = (Time, u32, u64);

impl Bench {
    pub(super) fn new(parameters: &NetworkParameters, wiring: Wiring, hosts: u32) -> Self {
        parameters.check().unwrap();
        let mut net = NetBuilder::new("network");
        let mut page = net.top();
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut network = Network::new(&mut page, "lan", parameters, Arc::new(wiring), &names);
        let ports: Vec<Port> = (0..hosts).map(|host| network.port(&mut page, host, "test")).collect();
        network.finish(&mut page, &mut [], &[]);
        Self { run: Simulation::new(&net.build().unwrap(), 1, 0), ports }
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
            bytes,
            sent: at,
            payload: Parcel::new(Box::new(number)),
        };
        self.run.inject(self.ports[from as usize].send, Box::new(message), at).unwrap();
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
