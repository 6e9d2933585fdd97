//! What the next link of a message costs: one link of a random way in a large network of each kind.

#![allow(missing_docs)] // criterion's macros make functions without documentation

use criterion::{Criterion, criterion_group, criterion_main};
use petrio_models::network::topology::{Node, TopologyParameters, Wiring};
use std::hint::black_box;

const HOSTS: u32 = 10_000;

/// The nodes of so many ways between hosts far apart, and what the ways are.
fn visits(wiring: &Wiring) -> Vec<(Node, petrio_models::network::topology::Way)> {
    let mut visits = Vec::new();
    for number in 0..2_000_u32 {
        let (source, destination) = (number * 7_919 % HOSTS, number * 6_007 % HOSTS);
        let mut way = wiring.way(source, destination, number, &|_| 0);
        let mut at = Node::Host(source);
        while let Some(link) = wiring.next(at, &mut way) {
            at = wiring.links()[link as usize].to;
            if matches!(at, Node::Switch(_)) {
                visits.push((at, way));
            }
        }
    }
    visits
}

fn next_link(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("next_link");
    for (name, text) in [
        ("star", "topology = \"star\""),
        ("tree", "topology = { kind = \"tree\", hosts_per_switch = 40, uplinks = 4 }"),
        ("fat-tree", "topology = { kind = \"fat-tree\", ports = 48 }"),
        ("fat-tree-by-flow", "topology = { kind = \"fat-tree\", ports = 48, routing = \"by-flow\" }"),
        ("torus", "topology = { kind = \"torus\", dimensions = [20, 25, 20] }"),
        (
            "dragonfly",
            "topology = { kind = \"dragonfly\", groups = 129, switches_per_group = 16, hosts_per_switch = 8, \
             global_links = 8, routing = \"valiant\" }",
        ),
    ] {
        let table: std::collections::HashMap<String, TopologyParameters> =
            toml::from_str(text).unwrap_or_default();
        let Ok(wiring) = Wiring::new(&table["topology"], HOSTS) else { continue };
        let visits = visits(&wiring);
        let mut turn = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                turn = if turn + 1 == visits.len() { 0 } else { turn + 1 };
                let (at, mut way) = visits[turn];
                black_box(wiring.next(black_box(at), &mut way))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, next_link);
criterion_main!(benches);
