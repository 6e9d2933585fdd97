//! A target: commands wait for a place in its queue, are decoded one after the other, and asked of what it lies on.
//!
//! ```text
//!  received ─▶ receive ─▶ commands ─▶ take ─▶ waiting ─▶ decode ─▶ decoding ─▶ decoded ─▶ requests ⋯ disk, array
//!                │ data out            ▲ free             ▲ idle ──────────────┘             ⋯
//!                └▶ requests           │                                   send ◀─ answer ◀─ completions
//!                                      └────────────────────────────────────────────┘
//! ```

use super::exchange::Exchange;
use super::message::{Said, Ticket};
use petrio_colours::{BlockRequest, Cause, Causes, Direction, Message, Parcel, RequestId, Verb};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use petrio_stage::{MANY, Stage};

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
    come: u64,
    asked: u64,
    decoded: bool,
    /// When it came.
    since: Time,
}

/// The commands of a target, and what it has to send and to ask.
#[derive(Clone, Debug, Persist)]
struct Sessions {
    exchange: Exchange,
    own: Port,
    sessions: FastMap<Ticket, Session>,
    /// Which command each request to what it lies on is for.
    asked: Slab<Ticket>,
    outbox: Vec<Message>,
    requests: Vec<BlockRequest>,
}

/// What a target is told that it knows nothing of.
struct Nonsense;

