//! Trains on a star.

use super::support::Bench;
use crate::{FramingParameters, Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;

fn gigabit() -> NetworkParameters {
    NetworkParameters::of_links(LinkParameters::wire("1 Gbit/s".parse().unwrap(), "5 us".parse().unwrap()))
}

/// How long bytes are on a wire of a gigabit a second.
fn wire(bytes: u64) -> Time {
    Time::from_nanos(bytes * 8)
}

#[test]
fn a_small_message_takes_two_frames_times_and_two_latencies() {
    let mut bench = Bench::star(&gigabit(), 2);
    bench.send((0, 1), 0, 100, 7, Time::ZERO);
    let expected = wire(190) + wire(190) + Time::from_micros(10);
    assert_eq!(bench.arrivals(1), [(expected, 0, 7)]);
}

#[test]
fn a_large_message_passes_a_switch_while_it_still_arrives() {
    let mut bench = Bench::star(&gigabit(), 2);
    bench.send((0, 1), 0, 1 << 20, 7, Time::ZERO);
    let framing = Transport::Tcp.framing();
    // The whole of it once, a first frame more, and what trains have of frames that aren't full.
    let least = wire(framing.on_wire(1 << 20)) + wire(1538) + Time::from_micros(10);
    let [(at, ..)] = bench.arrivals(1)[..] else { panic!("one message") };
    assert!(at >= least && at < least + wire(20 * 90), "{at} {least}");
}

#[test]
fn goodput_is_what_frames_leave_for_data() {
    for (mtu, goodput) in [(1500, 941.5e6), (9000, 989.6e6)] {
        let framing = FramingParameters { mtu: Some(Bytes(mtu)), ..FramingParameters::default() };
        let mut bench = Bench::star(&NetworkParameters { framing, ..gigabit() }, 2);
        for number in 0..64 {
            bench.send((0, 1), 0, 1 << 20, number, Time::ZERO);
        }
        let (last, ..) = *bench.arrivals(1).last().unwrap();
        let rate = 64.0 * f64::from(1 << 23) / last.as_seconds();
        assert!((rate / goodput - 1.0).abs() < 0.003, "{mtu}: {rate} {goodput}");
    }
}

#[test]
fn messages_of_a_connection_arrive_in_order_and_connections_take_turns() {
    let mut bench = Bench::star(&gigabit(), 3);
    for number in 0..10 {
        bench.send((0, 2), 0, 200_000, number, Time::ZERO);
    }
    bench.send((1, 2), 0, 100, 99, Time::from_micros(3_000));
    let arrivals = bench.arrivals(2);
    let of_first: Vec<u64> =
        arrivals.iter().filter(|arrival| arrival.1 == 0).map(|arrival| arrival.2).collect();
    assert_eq!(of_first, (0..10).collect::<Vec<_>>());
    let small = arrivals.iter().find(|arrival| arrival.2 == 99).unwrap().0;
    // It waits for the train that is passing, at most.
    assert!(small < Time::from_micros(3_000) + Time::from_micros(20) + wire(70_000), "{small}");
}

#[test]
fn connections_share_a_link_by_bytes_however_their_messages_are_cut() {
    // 1 MiB are 18 trains of 58 KiB, and 64 KiB two of 32 KiB.
    let mut bench = Bench::star(&gigabit(), 3);
    let bytes = 8u64 << 20;
    for (from, each) in [(0, 1 << 20), (1, 64 << 10)] {
        for number in 0..bytes / each {
            bench.send((from, 2), 0, each, number, Time::ZERO);
        }
    }
    let arrivals = bench.arrivals(2);
    let ends = [0, 1].map(|from| {
        arrivals.iter().rfind(|arrival| arrival.1 == from).map_or(0.0, |arrival| arrival.0.as_seconds())
    });
    assert!((ends[0] / ends[1] - 1.0).abs() < 0.02, "{ends:?}");
}

#[test]
fn a_window_is_all_that_is_under_way() {
    // 10 ms to the switch and 10 on: a round trip of 40.
    let mut far = gigabit();
    far.link.latency = "10 ms".parse().unwrap();
    let bytes = 64u64 << 20;
    let took = |window: Option<u64>| {
        let mut bench = Bench::star(&NetworkParameters { window: window.map(Bytes), ..far.clone() }, 2);
        bench.send((0, 1), 0, bytes, 1, Time::ZERO);
        let arrivals = bench.arrivals(1);
        assert_eq!(arrivals.len(), 1, "all of it arrives");
        arrivals[0].0.as_seconds()
    };
    let free = took(None);
    assert!((free - 0.020 - bytes as f64 * 8.0 / 941.5e6).abs() < 0.005, "{free}");
    // A window for each round trip, but for the eighth that may wait for its acknowledgement.
    let least = bytes as f64 / 1e6 * 0.040;
    let narrow = took(Some(1_000_000));
    assert!(narrow > least && narrow < least * 8.0 / 7.0 * 1.05, "{narrow} {least}");
    assert!((took(Some(64 << 20)) / free - 1.0).abs() < 0.01, "a wide one changes nothing");
}

#[test]
fn without_contention_a_message_takes_all_of_its_bytes_time() {
    for bytes in [1_000u64, 64 << 10, 64 << 20] {
        let ends = [Level::Ideal, Level::Fluid, Level::Train].map(|level| {
            let link = LinkParameters::wire("1 Gbit/s".parse().unwrap(), "5 us".parse().unwrap());
            let parameters = NetworkParameters { level, ..NetworkParameters::of_links(link) };
            let mut bench = Bench::star(&parameters, 2);
            bench.send((0, 1), 0, bytes, 1, Time::ZERO);
            bench.await_messages(&[1], 1)[0].0.as_seconds()
        });
        let framing = NetworkParameters::of_links(LinkParameters::wire(
            "1 Gbit/s".parse().unwrap(),
            "5 us".parse().unwrap(),
        ))
        .framing();
        let wire = framing.on_wire(bytes) as f64 / 125e6;
        // A multiplexer has one latency, and the others two and a frame's time at the switch.
        for (end, hops) in ends.into_iter().zip([1.0, 2.0, 2.0]) {
            let (least, most) = (wire + hops * 5e-6, wire + hops * 5e-6 + 13e-6);
            assert!((least * 0.999..=most * 1.001).contains(&end), "{bytes}: {ends:?}, {least} to {most}");
        }
    }
}
