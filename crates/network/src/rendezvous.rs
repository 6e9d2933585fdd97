//! Long messages by writing into their receiver's memory: he is asked first, says where they go, his adapter puts them there, and then
//! he is told.
//!
//! ```text
//! send ─▶ offer ─▶ network ⋯ hear ─▶ received       (short ones, as they are)
//!           └── asks ─▶ may write ─▶ write, by adapters ─▶ done ──┘
//! ```
//!
//! Source: PVFS2's and OrangeFS' BMI for InfiniBand (src/io/bmi/bmi_ib: buffers of 8 KiB for what is sent at once; MSG_RTS, MSG_CTS, RDMA
//! writes, MSG_RTS_DONE). Messages of a connection are handed on in the order in which they were sent, whichever way they take.
//! Leaves out what registering memory costs, copies into and out of the buffers, and their number.

use super::one_sided::{Access, one_sided_page};
use super::page::{Network, Port};
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::PageBuilder;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::reactor::Reactor;
use petrio_stage::slab::Slab;
use petrio_units::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of what both tell each other: headers with the address, length and key of a buffer.
const WORD_BYTES: u64 = 64;

/// What both ends tell each other.
#[derive(Clone, Debug, Persist)]
pub(super) enum Word {
    /// A short message of a service, so many after the first of its connection.
    Whole { from: u32, number: u64, says: Parcel },
    /// A long one in this slot of a service is there.
    Asks { from: u32, slot: u32 },
    /// It may be written.
    MayWrite(u32),
    /// It has been.
    Written(u32),
    /// So it is there; it was so many after the first of its connection.
    Done { from: u32, number: u64, message: Box<Message> },
}

/// Messages of a connection that have come before those that were sent before them.
#[derive(Clone, Debug, Default, Persist)]
struct Line {
    next: u64,
    early: BTreeMap<u64, Box<Message>>,
}

/// Who sends, on which connection.
#[derive(Clone, Copy, Debug)]
struct Way {
    source: u32,
    connection: u32,
    service_level: u8,
}

impl Way {
    const fn of(message: &Message) -> Self {
        let &Message { source, connection, service_level, .. } = message;
        Self { source, connection, service_level }
    }
}

/// One end.
#[derive(Clone, Debug, Persist)]
pub(super) struct Rendezvous {
    eager: u64,
    service: u32,
    /// The service of each host's adapter.
    adapters: Arc<[(u32, u32)]>,
    sent: FastMap<(u32, u32, u32), u64>,
    lines: FastMap<(u32, u32, u32), Line>,
    offered: Slab<(u64, Box<Message>)>,
    outbox: Vec<Message>,
    received: Vec<Message>,
}

impl Rendezvous {
    /// Messages that it has and hasn't handed on.
    pub(super) fn messages(&self) -> impl Iterator<Item = &Message> {
        let offered = self.offered.iter().map(|(_, message)| &**message);
        offered.chain(self.lines.values().flat_map(|line| line.early.values()).map(|message| &**message))
    }

    /// A message is to be sent.
    fn offer(&mut self, mut message: Box<Message>) {
        let next = self.sent.entry((message.destination, message.service, message.connection)).or_default();
        let number = *next;
        *next += 1;
        if message.bytes <= self.eager {
            let payload = std::mem::replace(&mut message.payload, Parcel::new(Box::new(())));
            let word = Word::Whole { from: self.service, number, says: payload };
            message.payload = Parcel::new(Box::new(word));
            self.outbox.push(*message);
            return;
        }
        let way = (message.destination, message.service);
        let like = Way::of(&message);
        let slot = self.offered.insert((number, message));
        self.say(like, way, Word::Asks { from: self.service, slot });
    }

    /// Something has come from the network; whether it makes sense.
    fn hear(&mut self, mut message: Box<Message>) -> bool {
        let payload = std::mem::replace(&mut message.payload, Parcel::new(Box::new(())));
        let Some(word) = payload.open::<Word>() else { return false };
        match *word {
            Word::Whole { from, number, says } => {
                message.payload = says;
                self.hand_on((from, number), message);
            }
            Word::Asks { from, slot } => {
                let Message { source, destination, .. } = *message;
                let back = Way { source: destination, ..Way::of(&message) };
                self.say(back, (source, from), Word::MayWrite(slot));
            }
            Word::MayWrite(slot) => return self.write(slot),
            Word::Written(slot) => {
                let Some((number, long)) = self.offered.remove(slot) else { return false };
                let way = (long.destination, long.service);
                self.say(Way::of(&long), way, Word::Done { from: self.service, number, message: long });
            }
            Word::Done { from, number, message } => self.hand_on((from, number), message),
        }
        true
    }

