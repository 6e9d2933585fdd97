//! Linux hosts, and what they mount, with everything that they need found.

use super::check::CheckedLinux;
use super::mount::{PlaceSite, PlacedMount, beyond_memory, most_in_memory};
use super::network::NETWORK;
use super::profiles::Profile;
use super::{HOST, Linux, PlacedLinux};
use crate::checker::GuestFileSystem;
use crate::host::family::{Ground, PlacedFamily, TellLevers, TellWords, Volume};
use crate::text::tree::KeySpans;
use crate::text::{Copies, Problem, Sources};
use petrio_models::host::HostParameters;
use std::collections::BTreeSet;
use std::ops::Range;

/// A machine under a kernel.
#[derive(Clone, Debug)]
pub struct PlacedHost {
    /// Its name.
    pub name: String,
    /// Its machine and its kernel, with the scenario's changes and limits.
    pub parameters: HostParameters,
}

impl Linux {
    pub(super) fn placed(
        &self,
        CheckedLinux { mut profiles, guests, guest_file_systems, networks, mut inner, traffic, mounts }: CheckedLinux,
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> PlacedLinux {
        let mut hosts = Vec::new();
        for (name, host) in &self.host {
            let Some(Profile { machine, kernel }) = profiles.swap_remove(name) else { continue };
            let parameters = HostParameters {
                machine,
                kernel,
                memory: host.memory,
                dirty_background: host.dirty_background,
                dirty_limit: host.dirty_limit,
                anonymous: host.anonymous,
                swap: host.swap,
                swappiness: host.swappiness,
            };
            hosts.push(PlacedHost { name: name.clone(), parameters });
        }
        let ends = networks.iter().map(Vec::len);
        let mut site = PlaceSite::new(self, (&mut hosts, &guests), ends, ground, problems);
        site.guest_file_systems = &guest_file_systems;
        let mut placed = self.placed_mounts(mounts, &mut site);
        placed.hosts = hosts;
        placed.guests.clone_from(&guests);
        placed.guest_file_systems.clone_from(&guest_file_systems);
        problems.extend(beyond_memory(&placed.hosts, &placed.file_systems, ground));
        let mut targets = vec![Vec::new(); networks.len()];
        for (network, own) in placed.mounts().filter_map(|(_, mount)| mount.targets()) {
            targets[network].extend(own);
        }
        let targets = self.network.keys().zip(targets).map(|(name, targets)| match inner.remove(name) {
            Some(ends) => (ends, true),
            None => (targets, false),
        });
        let found = networks.into_iter().zip(traffic).zip(targets);
        placed.networks = self.place_networks((found, &guests), ground, problems);
        placed
    }
}

impl Linux {
    /// The name of a host: those of other families are counted after its own.
    pub(super) fn host_name(&self, guests: &[String], number: usize) -> String {
        let own = self.host.get_index(number).map(|(name, _)| name);
        own.or_else(|| guests.get(number.checked_sub(self.host.len())?)).cloned().unwrap_or_default()
    }
}

impl PlacedLinux {
    /// The name of a host, likewise.
    pub(super) fn host_name(&self, number: usize) -> &str {
        let own = self.hosts.get(number).map(|host| host.name.as_str());
        let guest = || self.guests.get(number.checked_sub(self.hosts.len())?).map(String::as_str);
        own.or_else(guest).unwrap_or_default()
    }

    /// The host of a file system, its number among that host's, and its name: those of hosts of other families are counted after its own.
    pub(super) fn served(&self, there: usize) -> (usize, u32, &str) {
        if let Some(own) = self.file_systems.get(there) {
            return (own.host, own.mount, &own.name);
        }
        let guest =
            there.checked_sub(self.file_systems.len()).and_then(|guest| self.guest_file_systems.get(guest));
        guest.map_or((0, 0, ""), |GuestFileSystem { name, host, mount, .. }| {
            let number = self.guests.iter().position(|guest| guest == host).unwrap_or(0);
            (self.hosts.len() + number, *mount, name)
        })
    }

