//! What never changes of NFS: calls and bytes that clients sent are those that servers have, or that are on their way; the other way
//! round, too. The sums are of all exports of a net: a message doesn't say whose it is before it is heard.

use super::carrier::Carrier;
use super::message::{Call, Reply, Rpc};
use super::server::{Request, Told};
use super::sessions::Sessions;
use petrio_kernel::{Colour, PageBuilder, Sum};
use petrio_network::under_way;
use petrio_stage::processor::Work;

/// Declares it: of what goes over connections, as what datagrams carry may be lost on the network without a word. What a server that was
/// away didn't hear counts as there.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    let calls = in_flight(|_| -1, |_| -1).everywhere(|at: &Carrier| Sum::count(at.copies()));
    page.conserve_sum("calls", calls.everywhere(|at: &Sessions| -Sum::count(at.left())));
    let written =
        in_flight(|call| -Sum::count(call.data()), |_| 0).everywhere(|at: &Carrier| Sum::count(at.written));
    page.conserve_sum("bytes written", written.everywhere(|at: &Sessions| -Sum::count(at.written)));
    let read =
        in_flight(|_| 0, |reply| -Sum::count(reply.data())).everywhere(|at: &Carrier| -Sum::count(at.read));
    page.conserve_sum("bytes read", read.everywhere(|at: &Sessions| Sum::count(at.read)));
}

/// What calls and replies count that are between a client and a server's sessions.
fn in_flight(call: fn(&Call) -> i64, reply: fn(&Reply) -> i64) -> Sum {
    let call = move |own: &Call| if own.is_counted { call(own) } else { 0 };
    let reply = move |own: &Reply| if own.is_counted { reply(own) } else { 0 };
    let of = move |rpc: &Rpc| match rpc {
        Rpc::Call(own) => call(own),
        Rpc::Reply(own) => reply(own),
        // What fragments bring goes over no connection.
        Rpc::Part(_) => 0,
    };
    let sum = under_way(Sum::new(), of);
    let sum = at_work(sum, move |request: &Request| call(&request.call));
    let sum = sum.everywhere(move |told: &Told| reply(&told.1));
    at_work(sum, reply)
}

/// Adds what each token of a type counts that waits for the next step on a page, or for a processor that does it.
fn at_work<T: Colour>(sum: Sum, counts: impl Fn(&T) -> i64 + Copy + Send + Sync + 'static) -> Sum {
    sum.everywhere::<Box<T>>(move |token| counts(token))
        .everywhere(move |work: &Work| work.errand::<T>().map_or(0, counts))
}
