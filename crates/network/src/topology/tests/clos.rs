//! Trees and fat trees: lengths of ways, full bisection, and links that shifts share evenly.

use super::oracle::{bisection, cut};
use super::*;

/// How many of these pairs each link carries.
fn carried(wiring: &Wiring, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut carried = vec![0; wiring.links().len()];
    for (flow, (from, to)) in (0..).zip(pairs) {
        for link in walk(wiring, from, to, flow, &|_| 0) {
            carried[link as usize] += 1;
        }
    }
    carried
}

#[test]
fn a_tree_has_one_core_and_ways_of_at_most_four_links() {
    let wiring = wired("{ kind = \"tree\", hosts_per_switch = 4, uplinks = 3 }", 14);
    // Edges for 4, 4, 4 and 2 hosts, each with three links up.
    assert_eq!((wiring.switches(), wiring.links().len()), (5, 2 * (14 + 4 * 3)));
    check_links(&wiring);
    hosts_are_connected(&wiring, 4);
    assert_eq!(cut(&wiring, |switch| switch < 4), 12);
    assert_eq!(wired("{ kind = \"tree\", hosts_per_switch = 4 }", 4).switches(), 1);
}

#[test]
fn a_full_fat_tree_has_the_links_of_its_closed_form() {
    // Al-Fares et al. 2008: k pods of k switches, (k / 2)² cores, k³ / 4 hosts, as many cables at each level.
    for k in [2, 4, 6, 8] {
        let hosts = k * k * k / 4;
        let wiring = wired(&format!("{{ kind = \"fat-tree\", ports = {k}, levels = 3 }}"), hosts);
        assert_eq!(wiring.switches(), 5 * k * k / 4);
        assert_eq!(wiring.links().len() as u32, 3 * 2 * hosts);
        check_links(&wiring);
        hosts_are_connected(&wiring, 6);
    }
    for k in [2, 4, 8, 12] {
        let hosts = k * k / 2;
        let wiring = wired(&format!("{{ kind = \"fat-tree\", ports = {k} }}"), hosts);
        assert_eq!((wiring.switches(), wiring.links().len() as u32), (3 * k / 2, 2 * 2 * hosts));
        check_links(&wiring);
        hosts_are_connected(&wiring, 4);
    }
}

#[test]
fn a_fat_tree_has_full_bisection() {
    for (ports, levels) in [(4, 2), (8, 2), (4, 3), (6, 3), (8, 3)] {
        let hosts = if levels == 2 { ports * ports / 2 } else { ports * ports * ports / 4 };
        let wiring = wired(&format!("{{ kind = \"fat-tree\", ports = {ports}, levels = {levels} }}"), hosts);
        assert_eq!(bisection(&wiring, |host| host < hosts / 2) as u32, hosts / 2);
        assert_eq!(bisection(&wiring, |host| host % 2 == 0) as u32, hosts / 2);
    }
    // A tree's is that of its links up.
    let tree = wired("{ kind = \"tree\", hosts_per_switch = 4, uplinks = 3 }", 16);
    assert_eq!(bisection(&tree, |host| host < 8), 6);
}

#[test]
fn shifts_by_destination_give_no_link_more_than_one_message() {
    // Zahavi 2010, theorem: on a full fat tree every shift permutation is free of contention.
    for (ports, levels, hosts) in [(4, 2, 8), (8, 2, 32), (4, 3, 16), (6, 3, 54), (8, 3, 128)] {
        let wiring = wired(&format!("{{ kind = \"fat-tree\", ports = {ports}, levels = {levels} }}"), hosts);
        for shift in 1..hosts {
            let pairs = (0..hosts).map(|from| (from, (from + shift) % hosts));
            assert_eq!(carried(&wiring, pairs).into_iter().max(), Some(1), "shift {shift} on {ports} ports");
        }
    }
}

