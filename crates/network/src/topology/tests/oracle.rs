//! What tests hold a wiring against: steps that fit together, shortest ways by breadth, greatest flows.

use super::super::{LinkKind, Node, Wiring};
use std::collections::{HashMap, HashSet, VecDeque};

/// Follows `next` from host to host: the links. Each begins where the one before ended, and no node is seen twice
/// with the same `Way`, which would be a loop.
pub(super) fn walk(
    wiring: &Wiring,
    source: u32,
    destination: u32,
    flow: u32,
    load: &dyn Fn(u32) -> u64,
) -> Vec<u32> {
    let mut way = wiring.way(source, destination, flow, load);
    let (mut at, mut taken, mut seen) = (Node::Host(source), Vec::new(), HashSet::new());
    while let Some(number) = wiring.next(at, &mut way) {
        let link = &wiring.links()[number as usize];
        assert_eq!(link.from, at, "link {number} of the way from {source} to {destination}");
        assert!(seen.insert((at, way)), "a loop at {at:?} from {source} to {destination}");
        at = link.to;
        taken.push(number);
    }
    assert_eq!(at, Node::Host(destination), "the way from {source} ends elsewhere");
    taken
}

/// Every link has one back between the same ends, and of its kind, and no link leads to itself.
pub(super) fn check_links(wiring: &Wiring) {
    for (number, link) in (0..).zip(wiring.links()) {
        let back = &wiring.links()[link.back as usize];
        assert_eq!((back.back, back.from, back.to, back.kind), (number, link.to, link.from, link.kind));
        assert_ne!(link.from, link.to);
        let trunk = matches!((link.from, link.to), (Node::Switch(_), Node::Switch(_)));
        assert_eq!(link.kind == LinkKind::Trunk, trunk);
        for node in [link.from, link.to] {
            match node {
                Node::Host(host) => assert!(host < wiring.hosts()),
                Node::Switch(switch) => assert!(switch < wiring.switches()),
            }
        }
    }
}

/// Every host reaches every other by the shortest way there is, of at most so many links.
pub(super) fn hosts_are_connected(wiring: &Wiring, diameter: usize) {
    for source in 0..wiring.hosts() {
        let shortest = distances(wiring, Node::Host(source));
        for destination in (0..wiring.hosts()).filter(|host| *host != source) {
            let length = walk(wiring, source, destination, source * 7919 + destination, &|_| 0).len();
            assert_eq!(length, shortest[&Node::Host(destination)], "from {source} to {destination}");
            assert!(length <= diameter, "{length} links from {source} to {destination}");
        }
    }
}

/// The fewest links to every node, by breadth; hosts pass nothing on.
pub(super) fn distances(wiring: &Wiring, source: Node) -> HashMap<Node, usize> {
    let mut out: HashMap<Node, Vec<Node>> = HashMap::new();
    for link in wiring.links() {
        out.entry(link.from).or_default().push(link.to);
    }
    let mut found = HashMap::from([(source, 0)]);
    let mut waiting = VecDeque::from([source]);
    while let Some(node) = waiting.pop_front() {
        if node != source && matches!(node, Node::Host(_)) {
            continue;
        }
        for to in out.get(&node).into_iter().flatten() {
            if !found.contains_key(to) {
                found.insert(*to, found[&node] + 1);
                waiting.push_back(*to);
            }
        }
    }
    found
}

/// The greatest flow from the hosts that `left` names to the others, each link carrying one (Ford and Fulkerson).
pub(super) fn bisection(wiring: &Wiring, left: impl Fn(u32) -> bool) -> usize {
    let mut out: HashMap<Node, Vec<(Node, usize)>> = HashMap::new();
    // What is left of each link, and of each the other way: two numbers a link.
    let mut room = Vec::new();
    for link in wiring.links() {
        for (from, to, free) in [(link.from, link.to, 1), (link.to, link.from, 0)] {
            out.entry(from).or_default().push((to, room.len()));
            room.push(free);
        }
    }
    let mut flow = 0;
    for source in (0..wiring.hosts()).filter(|host| left(*host)) {
        let source = Node::Host(source);
        let mut came: HashMap<Node, Option<(Node, usize)>> = HashMap::from([(source, None)]);
        let mut waiting = VecDeque::from([source]);
        let mut end = None;
        while let Some(node) = waiting.pop_front() {
            if matches!(node, Node::Host(host) if !left(host)) {
                end = Some(node);
                break;
            }
            for (to, edge) in &out[&node] {
                // Other hosts on the left are sources of their own, and pass nothing on.
                if room[*edge] > 0 && !came.contains_key(to) && !matches!(to, Node::Host(host) if left(*host))
                {
                    came.insert(*to, Some((node, *edge)));
                    waiting.push_back(*to);
                }
            }
        }
        let Some(mut node) = end else { continue };
        flow += 1;
        while let Some((before, edge)) = came[&node] {
            room[edge] -= 1;
            room[edge ^ 1] += 1;
            node = before;
        }
    }
    flow
}

/// Links from the switches that `left` names to the others.
pub(super) fn cut(wiring: &Wiring, left: impl Fn(u32) -> bool) -> usize {
    let crosses = |link: &&super::Link| match (link.from, link.to) {
        (Node::Switch(from), Node::Switch(to)) => left(from) && !left(to),
        _ => false,
    };
    wiring.links().iter().filter(crosses).count()
}
