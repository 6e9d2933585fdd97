//! A host's end: requests become exchanges with targets.
//!
//! ```text
//!  requests ─▶ submit ─▶ (processor) ─▶ begin ─▶ send ⋯ network ⋯ received ─▶ hear ─▶ (processor) ─▶ completions
//!                                         └──── exchanges ──────────────────────┘
//! ```

use super::exchange::Exchange;
use super::message::Said;
use petrio_colours::{BlockRequest, Cause, Direction, Message, Parcel, Verb};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::MANY;
use petrio_stage::function::Function;
use petrio_stage::processor::{Client, Processors};
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
struct Exchanges {
    exchange: Exchange,
    own: Port,
    #[persist(shared)]
    targets: Arc<[RemoteTarget]>,
    under_way: Slab<BlockRequest>,
    outbox: Vec<Message>,
}

/// What an initiator hears that it hasn't asked for.
struct Nonsense;

impl Exchanges {
    /// Sends the command of a request and what of its data may go with it. Without such a target it can't.
    fn begin(&mut self, request: BlockRequest) -> Result<(), Nonsense> {
        let Some(&target) = self.targets.get(request.device as usize) else { return Err(Nonsense) };
        let writes = request.direction == Direction::Write;
        let (with, after) = if writes { self.exchange.unasked_of(request.bytes()) } else { (0, 0) };
        let number = self.under_way.insert(request.clone());
        let command = Said::Command { number, request: Box::new(request), with, reply_to: self.own.service };
        self.tell(target, number, self.exchange.command + with, command);
        if after > 0 {
            self.tell(target, number, after, Said::DataOut { number, bytes: after });
        }
        Ok(())
    }

    fn tell(&mut self, to: RemoteTarget, number: u32, bytes: u64, said: Said) {
        self.outbox.push(Message {
            source: self.own.host,
            destination: to.host,
            connection: self.exchange.connection(number),
            service: to.service,
            verb: Verb::Send,
            service_level: 0,
            bytes,
            payload: Parcel::new(Box::new(said)),
        });
    }

    /// A target says something; the request that is complete with it.
    fn hear(&mut self, said: Said, now: Time) -> Result<Option<BlockRequest>, Nonsense> {
        match said {
            Said::Ready { number, bytes } => {
                let device = self.under_way.get_mut(number).ok_or(Nonsense)?.device;
                let target = *self.targets.get(device as usize).ok_or(Nonsense)?;
                self.tell(target, number, bytes, Said::DataOut { number, bytes });
                Ok(None)
            }
            Said::DataIn => Ok(None),
            Said::Status { number, request } => {
                let asked = self.under_way.remove(number).ok_or(Nonsense)?;
                let mut done = BlockRequest { status: request.status, ledger: request.ledger, ..asked };
                // What the target and the device don't account for was spent on the way.
                let rest = (now - done.issued).saturating_sub(done.ledger.total());
                done.ledger.charge(Cause::Bus, rest);
                Ok(Some(done))
            }
            Said::Command { .. } | Said::DataOut { .. } => Err(Nonsense),
        }
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
    page.port_out("messages", port.send);
    page.port_in("answers", port.received);
    let state = Exchanges { exchange, own: port, targets, under_way: Slab::new(), outbox: Vec::new() };
    let exchanges = page.state("exchanges", state);
    let begun = worked(&mut page, "submit", requests, submit, processors, None);
    let mut begin = page.transition("begin");
    let request = begin.take(begun);
    let state = begin.update(exchanges);
    let send = begin.may_put(port.send, 2);
    begin.action(move |f| {
        let request = f.take(request);
        if f.update(state).begin(request).is_err() {
            return f.fail("a request is for a target that there isn't: a mistake in the model");
        }
        for message in std::mem::take(&mut f.update(state).outbox) {
            f.put(send, Box::new(message));
        }
    });
    let heard = if complete == Time::ZERO { completions } else { page.fifo("complete") };
    let mut hear = page.transition("hear");
    let message = hear.take(port.received);
    let state = hear.update(exchanges);
    let (send, done) = (hear.may_put(port.send, MANY), hear.may_put(heard, 1));
    hear.action(move |f| {
        let message = f.take(message);
        let now = f.now();
        let said = message.payload.open::<Said>();
        match said.map_or(Err(Nonsense), |said| f.update(state).hear(*said, now)) {
            Ok(Some(request)) => f.put(done, request),
            Ok(None) => {}
            Err(Nonsense) => {
                return f.fail("an initiator hears what it hasn't asked for: a mistake in the model");
            }
        }
        for message in std::mem::take(&mut f.update(state).outbox) {
            f.put(send, Box::new(message));
        }
    });
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
    let running = processors.place();
    page.shared("processor", running);
    let to = to.unwrap_or_else(|| page.fifo(&format!("{name} done")));
    let client: Client<BlockRequest> = processors.client_for(Function::Network);
    processors.returns(client, move |ran| {
        let out = ran.may_put(to, 1);
        move |f, span, mut request: Box<BlockRequest>| {
            request.ledger.charge(Cause::Overhead, span);
            f.put(out, *request);
        }
    });
    let mut work = page.transition(name);
    let request = work.take(from);
    let run = work.put(running);
    work.action(move |f| {
        let request = Box::new(f.take(request));
        f.put(run, client.work(each, request));
    });
    to
}
