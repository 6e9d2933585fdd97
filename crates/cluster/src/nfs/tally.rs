//! The calls of a client: which are on their way, and what each procedure came to.

use super::message::{Call, Reply, Told};
use crate::address::Address;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_host::nfs::{Others, Procedure, Version};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What the calls of a procedure came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct ProcedureTally {
    /// Calls that were answered.
    pub calls: u64,
    /// Bytes of them, with record marks.
    pub sent: u64,
    /// Bytes of their replies, with record marks.
    pub received: u64,
    /// From when the mount wanted them until they had a slot, of all together.
    pub queued: Time,
    /// From then until they were answered.
    pub answered: Time,
}

/// A call whose reply hasn't come.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outstanding {
    /// Its number, as its reply has it.
    pub(super) number: u32,
    pub(super) request: BlockRequest,
    /// Bytes of the call.
    sent: u64,
    /// When it got its slot.
    at: Time,
}

/// What a client knows of its calls.
#[derive(Clone, Debug, Persist)]
pub struct Carrier {
    #[persist(keep)]
    version: Version,
    own: Address,
    server: Address,
    connections: u32,
    /// The number of the next call.
    next: u32,
    /// Calls without a reply.
    left: u64,
    tallies: BTreeMap<Procedure, ProcedureTally>,
    /// Bytes that were sent to be written, and those that came.
    pub(super) written: u64,
    pub(super) read: u64,
}

impl Carrier {
    pub(super) fn new(version: Version, (own, server): (Address, Address), connections: u32) -> Self {
        let (next, left, written, read) = (0, 0, 0, 0);
        let tallies = BTreeMap::new();
        Self { version, own, server, connections: connections.max(1), next, left, tallies, written, read }
    }

    /// What each procedure came to, by the name that the kernel has for it.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static str, &ProcedureTally)> {
        self.tallies.iter().map(|(procedure, tally)| (procedure.name(self.version), tally))
    }

    /// Calls that aren't over.
    pub(super) const fn left(&self) -> u64 {
        self.left
    }

    /// Whom it asks, and who it is.
    pub(super) const fn ends(&self) -> (Address, Address) {
        (self.own, self.server)
    }

    /// A request gets a slot: its call, what is kept of it, bytes of its message, and the connection that it goes over.
    pub(super) fn issue(
        &mut self,
        request: BlockRequest,
        now: Time,
    ) -> Option<(Call, Outstanding, u64, u32)> {
        let number = self.next;
        let (call, sent) = Call::of(&request, self.version, (number, self.own.service))?;
        self.next = number.wrapping_add(1);
        self.left += 1;
        self.written += call.data();
        // Ports of a host are counted from 0, and connections are told apart by 32 bits.
        let connection = self.own.service.wrapping_mul(16).wrapping_add(number % self.connections);
        Some((call, Outstanding { number, request, sent, at: now }, sent, connection))
    }

    /// A call is answered: its request, as it goes back.
    pub(super) fn hear(&mut self, outstanding: Outstanding, reply: &Reply, now: Time) -> BlockRequest {
        let Outstanding { mut request, sent, at, .. } = outstanding;
        self.left = self.left.saturating_sub(1);
        self.read += reply.data();
        let tally = self.tallies.entry(reply.procedure).or_default();
        tally.calls += 1;
        (tally.sent, tally.received) = (tally.sent + sent, tally.received + reply.bytes);
        (tally.queued, tally.answered) =
            (tally.queued + (at.saturating_sub(request.issued)), tally.answered + (now - at));
        let failed = reply.outcome.status.failure();
        request.status = failed.map_or(Status::Done, Status::Failed);
        request.ledger.charge(Cause::Service, reply.outcome.span);
        if let Some(Told { of_file, of_parent, size, is_cut, exists, is_directory }) = reply.others {
            Others { of_file, of_parent, size, is_cut, exists, is_directory }.tell(&mut request);
        }
        request
    }
}
