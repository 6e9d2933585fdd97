//! Incast: many answer one at the same time, and its link hasn't room for all (Phanishayee et al., FAST 2008).

use super::support::Bench;
use crate::{Level, LinkParameters, NetworkParameters, TcpParameters};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

fn gigabit(level: Level, buffer: Option<u64>) -> NetworkParameters {
    let link = LinkParameters::wire("1 Gbit/s".parse().unwrap(), "5 us".parse().unwrap());
    let link = LinkParameters { buffer: buffer.map(Bytes), ..link };
    NetworkParameters { level, ..NetworkParameters::of_links(link) }
}

/// Rounds in which each of so many senders sends 64 KiB to host 0, once all of the round before have arrived: the
/// goodput as a share of the link's rate, and the frames dropped.
fn synchronised(parameters: &NetworkParameters, senders: u32, rounds: u64) -> (f64, u64) {
    let mut bench = Bench::star(parameters, senders + 1);
    let mut now = Time::ZERO;
    for round in 0..rounds {
        for sender in 1..=senders {
            bench.send((sender, 0), 0, 64 << 10, round, now);
        }
        now = bench.await_messages(&[0], senders as usize).last().unwrap().0;
    }
    let bits = rounds as f64 * f64::from(senders) * f64::from(8 * (64 << 10));
    (bits / now.as_seconds() / 1e9, bench.dropped(senders + 1).0)
}

#[test]
fn incast_collapses_where_buffers_are_small_and_time_outs_long() {
    let small = Some(64 << 10);
    let rto = |text: &str| TcpParameters { rto_min: text.parse().unwrap(), ..TcpParameters::default() };
    for senders in [1, 2, 4, 8, 16, 32] {
        let packet = gigabit(Level::Packet, small);
        let (train, _) = synchronised(&gigabit(Level::Train, small), senders, 20);
        let (usual, lost) = synchronised(&packet, senders, 20);
        let quick = NetworkParameters { tcp: rto("1 ms"), ..packet };
        let (quick, _) = synchronised(&quick, senders, 20);
        let (large, large_lost) = synchronised(&gigabit(Level::Packet, Some(4 << 20)), senders, 20);
        assert!(train > 0.85, "{senders} senders, trains: {train}");
        assert!(large > 0.85 && large_lost == 0, "{senders} senders, a large buffer: {large} {large_lost}");
        assert!(quick > 0.6, "{senders} senders, 1 ms: {quick}");
        if senders == 1 {
            assert!(usual > 0.85 && lost == 0, "one sender: {usual} {lost}");
        }
        if senders >= 8 {
            assert!(usual < 0.3 && lost > 0, "{senders} senders: {usual} {lost}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost: every message arrives once, and those of a connection in order.
    #[test]
    fn all_that_was_sent_arrives_once_and_in_order(
        messages in prop::collection::vec((1u32..6, 0u32..2, 0u64..200_000, 0u64..3_000), 1..60),
        buffer in 1_538u64..40_000,
        window in prop::option::of(1_448u64..100_000),
    ) {
        let window = window.map(Bytes);
        let mut bench =
            Bench::star(&NetworkParameters { window, ..gigabit(Level::Packet, Some(buffer)) }, 6);
        let mut times: Vec<u64> = messages.iter().map(|message| message.3).collect();
        times.sort_unstable();
        for ((number, &(from, connection, bytes, _)), at) in messages.iter().enumerate().zip(times) {
            bench.send((from, 0), connection, bytes, number as u64, Time::from_micros(at));
        }
        let arrived: Vec<u64> = bench.arrivals(0).iter().map(|arrival| arrival.2).collect();
        bench.run.check_conservation().unwrap();
        let mut sorted = arrived.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..messages.len() as u64).collect::<Vec<_>>());
        for from in 1..6 {
            for connection in 0..2 {
                let of = |&&number: &&u64| {
                    let message = &messages[number as usize];
                    (message.0, message.1) == (from, connection)
                };
                prop_assert!(arrived.iter().filter(of).is_sorted(), "{:?}", arrived);
            }
        }
    }
}
