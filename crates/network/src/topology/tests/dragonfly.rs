//! Dragonflies: which groups are connected, minimal ways, ways through a third group, and which of them UGAL takes.

use super::oracle::cut;
use super::*;
use DragonflyRouting::{Minimal, Ugal, UgalGlobal, Valiant};
use std::collections::HashMap;

fn dragonfly(routing: DragonflyRouting, [groups, size, each, global]: [u32; 4], palmtree: bool) -> Wiring {
    let parameters = DragonflyParameters {
        groups,
        switches_per_group: size,
        hosts_per_switch: each,
        global_links: global,
        routing,
        arrangement: if palmtree {
            DragonflyArrangement::Palmtree
        } else {
            DragonflyArrangement::Consecutive
        },
    };
    Wiring::new(&TopologyParameters::Dragonfly(parameters), groups * size * each).unwrap()
}

/// The switches of a way.
fn switches(wiring: &Wiring, links: &[u32]) -> Vec<u32> {
    let switch = |link: &u32| match wiring.links()[*link as usize].to {
        Node::Switch(switch) => Some(switch),
        Node::Host(_) => None,
    };
    links.iter().filter_map(switch).collect()
}

/// Groups one after the other, and whether no group is crossed by more than one link within it.
fn groups(wiring: &Wiring, links: &[u32], size: u32) -> (Vec<u32>, bool) {
    let all: Vec<u32> = switches(wiring, links).iter().map(|switch| switch / size).collect();
    let mut once = all.clone();
    once.dedup();
    let short = once.iter().all(|group| all.iter().filter(|visited| *visited == group).count() <= 2);
    (once, short)
}

#[test]
fn the_largest_dragonfly_has_one_link_between_each_two_groups() {
    for palmtree in [true, false] {
        // Kim et al. 2008, figure 5: p = h = 2, a = 4: 9 groups and 72 hosts.
        let wiring = dragonfly(Minimal, [9, 4, 2, 2], palmtree);
        assert_eq!((wiring.hosts(), wiring.switches()), (72, 36));
        assert_eq!(wiring.links().len(), 2 * 72 + 9 * 4 * 3 + 9 * 8);
        check_links(&wiring);
        let mut pairs = HashMap::new();
        for link in wiring.links() {
            if let (Node::Switch(from), Node::Switch(to)) = (link.from, link.to) {
                *pairs.entry((from / 4, to / 4)).or_insert(0) += 1;
            }
        }
        let expected = |(pair, count): (&(u32, u32), &u32)| *count == if pair.0 == pair.1 { 12 } else { 1 };
        assert!(pairs.len() == 81 && pairs.iter().all(expected), "{pairs:?}");
        // Each switch has all its ports in use: 2 hosts, 3 others of its group, 2 global links.
        let mut ports = HashMap::new();
        for link in wiring.links() {
            *ports.entry(link.from).or_insert(0) += 1;
        }
        assert!(
            ports.iter().all(|(node, ports)| *ports == if matches!(node, Node::Host(_)) { 1 } else { 7 })
        );
    }
}

#[test]
fn fewer_groups_have_parallel_links_and_the_cut_counts_them() {
    for palmtree in [true, false] {
        // Eight global ports for three other groups: two links to each, and two ports left over.
        let wiring = dragonfly(Minimal, [4, 4, 1, 2], palmtree);
        assert_eq!(wiring.links().len(), 2 * 16 + 4 * 4 * 3 + 4 * 3 * 2);
        check_links(&wiring);
        assert_eq!(cut(&wiring, |switch| switch < 8), 2 * 2 * 2);
        let full = dragonfly(Minimal, [9, 4, 1, 2], palmtree);
        assert_eq!(cut(&full, |switch| switch < 4 * 4), 4 * 5);
    }
}

#[test]
fn links_lead_where_camarero_and_others_say() {
    let leads = |palmtree| -> Vec<u32> {
        let wiring = dragonfly(Minimal, [5, 2, 1, 2], palmtree);
        let global = |link: &&Link| match (link.from, link.to) {
            (Node::Switch(from), Node::Switch(to)) => from / 2 == 2 && to / 2 != 2,
            _ => false,
        };
        let group = |link: &Link| if let Node::Switch(to) = link.to { to / 2 } else { NONE };
        wiring.links().iter().filter(global).map(group).collect()
    };
    // Of group 2: palmtree to those before it, consecutive to all in order.
    assert_eq!(leads(true), [1, 0, 4, 3]);
    assert_eq!(leads(false), [0, 1, 3, 4]);
}

#[test]
fn valiants_ways_go_through_every_third_group() {
    let wiring = dragonfly(Valiant, [9, 4, 2, 2], true);
    let mut through = HashMap::new();
    for flow in 0..7000 {
        let links = walk(&wiring, 24, 45, flow, &|_| 0);
        let (groups, short) = groups(&wiring, &links, 4);
        assert!(short && groups.len() == 3 && groups[0] == 3 && groups[2] == 5, "{groups:?}");
        *through.entry(groups[1]).or_insert(0) += 1;
    }
    // Seven groups: chi-square with 6 degrees of freedom is below 22.5 in 999 of 1,000.
    assert_eq!(through.len(), 7);
    let chi_square: f64 = through.values().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi_square < 22.5, "{chi_square}: {through:?}");
    // Within a group, and between two groups alone, there is no third one to go through.
    assert_eq!(walk(&wiring, 0, 7, 1, &|_| 0).len(), 3);
    let two = dragonfly(Valiant, [2, 2, 2, 1], true);
    assert!((0..100).all(|flow| groups(&two, &walk(&two, 0, 7, flow, &|_| 0), 2).0 == [0, 1]));
}

