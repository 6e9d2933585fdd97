//! Messages as flows: each has the rate that the others leave it, and none has frames.
//!
//! ```text
//!  hosts ─▶ entering ─▶ enter ─┬─────────────▶ flowing ─▶ leave ─▶ arrivals of the receiver, after the way's latencies
//!                              └▶ held ─▶ follow ─▶ ▲       │
//!                                          ▲              (the connection's next)
//!                                          └────────────────┘
//! ```
//!
//! Where routes are chosen by what waits before links (UGAL), the messages that use them are what waits.
//!
//! Rates are max-min fair over all links of the flows' ways. A link whose two directions can't be used at once is one
//! resource, and so is a hub. A window limits a flow to a window for each round trip.
//!
//! Leaves out: what TCP does until its rate is found, queues, gaps between messages, and the buckets of links.

use super::groups::Groups;
use super::loads::Loads;
use super::parameters::{Duplex, NetworkParameters};
use super::topology::{Node, Wiring};
use super::train::{HEADER, Stream, Train};
use petrio_kernel::{MaxMin, PageBuilder, Place, StationSpec, Time};
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::sync::Arc;

/// A message on its way.
#[derive(Clone, Debug, Persist)]
pub(super) struct Flow {
    pub(super) train: Box<Train>,
    /// What it uses, by position.
    uses: SmallVec<[u32; 6]>,
    /// The rate that its window allows, as a multiple of a host link's.
    cap: f64,
    /// Until it is there when its last byte has been sent.
    after: Time,
}

/// What is known of one direction of a connection.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Progress {
    /// Messages that flow or wait for it.
    messages: u32,
    /// When the last of those that have flowed is there.
    last: Time,
}

/// A way that flows take.
struct Path {
    uses: SmallVec<[u32; 6]>,
    /// Latencies, and what switches wait for before they go on.
    after: Time,
}

/// The links as resources.
struct Resources {
    wiring: Arc<Wiring>,
    parameters: NetworkParameters,
    /// What each link is part of.
    of_link: Vec<u32>,
    /// The rate of each resource, as a multiple of a host link's.
    capacities: Vec<f64>,
    /// The link that leaves each host.
    first: Vec<Option<u32>>,
    groups: Arc<Groups>,
    /// The first of the buses by which hosts fetch what they send, and then of those by which they store what they
    /// receive, where they have any.
    buses: Option<[u32; 2]>,
}

impl Resources {
    fn new(parameters: &NetworkParameters, wiring: &Arc<Wiring>, groups: Arc<Groups>) -> Self {
        let links = wiring.links();
        let mut first = vec![None; wiring.hosts() as usize];
        let mut of_link: Vec<u32> = Vec::with_capacity(links.len());
        let mut all = Self {
            wiring: Arc::clone(wiring),
            parameters: parameters.clone(),
            of_link: Vec::new(),
            capacities: Vec::new(),
            first: Vec::new(),
            groups,
            buses: None,
        };
        for (number, link) in links.iter().enumerate() {
            if let Node::Host(host) = link.from {
                first[host as usize] = Some(as_number(number));
            }
            let is_half =
                parameters.links_of(link.kind).duplex == Duplex::Half && (link.back as usize) < number;
            let part_of = match of_link.get(link.back as usize) {
                _ if number > 0 && wiring.is_shared() => of_link[0],
                Some(&back) if is_half => back,
                _ => as_number(number),
            };
            of_link.push(part_of);
            all.capacities
                .push(parameters.rate_of(link).bytes_per_second() / parameters.link.rate.bytes_per_second());
        }
        if let Some(adapter) = &parameters.adapter {
            let (hosts, links) = (wiring.hosts(), as_number(links.len()));
            let bus = adapter.bus.bytes_per_second() / parameters.link.rate.bytes_per_second();
            all.capacities.extend((0..2 * hosts).map(|_| bus));
            all.buses = Some([links, links + hosts]);
        }
        Self { of_link, first, ..all }
    }

    /// The ways of a message to all of a group, as one: what it uses on any of them, and the longest time.
    fn paths(&self, stream: Stream, first_frame: u64, loads: &Loads) -> Option<Path> {
        if !self.groups.has(stream.destination) {
            return self.path(stream, first_frame, loads);
        }
        let mut all = Path { uses: SmallVec::new(), after: Time::ZERO };
        for &destination in self.groups.members(stream.destination) {
            if destination != stream.source {
                let Path { uses, after } = self.path(Stream { destination, ..stream }, first_frame, loads)?;
                all.uses.extend(uses);
                all.after = all.after.max(after);
            }
        }
        all.uses.sort_unstable();
        all.uses.dedup();
        Some(all)
    }

