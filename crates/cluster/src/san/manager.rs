//! The lock manager in the net: it hears one message after the other.
//!
//! ```text
//!  received ─▶ listen ─▶ requests in order ─▶ serve ─▶ replies and recalls ⋯ network ⋯ nodes
//!                └▶ (processor) ─▶ over ──────┘
//! ```

use super::message::Payload;
use super::tokens::{LockReply, Tokens};
use crate::address::Address;
use petrio_colours::Message;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;
use std::sync::Arc;

/// Builds the manager's page. `own` is where the node on its own host hears, if there is one: no network is between them.
pub(super) fn manager(
    page: &mut PageBuilder<'_>,
    port: Port,
    (nodes, own): (Arc<[Address]>, Option<Place<Box<Message>>>),
    work: Time,
    processors: &mut Processors,
) -> Stage {
    page.port_in("requests", port.received);
    page.port_out("replies and recalls", port.send);
    page.shared("processor", processors.place());
    let tokens = page.state("tokens", Tokens::default());
    let requests = page.fifo::<Box<Message>>("requests in order");
    let over = page.fifo::<Box<()>>("over");
    let workers = processors.worker::<()>(Function::FileServices, over);
    let mut listen = page.transition("listen");
    let message = listen.take(port.received);
    let (wait, run) = (listen.put(requests), workers.arcs(&mut listen));
    listen.action(move |f| {
        let message = f.take(message);
        f.put(wait, message);
        run.put(f, work, Box::new(()));
    });
    let address = Address::of(&port);
    let message = move |(node, reply): (u32, LockReply)| {
        let payload = Payload::Manager(reply);
        let to = *nodes.get(node as usize)?;
        let way = usize::from(own.is_some() && to.host == address.host);
        Some((way, Box::new(address.message(to, 0, (payload.bytes(), payload))), Time::ZERO))
    };
    let ways = [Some(port.send), own].into_iter().flatten();
    let reactor = Reactor::new(tokens).gives_among(|tokens| &mut tokens.outbox, ways, message);
    let mut serve = page.transition("serve");
    serve.consume(over);
    let message = serve.take(requests);
    let arcs = reactor.arcs(&mut serve);
    serve.action(move |f| {
        let message: Box<Message> = f.take(message);
        let is_heard = arcs.react(f, |tokens, _| {
            match message.payload.open::<Payload>().as_deref() {
                Some(&Payload::Lock(request)) => tokens.ask(request),
                Some(&Payload::Release(release)) => tokens.given(release),
                _ => return false,
            }
            true
        });
        if !is_heard {
            f.fail("a lock manager hears what only nodes do: a mistake in the model");
        }
    });
    Stage::queue(format!("{}/in order", page.path()), &[requests.id()])
}