impl Sessions {
    /// Something comes from an initiator; a command has to wait for a place.
    fn receive(&mut self, message: Message, now: Time) -> Result<Option<Ticket>, Nonsense> {
        let Message { source, connection, .. } = message;
        match message.payload.open::<Said>().map(|said| *said) {
            Some(Said::Command { number, request, with, reply_to }) => {
                let writes = request.direction == Direction::Write;
                let (_, after) = if writes { self.exchange.unasked_of(request.bytes()) } else { (0, 0) };
                let session = Session {
                    request,
                    reply_to,
                    connection,
                    come: with,
                    asked: with + after,
                    decoded: false,
                    since: now,
                };
                self.sessions.insert((source, number), session);
                Ok(Some((source, number)))
            }
            Some(Said::DataOut { number, bytes }) => {
                let ticket = (source, number);
                self.sessions.get_mut(&ticket).ok_or(Nonsense)?.come += bytes;
                self.go_on(ticket, now)?;
                Ok(None)
            }
            _ => Err(Nonsense),
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

    fn decoded(&mut self, ticket: Ticket, now: Time) -> Result<(), Nonsense> {
        let session = self.sessions.get_mut(&ticket).ok_or(Nonsense)?;
        session.decoded = true;
        session.request.ledger.charge(Cause::Overhead, now - session.since);
        self.go_on(ticket, now)
    }

    /// Asks for more of a write's data, or what the target lies on once all are there.
    fn go_on(&mut self, ticket: Ticket, now: Time) -> Result<(), Nonsense> {
        let session = self.sessions.get_mut(&ticket).ok_or(Nonsense)?;
        if !session.decoded {
            return Ok(());
        }
        let request = &session.request;
        let bytes = if request.direction == Direction::Write { request.bytes() } else { 0 };
        if session.come < bytes {
            let next = self.exchange.next_burst(bytes, session.come);
            if session.come == session.asked {
                session.asked += next;
                let ready = Said::Ready { number: ticket.1, bytes: next };
                self.tell(ticket, self.exchange.ready, ready);
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

    fn tell(&mut self, ticket: Ticket, bytes: u64, said: Said) {
        let Some(session) = self.sessions.get(&ticket) else { return };
        self.outbox.push(Message {
            source: self.own.host,
            destination: ticket.0,
            connection: session.connection,
            service: session.reply_to,
            verb: Verb::Send,
            service_level: 0,
            bytes,
            payload: Parcel::new(Box::new(said)),
        });
    }

    /// What the target lies on has done something; the bytes that it moved.
    fn done(&mut self, own: &BlockRequest) -> Result<u64, Nonsense> {
        let ticket = self.asked.remove(own.tag as u32).ok_or(Nonsense)?;
        let session = self.sessions.get_mut(&ticket).ok_or(Nonsense)?;
        session.request.status = own.status;
        for &cause in <Cause as Causes>::ALL {
            session.request.ledger.charge(cause, own.ledger.of(cause));
        }
        let request = session.request.clone();
        let failed = own.status.failure().is_some();
        let bytes = if failed { 0 } else { own.bytes() };
        let comes_in = if own.direction == Direction::Read { bytes } else { 0 };
        let Exchange { response, status_with_data, .. } = self.exchange;
        let status = Said::Status { number: ticket.1, request };
        if comes_in > 0 && status_with_data {
            self.tell(ticket, comes_in + response, status);
        } else {
            if comes_in > 0 {
                self.tell(ticket, comes_in, Said::DataIn);
            }
            self.tell(ticket, response, status);
        }
        self.sessions.remove(&ticket);
        Ok(bytes)
    }
}

/// Builds a target's page; its rows.
pub fn target_page(parent: &mut PageBuilder<'_>, target: &Target<'_>, exchange: Exchange) -> Vec<Stage> {
    let mut page = parent.page(target.name);
    page.carries::<Said>();
    let &Target { port, depth, overhead, requests, completions, .. } = target;
    page.port_in("messages", port.received);
    page.port_out("answers", port.send);
    page.port_out("requests", requests);
    page.port_in("completions", completions);
    let moved = page.probe("moved");
    let (asked, outbox) = (Slab::new(), Vec::new());
    let sessions = FastMap::default();
    let state = Sessions { exchange, own: port, sessions, asked, outbox, requests: Vec::new() };
    let sessions = page.state("sessions", state);
    let commands = page.fifo::<Ticket>("commands");
    let free = page.fifo::<()>("free");
    page.initial(free, (0..depth.clamp(1, petrio_stage::DEPTH_MAX)).map(|_| ()));
    let waiting = page.fifo::<Ticket>("waiting");
    let decoding = page.fifo::<Ticket>("decoding");
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);

    let mut receive = page.transition("receive");
    let message = receive.take(port.received);
    let state = receive.update(sessions);
    let wait = receive.may_put(commands, 1);
    let (send, ask) = (receive.may_put(port.send, MANY), receive.may_put(requests, MANY));
    receive.action(move |f| {
        let message = f.take(message);
        let now = f.now();
        match f.update(state).receive(*message, now) {
            Ok(Some(ticket)) => f.put(wait, ticket),
            Ok(None) => leave(f, state, send, ask),
            Err(Nonsense) => f.fail("a target hears what only initiators are told: a mistake in the model"),
        }
    });

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
    let state = decoded.update(sessions);
    let (send, ask) = (decoded.may_put(port.send, MANY), decoded.may_put(requests, MANY));
    let again = decoded.put(idle);
    decoded.action(move |f| {
        let ticket = f.take(ticket);
        let now = f.now();
        f.put(again, ());
        match f.update(state).decoded(ticket, now) {
            Ok(()) => leave(f, state, send, ask),
            Err(Nonsense) => f.fail("a target has decoded what it wasn't told: a mistake in the model"),
        }
    });

    let mut answer = page.transition("answer");
    let request = answer.take(completions);
    let state = answer.update(sessions);
    let (send, ask) = (answer.may_put(port.send, MANY), answer.may_put(requests, MANY));
    let freed = answer.put(free);
    answer.action(move |f| {
        let request: BlockRequest = f.take(request);
        f.put(freed, ());
        match f.update(state).done(&request) {
            Ok(bytes) => {
                if bytes > 0 {
                    f.record(moved, bytes as f64);
                }
                leave(f, state, send, ask);
            }
            Err(Nonsense) => f.fail("a target is answered what it didn't ask: a mistake in the model"),
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

fn leave(
    f: &mut petrio_kernel::Firing<'_>,
    state: petrio_kernel::Update<Sessions>,
    send: petrio_kernel::Put<Box<Message>>,
    ask: petrio_kernel::Put<BlockRequest>,
) {
    for message in std::mem::take(&mut f.update(state).outbox) {
        f.put(send, Box::new(message));
    }
    for request in std::mem::take(&mut f.update(state).requests) {
        f.put(ask, request);
    }
}
