//! Which hosts, switches and directed links a network has, and which way a message takes through them. No nets and no
//! time: what a link does with a message isn't known here.
//!
//! | kind | switches | way | switches on it at most | source |
//! | --- | --- | --- | --- | --- |
//! | `hub` | one medium, half duplex | — | 1 | Metcalfe and Boggs 1976 (Ethernet) |
//! | `star` | 1 | — | 1 | IEEE 802.1D |
//! | `tree` | edges and one core | parallel links by flow | 3 | IEEE 802.1AX (link aggregation) |
//! | `fat-tree` | folded Clos, 2 or 3 levels | d-mod-k, or by flow | 3, 5 | Leiserson 1985, Al-Fares et al. 2008 |
//! | `mesh` | k₁ × k₂ × … | dimension order | 1 + Σ (k − 1) | Dally and Towles 2004, chapters 5 and 8 |
//! | `torus` | k₁ × k₂ × … | dimension order | 1 + Σ ⌊k / 2⌋ | Dally and Towles 2004, chapters 5 and 8 |
//! | `dragonfly` | groups, all connected | minimal, Valiant, UGAL | 4, Valiant's 6 | Kim, Dally, Scott and Abts 2008 |
//! | `links` | as named | fewest hops | as named | Dijkstra 1959 |
//!
//! Regular topologies compute their ways, and keep nothing for pairs of hosts: a link's number follows from where it
//! begins and leads. Links 0 to hosts − 1 lead from the hosts, as many to them follow, then those between switches.
//! Links given one by one keep a table, with a row for each switch.
//!
//! Links that wait for room at each other's ends may all wait for ever where they lead around in a circle. A way says at
//! each link which class of lanes it takes so that they don't: round a ring of a torus, one as long as the way back over
//! the ring's end is still to come and another after it (Dally and Seitz 1987); in a dragonfly, one for each group that
//! it comes to (Kim et al. 2008, section 4).
//!
//! Leaves out: spanning trees and routing protocols at work (ways are there from the beginning and stay), links that
//! fail, and adaptive routing other than UGAL at the source.

mod clos;
mod dragonfly;
mod error;
mod grid;
mod one_by_one;
mod parameters;

pub use error::TopologyError;
pub use parameters::{
    DragonflyArrangement, DragonflyParameters, DragonflyRouting, FatTreeParameters, FatTreeRouting,
    GridParameters, LinkParameters, LinksParameters, TopologyParameters, TreeParameters,
};

use clos::Clos;
use dragonfly::Dragonfly;
use grid::Grid;
use one_by_one::Routes;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use petrio_units::{Duration, Rate};

/// Directed links that are made at most: about 300 MB. A full fat tree of three levels has six for each host.
pub(crate) const LINKS_MAX: u32 = 1 << 22;

/// No switch, no link, no row, no group.
const NONE: u32 = u32::MAX;

/// A host's or switch's place in the wiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub enum Node {
    /// A host, by its number.
    Host(u32),
    /// A switch, by its number.
    Switch(u32),
}

/// What a link connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub enum LinkKind {
    /// A host with a switch, or with another host.
    Host,
    /// A switch with a switch.
    Trunk,
}

/// A directed link. Full duplex is two of them.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Link {
    /// Where it begins.
    pub from: Node,
    /// Where it leads.
    pub to: Node,
    /// What it connects.
    pub kind: LinkKind,
    /// The number of the link the other way.
    pub back: u32,
    /// How many times its rate it has: its lanes.
    pub rate_factor: f64,
    /// The rate of a lane, where it has its own.
    #[persist(keep)]
    pub rate: Option<Rate>,
    /// Its latency, where it has its own.
    #[persist(keep)]
    pub latency: Option<Duration>,
}

/// What a message's route remembers while it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub struct Way {
    /// The host to which it leads.
    destination: u32,
    /// The group that it visits first, or `NONE`.
    via: u32,
    /// Chooses between equal ways.
    flow: u32,
    /// Groups that it has left.
    left: u8,
    /// The class of lanes that it takes of the next link.
    class: u8,
}

impl Way {
    /// The host to which it leads.
    pub fn destination(&self) -> u32 {
        self.destination
    }

