//! A client: a mount's requests become calls, of which as many are on their way as there are slots.
//!
//! ```text
//!  requests ─▶ issue ─▶ (processor) ─▶ requests ⋯ network ⋯ received
//!                ▼ calls                                       │
//!  completions ◀─ hear ◀── replies ◀── (processor) ◀── listen ◀┘
//! ```

use super::message::{Reply, Rpc};
use super::parameters::{CALLS, NfsCosts};
use super::tally::{Carrier, Outstanding};
use petrio_colours::{BlockRequest, Message};
use petrio_kernel::{Key, PageBuilder, Place, Sum};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;

/// Where a client's page meets others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    pub(super) network: Port,
    /// Where the mount leaves its requests, and where they come back.
    pub(super) requests: Place<BlockRequest>,
    pub(super) completions: Place<BlockRequest>,
}

/// Builds a client's page with so many slots; where what it knows of its calls is found.
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    carrier: Carrier,
    (slots, costs): (u32, NfsCosts),
    ports: Ports,
    processors: &mut Processors,
) -> (Stage, Place<Carrier>) {
    let Ports { network, requests, completions } = ports;
    page.port_in("requests of the mount", requests);
    page.port_out("completions", completions);
    page.port_out("requests", network.send);
    page.port_in("replies", network.received);
    page.shared("processor", processors.place());
    let outstanding = page.keyed::<Outstanding>(CALLS, |call| Key::from(call.number));
    page.capacity(outstanding, slots);
    let replies = page.fifo::<Box<Reply>>("replies heard");
    let senders = processors.worker::<Message>(Function::FileServices, network.send);
    let listeners = processors.worker::<Reply>(Function::FileServices, replies);
    let state = page.state("carrier", carrier);
    let (call, answer) = (costs.call.time(), costs.answer.time());

    let mut issue = page.transition("issue");
    let request = issue.take(requests);
    let on_its_way = issue.put(outstanding);
    let (known, run) = (issue.update(state), senders.arcs(&mut issue));
    issue.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        let carrier = f.update(known);
        let (own, server) = carrier.ends();
        let Some((asks, kept, bytes, connection)) = carrier.issue(request, now) else {
            f.fail("a mount of NFS sends what is no call: a mistake in the model");
            return;
        };
        f.put(on_its_way, kept);
        run.put(f, call, Box::new(own.message(server, connection, (bytes, Rpc::Call(asks)))));
    });

    let mut listen = page.transition("listen");
    let message = listen.take(network.received);
    let run = listeners.arcs(&mut listen);
    listen.action(move |f| {
        let message: Box<Message> = f.take(message);
        match message.payload.open::<Rpc>().map(|rpc| *rpc) {
            Some(Rpc::Reply(reply)) => run.put(f, answer, Box::new(reply)),
            _ => f.fail("a client of NFS hears what only servers do: a mistake in the model"),
        }
    });

    let mut hear = page.transition("hear");
    let reply = hear.take(replies);
    let call = hear.take_key(outstanding, move |binding| Key::from(binding.get(reply).number));
    let (known, done) = (hear.update(state), hear.put(completions));
    hear.action(move |f| {
        let (reply, call, now) = (f.take(reply), f.take(call), f.now());
        let request = f.update(known).hear(call, &reply, now);
        f.put(done, request);
    });
    let left = Sum::new().of(state, |carrier| Sum::count(carrier.left()));
    page.conserve_sum("slots", left.tokens(outstanding, -1));
    let stage = Stage::server(format!("{}/{CALLS}", page.path()), slots, &[outstanding.id()])
        .waited_for_in(&[requests.id()]);
    (stage, state)
}
