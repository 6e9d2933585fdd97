//! What messages of a reliable connection take, by what adapters do before and after the wire.

use super::support::Bench;
use crate::topology::{TopologyParameters, TreeParameters, Wiring};
use crate::{AdapterParameters, Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

/// Adapters on a bus about as fast as their links.
fn rdma(level: Level, bus: &str) -> NetworkParameters {
    let link = LinkParameters::wire("100 Gbit/s".parse().unwrap(), "0.25 us".parse().unwrap());
    let adapter = AdapterParameters {
        bus: bus.parse().unwrap(),
        latency: "0.15 us".parse().unwrap(),
        fetch: "0.53 us".parse().unwrap(),
        inline: "220 B".parse().unwrap(),
        atomic: "0.4 us".parse().unwrap(),
    };
    let usual = NetworkParameters::of_links(link);
    NetworkParameters { transport: Transport::Rdma, level, adapter: Some(adapter), ..usual }
}

fn one_way(parameters: &NetworkParameters, bytes: u64) -> f64 {
    let mut bench = Bench::star(parameters, 2);
    bench.send((0, 1), 0, bytes, 1, Time::ZERO);
    bench.await_messages(&[1], 1)[0].0.as_seconds()
}

#[test]
fn one_way_takes_what_was_measured() {
    // Measured: 0.83, 1.58, 2.26 and 4.57 us.
    for level in [Level::Train, Level::Packet] {
        for (bytes, micros) in [(32, 0.83), (1 << 10, 1.58), (4 << 10, 2.26), (32 << 10, 4.57)] {
            let found = one_way(&rdma(level, "12.5 GB/s"), bytes) * 1e6;
            assert!((found / micros - 1.0).abs() < 0.05, "{level:?} {bytes}: {found} for {micros}");
        }
    }
}

#[test]
fn a_slow_bus_is_the_rate_of_all_that_a_host_sends() {
    for level in [Level::Ideal, Level::Fluid, Level::Train, Level::Packet] {
        // 64 MiB over 3.2 GB/s.
        let floor = f64::from(64 << 20) / 3.2e9;
        let found = one_way(&rdma(level, "3.2 GB/s"), 64 << 20);
        assert!((1.0..1.02).contains(&(found / floor)), "{level:?}: {found} {floor}");
        // Two receivers share the bus of the one who sends; a multiplexer knows no shares.
        if level != Level::Ideal {
            let mut bench = Bench::star(&rdma(level, "3.2 GB/s"), 3);
            bench.send((0, 1), 0, 32 << 20, 1, Time::ZERO);
            bench.send((0, 2), 1, 32 << 20, 2, Time::ZERO);
            let both = bench.await_messages(&[1, 2], 2).last().unwrap().0.as_seconds();
            assert!((1.0..1.02).contains(&(both / floor)), "{level:?}: {both} {floor}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// A small message that needn't be fetched doesn't overtake a large one, and a faster bus makes nothing later.
    #[test]
    fn messages_of_a_connection_keep_their_order(
        sizes in prop::collection::vec(1u64..20_000, 1..20),
        level in prop_oneof![Just(Level::Ideal), Just(Level::Fluid), Just(Level::Train), Just(Level::Packet)],
        credits in prop::option::of(2u64..20),
    ) {
        let ends = ["3.2 GB/s", "6.4 GB/s", "100 GB/s"].map(|bus| {
            let mut parameters = rdma(level, bus);
            parameters.link.credits = credits.map(|frames| Bytes(frames * 4122));
            let mut bench = Bench::star(&parameters, 2);
            for (number, &bytes) in sizes.iter().enumerate() {
                bench.send((0, 1), 0, bytes, number as u64, Time::ZERO);
            }
            let all = bench.await_messages(&[1], sizes.len());
            let order: Vec<u64> = all.iter().map(|arrival| arrival.2).collect();
            assert_eq!(order, (0..sizes.len() as u64).collect::<Vec<_>>());
            all.last().unwrap().0
        });
        prop_assert!(ends[0] >= ends[1] && ends[1] >= ends[2], "{ends:?}");
    }
}

/// A train is held back before a link that is faster than the bus; what comes right behind it is short, and isn't.
#[test]
fn a_short_message_does_not_overtake_a_long_one_that_is_held_back() {
    for bytes in [2_000, 5_467, 16_000] {
        let mut bench = Bench::star(&rdma(Level::Train, "3.2 GB/s"), 2);
        bench.send((0, 1), 0, bytes, 0, Time::ZERO);
        bench.send((0, 1), 0, 1, 1, Time::ZERO);
        let order: Vec<u64> = bench.await_messages(&[1], 2).iter().map(|arrival| arrival.2).collect();
        assert_eq!(order, [0, 1], "{bytes}");
    }
}

#[test]
fn a_switch_that_cuts_through_costs_a_header_and_another_a_frame() {
    let tree = TopologyParameters::Tree(TreeParameters { hosts_per_switch: 1, uplinks: 1 });
    for level in [Level::Train, Level::Packet] {
        let found = |cut_through: bool, bytes: u64| {
            let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "1 us".parse().unwrap());
            let usual = NetworkParameters::of_links(link);
            let parameters = NetworkParameters {
                transport: Transport::Rdma,
                level,
                cut_through: Some(cut_through),
                ..usual
            };
            let mut bench = Bench::new(&parameters, Wiring::new(&tree, 2).unwrap(), 2);
            bench.send((0, 1), 0, bytes, 1, Time::ZERO);
            bench.await_messages(&[1], 1)[0].0
        };
        // Four links and three switches; a byte takes a nanosecond.
        let of_frames = |frames: u64, passed_on: u64| {
            Time::from_micros(4) + Time::from_nanos(frames * 4122 + 3 * passed_on)
        };
        for frames in [1, 5] {
            assert_eq!(found(true, frames * 4096), of_frames(frames, 64), "{level:?}");
            assert_eq!(found(false, frames * 4096), of_frames(frames, 4122), "{level:?}");
        }
    }
}
