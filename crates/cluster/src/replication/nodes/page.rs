//! The pages of storage nodes, around that of replication.
//!
//! ```text
//!  requests ─▶ (arrive) ─▶ post ─▶ network ─▶ (hear) ─▶ arrived ─▶ processor ─▶ (look up) ─▶ disk
//!                           ▲                   ├─▶ replication: requests, ups
//!  completions ◀────────────┼───────────────────┘
//!                           └─ (depart) ◀─ replication: downs;  (reply) ◀─ disk;  (end) ◀─ replication: completions
//! ```

use super::super::copies::Replicas;
use super::super::page::{ReplicationPorts, replication_page};
use super::super::parameters::{ReplicationError, ReplicationParameters};
use super::mesh::{Announced, Mesh, Payload, SPIGOT, Unasked, end_of};
use super::seats::Hears;
use super::{NodeMemory, NodeParameters};
use petrio_colours::{BlockRequest, Cause, Direction, Message, Status};
use petrio_host::FileLayout;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::function::Function;
use petrio_stage::instants;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};
use std::sync::Arc;

/// Storage nodes while their net is built.
#[derive(Debug)]
pub struct Nodes<'n> {
    /// What they are.
    pub parameters: NodeParameters,
    /// The names of the disks, and so of the nodes.
    pub names: &'n [&'n str],
    /// The spigot's port on the network, then each node's.
    pub ports: &'n [Port],
    /// Their processors, in the same order.
    pub processors: &'n mut [Processors],
}

/// The places between the nodes.
#[derive(Clone)]
struct Places {
    mesh: Place<Mesh>,
    replicas: Place<Replicas>,
    /// Messages that are to be sent.
    post: Place<Box<Message>>,
    /// Parts that somebody hears of, by their disks.
    heard: Place<(usize, Box<BlockRequest>)>,
    /// Requests that can be sent to disks. Of those of one instant that goes first which came to the spigot first.
    known: Place<Announced>,
}

/// A node's places.
#[derive(Clone, Copy)]
struct NodePlaces {
    arrived: Place<BlockRequest>,
    ready: Place<BlockRequest>,
    memory: Option<Place<NodeMemory>>,
    /// The disk's own.
    down: Place<BlockRequest>,
    up: Place<BlockRequest>,
}

/// Builds [`replication_page`] with each of its disks in a storage node.
///
/// # Errors
/// See [`ReplicationError`].
pub fn replication_over_nodes(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ReplicationParameters,
    of_disks: (u64, Arc<FileLayout>),
    ports: &ReplicationPorts,
    Nodes { parameters: nodes, names, ports: on_network, processors }: Nodes<'_>,
) -> Result<(Place<Replicas>, Vec<Stage>), ReplicationError> {
    let mut page = parent.reopen(&format!("{name}-nodes"));
    page.carries::<Payload>();
    let memories: Vec<Place<NodeMemory>> = (names.iter())
        .filter(|_| nodes.memory.get() > 0)
        .map(|name| page.reopen(name).state("memory", NodeMemory::new(nodes.memory, nodes.block)))
        .collect();
    // What replication sees: the same disks, behind the network.
    let inner = ReplicationPorts {
        operations: ports.operations,
        requests: page.fifo("announced"),
        completions: page.fifo("over"),
        disks: (ports.disks.iter().zip(names))
            .map(|((_, _, sight), name)| {
                (page.fifo(&format!("to {name}")), page.fifo(&format!("from {name}")), *sight)
            })
            .collect(),
        memories: memories.clone(),
    };
    let (replicas, stages) = replication_page(parent, name, parameters, of_disks, &inner)?;
    let mut page = parent.reopen(&format!("{name}-nodes"));
    let places = Places {
        mesh: page.state("mesh", Mesh::new(on_network, nodes.message.get())),
        replicas,
        post: page.fifo("post"),
        heard: page.fifo("heard"),
        known: page.priority("known", |(order, _): &Announced| u128::from(*order)),
    };
    arrive(&mut page, &places, ports.requests);
    post(&mut page, &places, on_network);
    let mut all = Vec::new();
    for (disk, (&(down, up, _), name)) in ports.disks.iter().zip(names).enumerate() {
        let mut own = page.reopen(name);
        own.port_out("down", down);
        own.port_in("up", up);
        let arrived = own.fifo("arrived");
        let ready = works(&mut own, arrived, nodes.work.time(), &mut processors[end_of(disk)]);
        all.push(NodePlaces { arrived, ready, memory: memories.get(disk).copied(), down, up });
    }
    hear(&mut page, "spigot", &places, (on_network[SPIGOT], SPIGOT), (None, ports.completions));
    for (disk, (node, name)) in all.iter().zip(names).enumerate() {
        let mut own = page.reopen(name);
        let hears = (on_network[end_of(disk)], end_of(disk));
        hear(&mut own, "hear", &places, hears, (Some(node.arrived), ports.completions));
        let served = own.fifo("served");
        look_up(&mut own, node, served);
        reply(&mut own, ("remember", served), &places, disk, None);
        reply(&mut own, ("reply", node.up), &places, disk, node.memory);
    }
    for (disk, (down, ..)) in inner.disks.iter().enumerate() {
        depart(&mut page, &places, disk, *down);
    }
    announce(&mut page, &places, inner.requests);
    deliver(&mut page, &places, &inner);
    end(&mut page, &places, inner.completions, ports.completions);
    Ok((replicas, stages))
}

