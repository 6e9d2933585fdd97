//! A BeeGFS in the net: a page for each client, each metadata server and each storage target.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─┐                        ┌─▶ completions
//!                             network ─▶ hear ─▶ (state of a client) ─▶ out ─▶ send ─▶ (processor) ─▶ network
//!
//!     network ─▶ hear ─▶ (state of a server) ─┬─▶ out ─▶ send ─▶ (processor) ─▶ network
//!    taken ─▶ begin (a worker) ─▶ begun ─▶ serve ┘ └─▶ operations ⋯ file systems ⋯ completions ─▶ store
//! ```
//!
//! What a server sends to another on its own host comes there without a network.

use super::asker::{End, Table};
use super::client::{BeegfsClient, FLUSHES_AFTER};
use super::conserved::conserve;
use super::message::{Packet, Target};
use super::names::Names;
use super::parameters::{BeegfsParameters, WORKERS};
use super::server::{Is, Server};
use super::striping::Striping;
use super::tallies::RpcsOf;
use crate::address::Address;
use crate::client::begun;
use crate::server::{FileServer, Threads, sends, serves, threads};
use petrio_colours::{FileOp, Message, Operation};
use petrio_host::copy_cost::{CopyCost, CopyCurveError};
use petrio_host::machine::MachineParameters;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;
use std::sync::Arc;

/// What has come over the network lies in memory and in no processor's cache: as if calls copied more than any holds.
const IN_MEMORY: u64 = 1 << 30;

/// A client while its page is built.
#[derive(Debug)]
pub struct BeegfsClientPorts<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// The machine that it runs on, which says what its copies cost and how many buffers it has.
    pub machine: &'p MachineParameters,
    /// Where its programs' operations come from.
    pub operations: Place<FileOp>,
    /// Where they return to.
    pub completions: Place<FileOp>,
}

/// What a server holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Metadata, as the server of this number, with so many workers.
    Meta(u16, u32),
    /// The storage target of this number.
    Target(u16),
}

/// A metadata server, or what serves a storage target, while its page is built.
#[derive(Debug)]
pub struct BeegfsServer {
    /// What it holds.
    pub holds: Holds,
    /// The daemon that it is of: those of a host share connections.
    pub daemon: u16,
    /// The rest of it.
    pub server: FileServer,
}

/// Builds the pages; their rows, and where what each client's requests came to is found, and behind these what each server's.
///
/// # Errors
/// A machine of a client whose copies can't be told.
pub fn beegfs_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, striping, names): (&BeegfsParameters, &Arc<Striping>, Names),
    (clients, servers): (&[BeegfsClientPorts<'_>], &[BeegfsServer]),
    processors: &mut [Processors],
) -> Result<(Vec<Stage>, Vec<RpcsOf>), CopyCurveError> {
    let mut page = parent.page(name);
    page.carries::<Packet>();
    conserve(&mut page);
    let names = page.state("names", names);
    let table = Arc::new(table(parameters, striping, servers));
    let (mut stages, mut places, mut of_servers) = (Vec::new(), Vec::new(), Vec::new());
    let all: Vec<Port> = servers.iter().map(|own| own.server.port).collect();
    for own in servers {
        let mut page = page.page(&own.server.name);
        let processors = &mut processors[own.server.host];
        let (stage, state) = server(&mut page, own, (&table, parameters, &all), processors);
        stages.push(stage);
        of_servers.push(RpcsOf::server(state));
    }
    for own in clients {
        let mut page = page.page(own.name);
        let state = client(&mut page, own, (&table, parameters, names), &mut processors[own.host])?;
        places.push(RpcsOf::client(state));
    }
    places.append(&mut of_servers);
    Ok((stages, places))
}

fn table(parameters: &BeegfsParameters, striping: &Arc<Striping>, servers: &[BeegfsServer]) -> Table {
    let ends = |number: fn(Holds) -> Option<u16>| {
        let of = |own: &BeegfsServer| {
            Some((number(own.holds)?, End { address: Address::of(&own.server.port), node: own.daemon }))
        };
        let mut all: Vec<(u16, End)> = servers.iter().filter_map(of).collect();
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, end)| end).collect()
    };
    Table {
        striping: Arc::clone(striping),
        metas: ends(|holds| if let Holds::Meta(number, _) = holds { Some(number) } else { None }),
        targets: ends(|holds| if let Holds::Target(number) = holds { Some(number) } else { None }),
        piece: parameters.write_piece.get(),
        read_piece: parameters.read_piece.get(),
        names: parameters.message_buffer.get(),
    }
}

