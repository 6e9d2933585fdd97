//! Links whose ends have little room: nothing is lost, and who waits holds up others.

use super::support::Bench;
use crate::topology::{TopologyParameters, TreeParameters, Wiring};
use crate::{Level, LinkParameters, NetworkParameters, Transport};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

/// Four lanes of InfiniBand at 2.5 Gbit/s each, 8 of 10 bits of them data.
fn infiniband(level: Level, credits: Option<u64>) -> NetworkParameters {
    let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "200 ns".parse().unwrap());
    let link = LinkParameters { credits: credits.map(Bytes), ..link };
    NetworkParameters { transport: Transport::Rdma, level, ..NetworkParameters::of_links(link) }
}

/// When the last of these messages (from, to, bytes) is there, all sent at once.
fn end_of(bench: &mut Bench, messages: &[(u32, u32, u64)]) -> Time {
    let mut hosts: Vec<u32> = messages.iter().map(|(_, to, _)| *to).collect();
    hosts.sort_unstable();
    hosts.dedup();
    for (number, &(from, to, bytes)) in messages.iter().enumerate() {
        bench.send((from, to), number as u32, bytes, number as u64, Time::ZERO);
    }
    bench.await_messages(&hosts, messages.len()).last().unwrap().0
}

#[test]
fn many_who_send_to_one_fill_its_link_and_lose_nothing() {
    for level in [Level::Train, Level::Packet] {
        let parameters = infiniband(level, Some(16 << 10));
        let mut bench = Bench::star(&parameters, 17);
        let messages: Vec<_> = (1..17).map(|from| (from, 0, 1 << 20)).collect();
        let end = end_of(&mut bench, &messages);
        let share = 16.0 * f64::from(1 << 20) / end.as_seconds() / 1e9 / parameters.framing().efficiency();
        assert!((0.98..=1.0).contains(&share), "{level:?}: {share}");
        assert_eq!(bench.dropped(17).0, 0);
    }
}

#[test]
fn one_frame_of_room_passes_one_frame_a_round_trip() {
    // A link of 100 µs: the frame, its way to the switch and on its link, and the news back.
    let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "100 us".parse().unwrap());
    let link = LinkParameters { credits: Some(Bytes(4122)), ..link };
    let parameters = NetworkParameters {
        transport: Transport::Rdma,
        level: Level::Packet,
        ..NetworkParameters::of_links(link)
    };
    let mut bench = Bench::star(&parameters, 2);
    let frames = 50;
    let end = end_of(&mut bench, &[(0, 1, frames * 4096)]);
    let each = end.as_seconds() / frames as f64;
    assert!((195e-6..215e-6).contains(&each), "{each}");
    // As much as is under way in a round trip fills the link.
    let mut roomy = parameters.clone();
    roomy.link.credits = Some(Bytes(1 << 20));
    let quick = end_of(&mut Bench::star(&roomy, 2), &[(0, 1, frames * 4096)]);
    assert!(quick.as_seconds() < 0.05 * end.as_seconds(), "{quick}");
}

#[test]
fn room_counts_bytes_and_not_frames_as_if_each_were_a_train() {
    // 64 KiB are 1.6 times what is under way in a round trip of 40 µs; an acknowledgement takes 90 bytes of it.
    let took = |level| {
        let link = LinkParameters::wire("8 Gbit/s".parse().unwrap(), "20 us".parse().unwrap());
        let link = LinkParameters { credits: Some(Bytes(64 << 10)), ..link };
        let parameters = NetworkParameters { level, ..NetworkParameters::of_links(link) };
        end_of(&mut Bench::star(&parameters, 2), &[(0, 1, 8 << 20)]).as_seconds()
    };
    let (train, packet) = (took(Level::Train), took(Level::Packet));
    assert!((packet / train - 1.0).abs() < 0.15, "train {train}, packet {packet}");
}

#[test]
fn a_slow_host_holds_up_messages_to_others_that_share_its_way() {
    let tree = TopologyParameters::Tree(TreeParameters { hosts_per_switch: 8, uplinks: 1 });
    let victim = |credits| {
        let mut bench = Bench::new(&infiniband(Level::Packet, credits), Wiring::new(&tree, 16).unwrap(), 16);
        // Six on the first switch and one on the second send to host 15, and one of the first to host 14.
        for from in [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13] {
            bench.send((from, 15), from, 2 << 20, 1, Time::ZERO);
        }
        bench.send((0, 14), 0, 1 << 20, 2, Time::ZERO);
        bench.await_messages(&[14], 1)[0].0
    };
    let (open, held) = (victim(None), victim(Some(16 << 10)));
    // Seven share the trunk in turns; with little room what waits for host 15 stands in the way, too.
    assert!(held.as_seconds() > 1.5 * open.as_seconds(), "{held} {open}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the room: every message arrives, once and in order, and room is never missing in the end.
    #[test]
    fn all_that_was_sent_arrives_whatever_the_room(
        messages in prop::collection::vec((0u32..6, 0u32..6, 1u64..100_000), 1..40),
        frames in 1u64..12,
    ) {
        let messages: Vec<_> = messages.into_iter().filter(|(from, to, _)| from != to).collect();
        prop_assume!(!messages.is_empty());
        let tree = TopologyParameters::Tree(TreeParameters { hosts_per_switch: 2, uplinks: 1 });
        let mut ends = Vec::new();
        for credits in [Some(frames * 4122), None] {
            let parameters = infiniband(Level::Packet, credits);
            let mut bench = Bench::new(&parameters, Wiring::new(&tree, 6).unwrap(), 6);
            ends.push(end_of(&mut bench, &messages));
            bench.run.check_conservation().unwrap();
        }
        // Room is never in the way of what would have come.
        prop_assert!(ends[0] >= ends[1] || ends[0].as_seconds() > 0.9 * ends[1].as_seconds(), "{ends:?}");
        // What passes the busiest host link is a floor.
        let bytes = |host: u32, at: fn(&(u32, u32, u64)) -> u32| {
            messages.iter().filter(|one| at(one) == host).map(|one| one.2).sum::<u64>()
        };
        let most = (0..6).map(|host| bytes(host, |one| one.0).max(bytes(host, |one| one.1))).max().unwrap();
        prop_assert!(ends[0].as_seconds() >= most as f64 / 1e9);
    }
}

#[test]
fn a_message_of_a_higher_lane_passes_those_that_fill_the_lower_one() {
    let small = |lanes: u8, level: u8, credits: Option<u64>| {
        let parameters = NetworkParameters { virtual_lanes: lanes, ..infiniband(Level::Packet, credits) };
        let mut bench = Bench::star(&parameters, 9);
        for from in 1..8 {
            bench.send((from, 0), 0, 8 << 20, 1, Time::ZERO);
        }
        bench.service_level = level;
        bench.send((8, 0), 0, 1_000, 2, Time::from_millis(1));
        let all = bench.await_messages(&[0], 8);
        all.iter().find(|arrival| arrival.2 == 2).unwrap().0 - Time::from_millis(1)
    };
    for credits in [None, Some(16 << 10)] {
        let (shared, apart) = (small(1, 0, credits), small(2, 1, credits));
        // At most the frame that is passing comes first, at the switch.
        assert!(apart < Time::from_micros(8), "{credits:?}: {apart}");
        assert!(shared > apart + Time::from_micros(20), "{credits:?}: {shared} {apart}");
        // A level beyond the last lane takes the last one, and with one lane there is nothing to choose.
        assert_eq!((small(2, 9, credits), small(1, 9, credits)), (apart, shared));
    }
}
