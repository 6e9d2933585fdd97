//! What never changes of file services: calls and bytes that clients sent are those that servers have, or that are on their way; the
//! other way round, too. The sums are of all services of a net: a message doesn't say whose it is before it is heard.

use super::calls::{Calls, Heard, Outgoing, Outstanding};
use super::message::{Call, Reply, Rpc};
use super::server::Request;
use super::sessions::Sessions;
use crate::server::Client;
use petrio_kernel::{Colour, PageBuilder, Sum};
use petrio_network::under_way;
use petrio_stage::processor::Work;

/// Declares it.
pub(super) fn conserve(page: &mut PageBuilder<'_>) {
    let calls = in_flight(|_| -1, |_| -1).everywhere(|_: &Outstanding| 1).everywhere(|_: &Outgoing| 1);
    page.conserve_sum("calls", calls.everywhere(|at: &Sessions<Client>| -Sum::count(at.left())));
    let written =
        in_flight(|call| -Sum::count(call.data()), |_| 0).everywhere(|at: &Calls| Sum::count(at.written));
    page.conserve_sum("bytes written", written.everywhere(|at: &Sessions<Client>| -Sum::count(at.written)));
    let read =
        in_flight(|_| 0, |reply| -Sum::count(reply.data())).everywhere(|at: &Calls| -Sum::count(at.read));
    page.conserve_sum("bytes read", read.everywhere(|at: &Sessions<Client>| Sum::count(at.read)));
}

/// What calls and replies count that are between a client's operations and a server's sessions.
fn in_flight(call: fn(&Call) -> i64, reply: fn(&Reply) -> i64) -> Sum {
    let of = move |rpc: &Rpc| match rpc {
        Rpc::Call(own) => call(own),
        Rpc::Reply(own) => reply(own),
    };
    let outgoing = move |out: &Outgoing| out.message.payload.get::<Rpc>().map_or(0, of);
    let sum = under_way(Sum::new().everywhere(outgoing), of);
    let sum = at_work(sum, move |request: &Request| call(&request.call));
    at_work(sum, move |heard: &Heard| reply(&heard.reply))
}

/// Adds what each token of a type counts that waits for the next step on a page, or for a processor that does it.
fn at_work<T: Colour>(sum: Sum, counts: impl Fn(&T) -> i64 + Copy + Send + Sync + 'static) -> Sum {
    sum.everywhere::<Box<T>>(move |token| counts(token))
        .everywhere(move |work: &Work| work.errand::<T>().map_or(0, counts))
}
