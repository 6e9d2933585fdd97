//! Frames one by one: against closed forms, and against trains where nothing is lost.

use super::support::Bench;
use crate::topology::{LinkParameters as Cable, Wiring};
use crate::{FramingParameters, Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;

fn gigabit(level: Level) -> NetworkParameters {
    let link = LinkParameters::wire("1 Gbit/s".parse().unwrap(), "5 us".parse().unwrap());
    NetworkParameters { level, ..NetworkParameters::of_links(link) }
}

/// Asserts that trains and packets take equally long, but for 2 %; prints both.
fn agree(what: &str, took: impl Fn(NetworkParameters) -> Time) {
    let [train, packet] = [Level::Train, Level::Packet].map(|level| took(gigabit(level)).as_seconds());
    assert!((packet / train - 1.0).abs() < 0.02, "{what}: train {train}, packet {packet}");
}

#[test]
fn goodput_is_what_frames_leave_for_data() {
    for mtu in [1500, 9000] {
        let framing = FramingParameters { mtu: Some(Bytes(mtu)), ..FramingParameters::default() };
        let mut bench = Bench::star(&NetworkParameters { framing, ..gigabit(Level::Packet) }, 2);
        for number in 0..64 {
            bench.send((0, 1), 0, 1 << 20, number, Time::ZERO);
        }
        let (last, ..) = *bench.arrivals(1).last().unwrap();
        let rate = 64.0 * f64::from(1 << 23) / last.as_seconds();
        assert!(
            (rate / 1e9 / framing.over(Transport::Tcp.framing()).efficiency() - 1.0).abs() < 0.01,
            "{mtu}: {rate}"
        );
    }
}

#[test]
fn a_message_of_one_frame_or_of_none_takes_two_frames_times_and_two_latencies() {
    for (bytes, on_wire) in [(100, 190), (0, 90)] {
        let mut bench = Bench::star(&gigabit(Level::Packet), 2);
        bench.send((0, 1), 0, bytes, 7, Time::ZERO);
        let expected = Time::from_nanos(2 * 8 * on_wire) + Time::from_micros(10);
        assert_eq!(bench.arrivals(1), [(expected, 0, 7)]);
    }
}

#[test]
fn trains_and_packets_agree_on_messages_one_at_a_time() {
    agree("64 KiB one at a time", |parameters| {
        let mut bench = Bench::star(&parameters, 2);
        let mut now = Time::ZERO;
        for number in 0..200 {
            bench.send((0, 1), 0, 64 << 10, number, now);
            now = bench.await_messages(&[1], 1)[0].0;
        }
        now
    });
}

#[test]
fn trains_and_packets_agree_on_a_large_message() {
    agree("16 MiB", |parameters| {
        let mut bench = Bench::star(&parameters, 2);
        bench.send((0, 1), 0, 16 << 20, 1, Time::ZERO);
        bench.await_messages(&[1], 1)[0].0
    });
}

#[test]
fn trains_and_packets_agree_on_pairs() {
    agree("4 pairs", |parameters| {
        let mut bench = Bench::star(&parameters, 8);
        for pair in 0..4 {
            for number in 0..16 {
                bench.send((pair, 4 + pair), 0, 1 << 20, number, Time::ZERO);
            }
        }
        bench.await_messages(&[4, 5, 6, 7], 64)[63].0
    });
}

#[test]
fn trains_and_packets_agree_on_stripes() {
    agree("8 clients x 4 servers", |parameters| {
        let mut bench = Bench::star(&parameters, 12);
        for round in 0..64 {
            for client in 0..8 {
                for server in 8..12 {
                    bench.send((client, server), 0, 64 << 10, round, Time::ZERO);
                }
            }
        }
        bench.await_messages(&[8, 9, 10, 11], 2_048)[2_047].0
    });
}

#[test]
fn acknowledgements_share_the_links_with_data_of_the_other_direction() {
    let [train, packet] = [Level::Train, Level::Packet].map(|level| {
        let mut bench = Bench::star(&gigabit(level), 2);
        for number in 0..16 {
            bench.send((0, 1), 0, 1 << 20, number, Time::ZERO);
            bench.send((1, 0), 0, 1 << 20, number, Time::ZERO);
        }
        bench.await_messages(&[0, 1], 32)[31].0.as_seconds()
    });
    // Trains have none; a frame of 90 bytes for two of 1538 is the most, and data carry some of them.
    let more = packet / train - 1.0;
    assert!(more > 0.0 && more < 90.0 / (2.0 * 1538.0), "train {train}, packet {packet}");
}

#[test]
fn a_window_is_all_that_is_under_way() {
    let mut far = gigabit(Level::Packet);
    far.link.latency = "10 ms".parse().unwrap();
    let bytes = 64u64 << 20;
    let mut bench = Bench::star(&NetworkParameters { window: Some(Bytes(1_000_000)), ..far }, 2);
    bench.send((0, 1), 0, bytes, 1, Time::ZERO);
    let took = bench.await_messages(&[1], 1)[0].0.as_seconds();
    // A window for each round trip of 40 ms, and slow start to begin with: 10 segments to 690.
    let least = bytes as f64 / 1e6 * 0.040;
    assert!(took > least && took < least + 10.0 * 0.040, "{took} {least}");
}

#[test]
fn a_link_is_a_queue_with_poisson_arrivals_and_equal_services() {
    // Many fast hosts send to one whose link is slow; the switch's queue before it is M/D/1.
    const SOURCES: u32 = 64;
    let hosts: Vec<String> = (0..=SOURCES).map(|host| format!("h{host}")).collect();
    let cable = |number: u32| Cable {
        between: [format!("h{number}"), "switch".to_owned()],
        rate: (number > 0).then(|| "100 Gbit/s".parse().unwrap()),
        latency: None,
        lanes: 1,
    };
    let cables: Vec<Cable> = (0..=SOURCES).map(cable).collect();
    let service = 1538.0 * 8e-9;
    for utilisation in [0.5, 0.8] {
        let wiring = Wiring::of_links(&hosts, &cables).unwrap();
        let mut bench = Bench::new(&gigabit(Level::Packet), wiring, SOURCES + 1);
        let mut random = petrio_random::generator(1, 0, "test", "arrivals");
        let (mut at, mut sent) = (0.0, Vec::new());
        for number in 0..200_000 {
            at += petrio_random::exponential(&mut random, service / utilisation);
            let from = 1 + petrio_random::uniform_below(&mut random, u64::from(SOURCES)) as u32;
            sent.push(at);
            bench.send((from, 0), 0, 1448, number, Time::from_seconds(at));
        }
        let arrivals = bench.arrivals(0);
        assert_eq!(arrivals.len(), sent.len());
        let alone = service * 1.01 + 10e-6;
        let waited: f64 =
            arrivals.iter().map(|&(at, _, number)| at.as_seconds() - sent[number as usize] - alone).sum();
        let mean = waited / sent.len() as f64;
        let expected = utilisation * service / (2.0 * (1.0 - utilisation));
        assert!((mean / expected - 1.0).abs() < 0.04, "{utilisation}: {mean} {expected}");
    }
}
