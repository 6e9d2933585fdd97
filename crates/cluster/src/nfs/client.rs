//! A client: a mount's requests become calls, of which as many are on their way as there are slots.
//!
//! ```text
//!  requests ─▶ issue ─┬─▶ (processor) ─▶ requests ⋯ network ⋯ received
//!                ▼ calls  ▲ again                              │
//!  completions ◀─ hear ◀─ sort ◀─ replies ◀─ (processor) ◀─ listen
//!                        wake ◀─ alarms (time-outs)
//! ```

use super::carrier::{Carrier, Outstanding, Sending};
use super::datagrams::{Assembly, Fragments, sent_in_fragments};
use super::message::{Reply, Rpc};
use super::parameters::{CALLS, NfsCosts};
use crate::address::Address;
use petrio_colours::{BlockRequest, Message};
use petrio_kernel::{Firing, Key, PageBuilder, Place, Put, Sum, TransitionBuilder, Update};
use petrio_network::Port;
use petrio_stage::function::Function;
use petrio_stage::processor::{Processors, Worker, Works};
use petrio_stage::{MANY, Stage};

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
    (slots, costs, fragments): (u32, NfsCosts, Option<Fragments>),
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
    let heard = page.fifo::<Box<Reply>>("replies heard");
    let replies = page.fifo::<Box<Reply>>("calls over");
    let alarms = page.fifo::<()>("alarms");
    let sends = match fragments {
        Some(fragments) => sent_in_fragments(page, fragments, network.send),
        None => network.send,
    };
    let state = page.state("carrier", carrier);
    let out = Out {
        senders: processors.worker::<Message>(Function::FileServices, sends),
        state,
        replies,
        alarms,
        costs,
    };

    let mut issue = page.transition("issue");
    let request = issue.take(requests);
    let on_its_way = issue.put(outstanding);
    let arcs = out.arcs(&mut issue);
    issue.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        let Some(kept) = f.update(arcs.known).issue(request, now) else {
            f.fail("a mount of NFS sends what is no call: a mistake in the model");
            return;
        };
        f.put(on_its_way, kept);
        arcs.leave(f);
    });

    listens(page, (network.received, heard), (costs, fragments.is_some()), processors);

    let mut sort = page.transition("sort");
    let reply = sort.take(heard);
    let arcs = out.arcs(&mut sort);
    sort.action(move |f| {
        let (reply, now) = (f.take(reply), f.now());
        f.update(arcs.known).arrives(reply, now);
        arcs.leave(f);
    });

    let mut wake = page.transition("wake");
    wake.consume(alarms);
    let arcs = out.arcs(&mut wake);
    wake.action(move |f| {
        let now = f.now();
        f.update(arcs.known).wake(now);
        arcs.leave(f);
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

/// Replies that come cost the client's processor, those of datagrams once all fragments are there.
fn listens(
    page: &mut PageBuilder<'_>,
    (received, heard): (Place<Box<Message>>, Place<Box<Reply>>),
    (costs, has_fragments): (NfsCosts, bool),
    processors: &mut Processors,
) {
    let listeners = processors.worker::<Reply>(Function::FileServices, heard);
    let assembly = has_fragments.then(|| page.state("fragments", Assembly::default()));
    let mut listen = page.transition("listen");
    let message = listen.take(received);
    let assembly = assembly.map(|assembly| listen.update(assembly));
    let run = listeners.arcs(&mut listen);
    listen.action(move |f| {
        let message: Box<Message> = f.take(message);
        let Message { source, connection, payload, .. } = *message;
        let rpc = match (payload.open::<Rpc>().map(|rpc| *rpc), assembly) {
            (Some(Rpc::Part(part)), Some(assembly)) => {
                let from = (Address { host: source, service: 0 }, connection);
                match f.update(assembly).arrive(from, part) {
                    Some(rpc) => Some(rpc),
                    None => return,
                }
            }
            (rpc, _) => rpc,
        };
        match rpc {
            Some(Rpc::Reply(reply)) => {
                let span = costs.answer.time() + costs.data(reply.data());
                run.put(f, span, Box::new(reply));
            }
            _ => f.fail("a client of NFS hears what only servers do: a mistake in the model"),
        }
    });
}

/// Where what a carrier leaves goes.
struct Out {
    senders: Worker<Message>,
    state: Place<Carrier>,
    replies: Place<Box<Reply>>,
    alarms: Place<()>,
    costs: NfsCosts,
}

/// The arcs for that of a transition.
struct Arcs {
    known: Update<Carrier>,
    run: Works<Message>,
    replies: Put<Box<Reply>>,
    alarms: Put<()>,
    costs: NfsCosts,
}

impl Out {
    fn arcs(&self, transition: &mut TransitionBuilder<'_>) -> Arcs {
        Arcs {
            known: transition.update(self.state),
            run: self.senders.arcs(transition),
            replies: transition.may_put(self.replies, MANY),
            alarms: transition.may_put(self.alarms, 1),
            costs: self.costs,
        }
    }
}

impl Arcs {
    /// Calls go to the network, calls that are over to the mount, and the next alarm is set.
    fn leave(&self, f: &mut Firing<'_>) {
        let now = f.now();
        let carrier = f.update(self.known);
        let (own, server) = carrier.ends();
        let (mut outbox, mut ended) =
            (std::mem::take(&mut carrier.outbox), std::mem::take(&mut carrier.ended));
        let alarm = carrier.alarm(now);
        for Sending { call, bytes, connection } in outbox.drain(..) {
            let span = self.costs.call.time() + self.costs.data(call.data());
            let message = own.message(server, connection, (bytes, Rpc::Call(call)));
            self.run.put(f, span, Box::new(message));
        }
        for reply in ended.drain(..) {
            f.put(self.replies, Box::new(reply));
        }
        let carrier = f.update(self.known);
        (carrier.outbox, carrier.ended) = (outbox, ended);
        if let Some(after) = alarm {
            // No faster processor shortens a time-out.
            f.put_at_pace(self.alarms, (), after);
        }
    }
}
