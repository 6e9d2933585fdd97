//! What a host's processes have posted, what has come for them, and what follows from both. No net and no time.

use super::parameters::MpiParameters;
use crate::address::Address;
use petrio_colours::{Failure, FileCause, FileOp, Message, Parcel, Remote, Status, Submission, Verb};
use petrio_kernel::Time;
use petrio_network::Access;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use std::sync::Arc;

/// Which process runs on which host.
#[derive(Clone, Debug, Default, Persist)]
pub struct Directory {
    /// By the process' number; none where its host isn't joined.
    hosts: Arc<[Option<u32>]>,
}

impl Directory {
    /// From each process' host, as a position among those that are joined.
    pub fn new(hosts: impl IntoIterator<Item = Option<u32>>) -> Self {
        Self { hosts: hosts.into_iter().collect() }
    }

    fn of(&self, process: u32) -> Option<u32> {
        self.hosts.get(process as usize).copied().flatten()
    }
}

/// A message's name: from which process to which, its tag, and how many of this were before it between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) struct Envelope {
    from: u32,
    to: u32,
    tag: u64,
    number: u32,
}

/// What hosts send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Payload {
    /// A whole message that nobody asked for, of so many bytes.
    Eager(Envelope, u64),
    /// A long message is there to be sent.
    RequestToSend(Envelope),
    /// Its receiver is ready for it.
    ClearToSend(Envelope),
    /// All of it, so many bytes.
    Data(Envelope, u64),
    /// Its receiver has it.
    Acknowledgement(Envelope),
    /// Memory of the process `at` is to be accessed by `by`, for an access of his of this number, where adapters don't do that.
    Access { at: u32, by: u32, number: u32, remote: Remote },
    /// A part of an access of this number is done.
    Accessed(u32),
}

impl Payload {
    /// Whether it is a message with its data.
    pub(super) const fn is_message(&self) -> bool {
        matches!(self, Self::Eager(..) | Self::Data(..))
    }

    /// Bytes of a message that it brings.
    pub(super) const fn data(&self) -> u64 {
        if let Self::Eager(_, bytes) | Self::Data(_, bytes) = self { *bytes } else { 0 }
    }

    /// Whether it is of an access to memory.
    pub(super) const fn is_of_access(&self) -> bool {
        matches!(self, Self::Access { .. } | Self::Accessed(_))
    }

    /// Whether its connection carries data: what asks and grants isn't held up by these, since libraries cut long messages, and what
    /// is short passes between (Open MPI's btl_tcp_max_send_size, 128 KiB). So it has connections of its own.
    const fn is_bulk(&self) -> bool {
        self.is_message() || matches!(self, Self::Access { .. })
    }
}

/// A message to a process of the same host, or an access to its memory, while it is copied.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Copy {
    /// The message; none where one process accesses the other's memory.
    name: Option<Envelope>,
    /// The sender's call.
    slot: u32,
    pub(super) bytes: u64,
}

/// What has come before its receiver asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Early {
    Eager,
    RequestToSend,
}

#[derive(Clone, Debug, Persist)]
struct Call {
    op: FileOp,
    /// Messages and accesses of it that aren't done.
    left: u32,
}

/// An access to memory of another host's process.
#[derive(Clone, Copy, Debug, Persist)]
struct OneSided {
    /// Whose call it is of.
    slot: u32,
    by: u32,
    at: u32,
    remote: Remote,
    /// How many of its parts are done.
    done: u32,
}

/// What adapters are asked for an access, part after part: what is larger than they can add is locked, read, combined by who asked,
/// written, and released (`ompi_osc_rdma_gacc_contig` of Open MPI's `osc/rdma`).
fn part(remote: Remote, number: u32) -> Option<(Verb, u64)> {
    let parts: &[Verb] = match remote {
        Remote::Put(_) => &[Verb::Write],
        Remote::Get(_) => &[Verb::Read],
        Remote::FetchAndAdd | Remote::Accumulate(0..=8) => &[Verb::Atomic],
        Remote::Accumulate(_) => &[Verb::Atomic, Verb::Read, Verb::Write, Verb::Atomic],
    };
    parts.get(number as usize).map(|&verb| (verb, remote.bytes()))
}

/// All messages of a host's processes.
#[derive(Clone, Debug, Default, Persist)]
pub struct Mailbox {
    /// This host, as a position among those that are joined.
    own: u32,
    directory: Directory,
    addresses: Arc<[Address]>,
    /// Those of their adapters, where these access memory for each other.
    adapters: Option<Arc<[Address]>>,
    eager: u64,
    envelope: u64,
    level: u8,
    calls: Slab<Call>,
    accesses: Slab<OneSided>,
    /// How many messages of a tag each process has sent to another so far, and how many it has asked for.
    posted_sends: FastMap<(u32, u32, u64), u32>,
    posted_receives: FastMap<(u32, u32, u64), u32>,
    early: FastMap<Envelope, Early>,
    /// Whose call waits for a message.
    awaited: FastMap<Envelope, u32>,
    /// Long messages that their receiver doesn't have: whose call they are of, and their bytes.
    offered: FastMap<Envelope, (u32, u64)>,
    /// Messages with their data that were sent to other hosts and came from there, and the bytes of these.
    pub(super) sent: (u64, u64),
    pub(super) received: (u64, u64),
    pub(super) outbox: Vec<Message>,
    pub(super) copies: Vec<Copy>,
    pub(super) completed: Vec<FileOp>,
}

