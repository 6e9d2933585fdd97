//! A client: calls become messages to servers, and their answers the call's end.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─▶ send ⋯ network ⋯ received ─▶ (processor) ─▶ hear ─▶ completions
//!                                          └──────── calls ────────────────────────────────────┘
//! ```

use super::agreed::Agreed;
use super::calls::{Calls, Known};
use super::message::Said;
use super::parameters::PvfsCosts;
use crate::wake_up::heard_awake;
use petrio_colours::{FileCause, FileOp, Message, Operation, Status};
use petrio_kernel::{Firing, PageBuilder, Place, Put, Stream, Time, TransitionBuilder, Update};
use petrio_network::Port;
use petrio_random::uniform;
use petrio_stage::MANY;
use petrio_stage::drain::drain;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;

/// Builds a client's page, `page`.
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    known: Known,
    costs: PvfsCosts,
    port: Port,
    (agreed, draws): (Place<Agreed>, Stream),
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) {
    page.port_in("operations", operations);
    page.port_out("completions", completions);
    page.port_out("messages", port.send);
    page.port_in("answers", port.received);
    let running = processors.place();
    page.shared("processor", running);
    let calls = page.state("calls", Calls::new(known));
    let begun = page.fifo::<Box<FileOp>>("begun");

    let callers = processors.client_for::<FileOp>(Function::FileServices);
    processors.returns(callers, move |ran| {
        let (begin, done) = (ran.may_put(begun, 1), ran.may_put(completions, 1));
        move |f, span, mut op| {
            let computes = op.operation == Operation::Compute;
            op.ledger.charge(FileCause::Call, span);
            let waited = (f.now() - op.issued).saturating_sub(op.ledger.total());
            op.ledger.charge(FileCause::Processor, waited);
            if computes {
                op.status = Status::DoneFromCache;
                f.put(done, *op);
            } else {
                f.put(begin, op);
            }
        }
    });
    let mut call = page.transition("call");
    let op = call.take(operations);
    let (run, at_once) = (call.may_put(running, 1), call.may_put(begun, 1));
    let each = costs.call.time();
    call.action(move |f| {
        let op = Box::new(f.take(op));
        let span = if op.operation == Operation::Compute { Time::from_picos(op.length) } else { each };
        if span == Time::ZERO {
            f.put(at_once, op);
        } else {
            f.put(run, callers.work(span, op));
        }
    });

    let mut begin = page.transition("begin");
    let op = begin.take(begun);
    let exits = Exits::declare(&mut begin, (calls, agreed), port, completions);
    begin.action(move |f| {
        let op = f.take(op);
        if f.get(exits.agreed).salt.is_none() {
            let drawn = uniform(f.random(draws)).to_bits();
            f.update(exits.agreed).salt = Some(drawn);
        }
        let now = f.now();
        let (calls, agreed) = f.update_two(exits.calls, exits.agreed);
        calls.salt = agreed.salt.unwrap_or_default();
        calls.begin(*op, agreed, now);
        exits.leave(f);
    });

    let awake = heard_awake(page, port.received, costs.wake_up);
    let heard = match costs.answer.time() {
        Time::ZERO => awake,
        each => listens(page, awake, processors, each),
    };
    let mut hear = page.transition("hear");
    let message = hear.take(heard);
    let exits = Exits::declare(&mut hear, (calls, agreed), port, completions);
    hear.action(move |f| {
        let message = f.take(message);
        let now = f.now();
        let (calls, agreed) = f.update_two(exits.calls, exits.agreed);
        let understood = message.payload.open::<Said>().is_some_and(|said| calls.hear(*said, agreed, now));
        if understood {
            exits.leave(f);
        } else {
            f.fail("a client of PVFS hears what it hasn't asked for: a mistake in the model");
        }
    });
}

/// The arcs of what a client's step leaves behind.
#[derive(Clone, Copy)]
struct Exits {
    calls: Update<Calls>,
    agreed: Update<Agreed>,
    send: Put<Box<Message>>,
    completions: Put<FileOp>,
}

impl Exits {
    fn declare(
        transition: &mut TransitionBuilder<'_>,
        (calls, agreed): (Place<Calls>, Place<Agreed>),
        port: Port,
        completions: Place<FileOp>,
    ) -> Self {
        Self {
            calls: transition.update(calls),
            agreed: transition.update(agreed),
            send: transition.may_put(port.send, MANY),
            completions: transition.may_put(completions, 1),
        }
    }

    fn leave(self, f: &mut Firing<'_>) {
        drain(f, self.calls, |calls| &mut calls.outbox, |f, message| f.put(self.send, Box::new(message)));
        drain(f, self.calls, |calls| &mut calls.completed, |f, op| f.put(self.completions, op));
    }
}

/// Answers use a processor before they are heard; where they are then.
fn listens(
    page: &mut PageBuilder<'_>,
    received: Place<Box<Message>>,
    processors: &mut Processors,
    each: Time,
) -> Place<Box<Message>> {
    let running = processors.place();
    let heard = page.fifo("heard");
    let listeners = processors.client_for::<Message>(Function::FileServices);
    processors.returns(listeners, move |ran| {
        let heard = ran.may_put(heard, 1);
        move |f, _, message| f.put(heard, message)
    });
    let mut listen = page.transition("listen");
    let message = listen.take(received);
    let run = listen.put(running);
    listen.action(move |f| {
        let message = f.take(message);
        f.put(run, listeners.work(each, message));
    });
    heard
}
