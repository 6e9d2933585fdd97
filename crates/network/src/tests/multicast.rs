//! Messages to groups of hosts: each member has each of them, once, and each link passes it once.

use super::support::Bench;
use crate::topology::{FatTreeParameters, GridParameters, TopologyParameters, TreeParameters, Wiring};
use crate::{Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

fn parameters(level: Level, credits: Option<u64>) -> NetworkParameters {
    let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "1 us".parse().unwrap());
    let link = LinkParameters { credits: credits.map(Bytes), ..link };
    // A window is for those who are acknowledged.
    let window = Some(Bytes(64 << 10));
    NetworkParameters { transport: Transport::Rdma, level, window, ..NetworkParameters::of_links(link) }
}

fn tree() -> Wiring {
    Wiring::new(&TopologyParameters::Tree(TreeParameters { hosts_per_switch: 4, uplinks: 1 }), 16).unwrap()
}

#[test]
fn a_message_to_all_takes_one_message_s_time_at_every_level() {
    let members: Vec<u32> = (0..16).collect();
    for level in [Level::Ideal, Level::Fluid, Level::Train, Level::Packet] {
        let end = |to_all: bool| {
            let mut bench = Bench::with_group(&parameters(level, None), tree(), 16, (&members, &[]));
            if to_all {
                bench.send_to_group(3, 4 << 20, 7, Time::ZERO);
                let all = bench.await_group(15);
                assert!(all.iter().all(|arrival| arrival.1 == 3 && arrival.2 == 7), "{level:?}");
                all.last().unwrap().0.as_seconds()
            } else {
                bench.send((3, 15), 0, 4 << 20, 7, Time::ZERO);
                bench.await_messages(&[15], 1)[0].0.as_seconds()
            }
        };
        let (all, one) = (end(true), end(false));
        assert!((all / one - 1.0).abs() < 0.02, "{level:?}: {all} {one}");
    }
}

#[test]
fn who_is_no_member_may_send_and_receives_nothing() {
    let members = [1, 2, 9];
    let mut bench = Bench::with_group(&parameters(Level::Train, None), tree(), 16, (&members, &[14]));
    bench.send_to_group(14, 1 << 20, 1, Time::ZERO);
    bench.send_to_group(9, 1 << 20, 2, Time::from_millis(50));
    let mut found = bench.await_group(5);
    found.sort_unstable_by_key(|arrival| (arrival.1, arrival.2));
    let sources: Vec<(u32, u64)> = found.iter().map(|arrival| (arrival.1, arrival.2)).collect();
    assert_eq!(sources, [(9, 2), (9, 2), (14, 1), (14, 1), (14, 1)]);
    bench.run.check_conservation().unwrap();
}

#[test]
fn each_link_of_the_tree_passes_a_message_once() {
    let members: Vec<u32> = (0..16).collect();
    let mut bench = Bench::with_group(&parameters(Level::Packet, None), tree(), 16, (&members, &[]));
    bench.send_to_group(0, 1 << 20, 1, Time::ZERO);
    bench.await_group(15);
    let frames = (1u64 << 20).div_ceil(4096);
    let passed = |link: &str| {
        let probe = bench.run.find_probe(&format!("lan/{link}/busy")).unwrap();
        bench.run.marking().probe(probe).tally().count()
    };
    assert_eq!((passed("h0/up"), passed("h0/down"), passed("h1/down")), (frames, 0, frames));
    // From the sender's switch up, and to each of the three others down.
    let trunks = bench.run.net().transition_paths().filter(|path| path.contains("trunk"));
    let names: Vec<String> =
        trunks.filter_map(|path| path.strip_suffix("/resume")).map(str::to_owned).collect();
    let all: u64 = names
        .iter()
        .map(|path| {
            let probe = bench.run.find_probe(&format!("{path}/busy")).unwrap();
            bench.run.marking().probe(probe).tally().count()
        })
        .sum();
    assert_eq!(all, 4 * frames);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever is in the group, on whichever network, whatever the room: all arrives once, in each sender's order.
    #[test]
    fn each_member_has_each_message_once(
        members in prop::collection::btree_set(0u32..16, 1..16),
        sent in prop::collection::vec((0u32..16, 1u64..200_000), 1..12),
        wiring in 0usize..4,
        credits in prop::option::of(1u64..20),
    ) {
        let topology = [
            TopologyParameters::Star,
            TopologyParameters::Tree(TreeParameters { hosts_per_switch: 3, uplinks: 2 }),
            TopologyParameters::FatTree(FatTreeParameters { ports: 4, levels: None, routing: Default::default() }),
            TopologyParameters::Mesh(GridParameters { dimensions: vec![2, 4], hosts_per_switch: 2 }),
        ];
        let wiring = Wiring::new(&topology[wiring], 16).unwrap();
        let members: Vec<u32> = members.into_iter().collect();
        let senders: Vec<u32> = (0..16).collect();
        let parameters = parameters(Level::Packet, credits.map(|credits| credits * 4122));
        let mut bench = Bench::with_group(&parameters, wiring, 16, (&members, &senders));
        let mut expected = 0;
        for (number, &(from, bytes)) in sent.iter().enumerate() {
            bench.send_to_group(from, bytes, number as u64, Time::ZERO);
            expected += members.iter().filter(|&&member| member != from).count();
        }
        let found = bench.await_group(expected);
        bench.run.run_until(found.last().map_or(Time::ZERO, |last| last.0) + Time::from_seconds(1.0)).unwrap();
        bench.run.check_conservation().unwrap();
        prop_assert_eq!(bench.drain_group().len(), 0);
        for &member in &members {
            for from in (0..16).filter(|from| *from != member) {
                let of: Vec<u64> =
                    found.iter().filter(|one| (one.1, one.3) == (from, member)).map(|one| one.2).collect();
                let all = sent.iter().zip(0u64..).filter(|(one, _)| one.0 == from);
                prop_assert_eq!(of, all.map(|(_, number)| number).collect::<Vec<_>>());
            }
        }
    }
}
