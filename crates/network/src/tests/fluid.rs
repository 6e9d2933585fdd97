//! Flows against closed forms, and against trains.

use super::support::Bench;
use crate::topology::{LinkParameters as Cable, Wiring};
use crate::{Duplex, Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;

fn gigabit(level: Level) -> NetworkParameters {
    let link = LinkParameters::wire("1 Gbit/s".parse().unwrap(), "5 us".parse().unwrap());
    NetworkParameters { level, ..NetworkParameters::of_links(link) }
}

/// How long so many bytes of data take alone on a wire of a gigabit a second.
fn alone(bytes: u64) -> f64 {
    Transport::Tcp.framing().on_wire(bytes) as f64 * 8e-9
}

#[test]
fn a_small_message_takes_two_frames_times_and_two_latencies() {
    let mut bench = Bench::star(&gigabit(Level::Fluid), 2);
    bench.send((0, 1), 0, 100, 7, Time::ZERO);
    assert_eq!(bench.arrivals(1), [(Time::from_nanos(2 * 8 * 190) + Time::from_micros(10), 0, 7)]);
}

#[test]
fn flows_over_a_shared_link_have_half_of_it_and_another_the_rest() {
    // h0 to h1 and to h2, and h3 to h2 with twice as much: h0's link is shared, and h2's.
    let mut bench = Bench::star(&gigabit(Level::Fluid), 4);
    let mib = 1 << 20;
    bench.send((0, 1), 0, mib, 1, Time::ZERO);
    bench.send((0, 2), 0, mib, 2, Time::ZERO);
    bench.send((3, 2), 0, mib, 3, Time::ZERO);
    let arrivals = bench.await_messages(&[1, 2], 3);
    for (at, _, number) in arrivals {
        // Everybody has half.
        let expected = 2.0 * alone(mib) + 10e-6 + alone(1448);
        assert!((at.as_seconds() / expected - 1.0).abs() < 1e-6, "{number}: {at} {expected}");
    }
}

#[test]
fn what_a_bottleneck_leaves_is_the_others() {
    // h0's link has a quarter of the others' rate; h0 and h1 send to h2.
    let hosts: Vec<String> = (0..3).map(|host| format!("h{host}")).collect();
    let cable = |number: u32| Cable {
        between: [format!("h{number}"), "switch".to_owned()],
        rate: (number == 0).then(|| "250 Mbit/s".parse().unwrap()),
        latency: None,
        lanes: 1,
    };
    let wiring = Wiring::of_links(&hosts, &(0..3).map(cable).collect::<Vec<_>>()).unwrap();
    let mut bench = Bench::new(&gigabit(Level::Fluid), wiring, 3);
    let mib = 1 << 20;
    bench.send((0, 2), 0, mib, 0, Time::ZERO);
    bench.send((1, 2), 0, 3 * mib, 1, Time::ZERO);
    for (at, _, number) in bench.await_messages(&[2], 2) {
        let expected = 4.0 * alone(mib) + 10e-6 + alone(1448);
        assert!((at.as_seconds() / expected - 1.0).abs() < 1e-3, "{number}: {at} {expected}");
    }
}

#[test]
fn both_directions_share_a_link_of_half_duplex() {
    let mib = 1 << 20;
    let took = |duplex: Duplex| {
        let mut parameters = gigabit(Level::Fluid);
        parameters.link.duplex = duplex;
        let mut bench = Bench::star(&parameters, 2);
        bench.send((0, 1), 0, mib, 0, Time::ZERO);
        bench.send((1, 0), 0, mib, 1, Time::ZERO);
        bench.await_messages(&[0, 1], 2)[1].0.as_seconds()
    };
    assert!((took(Duplex::Half) / took(Duplex::Full) - 2.0).abs() < 0.01);
}

#[test]
fn messages_of_a_connection_flow_one_at_a_time_and_in_order() {
    let mut bench = Bench::star(&gigabit(Level::Fluid), 2);
    for (number, bytes) in [900_000, 100, 0, 50_000, 7].into_iter().enumerate() {
        bench.send((0, 1), 0, bytes, number as u64, Time::ZERO);
    }
    let arrivals = bench.arrivals(1);
    assert_eq!(arrivals.iter().map(|arrival| arrival.2).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    bench.run.check_conservation().unwrap();
}

#[test]
fn a_window_caps_a_flow() {
    let mut far = gigabit(Level::Fluid);
    far.link.latency = "10 ms".parse().unwrap();
    let mut bench = Bench::star(&NetworkParameters { window: Some(Bytes(1_000_000)), ..far }, 2);
    bench.send((0, 1), 0, 64_000_000, 1, Time::ZERO);
    let took = bench.await_messages(&[1], 1)[0].0.as_seconds();
    assert!((took / (64.0 * 0.040 + 0.020) - 1.0).abs() < 0.005, "{took}");
}

#[test]
fn flows_and_trains_agree_on_long_transfers() {
    // One alone; three to one receiver; one to three receivers; pairs.
    let cases: [&[(u32, u32)]; 4] =
        [&[(0, 1)], &[(1, 0), (2, 0), (3, 0)], &[(0, 1), (0, 2), (0, 3)], &[(0, 1), (2, 3), (4, 5)]];
    for pairs in cases {
        let [train, fluid] = [Level::Train, Level::Fluid].map(|level| {
            let mut bench = Bench::star(&gigabit(level), 6);
            for &pair in pairs {
                bench.send(pair, 0, 16 << 20, 1, Time::ZERO);
            }
            bench.await_messages(&[0, 1, 2, 3, 4, 5], pairs.len()).last().unwrap().0.as_seconds()
        });
        assert!((fluid / train - 1.0).abs() < 0.02, "{pairs:?}: train {train}, fluid {fluid}");
    }
}