    /// The class of lanes that it takes of the link that was last asked for, from 0 on.
    pub fn class(&self) -> u8 {
        self.class
    }
}

/// The links of a network, and the ways through them.
#[derive(Clone, Debug, Persist)]
pub struct Wiring {
    hosts: u32,
    switches: u32,
    links: Vec<Link>,
    shared: bool,
    routing: Routing,
}

/// How the next link is found.
#[derive(Clone, Debug, Persist)]
enum Routing {
    /// One switch.
    Star,
    Clos(Clos),
    Grid(Grid),
    Dragonfly(Dragonfly),
    OneByOne(Routes),
}

impl Wiring {
    /// Wires so many hosts, which attach in the order of their numbers.
    ///
    /// # Errors
    /// See [`TopologyError`].
    pub fn new(parameters: &TopologyParameters, hosts: u32) -> Result<Self, TopologyError> {
        if hosts == 0 {
            return Err(TopologyError::NoHosts);
        }
        let regular = |switches, links, routing| Self { hosts, switches, links, shared: false, routing };
        Ok(match parameters {
            TopologyParameters::Hub | TopologyParameters::Star => {
                fits(hosts, 1, 0)?;
                let star = regular(1, host_links(hosts, hosts), Routing::Star);
                Self { shared: *parameters == TopologyParameters::Hub, ..star }
            }
            TopologyParameters::Tree(tree) => {
                let clos = Clos::of_tree(tree, hosts)?;
                regular(clos.switches(), clos.links(), Routing::Clos(clos))
            }
            TopologyParameters::FatTree(tree) => {
                let clos = Clos::of_fat_tree(tree, hosts)?;
                regular(clos.switches(), clos.links(), Routing::Clos(clos))
            }
            TopologyParameters::Mesh(parameters) => {
                let grid = Grid::mesh(parameters, hosts)?;
                regular(grid.switches(), grid.links(), Routing::Grid(grid))
            }
            TopologyParameters::Torus(parameters) => {
                let grid = Grid::torus(parameters, hosts)?;
                regular(grid.switches(), grid.links(), Routing::Grid(grid))
            }
            TopologyParameters::Dragonfly(parameters) => {
                let dragonfly = Dragonfly::new(parameters, hosts)?;
                regular(dragonfly.switches(), dragonfly.links(), Routing::Dragonfly(dragonfly))
            }
            TopologyParameters::Links(_) => return Err(TopologyError::NoNames),
        })
    }

    /// Wires hosts by links that are given one by one; names in these that aren't hosts' are switches. A message takes
    /// a way of fewest links, among these one of the lowest latency (a link without its own counts as zero), among
    /// these the links first given. Hosts pass nothing on.
    ///
    /// # Errors
    /// See [`TopologyError`].
    pub fn of_links(hosts: &[String], links: &[LinkParameters]) -> Result<Self, TopologyError> {
        one_by_one::wire(hosts, links)
    }

    /// Wires hosts with names, by whichever topology.
    ///
    /// # Errors
    /// See [`TopologyError`].
    pub fn of_named(parameters: &TopologyParameters, hosts: &[String]) -> Result<Self, TopologyError> {
        match parameters {
            TopologyParameters::Links(one_by_one) => Self::of_links(hosts, &one_by_one.links),
            _ => Self::new(parameters, u32::try_from(hosts.len()).unwrap_or(u32::MAX)),
        }
    }

    /// All links, by number.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// How many switches there are.
    pub fn switches(&self) -> u32 {
        self.switches
    }

    /// Whether all links are one half-duplex medium.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Whether ways are chosen by what waits before links.
    pub fn adapts(&self) -> bool {
        matches!(&self.routing, Routing::Dragonfly(dragonfly) if dragonfly.adapts())
    }

    /// Of links that wait for room at each other's ends, how many classes of lanes they need so that none waits for ever;
    /// `None` where they lead around in circles that no classes are known for.
    pub fn lanes_against_circles(&self) -> Option<u8> {
        match &self.routing {
            Routing::Dragonfly(dragonfly) => Some(dragonfly.groups_on_a_way()),
            Routing::Grid(grid) if grid.wraps() => Some(2),
            // A tree has as many cables as nodes, less one.
            Routing::OneByOne(_) if self.links.len() / 2 >= (self.hosts + self.switches) as usize => None,
            Routing::Star | Routing::Clos(_) | Routing::Grid(_) | Routing::OneByOne(_) => Some(1),
        }
    }

