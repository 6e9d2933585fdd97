//! A server: calls wait for a thread, which asks the host's file system and answers.
//!
//! ```text
//!  received ─▶ waiting ─▶ take ─▶ (processor) ─▶ begun ─▶ ask ─▶ operations ⋯ file system ⋯ completions ─▶ answer ─▶ send
//!                           ▲ threads ◀─ free ◀──────────────────────────────────────────────────────────────┘
//! ```
//!
//! All threads ask as one process: Linux keeps the state of read-ahead by file, for all clients together (`raparms`,
//! fs/nfsd/vfs.c of 2.6.24).

use super::message::{Call, Said};
use super::parameters::THREADS;
use super::sessions::{Asks, Sessions};
use super::wire;
use crate::address::Address;
use petrio_colours::{FileOp, Message, Operation, Parcel, Verb};
use petrio_kernel::{PageBuilder, Place, Probe, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::drain::drain;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;

/// What a server is.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerIs {
    pub(super) asks: Asks,
    pub(super) threads: u32,
    /// What a call costs its host's processors.
    pub(super) serve: Time,
}

/// A call that has come, with who asked, when, and when a thread took it.
#[derive(Clone, Debug, Persist)]
struct Come {
    call: Call,
    asked_by: Asker,
    at: Time,
    taken: Time,
}

/// Who asked, and on which connection.
#[derive(Clone, Copy, Debug, Persist)]
struct Asker {
    address: Address,
    connection: u32,
}

/// Builds a server's page; `moved` is where it records the bytes that it moves.
pub(super) fn server(
    page: &mut PageBuilder<'_>,
    is: ServerIs,
    (port, moved): (Port, Probe),
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> Stage {
    page.port_in("messages", port.received);
    page.port_out("answers", port.send);
    page.port_out("operations", operations);
    page.port_in("completions", completions);
    let running = processors.place();
    page.shared("processor", running);
    let sessions = page.state("sessions", Sessions::<Asker>::new());
    let waiting = page.fifo::<Box<Come>>("waiting");
    let busy = page.fifo::<()>(THREADS);
    page.capacity(busy, is.threads);
    let begun = page.fifo::<Box<Come>>("begun");
    let over = page.fifo::<()>("over");

    let workers = processors.client_for::<Come>(Function::FileServices);
    processors.returns(workers, move |ran| {
        let begun = ran.may_put(begun, 1);
        move |f, _, come| f.put(begun, come)
    });

    let mut receive = page.transition("receive");
    let message = receive.take(port.received);
    let wait = receive.may_put(waiting, 1);
    receive.action(move |f| {
        let message: Box<Message> = f.take(message);
        let Message { source, connection, payload, .. } = *message;
        let at = f.now();
        let Some(Said::Call(call)) = payload.open::<Said>().map(|said| *said) else {
            f.fail("a server of a file service is told what only clients are: a mistake in the model");
            return;
        };
        let address = Address { host: source, service: call.reply_to };
        f.put(wait, Box::new(Come { call, asked_by: Asker { address, connection }, at, taken: at }));
    });

    let mut take = page.transition("take");
    let come = take.take(waiting);
    let thread = take.put(busy);
    let (run, at_once) = (take.may_put(running, 1), take.may_put(begun, 1));
    take.action(move |f| {
        let mut come = f.take(come);
        come.taken = f.now();
        f.put(thread, ());
        if is.serve == Time::ZERO {
            f.put(at_once, come);
        } else {
            f.put(run, workers.work(is.serve, come));
        }
    });

    let mut ask = page.transition("ask");
    let come = ask.take(begun);
    let state = ask.update(sessions);
    let ask_for = ask.put(operations);
    ask.action(move |f| {
        let Come { call, asked_by, at, taken } = *f.take(come);
        let now = f.now();
        f.update(state).begin(call, is.asks, asked_by, (at, taken, now));
        drain(f, state, |state| &mut state.operations, |f, op| f.put(ask_for, op));
    });

    let own = port.host;
    let mut answer = page.transition("answer");
    let op = answer.take(completions);
    let state = answer.update(sessions);
    let (send, again) = (answer.may_put(port.send, 1), answer.may_put(operations, 1));
    let free = answer.may_put(over, 1);
    answer.action(move |f| {
        let op = f.take(op);
        let now = f.now();
        let Some((asker, call, reply)) = f.update(state).done(&op, now) else {
            drain(f, state, |state| &mut state.operations, |f, op| f.put(again, op));
            return;
        };
        if matches!(call.operation, Operation::Read | Operation::Write) && reply.length > 0 {
            f.record(moved, reply.length as f64);
        }
        let Asker { address, connection } = asker;
        let message = Message {
            source: own,
            destination: address.host,
            connection,
            service: address.service,
            verb: Verb::Send,
            service_level: 0,
            bytes: wire::reply(call.operation, reply.length),
            payload: Parcel::new(Box::new(Said::Reply(reply))),
        };
        f.put(send, Box::new(message));
        f.put(free, ());
    });

    let mut free = page.transition("free");
    free.consume(over);
    free.consume(busy);
    free.action(|_| {});
    Stage::server(format!("{}/{THREADS}", page.path()), is.threads, &[busy.id()])
        .waited_for_in(&[waiting.id()])
        .moving(moved)
}
