//! Meshes and tori: distances of rings and lines, links and cuts by closed forms, dimension order.

use super::oracle::cut;
use super::*;

fn grid(rings: bool, dimensions: &[u32], hosts_per_switch: u32, hosts: u32) -> Wiring {
    let parameters = GridParameters { dimensions: dimensions.to_vec(), hosts_per_switch };
    let parameters =
        if rings { TopologyParameters::Torus(parameters) } else { TopologyParameters::Mesh(parameters) };
    Wiring::new(&parameters, hosts).unwrap()
}

fn coordinates(mut switch: u32, dimensions: &[u32]) -> Vec<u32> {
    dimensions
        .iter()
        .map(|size| {
            let place = switch % size;
            switch /= size;
            place
        })
        .collect()
}

/// Steps between two places of a dimension.
fn steps(rings: bool, size: u32, from: u32, to: u32) -> u32 {
    let straight = from.abs_diff(to);
    if rings { straight.min(size - straight) } else { straight }
}

#[test]
fn a_torus_has_two_links_a_dimension_for_each_switch_and_a_mesh_fewer() {
    // Directed: 2 n N in a torus; a mesh lacks one cable of each line.
    assert_eq!(grid(true, &[4, 4, 3], 1, 48).links().len(), 2 * 48 + 2 * 3 * 48);
    assert_eq!(grid(false, &[4, 4, 3], 1, 48).links().len(), 2 * 48 + 2 * (3 * 12 + 3 * 12 + 2 * 16));
    // A torus of two switches a dimension is a hypercube: one cable between neighbours, n N / 2 in all.
    assert_eq!(grid(true, &[2, 2, 2], 1, 8).links().len(), 2 * 8 + 3 * 8);
    assert_eq!(grid(true, &[1, 1], 1, 1).links().len(), 2);
}

#[test]
fn the_middle_of_a_torus_is_crossed_by_twice_the_links_of_a_mesh() {
    // Dally and Towles, section 5.2: 2 N / k cables across the middle of a torus, N / k across that of a mesh.
    for sizes in [&[4, 8][..], &[3, 3, 6], &[8], &[2, 2, 3, 4]] {
        let (n, k) = (sizes.iter().product::<u32>(), sizes[sizes.len() - 1]);
        for rings in [true, false] {
            let wiring = grid(rings, sizes, 1, n);
            let across = cut(&wiring, |switch| switch < n / 2);
            assert_eq!(across as u32, if rings { 2 * n / k } else { n / k });
        }
    }
}

#[test]
fn a_message_crosses_dimensions_in_their_order_and_ties_go_up() {
    let wiring = grid(true, &[4, 5], 1, 20);
    let visited = |from, to| -> Vec<u32> {
        let links = walk(&wiring, from, to, 0, &|_| 0);
        let switch = |link: &u32| match wiring.links()[*link as usize].to {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        };
        links.iter().filter_map(switch).collect()
    };
    // From (0, 0) to (2, 1): right opposite, up; then the second dimension.
    assert_eq!(visited(0, 6), [0, 1, 2, 6]);
    // From (3, 0) to (1, 4): up through the ring's end; then down through it.
    assert_eq!(visited(3, 17), [3, 0, 1, 17]);
}

#[test]
fn a_grid_that_cannot_be_is_refused() {
    assert_eq!(
        refused("{ kind = \"torus\", dimensions = [4, 4, 2] }", 40),
        "a torus of 4 x 4 x 2 with 1 host a switch has room for 32 hosts, and 40 are connected; make a dimension \
         larger, or give more `hosts_per_switch`"
    );
    assert!(refused("{ kind = \"mesh\", dimensions = [] }", 4).contains("no dimensions"));
    assert!(refused("{ kind = \"mesh\", dimensions = [4, 0] }", 4).contains("`dimensions` is zero"));
    assert!(refused("{ kind = \"mesh\", dimensions = [4], hosts_per_switch = 0 }", 4).contains("`hosts_per"));
    let huge =
        "{ kind = \"torus\", dimensions = [4000000000, 4000000000, 4000000000, 4000000000, 4000000000] }";
    assert!(refused(huge, 4).contains("too many"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ways_are_as_long_as_the_distances_of_the_dimensions(
        dimensions in prop::collection::vec(1_u32..6, 1..4),
        hosts_per_switch in 1_u32..3,
        rings in any::<bool>(),
        missing in 0_u32..3,
    ) {
        let switches: u32 = dimensions.iter().product();
        prop_assume!(switches <= 60);
        let hosts = (switches * hosts_per_switch).saturating_sub(missing).max(1);
        let wiring = grid(rings, &dimensions, hosts_per_switch, hosts);
        prop_assert_eq!(wiring.switches(), switches);
        check_links(&wiring);
        let diameter: u32 = dimensions.iter().map(|size| if rings { size / 2 } else { size - 1 }).sum();
        hosts_are_connected(&wiring, diameter as usize + 2);
        for source in 0..hosts {
            for destination in (0..hosts).filter(|host| *host != source) {
                let ends = [source, destination].map(|host| coordinates(host / hosts_per_switch, &dimensions));
                let distance: u32 = (0..dimensions.len())
                    .map(|axis| steps(rings, dimensions[axis], ends[0][axis], ends[1][axis]))
                    .sum();
                let length = walk(&wiring, source, destination, 0, &|_| 0).len();
                prop_assert_eq!(length as u32, distance + 2);
            }
        }
    }
}
