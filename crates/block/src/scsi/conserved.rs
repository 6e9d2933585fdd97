//! What never changes of SCSI over networks: exchanges and bytes that initiators began and sent are those that targets have, or that
//! are on their way; the other way round, too.

use super::initiator::Exchanges;
use super::message::Pdu;
use super::target::Sessions;
use petrio_kernel::PageBuilder;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    use petrio_network::conserve;
    conserve(page, "exchanges", |pdu: &Pdu| pdu.is_of_exchange().into(), (Exchanges::left, Sessions::left));
    conserve(page, "data out", Pdu::data_out, (|at: &Exchanges| at.sent, |at: &Sessions| at.received));
    conserve(page, "data in", Pdu::data_in, (|at: &Sessions| at.sent, |at: &Exchanges| at.received));
}
