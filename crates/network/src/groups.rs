//! Groups of hosts to which one message goes at once: multicast.
//!
//! A group has one tree of links, over which switches copy what comes to all others of its links (InfiniBand Architecture
//! Specification 1, section 18.2.4.3: forwarding tables of multicast identifiers; Ethernet's with snooping do the same).
//! It is a tree of fewest hops from the switch in the middle between them.
//!
//! Datagrams go there: nothing is acknowledged, and no window holds them back.

use super::topology::{Link, LinkKind, Node, Wiring};
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_number;
use std::collections::VecDeque;

/// The groups of a network. As destinations they have the numbers that follow those of the hosts.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    hosts: u32,
    all: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    members: Vec<u32>,
    /// The links of the tree that leave each switch.
    leaving: FastMap<u32, Vec<u32>>,
}

impl Groups {
    pub(super) fn of(hosts: u32) -> Self {
        Self { hosts, all: Vec::new() }
    }

    /// Adds a group of members, to which these may send; its number as a destination.
    pub(super) fn add(&mut self, wiring: &Wiring, members: &[u32], senders: &[u32]) -> u32 {
        let leaving = tree(wiring, members, senders);
        self.all.push(Group { members: members.to_vec(), leaving });
        self.hosts + as_number(self.all.len()) - 1
    }

    /// Whether there are any.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a destination is a group.
    pub(super) fn has(&self, destination: u32) -> bool {
        destination >= self.hosts && !self.all.is_empty()
    }

    /// Whether a destination is a group of nobody but this host.
    pub(super) fn is_only(&self, destination: u32, host: u32) -> bool {
        self.has(destination) && self.members(destination).iter().all(|member| *member == host)
    }

    fn get(&self, destination: u32) -> Option<&Group> {
        self.all.get(destination.checked_sub(self.hosts)? as usize)
    }

    /// The members of a group.
    pub(super) fn members(&self, destination: u32) -> &[u32] {
        self.get(destination).map_or(&[], |group| &group.members)
    }

    /// The links by which what is for a group leaves a switch, but for the one by which it came.
    pub(super) fn onward<'g>(
        &'g self,
        wiring: &'g Wiring,
        switch: u32,
        (destination, came_by): (u32, u32),
    ) -> impl Iterator<Item = u32> + 'g {
        let leaving = self.get(destination).and_then(|group| group.leaving.get(&switch));
        leaving
            .into_iter()
            .flatten()
            .copied()
            .filter(move |&link| wiring.links().get(link as usize).is_none_or(|link| link.back != came_by))
    }
}

/// Where hosts are attached, and how switches are connected.
struct Ground<'w> {
    links: &'w [Link],
    /// The switch of each host, and the link from there to it.
    attached: FastMap<u32, (u32, u32)>,
    /// The links between switches, by where they begin.
    trunks: FastMap<u32, Vec<u32>>,
}

/// By which link each switch was reached, and how far away it is.
type Reached = FastMap<u32, (Option<u32>, u32)>;

impl<'w> Ground<'w> {
    fn of(wiring: &'w Wiring) -> Self {
        let mut ground =
            Self { links: wiring.links(), attached: FastMap::default(), trunks: FastMap::default() };
        for (number, link) in ground.links.iter().enumerate() {
            match (link.from, link.to) {
                (Node::Host(host), Node::Switch(switch)) => {
                    ground.attached.entry(host).or_insert((switch, link.back));
                }
                (Node::Switch(from), Node::Switch(_)) if link.kind == LinkKind::Trunk => {
                    ground.trunks.entry(from).or_default().push(as_number(number));
                }
                _ => {}
            }
        }
        ground
    }

    /// All switches by fewest hops from one.
    fn reach(&self, root: u32) -> Reached {
        let mut reached = Reached::default();
        reached.insert(root, (None, 0));
        let mut next = VecDeque::from([(root, 0)]);
        while let Some((switch, hops)) = next.pop_front() {
            for &number in self.trunks.get(&switch).into_iter().flatten() {
                let Node::Switch(to) = self.links[number as usize].to else { continue };
                reached.entry(to).or_insert_with(|| {
                    next.push_back((to, hops + 1));
                    (Some(number), hops + 1)
                });
            }
        }
        reached
    }

    /// The switch from which a link leads.
    fn above(&self, link: u32) -> Option<u32> {
        match self.links.get(link as usize)?.from {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        }
    }

    /// The middle of the longest way between these switches: of a tree of switches its top, so that nothing goes down
    /// and up again.
    fn middle(&self, switches: &[u32]) -> Option<u32> {
        let farthest = |from: u32| {
            let reached = self.reach(from);
            let hops = |switch: &u32| reached.get(switch).map_or(0, |found| found.1);
            // Of equals the first.
            let most = switches.iter().rev().copied().max_by_key(hops).unwrap_or(from);
            (most, reached)
        };
        let (one, _) = farthest(*switches.first()?);
        let (other, reached) = farthest(one);
        let mut at = other;
        for _ in 0..reached.get(&other)?.1 / 2 {
            at = reached.get(&at).and_then(|found| self.above(found.0?))?;
        }
        Some(at)
    }
}

/// The links of a tree over the switches of these hosts, by the switch that they leave.
fn tree(wiring: &Wiring, members: &[u32], senders: &[u32]) -> FastMap<u32, Vec<u32>> {
    let ground = Ground::of(wiring);
    let mut leaving: FastMap<u32, Vec<u32>> = FastMap::default();
    let hosts = || members.iter().chain(senders);
    let switches: Vec<u32> = hosts().filter_map(|host| Some(ground.attached.get(host)?.0)).collect();
    let Some(root) = ground.middle(&switches) else { return leaving };
    let reached = ground.reach(root);
    let mut grow = |switch: u32, link: u32| {
        let of = leaving.entry(switch).or_default();
        let is_new = !of.contains(&link);
        if is_new {
            of.push(link);
        }
        is_new
    };
    for (number, host) in hosts().enumerate() {
        let Some(&(switch, down)) = ground.attached.get(host) else { continue };
        let is_member = number < members.len();
        if is_member {
            grow(switch, down);
        }
        // Up to the root, or to what is there already; and down from there to who receives anything.
        let mut at = switch;
        while let Some(&(Some(link), _)) = reached.get(&at) {
            let Some(above) = ground.above(link) else { break };
            let is_new = [grow(at, ground.links[link as usize].back), is_member && grow(above, link)];
            if is_new == [false, false] {
                break;
            }
            at = above;
        }
    }
    leaving
}