    /// The way of a message; none where its network has none for it.
    fn path(&self, stream: Stream, first_frame: u64, loads: &Loads) -> Option<Path> {
        let before = |link| loads.before(link);
        let mut way = self.wiring.way(stream.source, stream.destination, stream.spread(), &before);
        let first_frame = if self.parameters.cuts_through() { first_frame.min(HEADER) } else { first_frame };
        let mut next = *self.first.get(stream.source as usize)?;
        let mut path = Path { uses: SmallVec::new(), after: Time::ZERO };
        // A frame's time at each link but the slowest, whose time for the whole message is the flow's.
        let (mut slowest, mut all) = (0.0f64, 0.0);
        if let (Some([fetch, store]), Some(adapter)) = (self.buses, &self.parameters.adapter) {
            path.uses.extend([fetch + stream.source, store + stream.destination]);
            slowest = first_frame as f64 / adapter.bus.bytes_per_second();
            all = 2.0 * slowest;
        }
        loop {
            let number = next? as usize;
            let link = self.wiring.links().get(number)?;
            let part_of = *self.of_link.get(number)?;
            let latency = self.parameters.latency_of(link).time();
            let is_again_on_hub = self.wiring.is_shared() && matches!(link.to, Node::Host(_));
            // What is on a hub's medium is everywhere at once.
            if !is_again_on_hub {
                path.uses.push(part_of);
                path.after += latency;
                let frame = first_frame as f64 / self.parameters.rate_of(link).bytes_per_second();
                all += frame;
                slowest = slowest.max(frame);
            }
            match link.to {
                Node::Host(_) => break,
                node @ Node::Switch(_) => next = self.wiring.next(node, &mut way),
            }
        }
        path.after += Time::from_seconds((all - slowest).max(0.0));
        Some(path)
    }

    fn flow(&self, train: Box<Train>, loads: &Loads) -> Option<Flow> {
        let framing = self.parameters.framing();
        let Path { uses, after } =
            self.paths(train.stream, framing.first_frame(u64::from(train.bytes)), loads)?;
        let after = after + self.parameters.adapter.map_or(Time::ZERO, |adapter| adapter.latencies(&train));
        let cap = self.parameters.window.map_or(f64::INFINITY, |window| {
            let round_trip = 2.0 * after.as_seconds() + f64::MIN_POSITIVE;
            let on_wire = window.get() as f64 / framing.efficiency();
            on_wire / round_trip / self.parameters.link.rate.bytes_per_second()
        });
        Some(Flow { train, uses, cap, after })
    }
}