fn client(
    page: &mut PageBuilder<'_>,
    own: &BeegfsClientPorts<'_>,
    (table, parameters, names): (&Arc<Table>, &BeegfsParameters, Place<Names>),
    processors: &mut Processors,
) -> Result<Place<BeegfsClient>, CopyCurveError> {
    page.port_out("requests", own.port.send);
    page.port_in("replies", own.port.received);
    let (to_program, from_program) = CopyCost::of(own.machine)?;
    let each = parameters.costs.operation.time();
    // What a call copies is copied while it is under way; its processor does it when it begins.
    let takes = move |op: &FileOp| match op.operation {
        Operation::Compute => Time::from_picos(op.length),
        Operation::Read => each + to_program.of_call(op.length, IN_MEMORY, IN_MEMORY),
        Operation::Write => each + from_program.of_call(op.length, op.length, op.length),
        _ => each,
    };
    let begun = begun(page, (own.operations, own.completions), processors, Function::FileServices, takes);
    let mount = parameters.mount(own.machine.processors);
    let state = page.state("client", BeegfsClient::new(table, Address::of(&own.port), mount));
    let out = sends(page, &own.port, parameters.costs.message.time(), processors);
    let wakes = page.fifo::<()>("wakes");
    let reactor = Reactor::sharing(state, names)
        .gives_as(|client| &mut client.asker.out, out, Box::new)
        .gives(|client| &mut client.completed, own.completions)
        .gives_among(|client| &mut client.wakes, [wakes], |()| Some((0, (), FLUSHES_AFTER)));
    reactor.hears(page, "begin", begun, |client, names, op, now| {
        client.begin(*op, names, now);
        Ok(())
    });
    reactor.hears(page, "flush", wakes, |client, names, (), now| {
        client.flush_all(names, now);
        Ok(())
    });
    reactor.hears(page, "hear", own.port.received, |client, names, message: Box<Message>, now| {
        client.hear(*message, names, now)
    });
    Ok(state)
}

fn server(
    page: &mut PageBuilder<'_>,
    own: &BeegfsServer,
    (table, parameters, all): (&Arc<Table>, &BeegfsParameters, &[Port]),
    processors: &mut Processors,
) -> (Stage, Place<Server>) {
    let FileServer { port, operations, completions, process, file_system, .. } = own.server;
    serves(page, &port, (operations, completions), processors);
    let moved = page.probe("moved");
    let (target, count, connections) = match own.holds {
        Holds::Meta(number, workers) => (Target::Meta(number), workers, parameters.meta_connections),
        Holds::Target(number) => {
            (Target::Storage(number), parameters.storage_workers, parameters.storage_connections)
        }
    };
    let group = table.striping.groups.iter().find(|group| Target::Storage(group.primary) == target);
    let secondary = group.and_then(|group| group.secondary);
    let is =
        Is { target, process, file_system, secondary, connections, early_unlink: parameters.early_unlink };
    let state = page.state("server", Server::new(table, Address::of(&port), is));
    let message = parameters.costs.message.time();
    let out = sends(page, &port, message, processors);
    let serve = parameters.costs.serve.time();
    let Threads { taken, begun, freed, busy } = threads::<u32>(page, (WORKERS, count), serve, processors);
    let direct = threads::<u32>(&mut page.page("direct"), (WORKERS, 1), serve, processors);
    helps(page, (direct.taken, busy, begun), serve, processors);
    let here: Vec<Port> = all.iter().copied().filter(|other| other.host == port.host).collect();
    let services: Vec<u32> = here.iter().map(|other| other.service).collect();
    let reactor = Reactor::new(state)
        .gives_as(|server| &mut server.asker.out, out, Box::new)
        .gives_among(
            |server| &mut server.asker.here,
            here.iter().map(|other| other.received),
            move |sent: Message| {
                let to = services.iter().position(|service| *service == sent.service)?;
                Some((to, Box::new(sent), message))
            },
        )
        .gives(|server| &mut server.operations, operations)
        .gives_as(|server| &mut server.taken, taken, Box::new)
        .gives_as(|server| &mut server.taken_direct, direct.taken, Box::new)
        .gives(|server| &mut server.freed, freed)
        .gives(|server| &mut server.freed_direct, direct.freed);
    reactor
        .hears(page, "hear", port.received, |server, message: Box<Message>, now| server.hear(*message, now));
    for (name, begun, by_direct) in [("serve", begun, false), ("serve others", direct.begun, true)] {
        reactor.hears(page, name, begun, move |server, slot: Box<u32>, now| {
            server.begin(*slot, by_direct, now);
            Ok(())
        });
    }
    let mut store = page.transition("store");
    let op = store.take(completions);
    let arcs = reactor.arcs(&mut store);
    store.action(move |f| {
        let op = f.take(op);
        let bytes = arcs.react(f, |server, now| server.done(&op, now));
        if bytes > 0 {
            f.record(moved, bytes as f64);
        }
    });
    let stage = Stage::server(format!("{}/{WORKERS}", page.path()), count, &[busy.id()])
        .waited_for_in(&[taken.id(), direct.taken.id()])
        .moving(moved);
    (stage, state)
}

/// What other servers ask is done by any worker, and by one that does nothing else: no server waits for itself by way of another
/// (`APP_WORKERS_DIRECT_NUM`, meta/source/app/App.cpp and storage's).
fn helps(
    page: &mut PageBuilder<'_>,
    (taken, busy, begun): (Place<Box<u32>>, Place<()>, Place<Box<u32>>),
    serve: Time,
    processors: &mut Processors,
) {
    let workers = processors.worker::<u32>(Function::FileServices, begun);
    let mut help = page.transition("help");
    let slot = help.take(taken);
    let worker = help.put(busy);
    let run = workers.arcs(&mut help);
    help.action(move |f| {
        let slot = f.take(slot);
        f.put(worker, ());
        run.put(f, serve, slot);
    });
}
