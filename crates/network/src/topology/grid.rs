//! Meshes and tori of any number of dimensions.
//!
//! Source: Dally and Towles 2004, "Principles and practices of interconnection networks": chapter 5 for k-ary n-cubes,
//! section 8.4.2 for dimension-order routing: a message travels along the first dimension until it has its
//! destination's coordinate, then along the second, and so on; round a ring it goes the shorter way, and from a place
//! right opposite the positive one (the book draws lots). A ring of two switches is one cable, as in a hypercube, and
//! of one none.
//!
//! Leaves out: adaptive ways.

use super::{GridParameters, Link, LinkKind, Node, TopologyError, Way};
use super::{fits, host_links, positive, push_both_ways};
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// A mesh or torus.
#[derive(Clone, Debug, Persist)]
pub(super) struct Grid {
    hosts: u32,
    hosts_per_switch: u32,
    switches: u32,
    axes: Vec<Axis>,
}

/// One dimension. A cable leads from a switch, its lower end, to the next one up.
#[derive(Clone, Debug, Persist)]
struct Axis {
    size: u32,
    /// How far apart the numbers of neighbours are.
    stride: u32,
    /// Cables along one line of switches: as many as these round a ring, else one fewer.
    cables_per_line: u32,
    /// Cables along all of them.
    cables: u32,
    /// The link of the first cable; the links down follow those up.
    first: u32,
}

impl Grid {
    /// Whether any of its lines is a ring.
    pub(super) fn wraps(&self) -> bool {
        self.axes.iter().any(|axis| axis.size > 2 && axis.cables_per_line == axis.size)
    }

    pub(super) fn mesh(parameters: &GridParameters, hosts: u32) -> Result<Self, TopologyError> {
        Self::new("mesh", false, parameters, hosts)
    }

    pub(super) fn torus(parameters: &GridParameters, hosts: u32) -> Result<Self, TopologyError> {
        Self::new("torus", true, parameters, hosts)
    }

    fn new(
        kind: &'static str,
        rings: bool,
        grid: &GridParameters,
        hosts: u32,
    ) -> Result<Self, TopologyError> {
        let sizes = &grid.dimensions;
        if sizes.is_empty() {
            return Err(TopologyError::NoDimensions(kind));
        }
        if sizes.contains(&0) {
            return Err(TopologyError::Zero("dimensions"));
        }
        positive("hosts_per_switch", grid.hosts_per_switch)?;
        let switches = sizes.iter().fold(1_u128, |all, size| all.saturating_mul(u128::from(*size)));
        let room = switches.saturating_mul(u128::from(grid.hosts_per_switch));
        if room < u128::from(hosts) {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            let (sizes, each) = (sizes.join(" x "), grid.hosts_per_switch);
            let plural = if each == 1 { "" } else { "s" };
            return Err(TopologyError::TooSmall {
                what: format!("a {kind} of {sizes} with {each} host{plural} a switch"),
                room,
                hosts,
                remedy: "make a dimension larger, or give more `hosts_per_switch`",
            });
        }
        let per_line = |size: u32| if rings && size > 2 { size } else { size - 1 };
        let cables = |size: u32| switches / u128::from(size) * u128::from(per_line(size));
        let all = sizes.iter().fold(0_u128, |all, size| all.saturating_add(cables(*size)));
        fits(hosts, switches, all.saturating_mul(2))?;

        let (mut stride, mut first) = (1, 2 * hosts);
        // A dimension of one switch leads nowhere; without it there is less to look at.
        let axis = |size: &u32| {
            let (size, cables) = (*size, as_number(cables(*size)));
            let axis = Axis { size, stride, cables_per_line: per_line(size), cables, first };
            stride *= size;
            first += 2 * cables;
            axis
        };
        let axes = sizes.iter().filter(|size| **size > 1).map(axis).collect();
        Ok(Self { hosts, hosts_per_switch: grid.hosts_per_switch, switches: as_number(switches), axes })
    }

    pub(super) fn switches(&self) -> u32 {
        self.switches
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let mut links = host_links(self.hosts, self.hosts_per_switch);
        for axis in &self.axes {
            push_both_ways(&mut links, LinkKind::Trunk, axis.cables, |cable| {
                let (line, before) = (cable / axis.stride, cable % axis.stride);
                let (low, after) = (line % axis.cables_per_line, line / axis.cables_per_line);
                let at = |place| Node::Switch((after * axis.size + place) * axis.stride + before);
                (at(low), at((low + 1) % axis.size))
            });
        }
        links
    }

    /// The next link from a switch. Its class is 0 where the way is still to pass the end of a ring, and 1 where it isn't:
    /// the first never goes on from there, and the second never comes there, so that neither goes around.
    #[inline]
    pub(super) fn onward(&self, switch: u32, way: &mut Way) -> u32 {
        let destination = way.destination;
        let target = destination / self.hosts_per_switch;
        let (mut here, mut there) = (switch, target);
        for axis in &self.axes {
            let size = axis.size;
            let (from, to) = (here % size, there % size);
            (here, there) = (here / size, there / size);
            if from == to {
                continue;
            }
            let up = if axis.cables_per_line == size {
                let distance = if to > from { to - from } else { to + size - from };
                distance <= size / 2
            } else {
                to > from
            };
            way.class = u8::from(up == (to > from));
            let low = match (up, from) {
                (true, from) => from,
                (false, 0) => size - 1,
                (false, from) => from - 1,
            };
            let cable = (here * axis.cables_per_line + low) * axis.stride + switch % axis.stride;
            return axis.first + cable + if up { 0 } else { axis.cables };
        }
        self.hosts + destination
    }
}
