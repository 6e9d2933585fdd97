//! A server: calls wait for a thread, which asks the host's file system and answers.
//!
//! ```text
//!  received ─▶ requests ─▶ take ─▶ (processor) ─▶ begun ─▶ ask ─▶ operations ⋯ file system ⋯ completions ─▶ answer ─▶ replies
//!                            ▲                              └─▶ what nobody has to be asked for ─▶ tell ─▶ replies
//!                            └ threads ◀─ free ◀──────────────────────────────────────────────────────────────┘
//! ```
//!
//! All threads ask as one process: Linux keeps the state of read-ahead by file, for all clients together (fs/nfsd/filecache.c).

use super::datagrams::{Assembly, Fragments, sent_in_fragments};
use super::message::{Call, Reply, Rpc};
use super::parameters::THREADS;
use super::sessions::{Asks, Manner, Sessions};
use crate::address::Address;
use crate::server::{Client, serves};
use petrio_colours::{FileOp, Message};
use petrio_host::nfs::Procedure;
use petrio_kernel::{PageBuilder, Place, Probe, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;

/// What a server is.
#[derive(Clone, Debug)]
pub(super) struct ServerIs {
    pub(super) asks: Asks,
    pub(super) manner: Manner,
    /// How replies are cut that are datagrams.
    pub(super) fragments: Option<Fragments>,
    pub(super) threads: u32,
    /// What a call costs its host's processors.
    pub(super) serve: Time,
}

/// A call that has come, with who sent it, and when.
#[derive(Clone, Debug, Persist)]
pub(super) struct Request {
    pub(super) call: Call,
    client: Client,
    at: Time,
}

/// A reply, and who is to hear it.
pub(super) type Told = (Client, Reply);

/// Builds a server's page; `moved` is where it records the bytes that it moves.
pub(super) fn server(
    page: &mut PageBuilder<'_>,
    is: ServerIs,
    (port, moved): (Port, Probe),
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> Stage {
    serves(page, &port, (operations, completions), processors);
    let ServerIs { asks, manner, fragments, threads, serve } = is;
    let sessions = page.state("in service", Sessions::new(asks, manner));
    let sends = match fragments {
        Some(fragments) => sent_in_fragments(page, fragments, port.send),
        None => port.send,
    };
    let requests = page.fifo::<Box<Request>>("requests");
    let busy = page.fifo::<()>(THREADS);
    page.capacity(busy, threads);
    let begun = page.fifo::<Box<Request>>("begun");
    let told = page.fifo::<Told>("told");
    let over = page.fifo::<()>("over");
    let workers = processors.worker::<Request>(Function::FileServices, begun);
    let reactor = Reactor::new(sessions)
        .gives(|sessions| &mut sessions.operations, operations)
        .gives(|sessions| &mut sessions.over, told)
        .gives(|sessions| &mut sessions.silent, over);

    receives(page, &port, (sessions, fragments.is_some()), requests);

    let mut take = page.transition("take");
    let request = take.take(requests);
    let thread = take.put(busy);
    let run = workers.arcs(&mut take);
    let state = take.peek(sessions);
    take.action(move |f| {
        let request = f.take(request);
        f.put(thread, ());
        let longer = f.get(state).slower_by(f.now());
        run.put(f, serve.saturating_add(longer), request);
    });

    reactor.hears(page, "ask", begun, move |sessions, request, now| {
        let Request { call, client, at } = *request;
        sessions.begin(call, client, (at, now));
        Ok(())
    });

    let mut answer = page.transition("answer");
    let op = answer.take(completions);
    let (arcs, tell) = (reactor.arcs(&mut answer), answer.may_put(told, 1));
    answer.action(move |f| {
        let op = f.take(op);
        if let Some(told) = arcs.react(f, |sessions, now| sessions.done(&op, now)) {
            f.put(tell, told);
        }
    });

    let own = Address::of(&port);
    let mut tell = page.transition("tell");
    let to = tell.take(told);
    let (send, free) = (tell.put(sends), tell.put(over));
    tell.action(move |f| {
        let (Client { address, connection }, reply): Told = f.take(to);
        let length = reply.outcome.length;
        if matches!(reply.procedure, Procedure::Read | Procedure::Write) && length > 0 {
            f.record(moved, length as f64);
        }
        f.put(send, Box::new(own.message(address, connection, (reply.bytes, Rpc::Reply(reply)))));
        f.put(free, ());
    });

    let mut free = page.transition("free");
    free.consume(over);
    free.consume(busy);
    free.action(|_| {});
    Stage::server(format!("{}/{THREADS}", page.path()), threads, &[busy.id()])
        .waited_for_in(&[requests.id()])
        .moving(moved)
}

/// Calls that come wait for a thread, those of datagrams once all fragments are there.
fn receives(
    page: &mut PageBuilder<'_>,
    port: &Port,
    (sessions, has_fragments): (Place<Sessions>, bool),
    requests: Place<Box<Request>>,
) {
    let assembly = has_fragments.then(|| page.state("fragments", Assembly::default()));
    let mut receive = page.transition("receive");
    let message = receive.take(port.received);
    let state = receive.update(sessions);
    let assembly = assembly.map(|assembly| receive.update(assembly));
    let wait = receive.may_put(requests, 1);
    receive.action(move |f| {
        let message: Box<Message> = f.take(message);
        let Message { source, connection, payload, .. } = *message;
        let at = f.now();
        let rpc = match (payload.open::<Rpc>().map(|rpc| *rpc), assembly) {
            (Some(Rpc::Part(part)), Some(assembly)) => {
                let from = (Address { host: source, service: port_of(connection) }, connection);
                match f.update(assembly).arrive(from, part) {
                    Some(rpc) => Some(rpc),
                    None => return,
                }
            }
            (rpc, _) => rpc,
        };
        let Some(Rpc::Call(call)) = rpc else {
            f.fail("a server of NFS hears what only clients do: a mistake in the model");
            return;
        };
        if !f.update(state).hears(&call, at) {
            return;
        }
        let address = Address { host: source, service: call.reply_to };
        f.put(wait, Box::new(Request { call, client: Client { address, connection }, at }));
    });
}

/// The service of a connection's client, of whose number it is made.
const fn port_of(connection: u32) -> u32 {
    connection / 16
}
