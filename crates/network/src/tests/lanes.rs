//! Virtual lanes: shares by their weights, and links that would wait for each other in a circle.

use super::support::Bench;
use crate::topology::{DragonflyParameters, DragonflyRouting, GridParameters, TopologyParameters, Wiring};
use crate::{
    ArbitrationParameters, LaneWeight, Level, LinkParameters, NetworkError, NetworkParameters, Transport,
};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

fn infiniband(level: Level, lanes: u8, credits: Option<u64>) -> NetworkParameters {
    let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "200 ns".parse().unwrap());
    let link = LinkParameters { credits: credits.map(Bytes), ..link };
    let usual = NetworkParameters::of_links(link);
    NetworkParameters { transport: Transport::Rdma, level, virtual_lanes: lanes, ..usual }
}

fn weights(of: &[(u8, u8)]) -> Vec<LaneWeight> {
    of.iter().map(|&(lane, weight)| LaneWeight { lane, weight }).collect()
}

/// Bytes of each lane that arrive in the first 4 ms, from hosts that each send more than that.
fn shares(parameters: &NetworkParameters, lanes: u8) -> Vec<f64> {
    let mut bench = Bench::star(parameters, u32::from(lanes) + 1);
    for lane in 0..lanes {
        bench.service_level = lane;
        for message in 0..200 {
            bench.send((u32::from(lane) + 1, 0), 0, 32 << 10, message, Time::ZERO);
        }
    }
    let end = Time::from_millis(4);
    let mut bytes = vec![0.0; lanes.into()];
    bench.run.run_until(end).unwrap();
    for message in bench.run.drain(bench.ports[0].received) {
        bytes[message.source as usize - 1] += message.bytes as f64;
    }
    bytes
}

#[test]
fn lanes_have_the_shares_of_their_weights() {
    for (level, credits) in [(Level::Train, None), (Level::Packet, None), (Level::Packet, Some(64 << 10))] {
        // By packets of 4 KiB and by trains of 64 KiB alike; a weight below a packet's length is a share, too.
        for of in [&[(0, 64), (1, 192)][..], &[(0, 2), (1, 6)], &[(0, 50), (1, 100), (2, 250)]] {
            let arbitration = ArbitrationParameters { low: weights(of), ..ArbitrationParameters::default() };
            let lanes = of.len() as u8;
            let parameters =
                NetworkParameters { arbitration: Some(arbitration), ..infiniband(level, lanes, credits) };
            let found = shares(&parameters, lanes);
            let (all, weight) =
                (found.iter().sum::<f64>(), of.iter().map(|one| f64::from(one.1)).sum::<f64>());
            for (found, (lane, own)) in found.iter().zip(of) {
                let (found, wanted) = (found / all, f64::from(*own) / weight);
                assert!(
                    (found - wanted).abs() < 0.03,
                    "{level:?} {credits:?} {of:?} {lane}: {found} {wanted}"
                );
            }
        }
    }
}

#[test]
fn the_first_table_leaves_the_second_what_its_limit_says() {
    let found = |limit: u8| {
        let arbitration =
            ArbitrationParameters { high: weights(&[(1, 255)]), low: weights(&[(0, 255)]), limit };
        let parameters =
            NetworkParameters { arbitration: Some(arbitration), ..infiniband(Level::Packet, 2, None) };
        let found = shares(&parameters, 2);
        found[0] / (found[0] + found[1])
    };
    // Any amount; a packet of each by turns; one for every four.
    assert!(found(255) < 0.01, "{}", found(255));
    assert!((found(0) - 0.5).abs() < 0.02, "{}", found(0));
    assert!((found(4) - 0.2).abs() < 0.03, "{}", found(4));
}

#[test]
fn a_lane_that_nobody_uses_costs_the_others_nothing() {
    let low = weights(&[(0, 1), (1, 255)]);
    let arbitration = Some(ArbitrationParameters { low, ..ArbitrationParameters::default() });
    let end = |arbitration| {
        let parameters = NetworkParameters { arbitration, ..infiniband(Level::Packet, 2, None) };
        let mut bench = Bench::star(&parameters, 2);
        bench.send((1, 0), 0, 4 << 20, 1, Time::ZERO);
        bench.await_messages(&[0], 1)[0].0
    };
    assert_eq!(end(arbitration), end(None));
}