    /// The way of a message or connection. `flow`, which may be any number, spreads flows over equal ways; `load` tells
    /// the bytes that wait before a link, and only adaptive routing asks it.
    #[inline]
    pub fn way(&self, source: u32, destination: u32, flow: u32, load: &dyn Fn(u32) -> u64) -> Way {
        let via = match &self.routing {
            Routing::Dragonfly(dragonfly) if source < self.hosts && destination < self.hosts => {
                dragonfly.via(source, destination, flow, load)
            }
            _ => NONE,
        };
        Way { destination, via, flow, left: 0, class: 0 }
    }

    /// The next link from a node; `None` at the destination, or where no way leads there.
    #[inline]
    pub fn next(&self, at: Node, way: &mut Way) -> Option<u32> {
        if way.destination >= self.hosts || at == Node::Host(way.destination) {
            return None;
        }
        if let Routing::OneByOne(routes) = &self.routing {
            return routes.onward(at, way.destination);
        }
        let switch = match at {
            Node::Host(host) => return (host < self.hosts).then_some(host),
            Node::Switch(switch) if switch < self.switches => switch,
            Node::Switch(_) => return None,
        };
        Some(match &self.routing {
            Routing::Clos(clos) => clos.onward(switch, way.destination, way.flow),
            Routing::Grid(grid) => grid.onward(switch, way),
            Routing::Dragonfly(dragonfly) => dragonfly.onward(switch, way),
            Routing::Star | Routing::OneByOne(_) => self.hosts + way.destination,
        })
    }
}

/// Whether so much can be made. Numbers of links and switches are then far from their types' ends.
fn fits(hosts: u32, switches: u128, trunks: u128) -> Result<(), TopologyError> {
    let links = trunks.saturating_add(2 * u128::from(hosts));
    let limit = u128::from(LINKS_MAX);
    if links > limit || switches > limit {
        return Err(TopologyError::TooLarge { switches, links });
    }
    Ok(())
}

/// A figure that must be more than zero.
fn positive(name: &'static str, figure: u32) -> Result<(), TopologyError> {
    if figure == 0 { Err(TopologyError::Zero(name)) } else { Ok(()) }
}

/// A link like all others of its kind.
fn link(kind: LinkKind, from: Node, to: Node, back: u32) -> Link {
    Link { from, to, kind, back, rate_factor: 1.0, rate: None, latency: None }
}

/// Appends so many links and after them, in the same order, those back.
fn push_both_ways(links: &mut Vec<Link>, kind: LinkKind, count: u32, ends: impl Fn(u32) -> (Node, Node)) {
    let there = as_number(links.len());
    let back = there + count;
    links.extend((0..count).map(|number| {
        let (from, to) = ends(number);
        link(kind, from, to, back + number)
    }));
    links.extend((0..count).map(|number| {
        let (from, to) = ends(number);
        link(kind, to, from, there + number)
    }));
}

/// The links of hosts, so many at each switch.
fn host_links(hosts: u32, hosts_per_switch: u32) -> Vec<Link> {
    let mut links = Vec::new();
    push_both_ways(&mut links, LinkKind::Host, hosts, |host| {
        (Node::Host(host), Node::Switch(host / hosts_per_switch))
    });
    links
}

/// One of `ways`, chosen by a flow. Choices of different `salt` are independent of each other.
///
/// The bits are mixed as by the end of MurmurHash3 (Appleby 2011), so that flows may be numbered one after the other;
/// the high bits choose, which needs no division (Lemire 2019, "Fast random integer generation in an interval").
fn choose(flow: u32, salt: u32, ways: u32) -> u32 {
    let mut mixed = flow ^ salt.wrapping_mul(0x9e37_79b9);
    mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
    mixed ^= mixed >> 16;
    ((u64::from(mixed) * u64::from(ways)) >> 32) as u32
}

#[cfg(test)]
mod tests;
