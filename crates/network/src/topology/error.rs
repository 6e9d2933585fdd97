//! Why a network can't be wired.

use super::LINKS_MAX;

/// Why a network can't be wired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// Nobody to connect.
    #[error("a network connects no hosts; name at least one")]
    NoHosts,
    /// A figure that must be more than zero.
    #[error("`{0}` is zero; give at least 1")]
    Zero(&'static str),
    /// A grid without dimensions.
    #[error("a {0} has no dimensions; give at least one, as in `dimensions = [4, 4]`")]
    NoDimensions(&'static str),
    /// More hosts than there is room for.
    #[error("{what} has room for {room} hosts, and {hosts} are connected; {remedy}")]
    TooSmall {
        /// The topology, with its figures.
        what: String,
        /// Hosts that it can connect.
        room: u128,
        /// Hosts that are to be connected.
        hosts: u32,
        /// What makes it larger.
        remedy: &'static str,
    },
    /// A switch of a fat tree whose ports can't be halved.
    #[error(
        "a switch of a fat tree has {0} ports, which can't be halved into ways up and ways down; give an even number"
    )]
    OddPorts(u32),
    /// A fat tree of another height.
    #[error("a fat tree of {0} levels isn't modelled; give 2 or 3 `levels`, or leave them out")]
    Levels(u32),
    /// A dragonfly whose groups can't all be connected.
    #[error(
        "each of {groups} groups needs a link to each of {} others, and its {switches_per_group} switches have {} \
         ({global_links} each); give more `global_links` or `switches_per_group`, or fewer `groups`",
        groups - 1, u64::from(*switches_per_group) * u64::from(*global_links)
    )]
    GlobalLinks {
        /// Groups of the dragonfly.
        groups: u32,
        /// Switches in each.
        switches_per_group: u32,
        /// Links of each switch to other groups.
        global_links: u32,
    },
    /// More than sense and memory allow.
    #[error(
        "{switches} switches with {links} links are too many (at most {LINKS_MAX} links); make the topology smaller"
    )]
    TooLarge {
        /// Switches that it would have.
        switches: u128,
        /// Directed links that it would have.
        links: u128,
    },
    /// More ways between hosts given one by one than are remembered.
    #[error(
        "{nodes} hosts and switches with {targets} destinations are too many for links that are given one by one; \
         use a regular topology, or fewer switches"
    )]
    TooManyRoutes {
        /// Hosts and switches.
        nodes: usize,
        /// Switches with hosts, and hosts with several links.
        targets: usize,
    },
    /// Links given one by one for hosts without names.
    #[error(
        "links are given one by one, which name their hosts, and these have no names; use a regular topology"
    )]
    NoNames,
    /// A host named twice.
    #[error("two hosts are named {0:?}; links couldn't tell one from the other: give them different names")]
    SameName(String),
    /// A link without a second end.
    #[error("a link connects {0:?} with itself; name two different ends in `between`")]
    ToItself(String),
    /// A host that no link names.
    #[error("no link leads to the host {0:?}; give one with `between = [{0:?}, …]`")]
    NoLink(String),
    /// Hosts that can't reach each other.
    #[error("no way leads from {from:?} to {to:?} (hosts pass nothing on); connect their switches by a link")]
    Unreachable {
        /// The host that sends.
        from: String,
        /// The host that it can't reach.
        to: String,
    },
}
