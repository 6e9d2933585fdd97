//! What initiators and targets tell each other.

use petrio_colours::BlockRequest;
use petrio_persist::Persist;

/// An exchange, as a target knows it: by its initiator, as a number of the network's hosts, and the initiator's number for
/// it.
pub(super) type Ticket = (u32, u32);

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Said {
    /// To a target: do this; so many bytes of data come with it.
    Command {
        /// The initiator's number for the exchange.
        number: u32,
        request: Box<BlockRequest>,
        with: u64,
        /// The service that hears the answer.
        reply_to: u32,
    },
    /// To a target: so many bytes of a write.
    DataOut { number: u32, bytes: u64 },
    /// To an initiator: so many bytes of a write may come.
    Ready { number: u32, bytes: u64 },
    /// To an initiator: a read's data.
    DataIn,
    /// To an initiator: how it ended.
    Status { number: u32, request: Box<BlockRequest> },
}
