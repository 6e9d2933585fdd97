//! Links given one by one, and the shortest ways through them.
//!
//! Source: Dijkstra 1959, "A note on two problems in connexion with graphs", from each destination backwards. Hops
//! count first, as where OSPF's links all have one cost (Moy 1998, RFC 2328), then latency, then the links'
//! order.
//!
//! Hosts with one link, which are nearly all, share the column of their switch: the table has a row for each switch
//! (and each host with several links), and a column for each switch with hosts.
//!
//! Leaves out: several equal ways at a time (lanes say that cables work as one link), and hosts that pass messages on.

use super::{
    LINKS_MAX, Link, LinkKind, LinkParameters, NONE, Node, Routing, TopologyError, Wiring, fits, link,
};
use petrio_persist::Persist;
use petrio_units::Duration;
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entries of the table at most: 64 MB.
const ENTRIES_MAX: usize = 1 << 24;

/// The next links.
#[derive(Clone, Debug, Persist)]
pub(super) struct Routes {
    hosts: Vec<Attachment>,
    columns: usize,
    /// By row, then column. The switches' rows come first.
    table: Vec<u32>,
}

/// How a host is connected.
#[derive(Clone, Copy, Debug, Persist)]
struct Attachment {
    /// Its only link, or `NONE` where it has several.
    only: u32,
    /// Its row, where it has several.
    row: u32,
    /// Its switch's column, or its own.
    column: u32,
    /// Its switch and the link down from it, where the column is the switch's.
    switch: u32,
    down: u32,
}

impl Routes {
    #[inline]
    pub(super) fn onward(&self, at: Node, destination: u32) -> Option<u32> {
        let target = self.hosts.get(destination as usize)?;
        let row = match at {
            Node::Host(host) => {
                let host = self.hosts.get(host as usize)?;
                if host.only != NONE {
                    return Some(host.only);
                }
                host.row
            }
            Node::Switch(switch) if switch == target.switch => return Some(target.down),
            Node::Switch(switch) => switch,
        };
        let next = self.table.get(row as usize * self.columns + target.column as usize)?;
        (*next != NONE).then_some(*next)
    }
}

/// The graph while its table is made. Its nodes are the switches, then the hosts.
struct Graph<'a> {
    links: &'a [Link],
    switches: usize,
    /// Links by the node that they lead to.
    into: Vec<Vec<u32>>,
}

impl Graph<'_> {
    fn index(&self, node: Node) -> usize {
        match node {
            Node::Switch(switch) => switch as usize,
            Node::Host(host) => self.switches + host as usize,
        }
    }

    /// The next link from each node on its way to `target`; `NONE` where there is none.
    fn towards(&self, target: usize) -> Vec<u32> {
        let mut next = vec![NONE; self.into.len()];
        let mut best = vec![(u32::MAX, u128::MAX); self.into.len()];
        let mut waiting = BinaryHeap::new();
        best[target] = (0, 0);
        waiting.push(Reverse(((0, 0), target)));
        while let Some(Reverse((cost, node))) = waiting.pop() {
            // A host passes nothing on: ways end there, and lead through none.
            if cost > best[node] || (node >= self.switches && node != target) {
                continue;
            }
            for number in &self.into[node] {
                let link = &self.links[*number as usize];
                let before = self.index(link.from);
                let latency = u128::from(link.latency.unwrap_or(Duration::ZERO).time().as_picos());
                let longer = (cost.0 + 1, cost.1 + latency);
                if (longer, *number) < (best[before], next[before]) {
                    if longer < best[before] {
                        waiting.push(Reverse((longer, before)));
                    }
                    (best[before], next[before]) = (longer, *number);
                }
            }
        }
        next[target] = NONE;
        next
    }
}

