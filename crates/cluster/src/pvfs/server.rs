//! A server: requests and data wait in a receive buffer for each client, and are done to its own file system's files.
//!
//! ```text
//!  received ─▶ receive ─▶ buffers (clients take turns) ─▶ take ─▶ (processor) ─▶ ask ─▶ operations ⋯ file system
//!                 └▶ (processor) ─▶ grant ─▶ send           ▲ free                          ⋯
//!                                            send ◀──── answer ◀───────────────────── completions
//! ```

use super::message::Ticket;
use super::parameters::{PvfsCosts, QueueCost};
use super::sessions::{Look, Piece, ServerIs, Sessions};
use crate::server::serves;
use crate::wake_up::heard_awake;
use petrio_colours::{FileOp, Message, Operation};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::{Processors, Worker};
use petrio_stage::reactor::Reactor;

/// Builds a server's page; its row, and where what it knows of its requests is found.
pub(super) fn server(
    page: &mut PageBuilder<'_>,
    is: ServerIs,
    (costs, queue): (PvfsCosts, QueueCost),
    port: Port,
    processors: &mut Processors,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> (Stage, Place<Sessions>) {
    serves(page, &port, (operations, completions), processors);
    let moved = page.probe("moved");
    let database = is.note.0;
    let at_once = is.protocol.at_once;
    let sessions = page.state("in service", Sessions::new(is));
    let buffers = page.in_turn("receive buffers", |piece: &Piece| u128::from(piece.ticket.client));
    let free = page.fifo::<()>("free");
    page.initial(free, (0..at_once).map(|_| ()));
    let taken = page.fifo::<Box<Piece>>("taken");
    let granted = page.fifo::<Box<Ticket>>("granted");
    let answerers = processors.worker::<Ticket>(Function::FileServices, granted);
    let workers = processors.worker::<Piece>(Function::FileServices, taken);
    let late = page.fifo::<Box<Message>>("requests on their way");
    let alarms = page.fifo::<()>("alarms");
    let reactor = Reactor::new(sessions)
        .gives(|sessions| &mut sessions.freed, free)
        .gives_as(|sessions| &mut sessions.outbox, port.send, Box::new)
        .gives(|sessions| &mut sessions.operations, operations)
        // A buffer that was sent is filled anew.
        .gives(|sessions| &mut sessions.pieces, buffers)
        .gives_at_pace(|sessions| &mut sessions.late, late)
        .gives_at_pace(|sessions| &mut sessions.resets, port.send)
        .gives_at_pace(|sessions| &mut sessions.alarms, alarms);

    let heard = heard_awake(page, port.received, costs.wake_up);
    receives(page, [("receive", heard), ("receive late", late)], &reactor, &answerers, costs);

    reactor.hears(page, "grant", granted, |sessions, ticket, now| {
        sessions.grant(*ticket, now);
        Ok(())
    });

    reactor.hears(page, "time out", alarms, |sessions, (), now| {
        sessions.wake(now);
        Ok(())
    });

    takes(page, (buffers, free), sessions, &workers, (costs, queue));

    reactor.hears(page, "ask", taken, |sessions, piece, now| {
        sessions.ask(*piece, now);
        Ok(())
    });

    let mut answer = page.transition("answer");
    let op = answer.take(completions);
    let arcs = reactor.arcs(&mut answer);
    answer.action(move |f| {
        let op = f.take(op);
        let moves = matches!(op.operation, Operation::Read | Operation::Write) && op.file != database;
        if moves && op.status.failure().is_none() {
            f.record(moved, op.length as f64);
        }
        arcs.react(f, |sessions, now| sessions.done(&op, now));
    });
    let stage = Stage::queue(format!("{}/receive buffers", page.path()), &[buffers.id()]).moving(moved);
    (stage, sessions)
}

/// What comes is looked at, or is still on its way.
fn receives(
    page: &mut PageBuilder<'_>,
    from: [(&str, Place<Box<Message>>); 2],
    reactor: &Reactor<Sessions>,
    answerers: &Worker<Ticket>,
    costs: PvfsCosts,
) {
    let (request, each) = (costs.request.time(), costs.database.time());
    for (name, from) in from {
        let mut receive = page.transition(name);
        let message = receive.take(from);
        let (arcs, look) = (reactor.arcs(&mut receive), answerers.arcs(&mut receive));
        receive.action(move |f| {
            let message: Box<Message> = f.take(message);
            let came =
                arcs.react(f, |sessions, now| (sessions.receive(*message, now), sessions.slower_by(now)));
            match came {
                (Ok(Some(Look { ticket, accesses })), slower) => {
                    let looked = Time::from_picos(each.as_picos().saturating_mul(accesses));
                    look.put(f, request + looked + slower, Box::new(ticket));
                }
                (Ok(None), _) => {}
                (Err(()), _) => f.fail("a server of PVFS hears what only clients do: a mistake in the model"),
            }
        });
    }
}

/// What waits in the buffers is taken while there is a place for it, once a processor has looked for it.
fn takes(
    page: &mut PageBuilder<'_>,
    (buffers, free): (Place<Piece>, Place<()>),
    sessions: Place<Sessions>,
    workers: &Worker<Piece>,
    (costs, queue): (PvfsCosts, QueueCost),
) {
    let request = costs.request.time();
    let mut take = page.transition("take");
    let piece = take.take(buffers);
    take.consume(free);
    let (state, run) = (take.update(sessions), workers.arcs(&mut take));
    take.action(move |f| {
        let (piece, now) = (f.take(piece), f.now());
        let state = f.update(state);
        state.waiting = state.waiting.saturating_sub(1);
        let waiting = u64::from(state.waiting);
        let searched =
            queue.each.time() + Time::from_picos(queue.waiting.time().as_picos().saturating_mul(waiting));
        let opening = if piece.opens { request + state.slower_by(now) } else { Time::ZERO };
        run.put(f, searched + opening + costs.piece.time(), Box::new(piece));
    });
}
