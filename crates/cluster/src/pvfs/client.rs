//! A client: calls become requests to servers, and their replies the call's end.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─▶ requests ⋯ network ⋯ received ─▶ (processor) ─▶ replies ─▶ hear ─▶ completions
//!                            alarms ─▶ time out ─┘
//! ```

use super::attempts::Patience;
use super::calls::{Calls, Mount};
use super::links::Links;
use super::parameters::PvfsCosts;
use super::shared::Shared;
use crate::client::{begun, each_call};
use crate::wake_up::heard_awake;
use petrio_colours::{FileOp, Message};
use petrio_kernel::{PageBuilder, Place, Stream, Sum, Time};
use petrio_network::Port;
use petrio_random::uniform;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;

/// Builds a client's page, `page`; where what it knows of its calls is found.
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    (mount, asks): (Mount, (Patience, Links)),
    costs: PvfsCosts,
    port: Port,
    (shared, draws): (Place<Shared>, Stream),
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> Place<Calls> {
    page.port_out("requests", port.send);
    page.port_in("replies", port.received);
    let takes = each_call(costs.call.time());
    let begun = begun(page, (operations, completions), processors, Function::FileServices, takes);
    let calls = page.state("calls under way", Calls::new(mount, asks));
    let late = page.fifo::<Box<Message>>("replies on their way");
    let alarms = page.fifo::<()>("alarms");
    let reactor = Reactor::sharing(calls, shared)
        .gives_as(|calls| &mut calls.outbox, port.send, Box::new)
        .gives(|calls| &mut calls.completed, completions)
        .gives_at_pace(|calls| &mut calls.late, late)
        .gives_at_pace(|calls| &mut calls.alarms, alarms);

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
    for (name, from) in [("hear", replies), ("hear late", late)] {
        reactor.hears(page, name, from, |calls, shared, message, now| {
            let makes_sense = calls.receive(message, shared, now);
            makes_sense
                .then_some(())
                .ok_or("a client of PVFS hears what only servers do: a mistake in the model")
        });
    }
    reactor.hears(page, "time out", alarms, |calls, shared, (), now| {
        calls.wake(shared, now);
        Ok(())
    });
    let left = Sum::new().of(calls, |calls| {
        let (left, asked) = calls.left();
        Sum::count(left) - Sum::count(asked)
    });
    page.conserve_sum("requests", left);
    calls
}
