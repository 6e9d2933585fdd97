//! Dragonflies: groups of switches, each connected with each other in the group, and each group with each other.
//!
//! Source: Kim, Dally, Scott and Abts 2008, "Technology-driven, highly-scalable dragonfly topology". A group of a
//! switches with h global links each acts as one switch with a · h ports. Minimal ways cross one local, one global and
//! one local link at most (two global links in a row may be fewer: nobody looks for these). Valiant's ways
//! (Valiant and Brebner 1981, "Universal schemes for parallel communication") do so twice, through a third group. UGAL
//! (Singh 2005, "Load-balanced routing in interconnection networks") takes the minimal way where its queue times its
//! hops is at most that of Valiant's: the queue before the first link (UGAL-L), or before the global link that leaves
//! the group (UGAL-G).
//!
//! Which global link leads where: palmtree and consecutive, Camarero, Vallejo and Beivide 2014, "Topological
//! characterization of Hamming and dragonfly networks and its implications on routing" (Hastings et al. 2015 call them
//! relative and absolute). With fewer groups than a · h + 1, pairs of groups have as many parallel links as all can
//! have, and a hash of the flow chooses; what is left over isn't connected.
//!
//! Leaves out: groups that aren't completely connected (flattened butterflies), and virtual channels.

use super::{
    DragonflyArrangement, DragonflyParameters, DragonflyRouting, Link, LinkKind, Node, TopologyError,
};
use super::{NONE, Way, choose, fits, host_links, link, positive};
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// Salts of the two choices that a flow makes.
const PARALLEL: u32 = 0;
const THIRD_GROUP: u32 = 1;

/// A dragonfly.
#[derive(Clone, Debug, Persist)]
pub(super) struct Dragonfly {
    hosts: u32,
    #[persist(keep)]
    parameters: DragonflyParameters,
    /// Links from each group to each other.
    parallel: u32,
    /// The first link between groups.
    first_global: u32,
}

/// How a message leaves a group for another.
struct Crossing {
    /// The first link.
    first: u32,
    /// The link between the groups.
    global: u32,
    hops: u64,
    /// The switch at which it arrives.
    landing: u32,
}

impl Dragonfly {
    /// Whether it looks at what waits before links.
    pub(super) fn adapts(&self) -> bool {
        matches!(self.parameters.routing, DragonflyRouting::Ugal | DragonflyRouting::UgalGlobal)
    }

    pub(super) fn new(parameters: &DragonflyParameters, hosts: u32) -> Result<Self, TopologyError> {
        let DragonflyParameters { groups, switches_per_group, hosts_per_switch, global_links, .. } =
            *parameters;
        positive("groups", groups)?;
        positive("switches_per_group", switches_per_group)?;
        positive("hosts_per_switch", hosts_per_switch)?;
        let (others, ports) =
            (u64::from(groups) - 1, u64::from(switches_per_group) * u64::from(global_links));
        if ports < others {
            return Err(TopologyError::GlobalLinks { groups, switches_per_group, global_links });
        }
        let switches = u128::from(groups) * u128::from(switches_per_group);
        let room = switches.saturating_mul(u128::from(hosts_per_switch));
        if room < u128::from(hosts) {
            return Err(TopologyError::TooSmall {
                what: format!(
                    "a dragonfly of {groups} groups of {switches_per_group} switches with {hosts_per_switch} hosts each"
                ),
                room,
                hosts,
                remedy: "give more `groups`, `switches_per_group` or `hosts_per_switch`",
            });
        }
        let parallel = ports.checked_div(others).unwrap_or(0);
        let local = switches.saturating_mul(u128::from(switches_per_group) - 1);
        let global = u128::from(groups) * u128::from(others) * u128::from(parallel);
        fits(hosts, switches, local.saturating_add(global))?;
        Ok(Self {
            hosts,
            parameters: parameters.clone(),
            parallel: as_number(parallel),
            first_global: 2 * hosts + as_number(local),
        })
    }

    pub(super) fn switches(&self) -> u32 {
        self.parameters.groups * self.parameters.switches_per_group
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let DragonflyParameters { groups, switches_per_group: size, hosts_per_switch, .. } = self.parameters;
        let mut links = host_links(self.hosts, hosts_per_switch);
        for from in 0..self.switches() {
            let group = from / size * size;
            for to in (group..group + size).filter(|to| *to != from) {
                let back = self.local(to, from % size);
                links.push(link(LinkKind::Trunk, Node::Switch(from), Node::Switch(to), back));
            }
        }
        for group in 0..groups {
            for port in 0..self.parallel * (groups - 1) {
                let (other, back) = self.peer(group, port);
                let (from, to) = (self.switch_of(group, port), self.switch_of(other, back));
                let back = self.global(other, back);
                links.push(link(LinkKind::Trunk, Node::Switch(from), Node::Switch(to), back));
            }
        }
        links
    }

    /// How many groups a message comes to, its own included.
    pub(super) fn groups_on_a_way(&self) -> u8 {
        match self.parameters.routing {
            _ if self.parameters.groups < 2 => 1,
            DragonflyRouting::Minimal => 2,
            _ => 3,
        }
    }

