//! What nodes tell each other, and what the one that speaks for a request waits for. No net and no time.

use petrio_colours::{BlockRequest, Direction, Message, Parcel, Verb};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use std::sync::Arc;

/// What a message says. Nodes are called by their disks' numbers.
#[derive(Clone, Debug, Persist)]
pub(super) enum Said {
    /// The spigot, to the node that speaks for a request: it has come.
    Forward { number: u32 },
    /// That one, to another with a copy: what would the request meet?
    Query { number: u32, from: usize },
    /// The other one answers.
    Answer { number: u32 },
    /// To a node: do this.
    Part(Box<BlockRequest>),
    /// To who asked for it: a disk's node has done this.
    Done { disk: usize, part: Box<BlockRequest> },
    /// To the spigot: a request is over.
    Over(Box<BlockRequest>),
}

/// A request of which the node that speaks for it knows enough, with its number in the order of arrival at the spigot.
pub(super) type Known = (u64, BlockRequest);

/// A request of which nodes are being asked.
#[derive(Clone, Debug, Persist)]
struct Asked {
    request: Known,
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
    message: u64,
    asked: Slab<Asked>,
    arrived: u64,
}

/// What nobody has asked for.
#[derive(Debug)]
pub(super) struct Nonsense;

/// The end of the network at which requests come in.
pub(super) const SPIGOT: usize = 0;

/// The end of the network of a disk's node.
pub(super) const fn end_of(disk: usize) -> usize {
    disk + 1
}

impl Mesh {
    pub(super) fn new(ports: &[Port], message: u64) -> Self {
        Self { ports: ports.into(), message, asked: Slab::new(), arrived: 0 }
    }

    /// A message from one end to another, with so many bytes of data.
    pub(super) fn tell(&self, from: usize, to: usize, data: u64, said: Said) -> Box<Message> {
        let end = |end: usize| self.ports[end];
        Box::new(Message {
            source: end(from).host,
            destination: end(to).host,
            connection: 0,
            service: end(to).service,
            verb: Verb::Send,
            service_level: 0,
            bytes: self.message + data,
            payload: Parcel::new(Box::new(said)),
        })
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
        let number = self.asked.insert(Asked { request, speaker, others, left });
        self.tell(SPIGOT, end_of(speaker), data, Said::Forward { number })
    }

    /// The node that speaks for a request has it: what it asks others, or the request, if there are none.
    pub(super) fn forwarded(&mut self, number: u32) -> Result<(Vec<Message>, Option<Known>), Nonsense> {
        let Asked { speaker, others, .. } = self.asked.get(number).ok_or(Nonsense)?;
        if others.is_empty() {
            return Ok((Vec::new(), self.asked.remove(number).map(|asked| asked.request)));
        }
        let from = *speaker;
        let query = |&to: &usize| *self.tell(end_of(from), end_of(to), 0, Said::Query { number, from });
        Ok((others.iter().map(query).collect(), None))
    }

    /// A node has answered: the request, with the last of them.
    pub(super) fn answered(&mut self, number: u32) -> Result<Option<Known>, Nonsense> {
        let asked = self.asked.get_mut(number).ok_or(Nonsense)?;
        asked.left -= 1;
        if asked.left > 0 {
            return Ok(None);
        }
        Ok(self.asked.remove(number).map(|asked| asked.request))
    }
}
