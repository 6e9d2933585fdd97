//! What nodes send each other, and what the one that speaks for a request waits for. No net and no time.

use crate::address::Address;
use petrio_colours::{BlockRequest, Direction, Message};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use std::sync::Arc;

/// What a message says. Nodes are called by their disks' numbers.
#[derive(Clone, Debug, Persist)]
pub(super) enum Payload {
    /// The spigot, to the node that speaks for a request: it has come.
    Forward { number: u32 },
    /// That one, to another with a copy: what would the request meet?
    Query { number: u32, from: usize },
    /// The other one replies.
    Reply { number: u32 },
    /// To a node: do this.
    Part(Box<BlockRequest>),
    /// To who asked for it: a disk's node has done this.
    Done { disk: usize, part: Box<BlockRequest> },
    /// To the spigot: a request is over.
    Over(Box<BlockRequest>),
}

/// A request of which the node that speaks for it knows enough, with its number in the order of arrival at the spigot.
pub(super) type Announced = (u64, BlockRequest);

/// A request of which nodes are being asked.
#[derive(Clone, Debug, Persist)]
struct Pending {
    request: Announced,
    /// The node that speaks for it, and the others with copies.
    speaker: usize,
    others: Vec<usize>,
    /// Answers that are left.
    left: usize,
}

/// What is on its way between the nodes before it goes to disks.
#[derive(Clone, Debug, Persist)]
pub(super) struct Mesh {
    /// The spigot's, then each node's.
    ports: Arc<[Port]>,
    /// Bytes of a message, data left out.
    bytes: u64,
    pending: Slab<Pending>,
    arrived: u64,
}

/// What nobody has asked for.
#[derive(Debug)]
pub(super) struct Unasked;

/// The end of the network at which requests come in.
pub(super) const SPIGOT: usize = 0;

/// The end of the network of a disk's node.
pub(super) const fn end_of(disk: usize) -> usize {
    disk + 1
}

impl Mesh {
    pub(super) fn new(ports: &[Port], bytes: u64) -> Self {
        Self { ports: ports.into(), bytes, pending: Slab::new(), arrived: 0 }
    }

    /// A message from one end to another, with so many bytes of data.
    pub(super) fn message(&self, from: usize, to: usize, data: u64, payload: Payload) -> Box<Message> {
        let [from, to] = [from, to].map(|end| Address::of(&self.ports[end]));
        Box::new(from.message(to, 0, (self.bytes + data, payload)))
    }

    /// A request has come to the spigot: it goes to the node that speaks for it, with its data if it writes.
    pub(super) fn forward(
        &mut self,
        request: BlockRequest,
        speaker: usize,
        others: Vec<usize>,
    ) -> Box<Message> {
        let data = if request.direction == Direction::Write { request.bytes() } else { 0 };
        let left = others.len();
        self.arrived += 1;
        let request = (self.arrived, request);
        let number = self.pending.insert(Pending { request, speaker, others, left });
        self.message(SPIGOT, end_of(speaker), data, Payload::Forward { number })
    }

    /// The node that speaks for a request has it: what it asks others, or the request, if there are none.
    pub(super) fn forwarded(&mut self, number: u32) -> Result<(Vec<Message>, Option<Announced>), Unasked> {
        let Pending { speaker, others, .. } = self.pending.get(number).ok_or(Unasked)?;
        if others.is_empty() {
            return Ok((Vec::new(), self.pending.remove(number).map(|pending| pending.request)));
        }
        let from = *speaker;
        let query = |&to: &usize| *self.message(end_of(from), end_of(to), 0, Payload::Query { number, from });
        Ok((others.iter().map(query).collect(), None))
    }

    /// A node has answered: the request, with the last of them.
    pub(super) fn answered(&mut self, number: u32) -> Result<Option<Announced>, Unasked> {
        let pending = self.pending.get_mut(number).ok_or(Unasked)?;
        pending.left -= 1;
        if pending.left > 0 {
            return Ok(None);
        }
        Ok(self.pending.remove(number).map(|pending| pending.request))
    }
}