    /// The link from a switch to another of its group, by that one's place in the group.
    fn local(&self, switch: u32, to: u32) -> u32 {
        let size = self.parameters.switches_per_group;
        2 * self.hosts + switch * (size - 1) + to - u32::from(to > switch % size)
    }

    /// The link at a group's global port.
    fn global(&self, group: u32, port: u32) -> u32 {
        self.first_global + group * self.parallel * (self.parameters.groups - 1) + port
    }

    /// The switch that has a group's global port.
    fn switch_of(&self, group: u32, port: u32) -> u32 {
        group * self.parameters.switches_per_group + port / self.parameters.global_links
    }

    /// The first of a group's global ports that leads to another group; each round of ports reaches each group once.
    fn port_to(&self, group: u32, other: u32) -> u32 {
        match self.parameters.arrangement {
            DragonflyArrangement::Palmtree => {
                let distance =
                    if group > other { group - other } else { group + self.parameters.groups - other };
                distance - 1
            }
            DragonflyArrangement::Consecutive => other - u32::from(other > group),
        }
    }

    /// The group and its port at the other end of a group's global port.
    fn peer(&self, group: u32, port: u32) -> (u32, u32) {
        let others = self.parameters.groups - 1;
        let (round, place) = (port / others, port % others);
        let other = match self.parameters.arrangement {
            DragonflyArrangement::Palmtree => (group + others - place) % (others + 1),
            DragonflyArrangement::Consecutive => place + u32::from(place >= group),
        };
        (other, round * others + self.port_to(other, group))
    }

    /// The global port by which a flow goes from a group to another.
    fn exit(&self, group: u32, other: u32, flow: u32) -> u32 {
        let port = self.port_to(group, other);
        if self.parallel == 1 {
            return port;
        }
        choose(flow, PARALLEL, self.parallel) * (self.parameters.groups - 1) + port
    }

    /// The way from a switch into another group.
    fn crossing(&self, switch: u32, other: u32, flow: u32) -> Crossing {
        let size = self.parameters.switches_per_group;
        let group = switch / size;
        let port = self.exit(group, other, flow);
        let (gateway, global) = (self.switch_of(group, port), self.global(group, port));
        let (arrival, back) = self.peer(group, port);
        let landing = self.switch_of(arrival, back);
        if gateway == switch {
            return Crossing { first: global, global, hops: 1, landing };
        }
        Crossing { first: self.local(switch, gateway % size), global, hops: 2, landing }
    }

    /// The group that a message visits first, or `NONE`.
    pub(super) fn via(&self, source: u32, destination: u32, flow: u32, load: &dyn Fn(u32) -> u64) -> u32 {
        let DragonflyParameters { groups, switches_per_group, hosts_per_switch, routing, .. } =
            self.parameters;
        let (from, to) = (source / hosts_per_switch, destination / hosts_per_switch);
        let (here, there) = (from / switches_per_group, to / switches_per_group);
        if routing == DragonflyRouting::Minimal || here == there || groups < 3 {
            return NONE;
        }
        let (low, high) = (here.min(there), here.max(there));
        let mut third = choose(flow, THIRD_GROUP, groups - 2);
        third += u32::from(third >= low);
        third += u32::from(third >= high);
        if routing == DragonflyRouting::Valiant {
            return third;
        }
        let straight = self.crossing(from, there, flow);
        let around = self.crossing(from, third, flow);
        let onward = self.crossing(around.landing, there, flow);
        let straight_hops = straight.hops + u64::from(straight.landing != to);
        let around_hops = around.hops + onward.hops + u64::from(onward.landing != to);
        let (straight_queue, around_queue) = match routing {
            DragonflyRouting::UgalGlobal => (load(straight.global), load(around.global)),
            _ => (load(straight.first), load(around.first)),
        };
        let costs = [(straight_queue, straight_hops), (around_queue, around_hops)]
            .map(|(queue, hops)| u128::from(queue) * u128::from(hops));
        if costs[0] <= costs[1] { NONE } else { third }
    }

    /// The next link from a switch.
    #[inline]
    pub(super) fn onward(&self, switch: u32, way: &mut Way) -> u32 {
        let DragonflyParameters { switches_per_group: size, hosts_per_switch, .. } = self.parameters;
        let target = way.destination / hosts_per_switch;
        // Within a group, to the next one, and on: of each group its own.
        way.class = way.left;
        if switch == target {
            return self.hosts + way.destination;
        }
        let group = switch / size;
        if way.via == group {
            way.via = NONE;
        }
        let goal = if way.via == NONE { target / size } else { way.via };
        if goal == group {
            return self.local(switch, target % size);
        }
        let port = self.exit(group, goal, way.flow);
        let gateway = self.switch_of(group, port);
        if gateway != switch {
            return self.local(switch, gateway % size);
        }
        way.left = way.left.saturating_add(1);
        self.global(group, port)
    }
}
