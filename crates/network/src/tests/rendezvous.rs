//! Long messages that are written into their receiver's memory: what that takes, in what order they come, and whose processors work.

use super::support::Bench;
use crate::NetworkParameters;
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

/// InfiniBand of 10 GB/s with a microsecond from host to host, and what messages cost hosts.
fn network(level: &str, each: &str) -> NetworkParameters {
    let text = format!(
        "transport = \"rdma\"\nlevel = \"{level}\"\nlink = {{ rate = \"80 Gbit/s\", latency = \"0.5 us\" }}\n\
         costs = {{ send = \"{each}\", send_kib = \"0 us\", receive = \"{each}\", receive_kib = \"0 us\" }}"
    );
    toml::from_str(&text).unwrap()
}

/// When a message of so many bytes is there, by writing what is longer than 8 KiB.
fn takes(network: &NetworkParameters, bytes: u64) -> f64 {
    let mut bench = Bench::writing(network, 2, Bytes(8 << 10));
    bench.send((0, 1), 0, bytes, 1, Time::ZERO);
    bench.await_messages(&[1], 1)[0].0.as_micros()
}

fn sent_as_it_is(network: &NetworkParameters, bytes: u64) -> f64 {
    let mut bench = Bench::star(network, 2);
    bench.send((0, 1), 0, bytes, 1, Time::ZERO);
    bench.await_messages(&[1], 1)[0].0.as_micros()
}

#[test]
fn a_short_message_goes_as_it_is_and_a_long_one_there_and_back_twice_more() {
    for level in ["train", "packet", "fluid"] {
        let network = network(level, "0 us");
        assert_eq!(takes(&network, 8 << 10), sent_as_it_is(&network, 8 << 10), "{level}");
        // Asked and answered before, acknowledged and told behind it: four ways of a microsecond more.
        let more = takes(&network, 1 << 20) - sent_as_it_is(&network, 1 << 20);
        assert!((4.0..4.3).contains(&more), "{level}: {more} us more");
    }
}

#[test]
fn the_receivers_processors_work_for_words_and_not_for_data() {
    // Each word costs who sends it and who hears it 100 us: four words in a row, of which the write itself costs its sender a post, and
    // hears of the end of it, and its receiver nothing.
    let more = takes(&network("train", "100 us"), 1 << 20) - takes(&network("train", "0 us"), 1 << 20);
    assert!((more - (2.0 * 3.0 + 2.0) * 100.0).abs() < 1e-6, "{more} us");
}

#[test]
fn many_long_messages_fill_their_link() {
    let mut bench = Bench::writing(&network("train", "0.14 us"), 2, Bytes(8 << 10));
    for number in 0..64 {
        bench.send((0, 1), 0, 256 << 10, number, Time::ZERO);
    }
    let last = bench.await_messages(&[1], 64).last().unwrap().0.as_seconds();
    let rate = f64::from(64 * (256 << 10)) / last;
    assert!(rate > 0.97e10 && rate < 1e10, "{rate} B/s over a link of 10 GB/s");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_of_a_connection_come_in_their_order_whichever_way_they_go(
        sizes in prop::collection::vec((0u64..40_000, 0u64..20, 0u32..2), 1..60),
        level in prop::sample::select(vec!["ideal", "train", "packet", "fluid"]),
    ) {
        let mut bench = Bench::writing(&network(level, "0.14 us"), 3, Bytes(8 << 10));
        for (number, &(bytes, at, connection)) in (0..).zip(&sizes) {
            let at = Time::from_micros(at + 20 * number / 5);
            bench.send((0, 1 + connection), connection, bytes, number, at);
        }
        let mut sent = [Vec::new(), Vec::new()];
        let mut order: Vec<(u64, u64, u32)> =
            (0..).zip(&sizes).map(|(number, &(_, at, connection))| (at + 20 * number / 5, number, connection)).collect();
        order.sort_unstable();
        for (_, number, connection) in order {
            sent[connection as usize].push(number);
        }
        let mut come = [Vec::new(), Vec::new()];
        let arrivals = bench.await_messages(&[1, 2], sizes.len());
        for (_, _, number) in arrivals {
            come[sizes[number as usize].2 as usize].push(number);
        }
        prop_assert_eq!(come, sent);
    }
}