#[test]
fn all_pairs_by_destination_load_links_of_a_level_equally() {
    let wiring = wired("{ kind = \"fat-tree\", ports = 6, levels = 3 }", 54);
    let pairs = (0..54).flat_map(|from| (0..54).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let carried = carried(&wiring, pairs);
    // Of 54 · 53 pairs, those that leave the leaf (51 of 53 each) and those that leave the pod (45 of 53).
    let levels = [(0, 54, 53), (108, 54, 51), (216, 54, 45)];
    for (first, links, each) in levels {
        assert!(carried[first..first + 2 * links].iter().all(|carried| *carried == each));
    }
}

#[test]
fn flows_spread_evenly_over_equal_ways() {
    let wiring = wired("{ kind = \"fat-tree\", ports = 8, levels = 3, routing = \"by-flow\" }", 128);
    hosts_are_connected(&wiring, 6);
    let mut counts = std::collections::HashMap::new();
    for flow in 0..16_000 {
        *counts.entry(walk(&wiring, 0, 127, flow, &|_| 0)).or_insert(0) += 1;
    }
    // 16 ways, one for each core: chi-square with 15 degrees of freedom is below 37.7 in 999 of 1,000.
    assert_eq!(counts.len(), 16);
    let chi_square: f64 = counts.values().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi_square < 37.7, "{chi_square}");
}

#[test]
fn only_what_hosts_need_is_built() {
    // 5 of the 16 hosts of four ports: two leaves in one pod and one in the next, two switches above each, four cores.
    let wiring = wired("{ kind = \"fat-tree\", ports = 4, levels = 3 }", 5);
    assert_eq!((wiring.switches(), wiring.links().len()), (3 + 4 + 4, 2 * (5 + 6 + 8)));
    // As few levels as the hosts need, and one switch for those of one leaf.
    let levels = [(2, 1), (4, 4), (8, 6), (9, 17)]
        .map(|(hosts, _)| wired("{ kind = \"fat-tree\", ports = 4 }", hosts).switches());
    assert_eq!(levels, [1, 2 + 2, 4 + 2, 5 + 6 + 4]);
}

#[test]
fn a_fat_tree_that_cannot_be_is_refused() {
    let text = refused("{ kind = \"fat-tree\", ports = 5 }", 4);
    assert!(text.contains("5 ports") && text.contains("even"), "{text}");
    assert!(refused("{ kind = \"fat-tree\", ports = 0 }", 4).contains("`ports` is zero"));
    let text = refused("{ kind = \"fat-tree\", ports = 4 }", 17);
    assert!(text.contains("room for 16 hosts, and 17 are connected"), "{text}");
    assert!(refused("{ kind = \"fat-tree\", ports = 4, levels = 2 }", 9).contains("3 `levels`"));
    assert!(refused("{ kind = \"fat-tree\", ports = 4, levels = 4 }", 9).contains("4 levels"));
    assert!(refused("{ kind = \"tree\", hosts_per_switch = 0 }", 9).contains("`hosts_per_switch`"));
    let text = refused("{ kind = \"tree\", hosts_per_switch = 1, uplinks = 4000000000 }", 1000);
    assert!(text.contains("too many"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hosts_of_any_tree_are_connected(
        per_switch in 1_u32..6, uplinks in 1_u32..4, hosts in 1_u32..40,
    ) {
        let tree = TreeParameters { hosts_per_switch: per_switch, uplinks };
        let wiring = Wiring::new(&TopologyParameters::Tree(tree), hosts).unwrap();
        check_links(&wiring);
        hosts_are_connected(&wiring, 4);
    }

    #[test]
    fn hosts_of_any_fat_tree_are_connected(
        half in 1_u32..5, share in 0.0_f64..1.0, three in any::<bool>(), by_flow in any::<bool>(),
    ) {
        let levels = if three { 3 } else { 2 };
        let hosts = 1 + (f64::from(2 * half.pow(levels) - 1) * share) as u32;
        let routing = if by_flow { FatTreeRouting::ByFlow } else { FatTreeRouting::ByDestination };
        let tree = FatTreeParameters { ports: 2 * half, levels: Some(levels), routing };
        let wiring = Wiring::new(&TopologyParameters::FatTree(tree), hosts).unwrap();
        check_links(&wiring);
        hosts_are_connected(&wiring, if three { 6 } else { 4 });
        // No switch has more ports than it may.
        let mut ports = std::collections::HashMap::new();
        for link in wiring.links() {
            *ports.entry(link.from).or_insert(0) += 1;
        }
        for (node, ports) in ports {
            assert!(matches!(node, Node::Host(_)) && ports == 1 || ports <= 2 * half, "{node:?} has {ports}");
        }
    }
}
