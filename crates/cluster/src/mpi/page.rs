//! A message-passing library in the net: a page for each host whose processes it joins.

use super::mailbox::{Copy, Directory, Mailbox, Said};
use super::parameters::MpiParameters;
use crate::address::Address;
use petrio_colours::{Exchange, FileCause, FileOp, Message};
use petrio_kernel::{Firing, PageBuilder, Place, Put, Time, TransitionBuilder, Update};
use petrio_network::{Port, one_sided_page};
use petrio_stage::drain::drain;
use petrio_stage::function::Function;
use petrio_stage::processor::{Client, Processors, Work};
use petrio_stage::{MANY, Stage};
use std::sync::Arc;

/// A host while its page is built.
#[derive(Debug)]
pub struct MpiHost<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its adapter's port, where adapters access memory for each other.
    pub adapter: Option<Port>,
    /// Its number in `processors`.
    pub host: usize,
    /// Where its processes' exchanges come from.
    pub operations: Place<FileOp>,
    /// Where they return to.
    pub completions: Place<FileOp>,
}

/// Builds the page of a message-passing library: `directory` says on which of these hosts each process runs. Gives the place
/// of each host's mailbox, and the stages of adapters that serve accesses, an atomic one so long.
pub fn mpi_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, atomic): (&MpiParameters, Time),
    directory: &Directory,
    hosts: &[MpiHost<'_>],
    processors: &mut [Processors],
) -> (Vec<Place<Mailbox>>, Vec<Stage>) {
    let mut page = parent.page(name);
    page.carries::<Said>();
    let mut stages = Vec::new();
    let addresses: Arc<[Address]> = hosts.iter().map(|host| Address::of(&host.port)).collect();
    let adapters: Option<Arc<[Address]>> =
        hosts.iter().map(|host| host.adapter.as_ref().map(Address::of)).collect();
    let mut build = |(own, host): (u32, &MpiHost<'_>)| {
        let mut page = page.page(host.name);
        if let Some(port) = host.adapter.filter(|_| adapters.is_some()) {
            stages.push(one_sided_page(&mut page, "adapter", port, atomic));
        }
        let known = (directory.clone(), Arc::clone(&addresses), adapters.clone());
        let mailbox = Mailbox::new(own, known, parameters);
        host_page(&mut page, mailbox, parameters, host, &mut processors[host.host])
    };
    let mailboxes = (0..).zip(hosts).map(&mut build).collect();
    (mailboxes, stages)
}