    /// Of each volume, the first of those with which it numbers its files together: what others lie on with these, and what
    /// lies on the same with others. The mounts of what lies on none see the same files, by themselves.
    fn spaces(&self) -> Vec<usize> {
        let mut spaces: Vec<usize> = (0..self.file_systems.len()).collect();
        for all in self.mounts().map(|(_, mount)| mount.lies_on()) {
            let together: BTreeSet<usize> =
                all.iter().filter_map(|&there| spaces.get(there).copied()).collect();
            let Some(&first) = together.first() else { continue };
            spaces.iter_mut().filter(|space| together.contains(space)).for_each(|space| *space = first);
        }
        // File systems of guests are counted after all volumes of this family.
        let own: usize = self.mounts().map(|(_, mount)| mount.volumes().len()).sum();
        let of_guest = |below: usize| below.checked_sub(self.file_systems.len()).map(|guest| own + guest);
        let all = self.mounts_and_volumes().flat_map(|(volumes, mount)| {
            let below = mount.lies_on().first().copied();
            let space = match below {
                Some(below) => spaces.get(below).copied().or_else(|| of_guest(below)),
                None => None,
            };
            let space = space.unwrap_or_else(|| spaces.get(volumes.start).copied().unwrap_or(volumes.start));
            volumes.map(move |_| space)
        });
        all.collect()
    }

    /// The numbers of the volumes of what is mounted under a name.
    pub(crate) fn volumes_of(&self, name: &str) -> Option<Range<usize>> {
        self.mounts_and_volumes().find(|(_, mount)| mount.name() == name).map(|(volumes, _)| volumes)
    }

    /// What the files of a host's file systems in memory may take together, in bytes.
    pub(crate) fn most_in_memory(&self, host: usize) -> u64 {
        most_in_memory(host, &self.file_systems)
    }

    /// What is mounted or shared in the order in which it is told of: what carries messages comes last.
    fn told(&self) -> Vec<(&'static str, &dyn PlacedMount)> {
        let mut all: Vec<_> = self.mounts().collect();
        all.sort_by_key(|(_, mount)| !mount.carries_messages_of().is_empty());
        all
    }

    /// Whether messages cost no processor's time on a network.
    pub(crate) fn is_free(&self, network: usize) -> bool {
        self.networks.get(network).is_some_and(|network| network.parameters.host_costs().are_none())
    }
}

impl PlacedFamily for PlacedLinux {
    fn hosts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.hosts.iter().map(|host| host.name.as_str()))
    }

    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_> {
        let all = self.mounts().flat_map(|(_, mount)| mount.volumes());
        Box::new(all.zip(self.spaces()).map(|(volume, space)| Volume { space, ..volume }))
    }

    fn orders_requests(&self) -> bool {
        !self.file_systems.is_empty()
    }

    fn message_library(&self, host: usize) -> Option<usize> {
        self.mounts().position(|(_, mount)| mount.carries_messages_of().contains(&host))
    }

    fn computing_speed(&self, host: usize) -> f64 {
        self.hosts.get(host).map_or(1.0, |host| host.parameters.machine.computing_speed)
    }

    fn impossible(&self, places: &KeySpans, sources: &Sources) -> Vec<Problem> {
        self.hosts.iter().flat_map(|host| host.impossible(places, sources)).collect()
    }

    fn words(&self, tell: TellWords<'_>) {
        for (key, mount) in self.told() {
            tell(&format!("{key}.{}", mount.name()), &|| mount.words(self));
        }
        for network in &self.networks {
            tell(&format!("{NETWORK}.{}", network.name), &|| network.words());
        }
    }

    fn levers(&self, copies: &Copies, tell: TellLevers<'_>) {
        let written = |flat: &str| copies.written(flat).to_owned();
        for (number, PlacedHost { name, parameters }) in self.hosts.iter().enumerate() {
            let own = self.file_systems.iter().filter(|placed| placed.host == number);
            let read_ahead =
                own.map(|placed| placed.read_ahead).fold(parameters.kernel.read_ahead.max, Ord::max);
            tell(name, parameters.levers(&written(&format!("{HOST}.{name}")), read_ahead));
        }
        let is_on_device = |mount: &dyn PlacedMount| mount.volumes().iter().any(|volume| volume.on.is_some());
        let (own, shared): (Vec<_>, Vec<_>) =
            self.told().into_iter().partition(|(_, mount)| is_on_device(*mount));
        for (key, mount) in own {
            mount.levers(&written(&format!("{key}.{}", mount.name())), self, tell);
        }
        for network in &self.networks {
            let path = written(&format!("{NETWORK}.{}", network.name));
            tell(&network.name, network.parameters.levers(&path));
        }
        for (key, mount) in shared {
            mount.levers(&written(&format!("{key}.{}", mount.name())), self, tell);
        }
    }
}