/// Wires hosts by links that are given one by one.
pub(super) fn wire(hosts: &[String], given: &[LinkParameters]) -> Result<Wiring, TopologyError> {
    let host_count = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    if host_count == 0 {
        return Err(TopologyError::NoHosts);
    }
    fits(host_count, 0, given.len() as u128 * 2)?;
    let (links, switches) = both_ways(hosts, given)?;
    let mut graph = Graph { links: &links, switches, into: vec![Vec::new(); switches + hosts.len()] };
    let mut out = vec![Vec::new(); hosts.len()];
    for (number, link) in (0..).zip(&links) {
        let to = graph.index(link.to);
        graph.into[to].push(number);
        if let Node::Host(host) = link.from {
            out[host as usize].push(number);
        }
    }

    let mut columns: Vec<usize> = Vec::new();
    let mut column_of = FxHashMap::default();
    let mut attached = Vec::with_capacity(hosts.len());
    let mut rows: Vec<usize> = (0..switches).collect();
    for (number, name) in hosts.iter().enumerate() {
        let itself = switches + number;
        let (only, row) = match out[number][..] {
            [] => return Err(TopologyError::NoLink(name.clone())),
            [only] => (only, NONE),
            _ => {
                rows.push(itself);
                (NONE, as_number(rows.len()) - 1)
            }
        };
        let (target, switch, down) = match links.get(only as usize) {
            Some(Link { to: Node::Switch(switch), back, .. }) => (*switch as usize, *switch, *back),
            _ => (itself, NONE, NONE),
        };
        let column = *column_of.entry(target).or_insert_with(|| {
            columns.push(target);
            as_number(columns.len()) - 1
        });
        attached.push(Attachment { only, row, column, switch, down });
    }
    let nodes = switches + hosts.len();
    if nodes.saturating_mul(columns.len()) > ENTRIES_MAX {
        return Err(TopologyError::TooManyRoutes { nodes, targets: columns.len() });
    }
    let mut first_in_column: Vec<Option<usize>> = vec![None; columns.len()];
    for (number, attachment) in attached.iter().enumerate() {
        first_in_column[attachment.column as usize].get_or_insert(number);
    }

    let mut table = vec![NONE; rows.len() * columns.len()];
    for (column, target) in columns.iter().enumerate() {
        let next = graph.towards(*target);
        for (from, name) in hosts.iter().enumerate() {
            let Some(to) = first_in_column[column] else { continue };
            if next[switches + from] == NONE && from != to && switches + from != *target {
                return Err(TopologyError::Unreachable { from: name.clone(), to: hosts[to].clone() });
            }
        }
        for (row, node) in rows.iter().enumerate() {
            table[row * columns.len() + column] = next[*node];
        }
    }
    let routes = Routes { hosts: attached, columns: columns.len(), table };
    let switches = as_number(switches);
    let routing = Routing::OneByOne(routes);
    Ok(Wiring { hosts: host_count, switches, links, shared: false, routing })
}

/// Both directions of each link, and how many switches they name.
fn both_ways(hosts: &[String], given: &[LinkParameters]) -> Result<(Vec<Link>, usize), TopologyError> {
    let mut nodes: FxHashMap<&str, Node> = FxHashMap::default();
    for (number, name) in (0..LINKS_MAX).zip(hosts) {
        if nodes.insert(name, Node::Host(number)).is_some() {
            return Err(TopologyError::SameName(name.clone()));
        }
    }
    let mut switches = 0;
    let mut links = Vec::with_capacity(2 * given.len());
    for parameters in given {
        let LinkParameters { between: [one, other], rate, latency, lanes } = parameters;
        if one == other {
            return Err(TopologyError::ToItself(one.clone()));
        }
        if *lanes == 0 {
            return Err(TopologyError::Zero("lanes"));
        }
        let ends = [one, other].map(|name| {
            *nodes.entry(name).or_insert_with(|| {
                switches += 1;
                Node::Switch(switches - 1)
            })
        });
        let trunk = ends.iter().all(|end| matches!(end, Node::Switch(_)));
        let kind = if trunk { LinkKind::Trunk } else { LinkKind::Host };
        let number = as_number(links.len());
        for (from, to, back) in [(ends[0], ends[1], number + 1), (ends[1], ends[0], number)] {
            let lanes = f64::from(*lanes);
            links.push(Link {
                rate: *rate,
                latency: *latency,
                rate_factor: lanes,
                ..link(kind, from, to, back)
            });
        }
    }
    Ok((links, switches as usize))
}
