//! A client: operations become calls, of which some are on their way at a time, and what is local goes past the network.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─┬─▶ waiting ─▶ issue ─▶ (processor) ─▶ send ⋯ network ⋯ received
//!                                              │                ▲ on their way ◀──────┐                     │
//!                                              │                                    hear ◀── (processor) ◀──┘
//!                                              └─▶ own host's operations ⋯ done ─▶ here ─▶ completions
//! ```

use super::calls::{Agreed, Calls, Known, Outgoing};
use super::message::Said;
use super::parameters::CALLS;
use petrio_colours::{FileCause, FileOp, Message, Operation, Status};
use petrio_kernel::{Firing, PageBuilder, Place, Probe, Put, Sum, Time, TransitionBuilder, Update};
use petrio_network::Port;
use petrio_stage::drain::drain;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};

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
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    known: Known,
    in_flight: u32,
    ports: Ports,
    (agreed, moved): (Place<Agreed>, Vec<Probe>),
    processors: &mut Processors,
) -> Stage {
    let Ports { network, operations, completions, host } = ports;
    page.port_in("operations", operations);
    page.port_out("completions", completions);
    page.port_out("messages", network.send);
    page.port_in("answers", network.received);
    let running = processors.place();
    page.shared("processor", running);
    let each = known.costs.operation.time();
    let calls = page.state("calls under way", Calls::new(known));
    let begun = page.fifo::<Box<FileOp>>("begun");
    let waiting = page.fifo::<Outgoing>("waiting");
    let on_their_way = page.fifo::<()>(CALLS);
    page.capacity(on_their_way, in_flight);
    let heard = page.fifo::<Box<Message>>("heard");

    let callers = processors.client_for::<FileOp>(Function::FileServices);
    processors.returns(callers, move |ran| {
        let (begin, done) = (ran.may_put(begun, 1), ran.may_put(completions, 1));
        move |f, span, mut op| {
            op.ledger.charge(FileCause::Call, span);
            let waited = (f.now() - op.issued).saturating_sub(op.ledger.total());
            op.ledger.charge(FileCause::Processor, waited);
            if op.operation == Operation::Compute {
                op.status = Status::DoneFromCache;
                f.put(done, *op);
            } else {
                f.put(begin, op);
            }
        }
    });
    let senders = processors.client_for::<Message>(Function::FileServices);
    processors.returns(senders, move |ran| {
        let send = ran.may_put(network.send, 1);
        move |f, _, message| f.put(send, message)
    });
    let listeners = processors.client_for::<Message>(Function::FileServices);
    processors.returns(listeners, move |ran| {
        let heard = ran.may_put(heard, 1);
        move |f, _, message| f.put(heard, message)
    });

    let mut call = page.transition("call");
    let op = call.take(operations);
    let (run, at_once) = (call.may_put(running, 1), call.may_put(begun, 1));
    call.action(move |f| {
        let op = Box::new(f.take(op));
        let span = if op.operation == Operation::Compute { Time::from_picos(op.length) } else { each };
        if span == Time::ZERO {
            f.put(at_once, op);
        } else {
            f.put(run, callers.work(span, op));
        }
    });

    let leaves = Leaves { waiting, completions, host: host.map(|(asked, _)| asked) };
    let mut begin = page.transition("begin");
    let op = begin.take(begun);
    let exits = Exits::declare(&mut begin, (calls, agreed), leaves);
    begin.action(move |f| {
        let op = f.take(op);
        let now = f.now();
        let (calls, agreed) = f.update_two(exits.calls, exits.agreed);
        calls.begin(*op, agreed, now);
        exits.leave(f);
    });

    let mut issue = page.transition("issue");
    let outgoing = issue.take(waiting);
    let on_its_way = issue.put(on_their_way);
    let (run, at_once) = (issue.may_put(running, 1), issue.may_put(network.send, 1));
    issue.action(move |f| {
        let Outgoing { message, work } = f.take(outgoing);
        f.put(on_its_way, ());
        if work == Time::ZERO {
            f.put(at_once, message);
        } else {
            f.put(run, senders.work(work, message));
        }
    });

    let mut listen = page.transition("listen");
    let message = listen.take(network.received);
    let state = listen.update(calls);
    let (run, at_once) = (listen.may_put(running, 1), listen.may_put(heard, 1));
    listen.action(move |f| {
        let message: Box<Message> = f.take(message);
        let calls = f.update(state);
        let work = message.payload.get::<Said>().map_or(Time::ZERO, |said| calls.work_of(said));
        if work == Time::ZERO {
            f.put(at_once, message);
        } else {
            f.put(run, listeners.work(work, message));
        }
    });

    let mut hear = page.transition("hear");
    let message = hear.take(heard);
    hear.consume(on_their_way);
    let exits = Exits::declare(&mut hear, (calls, agreed), leaves);
    hear.action(move |f| {
        let message: Box<Message> = f.take(message);
        let now = f.now();
        let (calls, agreed) = f.update_two(exits.calls, exits.agreed);
        let said = message.payload.open::<Said>();
        if said.is_some_and(|said| calls.hear(&said, agreed, now)) {
            exits.leave(f);
        } else {
            f.fail("a client of a file service hears what it hasn't asked for: a mistake in the model");
        }
    });

    if let Some((_, done)) = host {
        page.port_in("own host's completions", done);
        let mut here = page.transition("here");
        let op = here.take(done);
        let exits = Exits::declare(&mut here, (calls, agreed), leaves);
        here.action(move |f| {
            let op: FileOp = f.take(op);
            let now = f.now();
            let (calls, agreed) = f.update_two(exits.calls, exits.agreed);
            let served = calls.done_here(&op, agreed, now);
            if let Some((server, bytes)) = served
                && bytes > 0
                && let Some(&probe) = moved.get(server as usize)
            {
                f.record(probe, bytes as f64);
            }
            exits.leave(f);
        });
    }
    let under_way = Sum::new().of(calls, |calls| calls.remote().into());
    page.conserve_sum("calls", under_way.tokens(waiting, -1).tokens(on_their_way, -1));
    Stage::server(format!("{}/{CALLS}", page.path()), in_flight, &[on_their_way.id()])
        .waited_for_in(&[waiting.id()])
}

/// Where a client's steps leave things.
#[derive(Clone, Copy)]
struct Leaves {
    waiting: Place<Outgoing>,
    completions: Place<FileOp>,
    host: Option<Place<FileOp>>,
}

/// The arcs of what a client's step leaves behind.
#[derive(Clone, Copy)]
struct Exits {
    calls: Update<Calls>,
    agreed: Update<Agreed>,
    send: Put<Outgoing>,
    ask: Option<Put<FileOp>>,
    completions: Put<FileOp>,
}

impl Exits {
    fn declare(
        transition: &mut TransitionBuilder<'_>,
        (calls, agreed): (Place<Calls>, Place<Agreed>),
        Leaves { waiting, completions, host }: Leaves,
    ) -> Self {
        Self {
            calls: transition.update(calls),
            agreed: transition.update(agreed),
            send: transition.may_put(waiting, MANY),
            ask: host.map(|asked| transition.may_put(asked, MANY)),
            completions: transition.may_put(completions, 1),
        }
    }

    fn leave(self, f: &mut Firing<'_>) {
        drain(f, self.calls, |calls| &mut calls.outbox, |f, outgoing| f.put(self.send, outgoing));
        if let Some(ask) = self.ask {
            drain(f, self.calls, |calls| &mut calls.local.operations, |f, op| f.put(ask, op));
        }
        drain(f, self.calls, |calls| &mut calls.completed, |f, op| f.put(self.completions, op));
    }
}