/// What a request has spent since its ledger was written was for this.
fn spent(request: &mut BlockRequest, cause: Cause, now: Time) {
    let rest = (now - request.issued).saturating_sub(request.ledger.total());
    request.ledger.charge(cause, rest);
}

/// A request comes to the spigot.
fn arrive(page: &mut PageBuilder<'_>, places: &Places, requests: Place<BlockRequest>) {
    page.port_in("requests", requests);
    let mut arrive = page.transition("arrive");
    let request = arrive.take(requests);
    let mesh = arrive.update(places.mesh);
    let known = arrive.peek(places.replicas);
    let post = arrive.put(places.post);
    arrive.action(move |f| {
        let (mut request, now) = (f.take(request), f.now());
        spent(&mut request, Cause::Queue, now);
        let replicas = f.get(known);
        let (speaker, others) = (replicas.speaks_for(&request), replicas.also_have(&request).to_vec());
        let message = f.update(mesh).forward(request, speaker, others);
        f.put(post, message);
    });
}

/// Messages go onto the network, but for those of a node to itself.
fn post(page: &mut PageBuilder<'_>, places: &Places, ports: &[Port]) {
    let mut send = page.transition("send");
    let message = send.take(places.post);
    let onto: Vec<_> = ports.iter().map(|port| send.may_put(port.send, 1)).collect();
    let own: Vec<_> = ports.iter().map(|port| send.may_put(port.received, 1)).collect();
    // Ends are numbered as their hosts on the network are.
    send.action(move |f| {
        let message = f.take(message);
        let (from, to) = (message.source as usize, message.destination as usize);
        f.put(if from == to { own[from] } else { onto[from] }, message);
    });
}

/// An end of the network hears something.
fn hear(
    page: &mut PageBuilder<'_>,
    name: &str,
    places: &Places,
    (port, end): (Port, usize),
    (arrived, completions): (Option<Place<BlockRequest>>, Place<BlockRequest>),
) {
    let mut hear = page.transition(name);
    let message = hear.take(port.received);
    let mesh = hear.update(places.mesh);
    let post = hear.may_put(places.post, MANY);
    let known = hear.may_put(places.known, 1);
    let heard = hear.may_put(places.heard, 1);
    let over = hear.may_put(completions, 1);
    let arrived = arrived.map(|arrived| hear.may_put(arrived, 1));
    hear.action(move |f| {
        let (message, now) = (f.take(message), f.now());
        let understood = match (message.payload.open::<Payload>().map(|payload| *payload), arrived) {
            (Some(Payload::Forward { number }), _) => {
                f.update(mesh).forwarded(number).map(|(messages, request)| {
                    messages.into_iter().for_each(|message| f.put(post, Box::new(message)));
                    request
                })
            }
            (Some(Payload::Query { number, from }), _) => {
                let reply = f.update(mesh).message(end, end_of(from), 0, Payload::Reply { number });
                f.put(post, reply);
                Ok(None)
            }
            (Some(Payload::Reply { number }), _) => f.update(mesh).answered(number),
            (Some(Payload::Part(mut part)), Some(arrived)) => {
                spent(&mut part, Cause::Bus, now);
                f.put(arrived, *part);
                Ok(None)
            }
            (Some(Payload::Done { disk, mut part }), _) => {
                spent(&mut part, Cause::Bus, now);
                f.put(heard, (disk, part));
                Ok(None)
            }
            (Some(Payload::Over(mut request)), None) => {
                spent(&mut request, Cause::Bus, now);
                f.put(over, *request);
                Ok(None)
            }
            _ => Err(Unasked),
        };
        match understood {
            Ok(Some((order, mut request))) => {
                spent(&mut request, Cause::Bus, now);
                f.put(known, (order, request));
            }
            Ok(None) => {}
            Err(Unasked) => f.fail("a storage node hears what nobody asked for: a mistake in the model"),
        }
    });
}

/// Each part costs a node's processor a time; where it is then.
fn works(
    page: &mut PageBuilder<'_>,
    arrived: Place<BlockRequest>,
    each: Time,
    processors: &mut Processors,
) -> Place<BlockRequest> {
    if each == Time::ZERO {
        return arrived;
    }
    let ready = page.fifo("ready");
    processors.each_of(page, ("work", arrived, ready), Function::FileServices, each, |part, span, now| {
        part.ledger.charge(Cause::Overhead, span);
        spent(part, Cause::Queue, now);
    });
    ready
}

