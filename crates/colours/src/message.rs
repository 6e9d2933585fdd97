//! What hosts exchange through a network.

use crate::parcel::Parcel;
use petrio_persist::Persist;

/// What the receiver of a message has to do with it (InfiniBand Architecture Specification 1, §9.4: SEND, RDMA WRITE, RDMA READ and
/// ATOMIC operations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Verb {
    /// A process takes it, who has posted a receive.
    #[default]
    Send,
    /// His adapter puts it into his memory; no processor of his hears of it.
    Write,
    /// His adapter answers with what lies in his memory.
    Read,
    /// His adapter adds to eight bytes of his memory, or exchanges them, and answers with what was there.
    Atomic,
    /// What an adapter answers.
    Reply,
    /// A datagram, or a fragment of one, no longer than a frame: nobody acknowledges it or sends it again (RFC 768, RFC 791), and who
    /// waits for it waits for as long as he will.
    Datagram,
}

impl Verb {
    /// Whether an adapter does what it says, without any processor of its host.
    pub const fn is_for_adapter(self) -> bool {
        matches!(self, Self::Write | Self::Read | Self::Atomic)
    }
}

/// A message between two hosts.
///
/// Messages of one connection arrive in the order in which they were sent: a connection is one stream of bytes, as of
/// TCP or of a reliable connection of InfiniBand. Connections share what they pass.
#[derive(Clone, Debug, Persist)]
pub struct Message {
    /// Who sends it, as a number of the hosts of its network.
    pub source: u32,
    /// Who receives it, likewise.
    pub destination: u32,
    /// Which of the connections between these two.
    pub connection: u32,
    /// Which of the destination's services it is for, as the network numbers them.
    pub service: u32,
    /// Its service level (InfiniBand's SL), by which networks with several virtual lanes choose one.
    pub service_level: u8,
    /// What its receiver has to do with it.
    pub verb: Verb,
    /// Bytes of it that cross the network, headers of its own protocol included and those of the network not.
    pub bytes: u64,
    /// What it says.
    pub payload: Parcel,
}

impl Message {
    /// What a process of a host sends to another host's service on the connection of this number: so many bytes that say `payload`,
    /// on the lowest service level.
    pub fn send<T: Clone + Persist + Send + Sync + 'static>(
        source: u32,
        (destination, service): (u32, u32),
        connection: u32,
        (bytes, payload): (u64, T),
    ) -> Self {
        let payload = Parcel::new(Box::new(payload));
        let (verb, service_level) = (Verb::Send, 0);
        Self { source, destination, connection, service, service_level, verb, bytes, payload }
    }
}
