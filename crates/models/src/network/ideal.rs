//! A network without contention: the multiplexer of the dissertation's chapter 6, and nothing else.

use super::parameters::NetworkParameters;
use super::train::{Stream, Train};
use crate::fast_map::FastMap;
use petrio_kernel::{PageBuilder, Place, Time};

/// Builds the multiplexer: each message takes its latency and its time at the rate of a host's link; those of one
/// connection keep their order.
pub(super) fn multiplexer(
    page: &mut PageBuilder<'_>,
    parameters: &NetworkParameters,
    crossing: Place<Train>,
    arrivals: &[Place<Train>],
) {
    let last = page.state("last arrivals", FastMap::<Stream, Time>::default());
    let mut carry = page.transition("carry");
    let train = carry.take(crossing);
    let last = carry.update(last);
    let hosts: Vec<_> = arrivals.iter().map(|&arrivals| carry.may_put(arrivals, 1)).collect();
    let (framing, link) = (parameters.framing(), parameters.link.clone());
    carry.action(move |f| {
        let train = f.take(train);
        let now = f.now();
        let span = link.latency.time() + link.rate.time_for(framing.on_wire(u64::from(train.bytes)));
        let last = f.update(last).entry(train.stream).or_default();
        *last = (*last).max(now + span);
        let after = *last - now;
        match hosts.get(train.stream.destination as usize) {
            Some(&host) => {
                f.put_after(host, train, after);
            }
            None => f.fail("a message goes to a host that its network hasn't got: a mistake in a model"),
        }
    });
}