/// Which process runs where, where each host hears, and, where adapters access memory for each other, where these do.
pub(super) type Peers = (Directory, Arc<[Address]>, Option<Arc<[Address]>>);

/// What tells the numbers of the connections for what is short from those for data.
const SHORT: u32 = 1 << 31;

/// The name of the next message of a tag between two processes.
fn next(numbers: &mut FastMap<(u32, u32, u64), u32>, (from, to, tag): (u32, u32, u64)) -> Envelope {
    let next = numbers.entry((from, to, tag)).or_default();
    let number = *next;
    *next = next.wrapping_add(1);
    Envelope { from, to, tag, number }
}

impl Mailbox {
    pub(super) fn new(own: u32, (directory, addresses, adapters): Peers, parameters: &MpiParameters) -> Self {
        Self {
            own,
            directory,
            addresses,
            adapters,
            eager: parameters.eager.get(),
            envelope: parameters.envelope.get(),
            level: parameters.service_level,
            ..Self::default()
        }
    }

    /// A process posts all that it sends and receives.
    pub(super) fn post(&mut self, mut op: FileOp, now: Time) {
        let exchange = op.exchange.clone().unwrap_or_default();
        let me = op.process;
        let unknown = |&peer: &u32| self.directory.of(peer).is_none();
        let peers = exchange.sends.iter().map(|(peer, _)| peer).chain(&exchange.receives);
        let mut peers = peers.chain(exchange.remote.iter().map(|(peer, _)| peer));
        if peers.any(unknown) {
            op.status = Status::Failed(Failure::NotConnected);
            self.completed.push(op);
            return;
        }
        let slot = self.calls.insert(Call { op, left: 0 });
        let mut left = 0;
        for &from in &exchange.receives {
            let name = next(&mut self.posted_receives, (from, me, exchange.receive_tag));
            match self.early.remove(&name) {
                Some(Early::Eager) => continue,
                Some(Early::RequestToSend) => {
                    self.send(name.from, me, self.envelope, Payload::ClearToSend(name));
                }
                None => {}
            }
            self.awaited.insert(name, slot);
            left += 1;
        }
        for &(to, bytes) in &exchange.sends {
            let name = next(&mut self.posted_sends, (me, to, exchange.send_tag));
            if self.directory.of(to) == Some(self.own) {
                self.copies.push(Copy { name: Some(name), slot, bytes });
                left += 1;
            } else if bytes + self.envelope <= self.eager {
                self.send(to, me, bytes + self.envelope, Payload::Eager(name, bytes));
            } else {
                self.offered.insert(name, (slot, bytes));
                self.send(to, me, self.envelope, Payload::RequestToSend(name));
                left += 1;
            }
        }
        for &(at, remote) in &exchange.remote {
            left += 1;
            if self.directory.of(at) == Some(self.own) {
                self.copies.push(Copy { name: None, slot, bytes: remote.bytes() });
                continue;
            }
            let number = self.accesses.insert(OneSided { slot, by: me, at, remote, done: 0 });
            self.ask(number);
        }
        if let Some(call) = self.calls.get_mut(slot) {
            call.left = left;
            // Who doesn't wait goes on as soon as all is posted.
            if left > 0 && call.op.flags.submission == Submission::Native {
                self.completed.push(FileOp { is_word: true, ..call.op.clone() });
            }
        }
        if left == 0 {
            self.end(slot, now);
        }
    }

    /// Something comes from another host; whether that makes sense.
    pub(super) fn hear(&mut self, payload: Payload, now: Time) -> bool {
        self.received.0 += u64::from(payload.is_message());
        self.received.1 += payload.data();
        match payload {
            Payload::Eager(name, _) => self.arrives(name, now),
            Payload::RequestToSend(name) => {
                if self.awaited.contains_key(&name) {
                    self.send(name.from, name.to, self.envelope, Payload::ClearToSend(name));
                } else {
                    self.early.insert(name, Early::RequestToSend);
                }
            }
            Payload::ClearToSend(name) => {
                let Some(&(_, bytes)) = self.offered.get(&name) else { return false };
                self.send(name.to, name.from, bytes + self.envelope, Payload::Data(name, bytes));
            }
            Payload::Data(name, _) => {
                self.send(name.from, name.to, self.envelope, Payload::Acknowledgement(name));
                self.arrives(name, now);
            }
            Payload::Acknowledgement(name) => {
                let Some((slot, _)) = self.offered.remove(&name) else { return false };
                self.count_down(slot, now);
            }
            Payload::Access { at, by, number, remote } => {
                let bytes = match remote {
                    Remote::Get(bytes) => bytes,
                    Remote::FetchAndAdd => remote.bytes(),
                    Remote::Put(_) | Remote::Accumulate(_) => 0,
                };
                self.send(by, at, self.envelope + bytes, Payload::Accessed(number));
            }
            Payload::Accessed(number) => return self.goes_on(number, now),
        }
        true
    }

