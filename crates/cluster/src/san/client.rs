//! A node in the net: calls come in, wait for tokens, blocks and room, use the processor, and return.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─┐               ┌─▶ asks, tokens given, errands ─▶ network ⋯ manager, others
//!  network ⋯ manager, others ─▶ hear ──────────┤               ├─▶ requests ─▶ initiator ⋯ network ⋯ disks
//!  disks ⋯ initiator ─▶ complete ──────────────┼─▶ the node ───┼─▶ waiting: for a token, for reads, for writes, for room
//!  waiting + ready ─▶ go on ───────────────────┤               ├─▶ (processor) ─▶ go on
//!  later ─▶ write back ────────────────────────┘               └─▶ completions
//! ```

use super::call::Wait;
use super::costs::Costs;
use super::manager::Address;
use super::message::{Said, To};
use super::node::{Node, Rules};
use super::volume::Volume;
use petrio_colours::{BlockRequest, FileCause, FileOp, Message, Operation, Status};
use petrio_kernel::{Firing, Key, PageBuilder, Place, Put, Time, TransitionBuilder, Update};
use petrio_network::Port;
use petrio_stage::function::Function;
use petrio_stage::processor::{Client, Processors, Work};
use petrio_stage::{MANY, Stage};
use std::sync::Arc;

/// A node while its page is built.
pub(super) struct Wired<'p> {
    /// Where it hears of locks, and who manages them; where that one hears, if he is on the same host.
    pub(super) locks: Port,
    pub(super) manager: Address,
    /// Where the file system's nodes hear.
    pub(super) nodes: Arc<[Address]>,
    pub(super) near_manager: Option<Place<Box<Message>>>,
    /// What is asked of the disks.
    pub(super) requests: Place<BlockRequest>,
    pub(super) complete: Place<BlockRequest>,
    pub(super) operations: Place<FileOp>,
    pub(super) completions: Place<FileOp>,
    pub(super) volume: Place<Volume>,
    pub(super) write_back_after: Time,
    pub(super) processors: &'p mut Processors,
}

/// The places between a node's steps.
#[derive(Clone, Copy)]
struct Places {
    node: Place<Node>,
    volume: Place<Volume>,
    waiting: [Place<u32>; 4],
    ready: [Place<u32>; 4],
    later: Place<()>,
    running: Place<Work>,
}

/// Builds a node's page; the rows of what its calls wait for.
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    (rules, costs, blocks): (Rules, Costs, usize),
    wired: Wired<'_>,
) -> Vec<Stage> {
    let Wired { locks, operations, completions, complete, requests, processors, .. } = wired;
    page.port_in("operations", operations);
    page.port_out("completions", completions);
    page.port_in("locks", locks.received);
    page.port_out("to the lock manager", locks.send);
    page.port_out("requests", requests);
    page.port_in("complete", complete);
    page.shared("volume", wired.volume);
    let running = processors.place();
    page.shared("processor", running);
    let node = page.state("node", Node::new(rules, costs.clone(), blocks));
    let waiting = Wait::ALL.map(|wait| page.keyed(wait.name(), |slot: &u32| Key::from(*slot)));
    let ready = Wait::ALL.map(|wait| page.fifo::<u32>(&format!("ready {}", wait.name())));
    let later = page.fifo::<()>("later");
    let places = Places { node, volume: wired.volume, waiting, ready, later, running };

    let begun = calls(page, &costs, (operations, completions), processors);
    let workers: Client<u32> = processors.client_for(Function::FileServices);
    let worked = page.fifo::<u32>("worked");
    processors.returns(workers, move |ran| {
        let worked = ran.may_put(worked, 1);
        move |f, _, slot| f.put(worked, *slot)
    });
    let to = Onward {
        own: Address::of(&locks),
        manager: wired.manager,
        nodes: wired.nodes,
        send: locks.send,
        near: wired.near_manager,
        requests,
        completions,
        workers,
        write_back_after: wired.write_back_after,
    };

    let mut begin = page.transition("begin");
    let op = begin.take(begun);
    let exits = Exits::declare(&mut begin, places, &to);
    begin.action(move |f| {
        let op: Box<FileOp> = f.take(op);
        let now = f.now();
        let (node, volume) = f.update_two(exits.node, exits.volume);
        node.begin(*op, volume, now);
        exits.leave(f);
    });

    let mut hear = page.transition("hear");
    let message = hear.take(locks.received);
    let exits = Exits::declare(&mut hear, places, &to);
    hear.action(move |f| {
        let message: Box<Message> = f.take(message);
        let now = f.now();
        let said = message.payload.open::<Said>();
        let (node, volume) = f.update_two(exits.node, exits.volume);
        if !said.is_some_and(|said| node.hear(*said, volume, now)) {
            return f.fail("a node is told what only a lock manager is: a mistake in the model");
        }
        exits.leave(f);
    });

    let mut completed = page.transition("complete");
    let request = completed.take(complete);
    let exits = Exits::declare(&mut completed, places, &to);
    completed.action(move |f| {
        let request = f.take(request);
        let now = f.now();
        let (node, volume) = f.update_two(exits.node, exits.volume);
        node.completed(&request, volume, now);
        exits.leave(f);
    });

    for ((wait, waiting), ready) in Wait::ALL.into_iter().zip(waiting).zip(ready) {
        let mut go_on = page.transition(&format!("go on {}", wait.name()));
        let slot = go_on.take(ready);
        let waited = go_on.take_key(waiting, move |binding| Key::from(*binding.get(slot)));
        let exits = Exits::declare(&mut go_on, places, &to);
        go_on.action(move |f| {
            let (slot, _) = (f.take(slot), f.take(waited));
            exits.resume(f, slot);
        });
    }
    let mut go_on = page.transition("go on");
    let slot = go_on.take(worked);
    let exits = Exits::declare(&mut go_on, places, &to);
    go_on.action(move |f| {
        let slot = f.take(slot);
        exits.resume(f, slot);
    });

    let mut write_back = page.transition("write back");
    write_back.consume(later);
    let exits = Exits::declare(&mut write_back, places, &to);
    write_back.action(move |f| {
        let now = f.now();
        let (node, volume) = f.update_two(exits.node, exits.volume);
        node.tick(volume, now);
        exits.leave(f);
    });
    let path = page.path().to_owned();
    let stage =
        |(wait, place): (Wait, Place<u32>)| Stage::queue(format!("{path}/{}", wait.name()), &[place.id()]);
    Wait::ALL.into_iter().zip(waiting).map(stage).collect()
}