#[test]
fn ugal_goes_straight_while_it_is_idle_and_around_what_is_loaded() {
    for routing in [Ugal, UgalGlobal] {
        let wiring = dragonfly(routing, [9, 4, 2, 2], true);
        let minimal = dragonfly(Minimal, [9, 4, 2, 2], true);
        let valiant = dragonfly(Valiant, [9, 4, 2, 2], true);
        let mut around = 0;
        for flow in 0..200 {
            let (from, to) = (flow % 8, 8 + flow * 31 % 64);
            let straight = walk(&minimal, from, to, flow, &|_| 0);
            let third = walk(&valiant, from, to, flow, &|_| 0);
            assert_eq!(walk(&wiring, from, to, flow, &|_| 0), straight);
            // Two global links one after the other are sometimes fewer hops than one between two local links.
            let fewer = if third.len() < straight.len() { &third } else { &straight };
            assert_eq!(&walk(&wiring, from, to, flow, &|_| 1500), fewer, "equal queues: fewer hops");
            // The link that this kind looks at; links are numbered alike in all three.
            let global = |way: &[u32]| {
                let leaves = |link: &&u32| match wiring.links()[**link as usize].to {
                    Node::Switch(switch) => switch / 4 != 0,
                    Node::Host(_) => true,
                };
                way.iter().copied().find(|link| leaves(&link)).unwrap()
            };
            let looked_at = |way: &[u32]| if routing == Ugal { way[1] } else { global(way) };
            let (mine, other) = (looked_at(&straight), looked_at(&third));
            let loaded = walk(&wiring, from, to, flow, &|link| if link == mine { 1_000_000 } else { 0 });
            if mine != other {
                assert_eq!(loaded, third);
                around += 1;
            }
            // Hops weigh: the queue of the straight way may be longer by the ratio of hops, and no more.
            let hops = [&straight, &third].map(|way| way.len() as u64 - 2);
            let queues = |queue| {
                move |link| {
                    if link == mine {
                        queue
                    } else if link == other {
                        1000 * hops[0]
                    } else {
                        0
                    }
                }
            };
            if mine != other {
                assert_eq!(walk(&wiring, from, to, flow, &queues(1000 * hops[1])), straight);
                assert_eq!(walk(&wiring, from, to, flow, &queues(1000 * hops[1] + 1)), third);
            }
        }
        assert!(around > 100, "{around}");
    }
}

#[test]
fn a_dragonfly_that_cannot_be_is_refused() {
    let text = refused("{ kind = \"dragonfly\", groups = 10, switches_per_group = 4, global_links = 2 }", 4);
    assert!(
        text.contains("each of 10 groups needs a link to each of 9 others") && text.contains("have 8"),
        "{text}"
    );
    let text = refused("{ kind = \"dragonfly\", groups = 3, switches_per_group = 2 }", 7);
    assert!(text.contains("room for 6 hosts, and 7 are connected"), "{text}");
    assert!(
        refused("{ kind = \"dragonfly\", groups = 0, switches_per_group = 2 }", 7)
            .contains("`groups` is zero")
    );
    let huge =
        "{ kind = \"dragonfly\", groups = 2, switches_per_group = 4000000000, global_links = 4000000000 }";
    assert!(refused(huge, 7).contains("too many"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn minimal_ways_cross_one_link_of_each_sort(
        size in 1_u32..5, global in 1_u32..4, each in 1_u32..3, share in 0.0_f64..1.0, palmtree in any::<bool>(),
        flow in any::<u32>(),
    ) {
        let count = 1 + (f64::from(size * global) * share + 0.5) as u32;
        let figures = [count, size, each, global];
        let wiring = dragonfly(Minimal, figures, palmtree);
        let detours = [Valiant, Ugal].map(|routing| dragonfly(routing, figures, palmtree));
        check_links(&wiring);
        for source in 0..wiring.hosts() {
            let shortest = distances(&wiring, Node::Host(source));
            for destination in (0..wiring.hosts()).filter(|host| *host != source) {
                let links = walk(&wiring, source, destination, flow, &|_| 0);
                let (visited, short) = groups(&wiring, &links, size);
                let ends = [source, destination].map(|host| host / each / size);
                let expected = if ends[0] == ends[1] { 1 } else { 2 };
                prop_assert!(short && visited.len() == expected);
                prop_assert!(links.len() >= shortest[&Node::Host(destination)] && links.len() <= 2 + 3);
                if ends[0] == ends[1] {
                    prop_assert_eq!(links.len(), shortest[&Node::Host(destination)]);
                }
                for wiring in &detours {
                    let way = walk(wiring, source, destination, flow, &|link| u64::from(link ^ flow));
                    let (visited, short) = groups(wiring, &way, size);
                    prop_assert!(short && visited.len() <= 3 && way.len() <= 2 + 5);
                }
            }
        }
    }
}