    /// The next part of an access is asked for: of the other host's adapter, or of whoever hears for its processes.
    fn ask(&mut self, number: u32) {
        let Some(&OneSided { by, at, remote, done, .. }) = self.accesses.get(number) else { return };
        let Some(adapters) = &self.adapters else {
            let bytes = match remote {
                Remote::Put(bytes) | Remote::Accumulate(bytes) => bytes,
                Remote::Get(_) => 0,
                Remote::FetchAndAdd => remote.bytes(),
            };
            self.send(at, by, self.envelope + bytes, Payload::Access { at, by, number, remote });
            return;
        };
        let there = self.directory.of(at).and_then(|host| adapters.get(host as usize)).copied();
        let own = self.addresses.get(self.own as usize).copied();
        let (Some(there), Some(own), Some((verb, bytes))) = (there, own, part(remote, done)) else { return };
        let (asks, reply_bytes) = Access::sizes(verb, bytes);
        let says = Parcel::new(Box::new(Payload::Accessed(number)));
        self.outbox.push(Message {
            source: own.host,
            destination: there.host,
            connection: by,
            service: there.service,
            verb,
            service_level: self.level,
            bytes: asks,
            payload: Parcel::new(Box::new(Access { reply_to: own.service, reply_bytes, says })),
        });
    }

    /// A part of an access is done; whether there is such an access.
    fn goes_on(&mut self, number: u32, now: Time) -> bool {
        let Some(access) = self.accesses.get_mut(number) else { return false };
        access.done += 1;
        let &mut OneSided { slot, remote, done, .. } = access;
        if self.adapters.is_some() && part(remote, done).is_some() {
            self.ask(number);
        } else {
            self.accesses.discard(number);
            self.count_down(slot, now);
        }
        true
    }

    /// A message to a process of this host is copied, or its memory accessed.
    pub(super) fn copied(&mut self, copy: Copy, now: Time) {
        if let Some(name) = copy.name {
            self.arrives(name, now);
        }
        self.count_down(copy.slot, now);
    }

    fn arrives(&mut self, name: Envelope, now: Time) {
        match self.awaited.remove(&name) {
            Some(slot) => self.count_down(slot, now),
            None => {
                self.early.insert(name, Early::Eager);
            }
        }
    }

    fn count_down(&mut self, slot: u32, now: Time) {
        let Some(call) = self.calls.get_mut(slot) else { return };
        call.left = call.left.saturating_sub(1);
        if call.left == 0 {
            self.end(slot, now);
        }
    }

    /// All of an exchange is done.
    fn end(&mut self, slot: u32, now: Time) {
        let Some(Call { mut op, .. }) = self.calls.remove(slot) else { return };
        let rest = (now - op.issued).saturating_sub(op.ledger.total());
        op.ledger.charge(FileCause::Network, rest);
        op.status = Status::DoneFromCache;
        self.completed.push(op);
    }

    fn send(&mut self, to: u32, by: u32, bytes: u64, payload: Payload) {
        let address = |process: u32| {
            let position = self.directory.of(process).unwrap_or(self.own);
            self.addresses.get(position as usize).copied()
        };
        let (Some(own), Some(there)) = (address(by), address(to)) else { return };
        self.sent.0 += u64::from(payload.is_message());
        self.sent.1 += payload.data();
        let connection = if payload.is_bulk() { by } else { by | SHORT };
        let message = own.message(there, connection, (bytes, payload));
        self.outbox.push(Message { service_level: self.level, ..message });
    }

    /// What calls wait for: messages and accesses of theirs, but for copies.
    pub(super) fn awaited(&self) -> u64 {
        (self.awaited.len() + self.offered.len()) as u64 + self.accesses_left()
    }

    /// Accesses to other hosts' memory that aren't done.
    pub(super) fn accesses_left(&self) -> u64 {
        self.accesses.len()
    }

    /// What calls are left with in all.
    pub(super) fn left(&self) -> u64 {
        self.calls.iter().map(|call| u64::from(call.left)).sum()
    }

    /// Exchanges that aren't done.
    #[cfg(test)]
    pub(super) fn open_calls(&self) -> usize {
        self.calls.iter().count()
    }

    /// Whether nothing is left of any message.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        self.open_calls() == 0
            && self.accesses.iter().count() == 0
            && self.early.is_empty()
            && self.awaited.is_empty()
            && self.offered.is_empty()
    }
}
