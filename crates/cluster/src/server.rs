//! What servers of all file services have in common: each is a process of a host, asks the file system there, and answers who asked it.

use crate::address::Address;
use petrio_colours::{FileOp, Message, Operation};
use petrio_kernel::{Colour, PageBuilder, Place, Time};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;

/// A server, or a manager, while its page is built.
#[derive(Debug)]
pub struct FileServer {
    /// Its name.
    pub name: String,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Which file system of its host holds its files.
    pub file_system: u32,
    /// Its number as a process of its host, which no other process has.
    pub process: u32,
    /// Where it asks its host.
    pub operations: Place<FileOp>,
    /// Where its host answers it.
    pub completions: Place<FileOp>,
}

/// Who sent a server something, and on which connection.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Client {
    pub(super) address: Address,
    pub(super) connection: u32,
}

/// Declares a server's page as one that hears requests, asks its host, and sends replies.
pub(super) fn serves(
    page: &mut PageBuilder<'_>,
    port: &Port,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    processors: &Processors,
) {
    page.port_in("requests", port.received);
    page.port_out("replies", port.send);
    page.port_out("operations", operations);
    page.port_in("completions", completions);
    page.shared("processor", processors.place());
}

/// The threads of a server: each takes what has come, which costs a processor something, and is free again when the server says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads<T> {
    /// What has come and waits for a thread.
    pub(super) taken: Place<Box<T>>,
    /// What a thread has, once its processor has worked for it.
    pub(super) begun: Place<Box<T>>,
    /// A thread is free.
    pub(super) freed: Place<()>,
    /// Those that aren't.
    pub(super) busy: Place<()>,
}

/// Builds them: as many as `count`, called `name`.
pub(super) fn threads<T: Colour + Clone>(
    page: &mut PageBuilder<'_>,
    (name, count): (&str, u32),
    serve: Time,
    processors: &mut Processors,
) -> Threads<T> {
    let taken = page.fifo::<Box<T>>("taken");
    let begun = page.fifo::<Box<T>>("begun");
    let freed = page.fifo::<()>("freed");
    let busy = page.fifo::<()>(name);
    page.capacity(busy, count);
    let workers = processors.worker::<T>(Function::FileServices, begun);
    let mut begin = page.transition("begin");
    let token = begin.take(taken);
    let thread = begin.put(busy);
    let run = workers.arcs(&mut begin);
    begin.action(move |f| {
        let token = f.take(token);
        f.put(thread, ());
        run.put(f, serve, token);
    });
    let mut free = page.transition("free");
    free.consume(freed);
    free.consume(busy);
    free.action(|_| {});
    Threads { taken, begun, freed, busy }
}

/// Messages go once a processor has worked for each: where an end leaves them.
pub(super) fn sends(
    page: &mut PageBuilder<'_>,
    port: &Port,
    each: Time,
    processors: &mut Processors,
) -> Place<Box<Message>> {
    let out = page.fifo::<Box<Message>>("out");
    let senders = processors.worker::<Message>(Function::FileServices, port.send);
    let mut send = page.transition("send");
    let message = send.take(out);
    let run = senders.arcs(&mut send);
    send.action(move |f| {
        let message = f.take(message);
        run.put(f, each, message);
    });
    out
}

/// Whether an operation on a server's part of a file, where nobody has written anything to that part, is done as on nothing: what is done
/// to nothing is done, and nothing is read.
pub(super) const fn is_done_to_nothing(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Read
            | Operation::Fsync
            | Operation::Fdatasync
            | Operation::Stat
            | Operation::Unlink
            | Operation::Truncate
    )
}
