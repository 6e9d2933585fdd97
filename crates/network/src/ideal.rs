//! A network without contention but at the sender: the multiplexer of the dissertation's chapter 6, and nothing else.

use super::groups::Groups;
use super::parameters::NetworkParameters;
use super::train::{Stream, Train};
use petrio_kernel::{PageBuilder, Place, Probe, Time};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::sync::Arc;

/// What is known of a host that sends.
#[derive(Clone, Debug, Default, Persist)]
struct Sender {
    /// When the last byte of what it has sent leaves its link.
    left: Time,
    /// What is known of each of its connections, by destination and number.
    streams: FastMap<(u32, u32), Progress>,
}

/// What is known of one direction of a connection.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Progress {
    /// When its last message is there.
    last: Time,
    /// What has come of its next one.
    bytes: u64,
}

/// Builds the multiplexer: messages of a host leave one after the other at the rate of its link, and each takes its latency;
/// those of one connection keep their order. For how long each receiver's link would be busy with them goes to `received`.
pub(super) fn multiplexer(
    page: &mut PageBuilder<'_>,
    parameters: &NetworkParameters,
    groups: Arc<Groups>,
    (crossing, arrivals): (Place<Box<Train>>, &[Place<Box<Train>>]),
    received: &[Probe],
) {
    let senders = page.state("senders", vec![Sender::default(); arrivals.len()]);
    let mut carry = page.transition("carry");
    let train = carry.take(crossing);
    let senders = carry.update(senders);
    let hosts: Vec<_> = arrivals.iter().map(|&arrivals| carry.may_put(arrivals, 1)).collect();
    let received = received.to_vec();
    let (framing, link, adapter) = (parameters.framing(), parameters.link.clone(), parameters.adapter);
    let rate =
        adapter.map_or(link.rate, |adapter| if adapter.bus < link.rate { adapter.bus } else { link.rate });
    carry.action(move |f| {
        let train = f.take(train);
        let now = f.now();
        let Stream { source, destination, connection } = train.stream;
        let Some(sender) = f.update(senders).get_mut(source as usize) else {
            f.fail("a message comes from a host that its network hasn't got: a mistake in a model");
            return;
        };
        let progress = sender.streams.entry((destination, connection)).or_default();
        progress.bytes += u64::from(train.bytes);
        // Of a message that is more than one train the last has it.
        if train.message.is_none() {
            return;
        }
        let bytes = framing.on_wire(std::mem::take(&mut progress.bytes));
        let adapters = adapter.map_or(Time::ZERO, |adapter| adapter.latencies(&train));
        let passing = rate.time_for(bytes);
        sender.left = sender.left.max(now) + passing;
        progress.last = progress.last.max(sender.left + link.latency.time() + adapters);
        let after = progress.last - now;
        if groups.has(destination) {
            for &host in groups.members(destination).iter().filter(|&&host| host != source) {
                f.put_after(hosts[host as usize], train.clone(), after);
                f.record(received[host as usize], passing.as_seconds());
            }
            return;
        }
        match hosts.get(destination as usize) {
            Some(&host) => {
                // What takes no time is there before anything else happens.
                if after == Time::ZERO {
                    f.put(host, train);
                } else {
                    f.put_after(host, train, after);
                }
                f.record(received[destination as usize], passing.as_seconds());
            }
            None => f.fail("a message goes to a host that its network hasn't got: a mistake in a model"),
        }
    });
}
