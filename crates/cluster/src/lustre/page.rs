//! A Lustre in the net: a page for each client and each server.
//!
//! ```text
//!  requests ─▶ take ─┐                      ┌─▶ completions
//!        wakes ─▶ form ─▶ (state of a client) ─▶ out ─▶ send ─▶ (processor) ─▶ network
//!     network ─▶ hear ┘
//!
//!     network ─▶ hear ─▶ (state of a server) ─▶ out ─▶ send ─▶ (processor) ─▶ network
//!    taken ─▶ begin (a thread) ─▶ (processor) ─▶ begun ─▶ serve ┘ └─▶ operations ⋯ file systems ⋯ completions ─▶ store
//! ```

use super::client::{LustreClient, Table};
use super::conserved::conserve;
use super::message::{Packet, Request};
use super::parameters::{LustreParameters, THREADS};
use super::server::{Holds, Server};
use super::wire;
use crate::address::Address;
use crate::server::{Threads, sends, serves, threads};
use petrio_colours::{BlockRequest, FileOp, Message};
use petrio_host::lustre::{Striping, Target};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;
use petrio_stage::{Stage, instants};
use std::sync::Arc;

/// A request that has come, and when.
pub(super) type Taken = Box<(Request, Time)>;

/// A client while its page is built.
#[derive(Debug)]
pub struct LustreClientPorts<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Where the mount leaves its requests.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
}

/// A target of a server.
#[derive(Clone, Copy, Debug)]
pub struct LustreTarget {
    /// Which.
    pub target: Target,
    /// Which file system of its host holds its files.
    pub file_system: u32,
    /// As which process of its host it asks.
    pub process: u32,
    /// Pages that it has room for.
    pub room: u64,
}

/// A server while its page is built.
#[derive(Debug)]
pub struct LustreServer {
    /// Its name.
    pub name: String,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// What it holds.
    pub targets: Vec<LustreTarget>,
    /// Where it asks its host.
    pub operations: Place<FileOp>,
    /// Where its host answers it.
    pub completions: Place<FileOp>,
}

