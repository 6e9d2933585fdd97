//! A target: commands wait for a place in its queue, are decoded one after the other, and asked of what it lies on.
//!
//! ```text
//!  received ─▶ receive ─▶ commands ─▶ take ─▶ waiting ─▶ decode ─▶ decoding ─▶ decoded ─▶ requests ⋯ disk, array
//!                │ data out            ▲ free             ▲ idle ──────────────┘             ⋯
//!                └▶ requests           │                                   send ◀─ answer ◀─ completions
//!                                      └────────────────────────────────────────────┘
//! ```

use super::conserved::conserve;
use super::exchange::Exchange;
use super::message::{Pdu, Ticket};
use petrio_colours::{BlockRequest, Cause, Causes, Direction, Message, RequestId};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::fast_map::FastMap;
use petrio_stage::reactor::{Heard, Reactor};
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;

/// A target while its page is built.
#[derive(Debug)]
pub struct Target<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Commands that it takes at a time.
    pub depth: u32,
    /// Its work on each command.
    pub overhead: Time,
    /// Where it asks what it lies on.
    pub requests: Place<BlockRequest>,
    /// Where that answers.
    pub completions: Place<BlockRequest>,
}

/// A command that a target works on.
#[derive(Clone, Debug, Persist)]
struct Session {
    request: Box<BlockRequest>,
    reply_to: u32,
    connection: u32,
    /// Bytes of a write that have come, and that it was told of or has asked for.
    arrived: u64,
    asked: u64,
    decoded: bool,
    /// When it came.
    since: Time,
}

/// The commands of a target, and what it has to send and to ask.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sessions {
    exchange: Exchange,
    own: Port,
    sessions: FastMap<Ticket, Session>,
    /// Which command each request to what it lies on is for.
    asked: Slab<Ticket>,
    /// Bytes of data that came, and that were sent.
    pub(super) received: u64,
    pub(super) sent: u64,
    commands: Vec<Ticket>,
    outbox: Vec<Message>,
    requests: Vec<BlockRequest>,
}

/// A target hears what it knows nothing of.
const UNKNOWN: &str = "a target hears of an exchange that it hasn't got: a mistake in the model";

impl Sessions {
    /// Commands that aren't over.
    pub(super) fn left(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Something comes from an initiator; a command has to wait for a place.
    fn receive(&mut self, message: Message, now: Time) -> Heard {
        let Message { source, connection, .. } = message;
        let pdu = message.payload.open::<Pdu>().ok_or(UNKNOWN)?;
        self.received += pdu.data_out();
        match *pdu {
            Pdu::Command { number, request, with, reply_to } => {
                let writes = request.direction == Direction::Write;
                let (_, after) = if writes { self.exchange.unasked_of(request.bytes()) } else { (0, 0) };
                let session = Session {
                    request,
                    reply_to,
                    connection,
                    arrived: with,
                    asked: with + after,
                    decoded: false,
                    since: now,
                };
                self.sessions.insert((source, number), session);
                self.commands.push((source, number));
                Ok(())
            }
            Pdu::DataOut { number, bytes } => {
                let ticket = (source, number);
                self.sessions.get_mut(&ticket).ok_or(UNKNOWN)?.arrived += bytes;
                self.go_on(ticket, now)
            }
            _ => Err(UNKNOWN),
        }
    }

    /// A command's turn to be decoded has come.
    fn begun(&mut self, ticket: Ticket, now: Time) {
        if let Some(session) = self.sessions.get_mut(&ticket) {
            let waited = now - session.since;
            session.request.ledger.charge(Cause::Queue, waited);
            session.since = now;
        }
    }

    fn decoded(&mut self, ticket: Ticket, now: Time) -> Heard {
        let session = self.sessions.get_mut(&ticket).ok_or(UNKNOWN)?;
        session.decoded = true;
        session.request.ledger.charge(Cause::Overhead, now - session.since);
        self.go_on(ticket, now)
    }

    /// Asks for more of a write's data, or what the target lies on once all are there.
    fn go_on(&mut self, ticket: Ticket, now: Time) -> Heard {
        let session = self.sessions.get_mut(&ticket).ok_or(UNKNOWN)?;
        if !session.decoded {
            return Ok(());
        }
        let request = &session.request;
        let bytes = if request.direction == Direction::Write { request.bytes() } else { 0 };
        if session.arrived < bytes {
            let next = self.exchange.next_burst(bytes, session.arrived);
            if session.arrived == session.asked {
                session.asked += next;
                let ready = Pdu::Ready { number: ticket.1, bytes: next };
                self.send(ticket, self.exchange.ready, ready);
            }
            return Ok(());
        }
        let slot = self.asked.insert(ticket);
        let id = RequestId(u64::from(slot));
        let ledger = petrio_colours::Ledger::default();
        let own = BlockRequest { id, tag: u64::from(slot), issued: now, ledger, ..(**request).clone() };
        self.requests.push(own);
        Ok(())
    }

    fn send(&mut self, ticket: Ticket, bytes: u64, pdu: Pdu) {
        let Some(session) = self.sessions.get(&ticket) else { return };
        self.sent += pdu.data_in();
        let to = (ticket.0, session.reply_to);
        self.outbox.push(Message::send(self.own.host, to, session.connection, (bytes, pdu)));
    }

    /// What the target lies on has done something; the bytes that it moved.
    fn done(&mut self, own: &BlockRequest) -> Result<u64, &'static str> {
        let ticket = self.asked.remove(low_half(own.tag)).ok_or(UNKNOWN)?;
        let session = self.sessions.get_mut(&ticket).ok_or(UNKNOWN)?;
        session.request.status = own.status;
        for &cause in <Cause as Causes>::ALL {
            session.request.ledger.charge(cause, own.ledger.of(cause));
        }
        let request = session.request.clone();
        let failed = own.status.failure().is_some();
        let bytes = if failed { 0 } else { own.bytes() };
        let comes_in = if own.direction == Direction::Read { bytes } else { 0 };
        let Exchange { response, status_with_data, .. } = self.exchange;
        let with = if status_with_data { comes_in } else { 0 };
        if comes_in > with {
            self.send(ticket, comes_in, Pdu::DataIn { bytes: comes_in });
        }
        self.send(ticket, with + response, Pdu::Status { number: ticket.1, request, with });
        self.sessions.remove(&ticket);
        Ok(bytes)
    }
}

