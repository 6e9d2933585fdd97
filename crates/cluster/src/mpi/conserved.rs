//! What never changes of message passing: messages with their data, their bytes, and accesses to memory that one host sent are those
//! that another received, or that are on their way.

use super::mailbox::{Mailbox, Payload};
use petrio_kernel::PageBuilder;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    use petrio_network::conserve;
    let messages = (|at: &Mailbox| at.sent.0, |at: &Mailbox| at.received.0);
    conserve(page, "messages", |payload: &Payload| payload.is_message().into(), messages);
    conserve(page, "bytes", Payload::data, (|at: &Mailbox| at.sent.1, |at: &Mailbox| at.received.1));
    let accesses = (Mailbox::accesses_left, |_: &Mailbox| 0);
    conserve(page, "accesses", |payload: &Payload| payload.is_of_access().into(), accesses);
}
