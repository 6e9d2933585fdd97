//! What every mount is given while sizes are found: the hosts, and how large the file systems are that others may lie on.

use super::MountKind;
use super::check::mount_name;
use super::local::PlacedSoFar;
use crate::checker::GuestFileSystem;
use crate::host::family::Ground;
use crate::host::linux::{Linux, PlacedHost};
use crate::text::Problem;
use indexmap::IndexMap;
use petrio_page::numbers::grouped;
use petrio_units::numbers::as_number;

/// The least that was measured of a host with what it takes to be a client of a service over a network, by building some
/// ten thousand, bytes.
const A_CLIENT: u64 = 40 << 10;

/// What a host of another family mounts is numbered from here on: its own file systems lie below.
const OF_GUESTS: u32 = 1 << 16;

/// A mount of what hosts share.
#[derive(Clone, Debug)]
pub struct MountPoint {
    /// Its name: the host's and that of what is mounted.
    pub name: String,
    /// Its host, by its number among the Linux hosts.
    pub host: usize,
    /// Its number among what its host mounts.
    pub mount: u32,
}

/// Where mounts are placed.
pub(crate) struct PlaceSite<'s> {
    pub(crate) linux: &'s Linux,
    pub(crate) hosts: &'s mut [PlacedHost],
    /// Hosts of other families.
    guests: &'s [String],
    /// Their file systems.
    pub(crate) guest_file_systems: &'s [GuestFileSystem],
    pub(crate) ground: &'s Ground<'s>,
    pub(crate) problems: &'s mut Vec<Problem>,
    /// The file systems of hosts.
    pub(crate) local: PlacedSoFar,
    /// How many mounts each host has so far, and how many ends each network.
    next_mounts: Vec<u32>,
    next_ends: Vec<u32>,
}

/// Places all parts of a kind of which all that they name is there.
pub(super) fn place_all<K: MountKind>(
    parts: &IndexMap<String, K>,
    checked: Vec<Option<K::Checked>>,
    site: &mut PlaceSite<'_>,
) -> Vec<K::Placed> {
    let known = parts.iter().zip(checked).filter_map(|((name, part), checked)| Some((name, part, checked?)));
    known.filter_map(|(name, part, checked)| part.place(name, checked, site)).collect()
}

impl<'s> PlaceSite<'s> {
    /// `ends` is how many hosts each network has.
    pub(crate) fn new(
        linux: &'s Linux,
        (hosts, guests): (&'s mut [PlacedHost], &'s [String]),
        ends: impl Iterator<Item = usize>,
        ground: &'s Ground<'s>,
        problems: &'s mut Vec<Problem>,
    ) -> Self {
        let next_ends = ends.map(as_number).collect();
        let own = std::iter::repeat_n(0, linux.host.len());
        let next_mounts = own.chain(std::iter::repeat_n(OF_GUESTS, guests.len())).collect();
        let (local, guest_file_systems) = (PlacedSoFar::default(), &[]);
        Self { linux, hosts, guests, guest_file_systems, ground, problems, local, next_mounts, next_ends }
    }

    /// The next number among what a host mounts.
    pub(crate) fn next_mount(&mut self, host: usize) -> u32 {
        next(&mut self.next_mounts, host)
    }

    /// The next number among all that a network connects, for what is no host.
    pub(crate) fn next_end(&mut self, network: usize) -> u32 {
        next(&mut self.next_ends, network)
    }

    /// The mounts of a part by its clients; more of them than memory holds are a problem.
    pub(crate) fn points<K: MountKind>(&mut self, name: &str, clients: &[usize]) -> Vec<MountPoint> {
        let count = clients.len() as u64;
        if let Err(cause) = petrio_bounds::check(A_CLIENT.saturating_mul(count)) {
            let message =
                format!("the {} clients of \"{name}\" are more than can be held: {cause}", grouped(count));
            let help = "make the hosts' count smaller, or name fewer of them";
            self.problem(&format!("{}.{name}.clients", K::KIND.key), message, help);
        }
        let point = |&host: &usize| {
            let own = self.linux.host_name(self.guests, host);
            MountPoint { name: mount_name(&own, name), host, mount: self.next_mount(host) }
        };
        clients.iter().map(point).collect()
    }

    /// Blocks of file systems of hosts.
    pub(crate) fn sizes(&self, file_systems: &[usize]) -> impl Iterator<Item = u64> {
        let guest = |there: usize| self.guest_file_systems.get(there.checked_sub(self.local.sizes.len())?);
        file_systems.iter().filter_map(move |&there| match self.local.sizes.get(there) {
            Some(&(_, blocks)) => Some(blocks),
            None => guest(there).map(|guest| self.ground.blocks(guest.on)),
        })
    }

    /// The host of a file system.
    pub(crate) fn host_of(&mut self, there: usize) -> Option<&mut PlacedHost> {
        let &(host, _) = self.local.sizes.get(there)?;
        self.hosts.get_mut(host)
    }

    /// Notes an error at the value of a path.
    pub(crate) fn problem(&mut self, path: &str, message: String, help: &str) {
        let Self { ground, problems, .. } = self;
        problems.push(ground.sources.error(ground.places.value(path), message).help(help));
    }
}

fn next(counts: &mut [u32], of: usize) -> u32 {
    counts.get_mut(of).map_or(0, |next| {
        *next += 1;
        *next - 1
    })
}
