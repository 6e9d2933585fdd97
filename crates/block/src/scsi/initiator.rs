//! A host's end: requests become exchanges with targets.
//!
//! ```text
//!  requests ─▶ submit ─▶ (processor) ─▶ begin ─▶ commands ⋯ network ⋯ replies ─▶ hear ─▶ (processor) ─▶ completions
//!                                         └──── exchanges under way ─────────────┘
//! ```

use super::exchange::Exchange;
use super::message::Pdu;
use petrio_colours::{BlockRequest, Cause, Direction, Message};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::reactor::{Heard, Reactor};
use petrio_stage::slab::Slab;
use std::sync::Arc;

/// A target, as initiators know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteTarget {
    /// Its number among the network's hosts.
    pub host: u32,
    /// The service that hears commands there.
    pub service: u32,
}

/// An initiator while its page is built.
#[derive(Debug)]
pub struct Initiator {
    /// Its port on the network.
    pub port: Port,
    /// The targets: a request's `device` is its position here.
    pub targets: Arc<[RemoteTarget]>,
    /// Processor time of a request, and of its completion.
    pub costs: (Time, Time),
    /// Where requests come from.
    pub requests: Place<BlockRequest>,
    /// Where they go when they are complete.
    pub completions: Place<BlockRequest>,
}

/// What an initiator has under way.
#[derive(Clone, Debug, Persist)]
pub(super) struct Exchanges {
    exchange: Exchange,
    own: Port,
    #[persist(shared)]
    targets: Arc<[RemoteTarget]>,
    /// By their tags, which are used again: each has a connection of its own where exchanges interleave.
    under_way: Slab<BlockRequest>,
    /// Bytes of data that were sent, and that came.
    pub(super) sent: u64,
    pub(super) received: u64,
    outbox: Vec<Message>,
    complete: Vec<BlockRequest>,
}

/// An initiator hears what it hasn't asked for.
const UNASKED: &str = "an initiator hears what it hasn't asked for: a mistake in the model";

impl Exchanges {
    /// How many there are.
    pub(super) fn left(&self) -> u64 {
        self.under_way.len()
    }

    /// Sends the command of a request and what of its data may go with it. Without such a target it can't.
    fn begin(&mut self, request: BlockRequest) -> Heard {
        let target = self.targets.get(request.device as usize);
        let &target = target.ok_or("a request is for a target that there isn't: a mistake in the model")?;
        let writes = request.direction == Direction::Write;
        let (with, after) = if writes { self.exchange.unasked_of(request.bytes()) } else { (0, 0) };
        let number = self.under_way.insert(request.clone());
        let reply_to = self.own.service;
        let command = Pdu::Command { number, request: Box::new(request), with, reply_to };
        self.send(target, number, self.exchange.command + with, command);
        if after > 0 {
            self.send(target, number, after, Pdu::DataOut { number, bytes: after });
        }
        Ok(())
    }

    fn send(&mut self, to: RemoteTarget, number: u32, bytes: u64, pdu: Pdu) {
        self.sent += pdu.data_out();
        let connection = self.exchange.connection(number);
        self.outbox.push(Message::send(self.own.host, (to.host, to.service), connection, (bytes, pdu)));
    }

    /// Something comes from a target.
    fn hear(&mut self, message: Message, now: Time) -> Heard {
        let pdu = message.payload.open::<Pdu>().ok_or(UNASKED)?;
        self.received += pdu.data_in();
        match *pdu {
            Pdu::Ready { number, bytes } => {
                let device = self.under_way.get(number).ok_or(UNASKED)?.device;
                let target = *self.targets.get(device as usize).ok_or(UNASKED)?;
                self.send(target, number, bytes, Pdu::DataOut { number, bytes });
            }
            Pdu::DataIn { .. } => {}
            Pdu::Status { number, request, .. } => {
                let asked = self.under_way.remove(number).ok_or(UNASKED)?;
                let mut done = BlockRequest { status: request.status, ledger: request.ledger, ..asked };
                // What the target and the device don't account for was spent on the way.
                let rest = (now - done.issued).saturating_sub(done.ledger.total());
                done.ledger.charge(Cause::Bus, rest);
                self.complete.push(done);
            }
            Pdu::Command { .. } | Pdu::DataOut { .. } => return Err(UNASKED),
        }
        Ok(())
    }
}

/// Builds an initiator on its host's page `page`. Requests that are complete have the time on the network in their ledger, as
/// [`Cause::Bus`].
pub fn initiator_page(
    page: &mut PageBuilder<'_>,
    Initiator { port, targets, costs: (submit, complete), requests, completions }: Initiator,
    exchange: Exchange,
    processors: &mut Processors,
) {
    let mut page = page.page("initiator");
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    page.port_out("commands", port.send);
    page.port_in("replies", port.received);
    let state = Exchanges {
        exchange,
        own: port,
        targets,
        under_way: Slab::new(),
        sent: 0,
        received: 0,
        outbox: Vec::new(),
        complete: Vec::new(),
    };
    let exchanges = page.state("exchanges under way", state);
    let begun = worked(&mut page, "submit", requests, submit, processors, None);
    let heard = if complete == Time::ZERO { completions } else { page.fifo("complete") };
    let reactor = Reactor::new(exchanges).gives(|exchanges| &mut exchanges.complete, heard).gives_as(
        |exchanges| &mut exchanges.outbox,
        port.send,
        Box::new,
    );
    reactor.hears(&mut page, "begin", begun, |exchanges, request, _| exchanges.begin(request));
    reactor.hears(&mut page, "hear", port.received, |exchanges, message, now| exchanges.hear(*message, now));
    if complete > Time::ZERO {
        worked(&mut page, "completing", heard, complete, processors, Some(completions));
    }
}

/// Requests use a processor for a time each; where they are then.
fn worked(
    page: &mut PageBuilder<'_>,
    name: &str,
    from: Place<BlockRequest>,
    each: Time,
    processors: &mut Processors,
    to: Option<Place<BlockRequest>>,
) -> Place<BlockRequest> {
    if each == Time::ZERO {
        return from;
    }
    let to = to.unwrap_or_else(|| page.fifo(&format!("{name} done")));
    processors.each_of(page, (name, from, to), Function::Network, each, |request, span, _| {
        request.ledger.charge(Cause::Overhead, span);
    });
    to
}