    /// A long message is written into its receiver's memory.
    fn write(&mut self, slot: u32) -> bool {
        let Some((_, long)) = self.offered.get(slot) else { return false };
        let Some(&(_, adapter)) = self.adapters.iter().find(|(host, _)| *host == long.destination) else {
            return false;
        };
        let (bytes, reply_bytes) = Access::sizes(Verb::Write, long.bytes);
        let says = Parcel::new(Box::new(Word::Written(slot)));
        let access = Access { reply_to: self.service, reply_bytes, says };
        self.outbox.push(Message {
            source: long.source,
            destination: long.destination,
            connection: long.connection,
            service: adapter,
            verb: Verb::Write,
            service_level: long.service_level,
            bytes,
            payload: Parcel::new(Box::new(access)),
        });
        true
    }

    /// Something is said to a service of a host about a message.
    fn say(&mut self, way: Way, (destination, service): (u32, u32), word: Word) {
        let Way { source, connection, service_level } = way;
        let payload = Parcel::new(Box::new(word));
        self.outbox.push(Message {
            source,
            destination,
            connection,
            service,
            verb: Verb::Send,
            service_level,
            bytes: WORD_BYTES,
            payload,
        });
    }

    /// A message is there; it, and those that waited for it, are received.
    fn hand_on(&mut self, (from, number): (u32, u64), message: Box<Message>) {
        let line = self.lines.entry((message.source, from, message.connection)).or_default();
        line.early.insert(number, message);
        while let Some(message) = line.early.remove(&line.next) {
            line.next += 1;
            self.received.push(*message);
        }
    }
}

/// Services that send each other long messages so, while their net is built.
#[derive(Debug)]
pub struct Writers {
    name: String,
    eager: u64,
    adapters: Arc<[(u32, u32)]>,
}

impl Writers {
    /// Of these hosts of a network, each of which gets a page for its adapter's part; messages of up to `eager` bytes are sent as they
    /// are.
    ///
    /// # Panics
    /// If the network has no such host.
    pub fn new(
        network: &mut Network,
        parent: &mut PageBuilder<'_>,
        name: &str,
        hosts: &BTreeSet<u32>,
        eager: Bytes,
    ) -> Self {
        let atomic = network.atomic();
        let mut serve = |&host: &u32| {
            let port = network.port(parent, host, &format!("{name}'s memory"));
            // Nothing is added to here, and nobody waits for that.
            one_sided_page(parent, &format!("{name}-adapter{host}"), port, atomic);
            (host, port.service)
        };
        let adapters = hosts.iter().map(&mut serve).collect();
        Self { name: name.to_owned(), eager: eager.get(), adapters }
    }

    /// A port for a service of one of the hosts.
    ///
    /// # Panics
    /// If the network has no such host.
    pub fn port(
        &self,
        network: &mut Network,
        parent: &mut PageBuilder<'_>,
        host: u32,
        service: &str,
    ) -> Port {
        let below = network.port(parent, host, service);
        let mut page = parent.page(&format!("{}-long-{}", self.name, below.service));
        page.carries::<Word>();
        page.carries::<()>();
        page.port_out("network", below.send);
        page.port_in("arrivals", below.received);
        let [send, received] = ["send", "received"].map(|port| page.fifo::<Box<Message>>(port));
        let state = Rendezvous {
            eager: self.eager,
            service: below.service,
            adapters: Arc::clone(&self.adapters),
            sent: FastMap::default(),
            lines: FastMap::default(),
            offered: Slab::new(),
            outbox: Vec::new(),
            received: Vec::new(),
        };
        let state = page.state("messages", state);
        let reactor = Reactor::new(state).gives_as(|state| &mut state.outbox, below.send, Box::new).gives_as(
            |state| &mut state.received,
            received,
            Box::new,
        );
        reactor.hears(&mut page, "offer", send, |state, message, _| {
            state.offer(message);
            Ok(())
        });
        reactor.hears(&mut page, "hear", below.received, |state, message, _| {
            let wrong = "a service hears of a long message that nobody has sent: a mistake in a model";
            state.hear(message).then_some(()).ok_or(wrong)
        });
        Port { send, received, ..below }
    }
}
