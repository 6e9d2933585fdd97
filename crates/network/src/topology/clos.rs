//! Trees and fat trees: leaf switches with hosts, and one or two levels of switches above them.
//!
//! ```text
//! 3 levels     core 0 … core ups² − 1          core a · ups + c is above switch a of each pod
//!                │ ups² links a pod
//!            middle 0 … ups − 1  │ next pod    switch a of a pod is above each of its leaves
//!                │ ups links a leaf
//!            leaf 0 … ups − 1    │ next pod
//!                │
//!              hosts
//! ```
//!
//! With two levels there is one pod; of a tree, the switches above the leaves are one.
//!
//! Sources: Leiserson 1985, "Fat-trees: universal networks for hardware-efficient supercomputing"; Al-Fares, Loukissas
//! and Vahdat 2008, "A scalable, commodity data center network architecture", for three levels of equal switches with k
//! ports: k pods of k / 2 leaves, (k / 2)² cores, k³ / 4 hosts. Up by destination is d-mod-k: Zahavi 2010, "D-Mod-K
//! routing providing non-blocking traffic for shift permutations on real life fat trees"; the way down is then every
//! destination's own. Up by flow is equal-cost multipath by hash: Hopps 2000, RFC 2992. The way down is the only one.
//!
//! Leaves out: switches that no host needs (pods and leaves beyond the last host), and over-subscribed fat trees.

use super::{FatTreeParameters, FatTreeRouting, Link, LinkKind, Node, TopologyError, TreeParameters};
use super::{choose, fits, host_links, positive, push_both_ways};
use petrio_persist::Persist;

/// A tree or fat tree.
#[derive(Clone, Debug, Persist)]
pub(super) struct Clos {
    hosts: u32,
    hosts_per_leaf: u32,
    leaves: u32,
    leaves_per_pod: u32,
    pods: u32,
    /// Links up from each switch that isn't at the top.
    ups: u32,
    /// The switches above the leaves are one.
    one_core: bool,
    routing: FatTreeRouting,
}

impl Clos {
    pub(super) fn of_tree(tree: &TreeParameters, hosts: u32) -> Result<Self, TopologyError> {
        positive("hosts_per_switch", tree.hosts_per_switch)?;
        positive("uplinks", tree.uplinks)?;
        let leaves = hosts.div_ceil(tree.hosts_per_switch);
        Self {
            hosts,
            hosts_per_leaf: tree.hosts_per_switch,
            leaves,
            leaves_per_pod: leaves,
            pods: 1,
            ups: tree.uplinks,
            one_core: true,
            routing: FatTreeRouting::ByFlow,
        }
        .checked()
    }

    pub(super) fn of_fat_tree(tree: &FatTreeParameters, hosts: u32) -> Result<Self, TopologyError> {
        positive("ports", tree.ports)?;
        if !tree.ports.is_multiple_of(2) {
            return Err(TopologyError::OddPorts(tree.ports));
        }
        let half = tree.ports / 2;
        let room = |levels: u32| u128::from(half).pow(levels) * 2;
        let levels = tree.levels.unwrap_or(if u128::from(hosts) <= room(2) { 2 } else { 3 });
        if !matches!(levels, 2 | 3) {
            return Err(TopologyError::Levels(levels));
        }
        if u128::from(hosts) > room(levels) {
            return Err(TopologyError::TooSmall {
                what: format!("a fat tree of {levels} levels of switches with {} ports", tree.ports),
                room: room(levels),
                hosts,
                remedy: if levels == 2 { "give 3 `levels`, or more `ports`" } else { "give more `ports`" },
            });
        }
        let leaves = hosts.div_ceil(half);
        let leaves_per_pod = if levels == 2 { leaves } else { half };
        let pods = leaves.div_ceil(leaves_per_pod);
        let (ups, routing) = (half, tree.routing);
        Self { hosts, hosts_per_leaf: half, leaves, leaves_per_pod, pods, ups, one_core: false, routing }
            .checked()
    }

    fn checked(self) -> Result<Self, TopologyError> {
        let ups = u128::from(self.ups);
        let (pods, leaves) = (u128::from(self.pods), u128::from(self.leaves));
        let (mut switches, mut cables) = (leaves, 0);
        if self.leaves > 1 {
            switches += if self.one_core { 1 } else { pods * ups };
            cables += leaves * ups;
        }
        if self.pods > 1 {
            switches += ups * ups;
            cables += pods * ups * ups;
        }
        fits(self.hosts, switches, 2 * cables)?;
        Ok(self)
    }

    /// Switches right above the leaves.
    fn middles(&self) -> u32 {
        match (self.leaves, self.one_core) {
            (1, _) => 0,
            (_, true) => 1,
            (_, false) => self.pods * self.ups,
        }
    }

    pub(super) fn switches(&self) -> u32 {
        self.leaves + self.middles() + if self.pods > 1 { self.ups * self.ups } else { 0 }
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let mut links = host_links(self.hosts, self.hosts_per_leaf);
        let Self { leaves, ups, .. } = *self;
        if leaves > 1 {
            push_both_ways(&mut links, LinkKind::Trunk, leaves * ups, |cable| {
                let (leaf, up) = (cable / ups, cable % ups);
                let middle = if self.one_core { 0 } else { leaf / self.leaves_per_pod * ups + up };
                (Node::Switch(leaf), Node::Switch(leaves + middle))
            });
        }
        if self.pods > 1 {
            let cores = leaves + self.middles();
            push_both_ways(&mut links, LinkKind::Trunk, self.pods * ups * ups, |cable| {
                let (middle, core) = (cable / ups, cable % (ups * ups));
                (Node::Switch(leaves + middle), Node::Switch(cores + core))
            });
        }
        links
    }

    /// Which link up a message takes from a leaf (step 0) or from the switch above it (step 1).
    fn up(&self, step: u32, destination: u32, flow: u32) -> u32 {
        match self.routing {
            FatTreeRouting::ByDestination if step == 0 => destination % self.ups,
            FatTreeRouting::ByDestination => destination / self.ups % self.ups,
            FatTreeRouting::ByFlow => choose(flow, step, self.ups),
        }
    }

    /// The next link from a switch.
    #[inline]
    pub(super) fn onward(&self, switch: u32, destination: u32, flow: u32) -> u32 {
        let Self { hosts, leaves, ups, .. } = *self;
        let leaf = destination / self.hosts_per_leaf;
        if switch == leaf {
            return hosts + destination;
        }
        let first = 2 * hosts;
        if switch < leaves {
            return first + switch * ups + self.up(0, destination, flow);
        }
        let (middle, down) = (switch - leaves, first + leaves * ups);
        if self.one_core {
            return down + leaf * ups + self.up(0, destination, flow);
        }
        if self.pods == 1 {
            return down + leaf * ups + middle;
        }
        let (pod, above) = (leaf / self.leaves_per_pod, down + leaves * ups);
        let Some(core) = middle.checked_sub(self.pods * ups) else {
            if middle / ups == pod {
                return down + leaf * ups + middle % ups;
            }
            return above + middle * ups + self.up(1, destination, flow);
        };
        above + (self.pods + pod) * ups * ups + core
    }
}
