//! Routes that follow what waits before links (UGAL) against traffic that straight ones can't carry.

use super::support::Bench;
use crate::topology::{DragonflyParameters, DragonflyRouting, TopologyParameters, Wiring};
use crate::{Level, LinkParameters, NetworkParameters};
use petrio_kernel::Time;

/// Seconds until every host of each group has sent `rounds` messages of 256 KiB to its like in the next group, or to one
/// of a group of its own.
fn seconds(level: Level, routing: DragonflyRouting, rounds: u64, to_next: bool) -> f64 {
    let parameters = DragonflyParameters {
        groups: 9,
        switches_per_group: 4,
        hosts_per_switch: 2,
        global_links: 2,
        routing,
        arrangement: Default::default(),
    };
    let hosts = 72;
    let link = LinkParameters::wire("10 Gbit/s".parse().unwrap(), "500 ns".parse().unwrap());
    let wiring = Wiring::new(&TopologyParameters::Dragonfly(parameters), hosts).unwrap();
    let parameters = NetworkParameters { level, ..NetworkParameters::of_links(link) };
    let mut bench = Bench::new(&parameters, wiring, hosts);
    for round in 0..rounds {
        for from in 0..hosts {
            // Of the eight hosts of a group each has a group of its own where all don't have the same.
            let away = if to_next { 8 } else { 8 * (1 + from % 8) };
            // The queues that a route looks at are those of what was sent before.
            let at = Time::from_micros(round * 100);
            bench.send((from, (from + away) % hosts), round as u32, 256 << 10, round, at);
        }
    }
    let all: Vec<u32> = (0..hosts).collect();
    bench.await_messages(&all, (rounds * u64::from(hosts)) as usize).last().unwrap().0.as_seconds()
}

#[test]
fn what_all_send_to_the_next_group_goes_around_and_what_is_spread_goes_straight() {
    let [straight, around, adaptive] =
        [DragonflyRouting::Minimal, DragonflyRouting::Valiant, DragonflyRouting::Ugal]
            .map(|routing| seconds(Level::Train, routing, 12, true));
    // Eight hosts share one link of their size straight to the next group; around there are eight.
    assert!(around < 0.6 * straight, "{around} {straight}");
    assert!(adaptive < 0.7 * straight, "{adaptive} {straight}");
    let [straight, around, adaptive] =
        [DragonflyRouting::Minimal, DragonflyRouting::Valiant, DragonflyRouting::Ugal]
            .map(|routing| seconds(Level::Train, routing, 12, false));
    assert!(adaptive < 1.35 * straight && adaptive < around, "{straight} {around} {adaptive}");
}

#[test]
fn flows_go_around_what_others_use_too() {
    let [straight, around, adaptive] =
        [DragonflyRouting::Minimal, DragonflyRouting::Valiant, DragonflyRouting::Ugal]
            .map(|routing| seconds(Level::Fluid, routing, 12, true));
    assert!(around < 0.7 * straight && adaptive < 0.8 * straight, "{straight} {around} {adaptive}");
}
