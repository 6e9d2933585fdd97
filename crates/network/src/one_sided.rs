//! What an adapter does for another one: memory of its host is written, read, or added to, and no processor of the host hears of it.
//!
//! ```text
//! received ─▶ serve ─┬──────────────────────────▶ send (the answer)
//!                    └▶ waiting ─▶ add ─▶ adding ─▶┘   one after the other
//! ```
//!
//! Source: InfiniBand Architecture Specification 1, §9.4 (RDMA WRITE, RDMA READ, ATOMIC operations; RETH of 16 bytes, AtomicETH of 28,
//! AETH of 4, AtomicAckETH of 8). Writes are acknowledged, as on a reliable connection, so that who wrote knows when his data are
//! there. Atomic operations of an adapter go one after the other: each reads memory over the bus, and writes it. Leaves out
//! how memory is registered, and how many reads and atomic operations of a connection may be under way.

use super::page::Port;
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{PageBuilder, Time};
use petrio_persist::Persist;
use petrio_stage::Stage;

/// Bytes that say whose memory is written or read (RETH).
const RDMA_HEADER: u64 = 16;
/// Bytes that say what is added to what (AtomicETH).
const ATOMIC_HEADER: u64 = 28;
/// Bytes of an acknowledgement (AETH).
const ACKNOWLEDGEMENT: u64 = 4;
/// Bytes of what was there (AtomicAckETH).
const ATOMIC_VALUE: u64 = 8;

/// What is asked of an adapter: the payload of messages to its service.
#[derive(Clone, Debug, Persist)]
pub struct Access {
    /// The service of the source that gets the answer.
    pub reply_to: u32,
    /// Bytes of the answer.
    pub reply_bytes: u64,
    /// What the answer says to it.
    pub says: Parcel,
}

impl Access {
    /// Bytes of a message that asks for so many bytes to be written, read, or added to, and of its answer.
    pub const fn sizes(verb: Verb, bytes: u64) -> (u64, u64) {
        match verb {
            Verb::Write => (RDMA_HEADER + bytes, ACKNOWLEDGEMENT),
            Verb::Read => (RDMA_HEADER, ACKNOWLEDGEMENT + bytes),
            Verb::Atomic => (ATOMIC_HEADER, ACKNOWLEDGEMENT + ATOMIC_VALUE),
            Verb::Send | Verb::Reply | Verb::Datagram => (bytes, 0),
        }
    }
}

/// Builds the page `name` of the part of an adapter that serves accesses at `port`; an atomic operation takes it so long.
pub fn one_sided_page(parent: &mut PageBuilder<'_>, name: &str, port: Port, atomic: Time) -> Stage {
    let mut page = parent.page(name);
    page.carries::<Access>();
    page.port_in("accesses", port.received);
    page.port_out("answers", port.send);
    let (waiting, adding) = (page.fifo::<Box<Message>>("waiting"), page.fifo::<Box<Message>>("adding"));
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);

    let mut serve = page.transition("serve");
    let access = serve.take(port.received);
    let (wait, send) = (serve.may_put(waiting, 1), serve.may_put(port.send, 1));
    serve.action(move |f| {
        let message = f.take(access);
        if message.verb == Verb::Atomic {
            f.put(wait, message);
            return;
        }
        match answer(*message) {
            Some(answer) => f.put(send, answer),
            None => f.fail("an adapter is asked for nothing that it does: a mistake in a model"),
        }
    });

    let mut add = page.transition("add");
    let message = add.take(waiting);
    add.consume(idle);
    let put = add.put(adding);
    add.action(move |f| {
        let message = f.take(message);
        f.put_after(put, message, atomic);
    });
    let mut added = page.transition("added");
    let message = added.take(adding);
    let (free, send) = (added.put(idle), added.may_put(port.send, 1));
    added.action(move |f| {
        let message = f.take(message);
        f.put(free, ());
        match answer(*message) {
            Some(answer) => f.put(send, answer),
            None => f.fail("an adapter is asked for nothing that it does: a mistake in a model"),
        }
    });
    page.conserve("adder", &[(idle.id(), 1), (adding.id(), 1)]);
    Stage::server(format!("{}/atomics", page.path()), 1, &[adding.id()])
        .entered_by(&[waiting.id()])
        .waited_for_in(&[waiting.id()])
}

/// What goes back.
fn answer(message: Message) -> Option<Box<Message>> {
    let Message { source, destination, connection, service_level, payload, .. } = message;
    let Access { reply_to, reply_bytes, says } = *payload.open::<Access>()?;
    Some(Box::new(Message {
        source: destination,
        destination: source,
        connection,
        service: reply_to,
        verb: Verb::Reply,
        service_level,
        bytes: reply_bytes,
        payload: says,
    }))
}