/// What a node has in memory needs no disk.
fn look_up(page: &mut PageBuilder<'_>, node: &NodePlaces, served: Place<BlockRequest>) {
    let mut look_up = page.transition("look up");
    let part = look_up.take(node.ready);
    let memory = node.memory.map(|memory| look_up.update(memory));
    let down = look_up.may_put(node.down, 1);
    let served = look_up.may_put(served, 1);
    look_up.action(move |f| {
        let mut part = f.take(part);
        if let Some(memory) = memory
            && part.direction == Direction::Read
        {
            let memory = f.update(memory);
            if memory.holds(part.address, part.blocks) {
                memory.use_them(part.address, part.blocks);
                part.status = Status::DoneFromCache;
                return f.put(served, part);
            }
        }
        f.put(down, part);
    });
}

/// A node reports what it, or its disk, has done; of a disk's work it keeps what was moved in `memory`.
fn reply(
    page: &mut PageBuilder<'_>,
    (name, from): (&str, Place<BlockRequest>),
    places: &Places,
    disk: usize,
    memory: Option<Place<NodeMemory>>,
) {
    let mut reply = page.transition(name);
    let part = reply.take(from);
    let memory = memory.map(|memory| reply.update(memory));
    let (mesh, replicas) = (reply.peek(places.mesh), reply.update(places.replicas));
    let post = reply.put(places.post);
    let is_remembered = name == "remember";
    reply.action(move |f| {
        let part = Box::new(f.take(part));
        let failed = part.status.failure().is_some();
        if let Some(memory) = memory {
            let memory = f.update(memory);
            match part.direction {
                Direction::Flush | Direction::Discard => {}
                Direction::Write if failed => memory.forget(part.address, part.blocks),
                _ if failed => {}
                _ => memory.keep(part.address, part.blocks),
            }
        }
        let bytes = part.bytes();
        let data = if part.direction == Direction::Read && !failed { bytes } else { 0 };
        let replicas = f.update(replicas);
        if is_remembered {
            replicas.note_remembered(bytes);
        }
        let to = match replicas.hears_of(&part) {
            Hears::Spigot => SPIGOT,
            Hears::Node(disk) => end_of(disk),
        };
        let message = f.get(mesh).message(end_of(disk), to, data, Payload::Done { disk, part });
        f.put(post, message);
    });
}

/// Replication sends a part to a disk: by the node that speaks for its request, with its data if it writes.
fn depart(page: &mut PageBuilder<'_>, places: &Places, disk: usize, down: Place<BlockRequest>) {
    let mut depart = page.transition(&format!("depart{disk}"));
    let part = depart.take(down);
    let (mesh, replicas) = (depart.peek(places.mesh), depart.peek(places.replicas));
    let post = depart.put(places.post);
    depart.action(move |f| {
        let part = Box::new(f.take(part));
        let data = if part.direction == Direction::Write { part.bytes() } else { 0 };
        let from = f.get(replicas).sent_by(&part);
        let message = f.get(mesh).message(end_of(from), end_of(disk), data, Payload::Part(part));
        f.put(post, message);
    });
}

/// Replication sees requests once all are there of this instant.
fn announce(page: &mut PageBuilder<'_>, places: &Places, requests: Place<BlockRequest>) {
    let mut announce = page.transition("announce");
    announce.priority(instants::LOOKS_AT_DISKS);
    let known = announce.take(places.known);
    let onward = announce.put(requests);
    announce.action(move |f| {
        let (_, request) = f.take(known);
        f.put(onward, request);
    });
}

/// Replication hears of parts, disk by disk.
fn deliver(page: &mut PageBuilder<'_>, places: &Places, inner: &ReplicationPorts) {
    let mut deliver = page.transition("deliver");
    let part = deliver.take(places.heard);
    let ups: Vec<_> = inner.disks.iter().map(|(_, up, _)| deliver.may_put(*up, 1)).collect();
    deliver.action(move |f| {
        let (disk, part) = f.take(part);
        f.put(ups[disk], *part);
    });
}

/// What is over is told to the spigot, unless it knows from the data that came.
fn end(
    page: &mut PageBuilder<'_>,
    places: &Places,
    over: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) {
    page.port_out("completions", completions);
    let mut end = page.transition("end");
    let request = end.take(over);
    let (mesh, replicas) = (end.peek(places.mesh), end.peek(places.replicas));
    let post = end.may_put(places.post, 1);
    let back = end.may_put(completions, 1);
    end.action(move |f| {
        let request = f.take(request);
        if request.direction == Direction::Read && request.status.failure().is_none() {
            return f.put(back, request);
        }
        let from = f.get(replicas).speaks_for(&request);
        let message = f.get(mesh).message(end_of(from), SPIGOT, 0, Payload::Over(Box::new(request)));
        f.put(post, message);
    });
}
