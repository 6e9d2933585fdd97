//! The lock manager in the net: it hears one message after the other.
//!
//! ```text
//!  received ─▶ listen ─▶ in order ─▶ serve ─▶ send ⋯ network ⋯ nodes
//!                └▶ (processor) ─▶ over ─┘
//! ```

use super::message::Said;
use super::tokens::Tokens;
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};
use std::sync::Arc;

/// Where a node, or the manager, hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: u32,
    pub(super) service: u32,
}

impl Address {
    pub(super) fn of(port: &Port) -> Self {
        Self { host: port.host, service: port.service }
    }

    /// A message to another.
    pub(super) fn tells(self, to: Self, said: Said) -> Box<Message> {
        Box::new(Message {
            source: self.host,
            destination: to.host,
            connection: 0,
            service: to.service,
            verb: Verb::Send,
            service_level: 0,
            bytes: said.bytes(),
            payload: Parcel::new(Box::new(said)),
        })
    }
}

/// Builds the manager's page. `own` is where the node on its own host hears, if there is one: no network is between them.
pub(super) fn manager(
    page: &mut PageBuilder<'_>,
    port: Port,
    (nodes, own): (Arc<[Address]>, Option<Place<Box<Message>>>),
    work: Time,
    processors: &mut Processors,
) -> Stage {
    page.port_in("messages", port.received);
    page.port_out("answers", port.send);
    let tokens = page.state("tokens", Tokens::default());
    let line = page.fifo::<Box<Message>>("in order");
    let over = page.fifo::<()>("over");
    let mut listen = page.transition("listen");
    let message = listen.take(port.received);
    let wait = listen.put(line);
    if work == Time::ZERO {
        let at_once = listen.put(over);
        listen.action(move |f| {
            let message = f.take(message);
            f.put(wait, message);
            f.put(at_once, ());
        });
    } else {
        let client = processors.client_for::<()>(Function::FileServices);
        processors.returns(client, move |ran| {
            let over = ran.may_put(over, 1);
            move |f, _, _| f.put(over, ())
        });
        let run = listen.put(processors.place());
        listen.action(move |f| {
            let message = f.take(message);
            f.put(wait, message);
            f.put(run, client.work(work, Box::new(())));
        });
        page.shared("processor", processors.place());
    }
    let address = Address::of(&port);
    let mut serve = page.transition("serve");
    serve.consume(over);
    let message = serve.take(line);
    let state = serve.update(tokens);
    let send = serve.may_put(port.send, MANY);
    let near = own.map(|own| serve.may_put(own, MANY));
    serve.action(move |f| {
        let message: Box<Message> = f.take(message);
        match message.payload.open::<Said>().map(|said| *said) {
            Some(Said::Ask(ask)) => f.update(state).ask(ask),
            Some(Said::Given(given)) => f.update(state).given(given),
            _ => return f.fail("a lock manager is told what only nodes are: a mistake in the model"),
        }
        for (node, told) in std::mem::take(&mut f.update(state).outbox) {
            let Some(&to) = nodes.get(node as usize) else { continue };
            let message = address.tells(to, Said::Told(told));
            match near.filter(|_| to.host == address.host) {
                Some(near) => f.put(near, message),
                None => f.put(send, message),
            }
        }
    });
    Stage::queue(format!("{}/in order", page.path()), &[line.id()])
}
