//! A network without contention: the multiplexer of the dissertation's chapter 6, and nothing else.

use super::groups::Groups;
use super::parameters::NetworkParameters;
use super::train::{Stream, Train};
use crate::fast_map::FastMap;
use petrio_kernel::{PageBuilder, Place, Time};
use std::sync::Arc;

/// What is known of one direction of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// When its last message is there.
    last: Time,
    /// What has come of its next one.
    bytes: u64,
}

/// Builds the multiplexer: each message takes its latency and its time at the rate of a host's link; those of one
/// connection keep their order.
pub(super) fn multiplexer(
    page: &mut PageBuilder<'_>,
    parameters: &NetworkParameters,
    groups: Arc<Groups>,
    (crossing, arrivals): (Place<Box<Train>>, &[Place<Box<Train>>]),
) {
    let last = page.state("last arrivals", FastMap::<Stream, Progress>::default());
    let mut carry = page.transition("carry");
    let train = carry.take(crossing);
    let last = carry.update(last);
    let hosts: Vec<_> = arrivals.iter().map(|&arrivals| carry.may_put(arrivals, 1)).collect();
    let (framing, link, adapter) = (parameters.framing(), parameters.link.clone(), parameters.adapter);
    let rate =
        adapter.map_or(link.rate, |adapter| if adapter.bus < link.rate { adapter.bus } else { link.rate });
    carry.action(move |f| {
        let train = f.take(train);
        let now = f.now();
        let progress = f.update(last).entry(train.stream).or_default();
        progress.bytes += u64::from(train.bytes);
        // Of a message that is more than one train the last has it.
        if train.message.is_none() {
            return;
        }
        let bytes = framing.on_wire(std::mem::take(&mut progress.bytes));
        let adapters = adapter.map_or(Time::ZERO, |adapter| adapter.latencies(&train));
        let span = link.latency.time() + adapters + rate.time_for(bytes);
        progress.last = progress.last.max(now + span);
        let after = progress.last - now;
        let Stream { source, destination, .. } = train.stream;
        if groups.has(destination) {
            for &host in groups.members(destination).iter().filter(|&&host| host != source) {
                f.put_after(hosts[host as usize], train.clone(), after);
            }
            return;
        }
        match hosts.get(destination as usize) {
            Some(&host) => {
                f.put_after(host, train, after);
            }
            None => f.fail("a message goes to a host that its network hasn't got: a mistake in a model"),
        }
    });
}
