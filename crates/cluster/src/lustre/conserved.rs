//! What never changes of Lustre: RPCs and bytes that clients sent are those that servers have, or that are on their way; the other way
//! round, too. The sums are of all file systems of a net: a message doesn't say whose it is before it is heard.

use super::client::LustreClient;
use super::message::{Packet, Reply, Request, Says};
use super::page::Taken;
use super::server::Server;
use petrio_kernel::{PageBuilder, Sum, Time};
use petrio_network::under_way;
use petrio_stage::processor::Work;

/// What messages count.
type Counts = fn(&Says) -> i64;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    let rpcs: Counts = |says| match says {
        Says::Request(request) => i64::from(request.is_clients()),
        Says::Reply(reply) => i64::from(reply.client < super::message::SERVERS && !reply.is_blocked),
        Says::Granted { .. } => 1,
        _ => 0,
    };
    let sum = in_flight(rpcs).everywhere(|at: &LustreClient| Sum::count(at.left()));
    page.conserve_sum("RPCs", sum.everywhere(|at: &Server| -Sum::count(at.left())));
    let written: Counts =
        |says| if let Says::Request(request) = says { Sum::count(request.writes()) } else { 0 };
    let sum = in_flight(written).everywhere(|at: &LustreClient| Sum::count(at.written));
    let sum = waiting(sum, |request| Sum::count(request.writes()));
    page.conserve_sum("bytes written", sum.everywhere(|at: &Server| -Sum::count(at.written)));
    let bulk: Counts = |says| if let Says::Data { bytes, .. } = says { Sum::count(*bytes) } else { 0 };
    let sum = in_flight(bulk).everywhere(|at: &LustreClient| Sum::count(at.bulk));
    page.conserve_sum(
        "bytes sent as they were asked for",
        sum.everywhere(|at: &Server| -Sum::count(at.bulk)),
    );
    let read: Counts = |says| {
        let bytes = |reply: &Reply| Sum::count(reply.read);
        if let Says::Reply(reply) = says { bytes(reply) } else { 0 }
    };
    let sum = in_flight(read).everywhere(|at: &LustreClient| -Sum::count(at.read));
    page.conserve_sum("bytes read", sum.everywhere(|at: &Server| Sum::count(at.read)));
}

/// What messages count that are between states: each less.
fn in_flight(counts: Counts) -> Sum {
    under_way(Sum::new(), move |packet: &Packet| -counts(&packet.says))
        .everywhere(move |at: &LustreClient| -at.lnet.sum(counts))
        .everywhere(move |at: &Server| -at.lnet.sum(counts))
}

/// Less what requests count that wait for a thread, or for a processor that it has.
fn waiting(sum: Sum, counts: fn(&Request) -> i64) -> Sum {
    sum.everywhere(move |waits: &Taken| -counts(&waits.0))
        .everywhere(move |work: &Work| work.errand::<(Request, Time)>().map_or(0, |waits| -counts(&waits.0)))
}