/// Builds the pages; their rows, and where what each client's RPCs came to is found.
pub fn lustre_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, striping): (&LustreParameters, &Arc<Striping>),
    (clients, servers): (&[LustreClientPorts<'_>], &[LustreServer]),
    processors: &mut [Processors],
) -> (Vec<Stage>, Vec<Place<LustreClient>>) {
    let mut page = parent.page(name);
    page.carries::<Packet>();
    conserve(&mut page);
    let table = Arc::new(table(parameters, striping, servers));
    let (mut stages, mut places) = (Vec::new(), Vec::new());
    for (number, own) in (0..).zip(servers) {
        let mut page = page.page(&own.name);
        stages.push(server(&mut page, (own, number), (&table, parameters), &mut processors[own.host]));
    }
    for (number, own) in (0..).zip(clients) {
        let mut page = page.page(own.name);
        places.push(client(&mut page, (own, number), (&table, parameters), &mut processors[own.host]));
    }
    (stages, places)
}

fn table(parameters: &LustreParameters, striping: &Arc<Striping>, servers: &[LustreServer]) -> Table {
    let ends = |is_metadata: bool| {
        let of = |own: &LustreServer| {
            let end = Address::of(&own.port);
            let targets = own.targets.iter().map(|each| each.target);
            targets.map(move |target| (target, end)).collect::<Vec<_>>()
        };
        let mut all: Vec<(Target, Address)> = servers.iter().flat_map(of).collect();
        all.retain(|(target, _)| matches!(target, Target::Mdt(_)) == is_metadata);
        all.sort_by_key(|(target, _)| *target);
        all.into_iter().map(|(_, end)| end).collect()
    };
    Table {
        striping: Arc::clone(striping),
        mdts: ends(true),
        osts: ends(false),
        rpc_bytes: parameters.rpc_pages() * super::client::PAGE,
        short: parameters.short_io.get(),
        in_flight: parameters.max_rpcs_in_flight,
        modifying: parameters.modifying(),
        grant: parameters.granted_pages(),
        precreates: parameters.precreate,
        layout: wire::layout(striping),
    }
}

fn client(
    page: &mut PageBuilder<'_>,
    (own, number): (&LustreClientPorts<'_>, u32),
    (table, parameters): (&Arc<Table>, &LustreParameters),
    processors: &mut Processors,
) -> Place<LustreClient> {
    page.port_in("requests of the mount", own.requests);
    page.port_out("completions", own.completions);
    page.port_out("requests", own.port.send);
    page.port_in("replies", own.port.received);
    page.shared("processor", processors.place());
    let credits = (parameters.peer_credits, parameters.credits);
    let state = page.state("client", LustreClient::new(table, (Address::of(&own.port), number), credits));
    let out = sends(page, &own.port, parameters.costs.message.time(), processors);
    let wakes = page.fifo::<()>("wakes");
    let reactor = Reactor::new(state)
        .gives_as(|client| &mut client.lnet.out, out, Box::new)
        .gives(|client| &mut client.done, own.completions)
        .gives(|client| &mut client.wakes, wakes);
    reactor.hears(page, "take", own.requests, LustreClient::take);
    let mut form = page.transition("form");
    // All that the mount asks at an instant may go together.
    form.priority(instants::DISPATCHES);
    form.consume(wakes);
    let arcs = reactor.arcs(&mut form);
    form.action(move |f| arcs.react(f, LustreClient::form));
    reactor.hears(page, "hear", own.port.received, |client, message: Box<Message>, now| {
        let source = message.source;
        match message.payload.open::<Packet>() {
            Some(packet) => client.hear(source, *packet, now),
            None => Err("a client of Lustre hears what isn't its own: a mistake in the model"),
        }
    });
    state
}

fn server(
    page: &mut PageBuilder<'_>,
    (own, number): (&LustreServer, u32),
    (table, parameters): (&Arc<Table>, &LustreParameters),
    processors: &mut Processors,
) -> Stage {
    serves(page, &own.port, (own.operations, own.completions), processors);
    let moved = page.probe("moved");
    let holds = own.targets.iter().map(|each| Holds {
        target: each.target,
        process: each.process,
        file_system: each.file_system,
        room: each.room,
    });
    let credits = (parameters.peer_credits, parameters.credits);
    let state = Server::new(table, (Address::of(&own.port), number), holds.collect(), credits);
    let state = page.state("server", state);
    let out = sends(page, &own.port, parameters.costs.message.time(), processors);
    let is_metadata = own.targets.iter().any(|each| matches!(each.target, Target::Mdt(_)));
    let is_storage = own.targets.iter().any(|each| matches!(each.target, Target::Ost(_)));
    let of = |is: bool, count: u32| if is { count } else { 0 };
    let count =
        of(is_metadata, parameters.mds_threads).saturating_add(of(is_storage, parameters.oss_threads));
    let serve = parameters.costs.serve.time();
    let Threads { taken, begun, freed, busy } =
        threads::<(Request, Time)>(page, (THREADS, count), serve, processors);
    let reactor = Reactor::new(state)
        .gives_as(|server| &mut server.lnet.out, out, Box::new)
        .gives(|server| &mut server.operations, own.operations)
        .gives_as(|server| &mut server.taken, taken, Box::new)
        .gives(|server| &mut server.freed, freed);
    reactor.hears(page, "hear", own.port.received, |server, message: Box<Message>, now| {
        let source = message.source;
        match message.payload.open::<Packet>() {
            Some(packet) => server.hear(source, *packet, now),
            None => Err("a server of Lustre hears what isn't its own: a mistake in the model"),
        }
    });
    let mut serve = page.transition("serve");
    let request = serve.take(begun);
    let arcs = reactor.arcs(&mut serve);
    serve.action(move |f| {
        let (request, since) = *f.take(request);
        if request.bytes > 0 {
            f.record(moved, request.bytes as f64);
        }
        arcs.react(f, |server, now| server.begin((request, since), now));
    });
    reactor.hears(page, "store", own.completions, |server, op, now| {
        server.done(&op, now);
        Ok(())
    });
    Stage::server(format!("{}/{THREADS}", page.path()), count, &[busy.id()])
        .waited_for_in(&[taken.id()])
        .moving(moved)
}
