//! What initiators and targets send each other.

use petrio_colours::BlockRequest;
use petrio_persist::Persist;

/// An exchange, as a target knows it: by its initiator, as a number of the network's hosts, and the initiator's number for
/// it.
pub(super) type Ticket = (u32, u32);

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Pdu {
    /// To a target: do this; so many bytes of data come with it.
    Command {
        /// The initiator's number for the exchange.
        number: u32,
        request: Box<BlockRequest>,
        with: u64,
        /// The service that hears the reply.
        reply_to: u32,
    },
    /// To a target: so many bytes of a write.
    DataOut { number: u32, bytes: u64 },
    /// To an initiator: so many bytes of a write may come.
    Ready { number: u32, bytes: u64 },
    /// To an initiator: so many bytes of a read.
    DataIn { bytes: u64 },
    /// To an initiator: how it ended; so many bytes of data come with it.
    Status { number: u32, request: Box<BlockRequest>, with: u64 },
}

impl Pdu {
    /// Whether it begins or ends an exchange.
    pub(super) const fn is_of_exchange(&self) -> bool {
        matches!(self, Self::Command { .. } | Self::Status { .. })
    }

    /// Bytes of data to a target.
    pub(super) const fn data_out(&self) -> u64 {
        match self {
            Self::Command { with, .. } => *with,
            Self::DataOut { bytes, .. } => *bytes,
            _ => 0,
        }
    }

    /// Bytes of data to an initiator.
    pub(super) const fn data_in(&self) -> u64 {
        match self {
            Self::Status { with, .. } => *with,
            Self::DataIn { bytes } => *bytes,
            _ => 0,
        }
    }
}