/// A ring of five switches with two hosts each.
fn ring() -> Wiring {
    let grid = GridParameters { dimensions: vec![5], hosts_per_switch: 2 };
    Wiring::new(&TopologyParameters::Torus(grid), 10).unwrap()
}

/// How many of the messages arrive that all send to those two switches on, with room for one packet at each link's end.
fn arrived(wiring: Wiring, lanes: u8, hosts: u32, away: &[u32]) -> usize {
    let parameters = infiniband(Level::Packet, lanes, Some(4122));
    let mut bench = Bench::new(&parameters, wiring, hosts);
    for (number, &away) in away.iter().enumerate() {
        for from in 0..hosts {
            bench.send((from, (from + away) % hosts), number as u32, 64 << 10, u64::from(from), Time::ZERO);
        }
    }
    bench.run.run_until(Time::from_seconds(1.0)).unwrap();
    bench.run.check_conservation().unwrap();
    (0..hosts as usize).map(|host| bench.run.drain(bench.ports[host].received).count()).sum()
}

#[test]
fn a_ring_waits_for_itself_with_one_lane_and_not_with_two() {
    assert!(arrived(ring(), 1, 10, &[4]) < 10, "the circle that the lanes are there for");
    assert_eq!(arrived(ring(), 2, 10, &[4, 3, 6]), 30);
    let check = |lanes| infiniband(Level::Packet, lanes, Some(16 << 10)).check_on(&ring());
    assert_eq!((check(1), check(2)), (Err(NetworkError::FewLanes(2)), Ok(())));
}

#[test]
fn a_lane_of_the_table_that_is_not_there_or_never_served_is_refused() {
    let with = |low: &[(u8, u8)], lanes, credits| {
        let arbitration = Some(ArbitrationParameters { low: weights(low), ..Default::default() });
        NetworkParameters { arbitration, ..infiniband(Level::Packet, lanes, credits) }.check_on(&ring())
    };
    assert_eq!(with(&[(0, 1), (2, 1)], 2, None), Err(NetworkError::UnknownLane { lane: 2, lanes: 2 }));
    assert_eq!(with(&[(0, 1), (1, 0)], 2, None), Err(NetworkError::ForgottenLane(1)));
    // With credits a ring takes two for each level.
    assert_eq!(with(&[(0, 1)], 2, Some(16 << 10)), Ok(()));
    assert_eq!(with(&[(0, 1), (1, 1)], 4, Some(16 << 10)), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever goes wherever over whichever torus or dragonfly, with the lanes that it asks for all of it arrives.
    #[test]
    fn with_enough_lanes_nobody_waits_for_ever(
        dimensions in prop::collection::vec(2u32..5, 1..4),
        away in prop::collection::vec(1u32..64, 1..5),
        routing in prop_oneof![
            Just(None),
            Just(Some(DragonflyRouting::Minimal)),
            Just(Some(DragonflyRouting::Valiant)),
            Just(Some(DragonflyRouting::Ugal)),
        ],
        more in 0u8..2,
    ) {
        let (wiring, hosts) = match routing {
            None => {
                let hosts = dimensions.iter().product();
                let grid = GridParameters { dimensions, hosts_per_switch: 1 };
                (Wiring::new(&TopologyParameters::Torus(grid), hosts).unwrap(), hosts)
            }
            Some(routing) => {
                let dragonfly = DragonflyParameters {
                    groups: 5,
                    switches_per_group: 4,
                    hosts_per_switch: 1,
                    global_links: 1,
                    routing,
                    arrangement: Default::default(),
                };
                (Wiring::new(&TopologyParameters::Dragonfly(dragonfly), 20).unwrap(), 20)
            }
        };
        let away: Vec<u32> = away.into_iter().map(|away| away % hosts).filter(|away| *away > 0).collect();
        let lanes = wiring.lanes_against_circles().unwrap() + more;
        prop_assert_eq!(arrived(wiring, lanes, hosts, &away), away.len() * hosts as usize);
    }
}
