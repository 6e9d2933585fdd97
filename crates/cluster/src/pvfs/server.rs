//! A server: requests and data wait in a receive buffer for each client, and are done to its own file system's files.
//!
//! ```text
//!  received ─▶ receive ─▶ buffers (clients take turns) ─▶ take ─▶ (processor) ─▶ ask ─▶ operations ⋯ file system
//!                 └▶ (processor) ─▶ grant ─▶ send           ▲ free                          ⋯
//!                                            send ◀──── answer ◀───────────────────── completions
//! ```

use super::message::Ticket;
use super::parameters::{PvfsCosts, QueueCost};
use super::sessions::{Piece, ServerIs, Sessions};
use crate::wake_up::heard_awake;
use petrio_colours::{FileOp, Message, Operation};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::drain::drain;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};

/// Builds a server's page.
pub(super) fn server(
    page: &mut PageBuilder<'_>,
    is: ServerIs,
    (costs, queue): (PvfsCosts, QueueCost),
    port: Port,
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> Stage {
    page.port_in("messages", port.received);
    page.port_out("answers", port.send);
    page.port_out("operations", operations);
    page.port_in("completions", completions);
    let running = processors.place();
    page.shared("processor", running);
    let moved = page.probe("moved");
    let database = is.note.0;
    let at_once = is.protocol.at_once;
    let sessions = page.state("sessions", Sessions::new(is));
    let buffers = page.in_turn("receive buffers", |piece: &Piece| u128::from(piece.ticket.client));
    let free = page.fifo::<()>("free");
    page.initial(free, (0..at_once).map(|_| ()));
    let taken = page.fifo::<Box<Piece>>("taken");
    let granted = page.fifo::<Ticket>("granted");

    let answerers = processors.client_for::<Ticket>(Function::FileServices);
    processors.returns(answerers, move |ran| {
        let granted = ran.may_put(granted, 1);
        move |f, _, ticket| f.put(granted, *ticket)
    });
    let workers = processors.client_for::<Piece>(Function::FileServices);
    processors.returns(workers, move |ran| {
        let taken = ran.may_put(taken, 1);
        move |f, _, piece| f.put(taken, piece)
    });

    let heard = heard_awake(page, port.received, costs.wake_up);
    let mut receive = page.transition("receive");
    let message = receive.take(heard);
    let state = receive.update(sessions);
    let (wait, send) = (receive.may_put(buffers, MANY), receive.may_put(port.send, 1));
    let (look, at_once) = (receive.may_put(running, 1), receive.may_put(granted, 1));
    let request = costs.request.time();
    receive.action(move |f| {
        let message: Box<Message> = f.take(message);
        let now = f.now();
        let Ok(to_grant) = f.update(state).receive(*message, now) else {
            f.fail("a server of PVFS is told what only clients are: a mistake in the model");
            return;
        };
        match to_grant {
            Some(ticket) if request == Time::ZERO => f.put(at_once, ticket),
            Some(ticket) => f.put(look, answerers.work(request, Box::new(ticket))),
            None => {}
        }
        drain(f, state, |state| &mut state.pieces, |f, piece| f.put(wait, piece));
        drain(f, state, |state| &mut state.outbox, |f, message| f.put(send, Box::new(message)));
    });

    let mut grant = page.transition("grant");
    let ticket = grant.take(granted);
    let state = grant.update(sessions);
    let send = grant.may_put(port.send, 1);
    grant.action(move |f| {
        let ticket = f.take(ticket);
        f.update(state).grant(ticket);
        drain(f, state, |state| &mut state.outbox, |f, message| f.put(send, Box::new(message)));
    });

    let mut take = page.transition("take");
    let piece = take.take(buffers);
    take.consume(free);
    let state = take.update(sessions);
    let (run, go) = (take.may_put(running, 1), take.may_put(taken, 1));
    take.action(move |f| {
        let piece = f.take(piece);
        let state = f.update(state);
        state.waiting = state.waiting.saturating_sub(1);
        let waiting = u64::from(state.waiting);
        let searched =
            queue.each.time() + Time::from_picos(queue.waiting.time().as_picos().saturating_mul(waiting));
        let opening = if piece.opens { request } else { Time::ZERO };
        let span = searched + opening + costs.piece.time();
        let piece = Box::new(piece);
        if span == Time::ZERO {
            f.put(go, piece);
        } else {
            f.put(run, workers.work(span, piece));
        }
    });

    let mut ask = page.transition("ask");
    let piece = ask.take(taken);
    let state = ask.update(sessions);
    let (ask_for, wait) = (ask.put(operations), ask.may_put(buffers, 1));
    ask.action(move |f| {
        let piece = f.take(piece);
        let now = f.now();
        f.update(state).ask(*piece, now);
        drain(f, state, |state| &mut state.operations, |f, op| f.put(ask_for, op));
        drain(f, state, |state| &mut state.pieces, |f, piece| f.put(wait, piece));
    });

    let mut answer = page.transition("answer");
    let op = answer.take(completions);
    let state = answer.update(sessions);
    let (send, again) = (answer.may_put(port.send, 1), answer.may_put(operations, 1));
    let (freed, wait) = (answer.may_put(free, 1), answer.may_put(buffers, MANY));
    answer.action(move |f| {
        let op = f.take(op);
        let now = f.now();
        let moves = matches!(op.operation, Operation::Read | Operation::Write) && op.file != database;
        if moves && op.status.failure().is_none() {
            f.record(moved, op.length as f64);
        }
        if f.update(state).done(&op, now) {
            f.put(freed, ());
        }
        drain(f, state, |state| &mut state.outbox, |f, message| f.put(send, Box::new(message)));
        drain(f, state, |state| &mut state.operations, |f, op| f.put(again, op));
        // A buffer that was sent is filled anew.
        drain(f, state, |state| &mut state.pieces, |f, piece| f.put(wait, piece));
    });
    Stage::queue(format!("{}/receive buffers", page.path()), &[buffers.id()]).moving(moved)
}
