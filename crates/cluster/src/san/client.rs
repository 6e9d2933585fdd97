//! A node in the net: calls come in, wait for tokens, blocks and room, use the processor, and return.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ begin ─┐               ┌─▶ requests, tokens released, replies ─▶ network ⋯ manager, others
//!  network ⋯ manager, others ─▶ hear ──────────┤               ├─▶ requests ─▶ initiator ⋯ network ⋯ disks
//!  disks ⋯ initiator ─▶ complete ──────────────┼─▶ the node ───┼─▶ waiting: for a token, for reads, for writes, for room
//!  waiting + ready ─▶ go on ───────────────────┤               ├─▶ (processor) ─▶ go on
//!  later ─▶ write back ────────────────────────┘               └─▶ completions
//! ```

use super::call::Wait;
use super::costs::Costs;
use super::message::{Payload, Recipient};
use super::node::{Node, Rules};
use super::volume::Volume;
use crate::address::Address;
use crate::client::begun;
use petrio_colours::{BlockRequest, FileOp, Message};
use petrio_kernel::{Key, PageBuilder, Place, Sum, Time};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::Reactor;
use std::sync::Arc;

/// A node while its page is built.
pub(super) struct NodePorts<'p> {
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

/// Builds a node's page; the rows of what its calls wait for.
#[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a call's way")]
pub(super) fn client(
    page: &mut PageBuilder<'_>,
    (rules, costs, blocks): (Rules, Costs, usize),
    ports: NodePorts<'_>,
) -> Vec<Stage> {
    let NodePorts { locks, operations, completions, processors, .. } = ports;
    page.port_in("replies and recalls", locks.received);
    page.port_out("requests for locks", locks.send);
    page.port_out("requests", ports.requests);
    page.port_in("complete", ports.complete);
    page.shared("volume", ports.volume);
    let node = page.state("node", Node::new(rules, costs.clone(), blocks));
    let waiting = Wait::ALL.map(|wait| page.keyed(wait.name(), |slot: &u32| Key::from(*slot)));
    let ready = Wait::ALL.map(|wait| page.fifo::<u32>(&format!("ready {}", wait.name())));
    let later = page.fifo::<()>("later");
    let ends = (operations, completions);
    let begun = begun(page, ends, processors, Function::FileServices, move |op| costs.call(op));
    let worked = page.fifo::<Box<u32>>("worked");
    let workers = processors.worker(Function::FileServices, worked).client();

    let by_wait = |(wait, slot): (Wait, u32)| Some((wait as usize, slot, Time::ZERO));
    let reactor = Reactor::sharing(node, ports.volume)
        .gives_among(|node| &mut node.out.waits, waiting, by_wait)
        .gives_among(|node| &mut node.out.ready, ready, by_wait);
    let (own, manager, nodes) = (Address::of(&locks), ports.manager, ports.nodes);
    // A manager on the same host hears without a network.
    let near = ports.near_manager;
    let message = move |(to, payload): (Recipient, Payload)| {
        let address = match to {
            Recipient::Manager => manager,
            Recipient::Node(node) => *nodes.get(node as usize)?,
        };
        let way = usize::from(near.is_some() && to == Recipient::Manager);
        Some((way, Box::new(own.message(address, 0, (payload.bytes(), payload))), Time::ZERO))
    };
    let ways = [Some(locks.send), near].into_iter().flatten();
    let reactor = reactor.gives_among(|node| &mut node.out.messages, ways, message);
    let after = ports.write_back_after;
    let reactor = reactor
        .gives(|node| &mut node.out.requests, ports.requests)
        .gives_as(
            |node| &mut node.out.work,
            processors.place(),
            move |(slot, span)| workers.work(span, Box::new(slot)),
        )
        .gives(|node| &mut node.out.done, completions)
        .gives_among(|node| &mut node.out.ticks, [later], move |()| Some((0, (), after)));

    reactor.hears(page, "begin", begun, |node, volume, op, now| {
        node.begin(*op, volume, now);
        Ok(())
    });
    reactor.hears(page, "hear", locks.received, |node, volume, message: Box<Message>, now| {
        let payload = message.payload.open::<Payload>();
        let is_heard = payload.is_some_and(|payload| node.hear(*payload, volume, now));
        is_heard.then_some(()).ok_or("a node hears what only a lock manager does: a mistake in the model")
    });
    reactor.hears(page, "complete", ports.complete, |node, volume, request, now| {
        node.completed(&request, volume, now);
        Ok(())
    });
    for ((wait, waiting), ready) in Wait::ALL.into_iter().zip(waiting).zip(ready) {
        let mut go_on = page.transition(&format!("go on {}", wait.name()));
        let slot = go_on.take(ready);
        let waited = go_on.take_key(waiting, move |binding| Key::from(*binding.get(slot)));
        let arcs = reactor.arcs(&mut go_on);
        go_on.action(move |f| {
            let (slot, _) = (f.take(slot), f.take(waited));
            arcs.react(f, |node, volume, now| node.resume(slot, volume, now));
        });
    }
    reactor.hears(page, "go on", worked, |node, volume, slot, now| {
        node.resume(*slot, volume, now);
        Ok(())
    });
    reactor.hears(page, "write back", later, |node, volume, (), now| {
        node.tick(volume, now);
        Ok(())
    });

    // Who waits for a token has sent for it, or waits for others here.
    let sent = Sum::new()
        .of(node, |node| -Sum::count(node.lock_requests) - Sum::count(node.want_token.len()))
        .tokens(waiting[Wait::Token as usize], 1)
        .tokens(ready[Wait::Token as usize], -1);
    page.conserve_sum("requests for locks", sent);
    let path = page.path().to_owned();
    let stage =
        |(wait, place): (Wait, Place<u32>)| Stage::queue(format!("{path}/{}", wait.name()), &[place.id()]);
    Wait::ALL.into_iter().zip(waiting).map(stage).collect()
}