/// Calls use a processor for the way into the kernel and back; where they are then.
fn calls(
    page: &mut PageBuilder<'_>,
    costs: &Costs,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    processors: &mut Processors,
) -> Place<Box<FileOp>> {
    let begun = page.fifo::<Box<FileOp>>("begun");
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
    let costs = costs.clone();
    let mut call = page.transition("call");
    let op = call.take(operations);
    let (run, at_once) = (call.may_put(processors.place(), 1), call.may_put(begun, 1));
    call.action(move |f| {
        let op: Box<FileOp> = Box::new(f.take(op));
        match costs.call(&op) {
            Time::ZERO => f.put(at_once, op),
            span => f.put(run, callers.work(span, op)),
        }
    });
    begun
}

/// Where what a node says goes.
#[derive(Clone)]
struct Onward {
    own: Address,
    manager: Address,
    nodes: Arc<[Address]>,
    send: Place<Box<Message>>,
    near: Option<Place<Box<Message>>>,
    requests: Place<BlockRequest>,
    completions: Place<FileOp>,
    workers: Client<u32>,
    write_back_after: Time,
}

/// The arcs of what a node's step leaves behind.
#[derive(Clone)]
struct Exits {
    node: Update<Node>,
    volume: Update<Volume>,
    waiting: [Put<u32>; 4],
    ready: [Put<u32>; 4],
    later: Put<()>,
    run: Put<Work>,
    /// To others over the network, and to a manager on the same host.
    tell: Put<Box<Message>>,
    tell_near: Option<Put<Box<Message>>>,
    requests: Put<BlockRequest>,
    completions: Put<FileOp>,
    to: Onward,
}

impl Exits {
    fn declare(transition: &mut TransitionBuilder<'_>, places: Places, to: &Onward) -> Self {
        Self {
            node: transition.update(places.node),
            volume: transition.update(places.volume),
            waiting: places.waiting.map(|place| transition.may_put(place, MANY)),
            ready: places.ready.map(|place| transition.may_put(place, MANY)),
            later: transition.may_put(places.later, 1),
            run: transition.may_put(places.running, MANY),
            tell: transition.may_put(to.send, MANY),
            tell_near: to.near.map(|near| transition.may_put(near, MANY)),
            requests: transition.may_put(to.requests, MANY),
            completions: transition.may_put(to.completions, MANY),
            to: to.clone(),
        }
    }

    fn resume(&self, f: &mut Firing<'_>, slot: u32) {
        let now = f.now();
        let (node, volume) = f.update_two(self.node, self.volume);
        node.resume(slot, volume, now);
        self.leave(f);
    }

    fn leave(&self, f: &mut Firing<'_>) {
        let &Onward { own, manager, ref nodes, workers, write_back_after, .. } = &self.to;
        let mut out = std::mem::take(&mut f.update(self.node).out);
        for (wait, slot) in out.waits.drain(..) {
            f.put(self.waiting[wait as usize], slot);
        }
        for (wait, slot) in out.ready.drain(..) {
            f.put(self.ready[wait as usize], slot);
        }
        for (to, said) in out.said.drain(..) {
            let near = self.tell_near.filter(|_| to == To::Manager);
            let address = match to {
                To::Manager => Some(manager),
                To::Node(node) => nodes.get(node as usize).copied(),
            };
            let Some(address) = address else { continue };
            f.put(near.unwrap_or(self.tell), own.tells(address, said));
        }
        for request in out.requests.drain(..) {
            f.put(self.requests, request);
        }
        for (slot, span) in out.work.drain(..) {
            f.put(self.run, workers.work(span, Box::new(slot)));
        }
        for op in out.done.drain(..) {
            f.put(self.completions, op);
        }
        if std::mem::take(&mut out.ticks) {
            f.put_after(self.later, (), write_back_after);
        }
        // The lists keep their room.
        f.update(self.node).out = out;
    }
}