/// Builds a target's page; its rows.
#[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a command's way")]
pub fn target_page(parent: &mut PageBuilder<'_>, target: &Target<'_>, exchange: Exchange) -> Vec<Stage> {
    let mut page = parent.page(target.name);
    page.carries::<Pdu>();
    conserve(&mut page);
    let &Target { port, depth, overhead, requests, completions, .. } = target;
    page.port_in("commands", port.received);
    page.port_out("replies", port.send);
    page.port_out("requests", requests);
    page.port_in("completions", completions);
    let moved = page.probe("moved");
    let state = Sessions {
        exchange,
        own: port,
        sessions: FastMap::default(),
        asked: Slab::new(),
        received: 0,
        sent: 0,
        commands: Vec::new(),
        outbox: Vec::new(),
        requests: Vec::new(),
    };
    let sessions = page.state("in service", state);
    let commands = page.fifo::<Ticket>("commands");
    let free = page.fifo::<()>("free");
    page.initial(free, (0..depth.clamp(1, petrio_stage::DEPTH_MAX)).map(|_| ()));
    let waiting = page.fifo::<Ticket>("waiting");
    let decoding = page.fifo::<Ticket>("decoding");
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    let reactor = Reactor::new(sessions)
        .gives(|sessions| &mut sessions.commands, commands)
        .gives_as(|sessions| &mut sessions.outbox, port.send, Box::new)
        .gives(|sessions| &mut sessions.requests, requests);
    reactor
        .hears(&mut page, "receive", port.received, |sessions, message, now| sessions.receive(*message, now));

    let mut take = page.transition("take");
    let ticket = take.take(commands);
    take.consume(free);
    let onward = take.put(waiting);
    take.action(move |f| {
        let ticket = f.take(ticket);
        f.put(onward, ticket);
    });

    let mut decode = page.transition("decode");
    let ticket = decode.take(waiting);
    decode.consume(idle);
    let state = decode.update(sessions);
    let begins = decode.put(decoding);
    decode.action(move |f| {
        let ticket = f.take(ticket);
        let now = f.now();
        f.update(state).begun(ticket, now);
        f.put_at_pace(begins, ticket, overhead);
    });

    let mut decoded = page.transition("decoded");
    let ticket = decoded.take(decoding);
    let again = decoded.put(idle);
    let arcs = reactor.arcs(&mut decoded);
    decoded.action(move |f| {
        let ticket = f.take(ticket);
        f.put(again, ());
        if let Err(wrong) = arcs.react(f, |sessions, now| sessions.decoded(ticket, now)) {
            f.fail(wrong);
        }
    });

    let mut answer = page.transition("answer");
    let request = answer.take(completions);
    let freed = answer.put(free);
    let arcs = reactor.arcs(&mut answer);
    answer.action(move |f| {
        let request: BlockRequest = f.take(request);
        f.put(freed, ());
        match arcs.react(f, |sessions, _| sessions.done(&request)) {
            Ok(0) => {}
            Ok(bytes) => f.record(moved, bytes as f64),
            Err(wrong) => f.fail(wrong),
        }
    });
    page.conserve("one command is decoded at a time", &[(idle.id(), 1), (decoding.id(), 1)]);
    let path = page.path();
    let commands = Stage::queue(format!("{path}/commands"), &[commands.id()]).moving(moved);
    let decoding = Stage::server(format!("{path}/decoding"), 1, &[decoding.id()])
        .entered_by(&[waiting.id()])
        .waited_for_in(&[waiting.id()]);
    if overhead > Time::ZERO { vec![commands, decoding] } else { vec![commands] }
}
