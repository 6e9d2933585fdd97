//! A client: operations become calls, of which some are on their way at a time, and what is local goes past the network.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─┬─▶ waiting ─▶ issue ─▶ (processor) ─▶ requests ⋯ network ⋯ received
//!                                              │                ▼ calls                                        │
//!                                              │              hear ◀── replies ◀── (processor) ◀── listen ◀────┘
//!                                              └─▶ own host's operations ⋯ done ─▶ here ─▶ completions
//! ```

use super::calls::{Calls, Heard, Mount, Outgoing, Outstanding, Shared};
use super::message::Rpc;
use super::parameters::CALLS;
use crate::client::{begun, each_call};
use petrio_colours::{FileOp, Message};
use petrio_kernel::{Key, PageBuilder, Place, Probe, Sum};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;

/// Where a client's page meets others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    pub(super) network: Port,
    /// Where programs ask, and where that is complete.
    pub(super) operations: Place<FileOp>,
    pub(super) completions: Place<FileOp>,
    /// Where it asks its own host, and where that is complete; none where no server is there.
    pub(super) host: Option<(Place<FileOp>, Place<FileOp>)>,
}

/// Builds a client's page. `moved` is where each server's bytes are recorded: those that go past it, too.
#[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a call's way")]
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    mount: Mount,
    in_flight: u32,
    ports: Ports,
    (shared, moved): (Place<Shared>, Vec<Probe>),
    processors: &mut Processors,
) -> Stage {
    let Ports { network, operations, completions, host } = ports;
    page.port_out("requests", network.send);
    page.port_in("replies", network.received);
    let takes = each_call(mount.costs.operation.time());
    let begun = begun(page, (operations, completions), processors, Function::FileServices, takes);
    let waiting = page.fifo::<Outgoing>("waiting");
    let outstanding = page.keyed::<Outstanding>(CALLS, |call| Key::from(call.number));
    page.capacity(outstanding, in_flight);
    let replies = page.fifo::<Box<Heard>>("replies");
    let senders = processors.worker::<Message>(Function::FileServices, network.send);
    let listeners = processors.worker::<Heard>(Function::FileServices, replies);
    let answer = mount.costs.answer.time();

    let calls = page.state("operations under way", Calls::new(mount));
    let mut reactor = Reactor::sharing(calls, shared).gives(|calls| &mut calls.outbox, waiting);
    if let Some((asked, _)) = host {
        reactor = reactor.gives(|calls| &mut calls.local.operations, asked);
    }
    let reactor = reactor.gives(|calls| &mut calls.completed, completions);
    reactor.hears(page, "begin", begun, |calls, shared, op, now| {
        calls.begin(*op, shared, now);
        Ok(())
    });

    let mut issue = page.transition("issue");
    let outgoing = issue.take(waiting);
    let on_its_way = issue.put(outstanding);
    let run = senders.arcs(&mut issue);
    issue.action(move |f| {
        let Outgoing { call, message, work } = f.take(outgoing);
        f.put(on_its_way, call);
        run.put(f, work, message);
    });

    let mut listen = page.transition("listen");
    let message = listen.take(network.received);
    let (state, run) = (listen.update(calls), listeners.arcs(&mut listen));
    listen.action(move |f| {
        let message: Box<Message> = f.take(message);
        match message.payload.open::<Rpc>().map(|rpc| *rpc) {
            Some(Rpc::Reply(reply)) => {
                let copied = f.update(state).copy(&reply);
                run.put(f, answer + copied, Box::new(Heard { reply, copied }));
            }
            _ => f.fail("a client of a file service hears what only servers do: a mistake in the model"),
        }
    });

    let mut hear = page.transition("hear");
    let heard = hear.take(replies);
    let call = hear.take_key(outstanding, move |binding| Key::from(binding.get(heard).reply.number));
    let arcs = reactor.arcs(&mut hear);
    hear.action(move |f| {
        let (heard, call) = (f.take(heard), f.take(call));
        arcs.react(f, |calls, shared, now| calls.hear(call, &heard, shared, now));
    });

    if let Some((_, done)) = host {
        page.port_in("own host's completions", done);
        let mut here = page.transition("here");
        let op = here.take(done);
        let arcs = reactor.arcs(&mut here);
        here.action(move |f| {
            let op: FileOp = f.take(op);
            let served = arcs.react(f, |calls, shared, now| calls.done_here(&op, shared, now));
            if let Some((server, bytes)) = served
                && bytes > 0
                && let Some(&probe) = moved.get(server as usize)
            {
                f.record(probe, bytes as f64);
            }
        });
    }
    let left = Sum::new().of(calls, |calls| Sum::count(calls.left()) - Sum::count(calls.local.left()));
    page.conserve_sum("calls", left.tokens(waiting, -1).tokens(outstanding, -1));
    Stage::server(format!("{}/{CALLS}", page.path()), in_flight, &[outstanding.id()])
        .waited_for_in(&[waiting.id()])
}
