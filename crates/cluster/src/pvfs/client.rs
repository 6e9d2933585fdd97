//! A client: calls become requests to servers, and their replies the call's end.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─▶ requests ⋯ network ⋯ received ─▶ (processor) ─▶ replies ─▶ end ─▶ completions
//!                                          └─▶ requests outstanding ─────────────────────────────────────────┘
//! ```

use super::calls::{Calls, Mount, Outstanding};
use super::message::{Payload, Ticket};
use super::parameters::PvfsCosts;
use super::shared::Shared;
use crate::client::{begun, each_call};
use crate::wake_up::heard_awake;
use petrio_colours::{FileOp, Message};
use petrio_kernel::{Key, PageBuilder, Place, Stream, Sum, Time};
use petrio_network::Port;
use petrio_random::uniform;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;

/// What no request is known by.
const NONE: Key = Key::MAX;

/// Builds a client's page, `page`.
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    mount: Mount,
    costs: PvfsCosts,
    port: Port,
    (shared, draws): (Place<Shared>, Stream),
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) {
    page.port_out("requests", port.send);
    page.port_in("replies", port.received);
    let takes = each_call(costs.call.time());
    let begun = begun(page, (operations, completions), processors, Function::FileServices, takes);
    let calls = page.state("calls under way", Calls::new(mount));
    let outstanding = page.keyed("requests outstanding", |request: &Outstanding| request.ticket.key());
    let reactor = Reactor::sharing(calls, shared)
        .gives_as(|calls| &mut calls.outbox, port.send, Box::new)
        .gives(|calls| &mut calls.outstanding, outstanding)
        .gives(|calls| &mut calls.completed, completions);

    let mut begin = page.transition("begin");
    let op = begin.take(begun);
    let arcs = reactor.arcs(&mut begin);
    begin.action(move |f| {
        let op = f.take(op);
        if f.get(arcs.shared).salt.is_none() {
            let drawn = uniform(f.random(draws)).to_bits();
            f.update(arcs.shared).salt = Some(drawn);
        }
        arcs.react(f, |calls, shared, now| {
            calls.salt = shared.salt.unwrap_or_default();
            calls.begin(*op, shared, now);
        });
    });

    let awake = heard_awake(page, port.received, costs.wake_up);
    let replies = match costs.answer.time() {
        Time::ZERO => awake,
        each => {
            processors.spent_on(page, ("listen", awake, "replies"), Function::FileServices, move |_| each)
        }
    };
    let of = |message: &Message, ticket: fn(&Payload) -> Option<Ticket>| {
        message.payload.get().and_then(ticket).map_or(NONE, Ticket::key)
    };

    let mut hear = page.transition("hear");
    let message = hear.take(replies);
    hear.guard(move |binding| {
        let message: &Message = binding.get(message);
        of(message, Payload::grants) == NONE && of(message, Payload::ends) == NONE
    });
    let arcs = reactor.arcs(&mut hear);
    hear.action(move |f| {
        let message: Box<Message> = f.take(message);
        let payload = message.payload.open::<Payload>();
        if !arcs.react(f, |calls, _, _| payload.is_some_and(|payload| calls.hear(&payload))) {
            f.fail("a client of PVFS hears what only servers do: a mistake in the model");
        }
    });

    let mut write = page.transition("send data");
    let message = write.take(replies);
    let request = write.take_key(outstanding, move |binding| of(binding.get(message), Payload::grants));
    let arcs = reactor.arcs(&mut write);
    let again = write.put(outstanding);
    write.action(move |f| {
        let (_, request) = (f.take(message), f.take(request));
        arcs.react(f, |calls, _, _| calls.write(&request));
        f.put(again, request);
    });

    let mut end = page.transition("end");
    let message = end.take(replies);
    let request = end.take_key(outstanding, move |binding| of(binding.get(message), Payload::ends));
    let arcs = reactor.arcs(&mut end);
    end.action(move |f| {
        let (message, request): (Box<Message>, _) = (f.take(message), f.take(request));
        if let Some(payload) = message.payload.open::<Payload>() {
            arcs.react(f, |calls, shared, now| calls.end_of(request, *payload, shared, now));
        }
    });
    let left = Sum::new().of(calls, |calls| Sum::count(calls.left()));
    page.conserve_sum("requests", left.tokens(outstanding, -1));
}
