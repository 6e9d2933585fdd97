//! What never changes of PVFS: requests and bytes that clients sent are those that servers have, or that are on their way; the other
//! way round, too.

use super::calls::Calls;
use super::message::Payload;
use super::sessions::Sessions;
use petrio_kernel::PageBuilder;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    use petrio_network::conserve;
    conserve(
        page,
        "requests",
        |payload: &Payload| payload.is_of_request().into(),
        (Calls::copies, Sessions::left),
    );
    let relay = |payload: &Payload| payload.is_relay().into();
    conserve(page, "requests between servers", relay, (Sessions::relays, Sessions::relays_of_others));
    conserve(page, "bytes written", Payload::data_out, (|at: &Calls| at.written, |at: &Sessions| at.written));
    conserve(page, "bytes read", Payload::data_in, (|at: &Sessions| at.read, |at: &Calls| at.read));
}