/// Max-min fair rates of flows over what they use of resources with these capacities.
fn rates<'f>(capacities: &[f64], flows: impl Iterator<Item = &'f Flow> + Clone, rates: &mut Vec<f64>) {
    // Only what is used counts: a large network is idle for the most part.
    let mut used: Vec<u32> = flows.clone().flat_map(|flow| flow.uses.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let capacity = |resource: &u32| capacities.get(*resource as usize).copied().unwrap_or(0.0);
    let shares = MaxMin::new(&used.iter().map(capacity).collect::<Vec<f64>>());
    let position = |resource: &u32| used.binary_search(resource).unwrap_or(usize::MAX);
    shares.rates(flows.map(|flow| (flow.uses.iter().map(position), flow.cap)), rates);
}

/// Builds the page on which all messages flow: they come from `entering`, and go to the hosts' `arrivals`.
#[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a message's way")]
pub(super) fn fluid(
    page: &mut PageBuilder<'_>,
    parameters: &NetworkParameters,
    (wiring, groups): (&Arc<Wiring>, Arc<Groups>),
    (entering, arrivals): (Place<Box<Train>>, &[Place<Box<Train>>]),
) -> Stage {
    let resources = Resources::new(parameters, wiring, Arc::clone(&groups));
    let (framing, rate) = (parameters.framing(), parameters.link.rate);
    let capacities = resources.capacities.clone();
    let spec = StationSpec::flows(
        as_number(arrivals.len()),
        move |flow: &Flow, _| rate.time_for(framing.on_wire(u64::from(flow.train.bytes))),
        move |flows, found| rates(&capacities, flows.iter(), found),
    );
    let flowing = page.station("flowing", spec);
    let held = page.keyed("held", |flow: &Flow| flow.train.stream.key());
    let progress = page.state("connections", FastMap::<Stream, Progress>::default());
    let following = page.fifo::<Stream>("following");
    // Bytes of the messages that use each link, where routes are chosen by them.
    let adapts = wiring.adapts();
    let under_way = page.state("loads", Loads::of(if adapts { wiring.links().len() } else { 0 }));

    let mut enter = page.transition("enter");
    let train = enter.take(entering);
    let state = enter.update(progress);
    let (begin, wait) = (enter.may_put(flowing, 1), enter.may_put(held, 1));
    let loads = enter.update(under_way);
    enter.action(move |f| {
        let train = f.take(train);
        let stream = train.stream;
        let Some(flow) = resources.flow(train, f.get(loads)) else {
            f.fail(format!(
                "there is no way for a message from host {} to host {}: a mistake in the routes",
                stream.source, stream.destination
            ));
            return;
        };
        if adapts {
            flow.uses.iter().for_each(|&link| f.update(loads).enter(link, flow.train.bytes.into()));
        }
        let progress = f.update(state).entry(stream).or_default();
        progress.messages += 1;
        let place = if progress.messages == 1 { begin } else { wait };
        f.put(place, flow);
    });

    let mut leave = page.transition("leave");
    let flow = leave.take(flowing);
    let state = leave.update(progress);
    let next = leave.may_put(following, 1);
    let loads = leave.update(under_way);
    let hosts: Vec<_> = arrivals.iter().map(|&arrivals| leave.may_put(arrivals, 1)).collect();
    leave.action(move |f| {
        let Flow { train, after, uses, .. } = f.take(flow);
        if adapts {
            uses.iter().for_each(|&link| f.update(loads).leave(link, train.bytes.into()));
        }
        let stream = train.stream;
        let now = f.now();
        let progress = f.update(state).entry(stream).or_default();
        progress.messages = progress.messages.saturating_sub(1);
        // A small message, whose only frame is soon passed on, doesn't overtake the one before.
        progress.last = progress.last.max(now + after);
        let (after, has_more) = (progress.last - now, progress.messages > 0);
        if has_more {
            f.put(next, stream);
        }
        if groups.has(stream.destination) {
            for &host in groups.members(stream.destination).iter().filter(|&&host| host != stream.source) {
                f.put_after(hosts[host as usize], train.clone(), after);
            }
        } else if let Some(&host) = hosts.get(stream.destination as usize) {
            f.put_after(host, train, after);
        }
    });

    let mut follow = page.transition("follow");
    let stream = follow.take(following);
    let flow = follow.take_key(held, move |binding| binding.get(stream).key());
    let begin = follow.put(flowing);
    follow.action(move |f| {
        let _ = f.take(stream);
        let flow = f.take(flow);
        f.put(begin, flow);
    });
    Stage::station(page.path().to_owned(), flowing.id())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::topology::TopologyParameters;
    use super::super::train::trains;
    use super::*;
    use petrio_colours::{Message, Parcel, Verb};

    fn flow(uses: &[u32], cap: f64) -> Flow {
        let (source, destination, connection, service) = (0, 1, 0, 0);
        let payload = Parcel::new(Box::new(()));
        let message = Message {
            source,
            destination,
            connection,
            service,
            verb: Verb::Send,
            service_level: 0,
            bytes: 1,
            payload,
        };
        let way = Wiring::new(&TopologyParameters::Star, 2).unwrap().way(source, destination, 0, &|_| 0);
        let train = Box::new(trains(Box::new(message), 1, (1, 1), (way, 0)).next().unwrap());
        Flow { train, uses: SmallVec::from_slice(uses), cap, after: Time::ZERO }
    }

    #[test]
    fn shares_are_max_min_fair() {
        let found = |capacities: &[f64], flows: &[Flow]| {
            let mut found = Vec::new();
            rates(capacities, flows.iter(), &mut found);
            found
        };
        // Two over a shared link, and one over the other, which has what they leave.
        let two_and_one =
            [flow(&[0], f64::INFINITY), flow(&[0, 7], f64::INFINITY), flow(&[7], f64::INFINITY)];
        let capacities = [1.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 2.0];
        assert_eq!(found(&capacities, &two_and_one), [0.5, 0.5, 1.5]);
        // What a window keeps one from using is the other's.
        assert_eq!(found(&[1.0], &[flow(&[0], 0.25), flow(&[0], f64::INFINITY)]), [0.25, 0.75]);
        // The parking lot: one flow over all links, one over each (Bertsekas and Gallager 1992).
        let lot = [flow(&[0, 1, 2], 9.0), flow(&[0], 9.0), flow(&[1], 9.0), flow(&[2], 9.0)];
        assert_eq!(found(&[1.0, 1.0, 1.0], &lot), [0.5; 4]);
    }
}