fn host_page(
    page: &mut PageBuilder<'_>,
    mailbox: Mailbox,
    parameters: &MpiParameters,
    host: &MpiHost<'_>,
    processors: &mut Processors,
) -> Place<Mailbox> {
    let &MpiHost { port, operations, completions, .. } = host;
    page.port_in("operations", operations);
    page.port_out("completions", completions);
    page.port_out("messages", port.send);
    page.port_in("arrivals", port.received);
    let running = processors.place();
    page.shared("processor", running);
    let mailbox = page.state("mailbox", mailbox);
    let (posted, heard, copied) =
        (page.fifo::<Box<FileOp>>("posted"), page.fifo("heard"), page.fifo("copied"));

    let callers = processors.client_for::<FileOp>(Function::Messages);
    processors.returns(callers, move |ran| {
        let post = ran.may_put(posted, 1);
        move |f, span, mut op| {
            op.ledger.charge(FileCause::Call, span);
            let waited = (f.now() - op.issued).saturating_sub(op.ledger.total());
            op.ledger.charge(FileCause::Processor, waited);
            f.put(post, op);
        }
    });
    let listeners = processors.client_for::<Message>(Function::Messages);
    processors.returns(listeners, move |ran| {
        let hear = ran.may_put(heard, 1);
        move |f, _, message| f.put(hear, message)
    });
    let copiers = processors.client_for::<Copy>(Function::Messages);
    processors.returns(copiers, move |ran| {
        let copy = ran.may_put(copied, 1);
        move |f, _, errand| f.put(copy, *errand)
    });
    let memory = parameters.shared_memory;
    let (each, kib) = (memory.each.time(), memory.kib.time());
    let way_out = WayOut { mailbox, port, completions, running, copiers, each, kib };

    let mut call = page.transition("call");
    let op = call.take(operations);
    let (run, at_once) = (call.may_put(running, 1), call.may_put(posted, 1));
    let each = parameters.send.time();
    call.action(move |f| {
        let op: Box<FileOp> = Box::new(f.take(op));
        let begun = |exchange: &Arc<Exchange>| (exchange.sends.len() + exchange.remote.len()) as u64;
        let sends = op.exchange.as_ref().map_or(0, begun);
        let span = Time::from_picos(each.as_picos().saturating_mul(sends));
        // Who only receives waits, and does nothing yet.
        if span == Time::ZERO {
            f.put(at_once, op);
        } else {
            f.put(run, callers.work(span, op));
        }
    });

    let mut post = page.transition("post");
    let op = post.take(posted);
    let exits = way_out.declare(&mut post);
    post.action(move |f| {
        let op = f.take(op);
        let now = f.now();
        f.update(exits.mailbox).post(*op, now);
        exits.leave(f);
    });

    let mut listen = page.transition("listen");
    let message = listen.take(port.received);
    let run = listen.put(running);
    let each = parameters.receive.time();
    listen.action(move |f| {
        let message = f.take(message);
        f.put(run, listeners.work(each, message));
    });

    let mut hear = page.transition("hear");
    let message = hear.take(heard);
    let exits = way_out.declare(&mut hear);
    hear.action(move |f| {
        let message: Box<Message> = f.take(message);
        let now = f.now();
        let understood =
            message.payload.open::<Said>().is_some_and(|said| f.update(exits.mailbox).hear(*said, now));
        if understood {
            exits.leave(f);
        } else {
            f.fail("a process hears of a message that it hasn't sent: a mistake in the model");
        }
    });

    let mut copy = page.transition("copy");
    let errand = copy.take(copied);
    let exits = way_out.declare(&mut copy);
    copy.action(move |f| {
        let copy = f.take(errand);
        let now = f.now();
        f.update(exits.mailbox).copied(copy, now);
        exits.leave(f);
    });
    mailbox
}

/// The time of so many bytes at so much for each KiB.
fn per_kib(kib: Time, bytes: u64) -> Time {
    let picos = u128::from(kib.as_picos()) * u128::from(bytes) / 1024;
    Time::from_picos(u64::try_from(picos).unwrap_or(u64::MAX))
}

/// Where what a step leaves behind goes.
#[derive(Clone, Copy)]
struct WayOut {
    mailbox: Place<Mailbox>,
    port: Port,
    completions: Place<FileOp>,
    running: Place<Work>,
    copiers: Client<Copy>,
    /// What copies between processes of the host take: each, and a KiB of them.
    each: Time,
    kib: Time,
}

impl WayOut {
    fn declare(self, transition: &mut TransitionBuilder<'_>) -> Exits {
        Exits {
            mailbox: transition.update(self.mailbox),
            send: transition.may_put(self.port.send, MANY),
            completions: transition.may_put(self.completions, MANY),
            run: transition.may_put(self.running, MANY),
            way: self,
        }
    }
}

/// The arcs for it.
#[derive(Clone, Copy)]
struct Exits {
    mailbox: Update<Mailbox>,
    send: Put<Box<Message>>,
    completions: Put<FileOp>,
    run: Put<Work>,
    way: WayOut,
}

impl Exits {
    fn leave(self, f: &mut Firing<'_>) {
        let WayOut { copiers, each, kib, .. } = self.way;
        drain(
            f,
            self.mailbox,
            |mailbox| &mut mailbox.outbox,
            |f, message| f.put(self.send, Box::new(message)),
        );
        drain(f, self.mailbox, |mailbox| &mut mailbox.completed, |f, op| f.put(self.completions, op));
        drain(
            f,
            self.mailbox,
            |mailbox| &mut mailbox.copies,
            |f, copy| {
                let span = each + per_kib(kib, copy.bytes);
                f.put(self.run, copiers.work(span, Box::new(copy)));
            },
        );
    }
}
