//! A message-passing library in the net: a page for each host whose processes it joins.

use super::conserved::conserve;
use super::mailbox::{Copy, Directory, Mailbox, Payload};
use super::parameters::MpiParameters;
use crate::address::Address;
use crate::client::begun;
use petrio_colours::{Exchange, FileOp, Message};
use petrio_kernel::{PageBuilder, Place, Sum, Time};
use petrio_network::{Port, one_sided_page};
use petrio_stage::Stage;
use petrio_stage::function::Function;
use petrio_stage::processor::{Processors, Work};
use petrio_stage::reactor::Reactor;
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
    page.carries::<Payload>();
    conserve(&mut page);
    let mut stages = Vec::new();
    let addresses: Arc<[Address]> = hosts.iter().map(|host| Address::of(&host.port)).collect();
    let adapters: Option<Arc<[Address]>> =
        hosts.iter().map(|host| host.adapter.as_ref().map(Address::of)).collect();
    let mut build = |(own, host): (u32, &MpiHost<'_>)| {
        let mut page = page.page(host.name);
        if let Some(port) = host.adapter.filter(|_| adapters.is_some()) {
            stages.push(one_sided_page(&mut page, "adapter", port, atomic));
        }
        let peers = (directory.clone(), Arc::clone(&addresses), adapters.clone());
        let mailbox = Mailbox::new(own, peers, parameters);
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
    page.port_out("messages", port.send);
    page.port_in("arrivals", port.received);
    let each = parameters.send.time();
    // Who only receives waits, and does nothing yet.
    let takes = move |op: &FileOp| {
        let begun = |exchange: &Arc<Exchange>| (exchange.sends.len() + exchange.remote.len()) as u64;
        Time::from_picos(each.as_picos().saturating_mul(op.exchange.as_ref().map_or(0, begun)))
    };
    let posted = begun(page, (operations, completions), processors, Function::Messages, takes);
    let mailbox = page.state("mailbox", mailbox);
    let copied = page.fifo::<Box<Copy>>("copied");
    let copiers = processors.worker::<Copy>(Function::Messages, copied).client();
    let memory = parameters.shared_memory;
    let (each, kib) = (memory.each.time(), memory.kib.time());
    let reactor = Reactor::new(mailbox)
        .gives_as(|mailbox| &mut mailbox.outbox, port.send, Box::new)
        .gives(|mailbox| &mut mailbox.completed, completions)
        .gives_as(
            |mailbox| &mut mailbox.copies,
            processors.place(),
            move |copy| copiers.work(each + per_kib(kib, copy.bytes), Box::new(copy)),
        );
    reactor.hears(page, "post", posted, |mailbox, op, now| {
        mailbox.post(*op, now);
        Ok(())
    });
    let receive = parameters.receive.time();
    let listen = ("listen", port.received, "messages arrived");
    let arrived = processors.spent_on(page, listen, Function::Messages, move |_: &Message| receive);
    reactor.hears(page, "hear", arrived, |mailbox, message: Box<Message>, now| {
        let payload = message.payload.open::<Payload>();
        let is_heard = payload.is_some_and(|payload| mailbox.hear(*payload, now));
        is_heard
            .then_some(())
            .ok_or("a process hears of a message that it hasn't sent: a mistake in the model")
    });
    reactor.hears(page, "copy", copied, |mailbox, copy, now| {
        mailbox.copied(*copy, now);
        Ok(())
    });
    // Copies are errands, of this host's processors.
    let copies = move |work: &Work| -i64::from(copiers.errand(work).is_some());
    let left = Sum::new().of(mailbox, |mailbox| Sum::count(mailbox.left()) - Sum::count(mailbox.awaited()));
    page.conserve_sum("posted", left.of(processors.place(), copies).tokens(copied, -1));
    mailbox
}

/// The time of so many bytes at so much for each KiB.
fn per_kib(kib: Time, bytes: u64) -> Time {
    let picos = u128::from(kib.as_picos()) * u128::from(bytes) / 1024;
    Time::from_picos(u64::try_from(picos).unwrap_or(u64::MAX))
}
