//! What every check of a mount is given: which hosts there are, on which networks, and the file systems that others may lie on.

use super::{FileSystemKind, MountKind};
use crate::checker::{Checker, FILE_SYSTEMS, HOSTS, PlannedVolume, listed};
use crate::host::linux::network::NETWORK;
use crate::host::linux::{FILE_SYSTEM, Linux};
use crate::parts::{Directory, name_in};
use crate::schema::Names;
use indexmap::IndexMap;
use petrio_units::numbers::as_number;
use std::collections::{BTreeMap, BTreeSet};

/// Where mounts are checked.
pub(crate) struct CheckSite<'s, 'c, 'i> {
    pub(crate) linux: &'s Linux,
    pub(crate) checker: &'s mut Checker<'c, 'i>,
    /// The hosts by name, and the same with those of other families.
    pub(crate) hosts: Directory,
    with_guests: Directory,
    /// The hosts of each network.
    pub(crate) networks: &'s [Vec<usize>],
    /// The file systems of hosts by name, and the host of each, where it has one.
    pub(super) file_systems: Directory,
    /// The same with those of hosts of other families.
    file_systems_of_all: Directory,
    pub(crate) mounted: Vec<Option<usize>>,
    /// What each mount is, by its name.
    mounted_as: BTreeMap<String, String>,
    /// Hosts that mount something, or have to do with it.
    pub(crate) busy: BTreeSet<usize>,
    /// Hosts whose processes exchange messages, and by which library.
    pub(crate) joined: BTreeMap<usize, String>,
}

/// Checks all parts of a kind.
pub(super) fn check_all<K: MountKind>(
    parts: &IndexMap<String, K>,
    site: &mut CheckSite<'_, '_, '_>,
) -> Vec<Option<K::Checked>> {
    let key = K::KIND.key;
    let checked = parts.iter().map(|(name, part)| {
        let path = format!("{key}.{name}");
        site.checker.name(&path, name);
        if !K::KIND.is_mounted {
            site.checker.take_name(&path, name, K::WHAT, "rename one of them");
        }
        part.check(name, site)
    });
    checked.collect()
}

/// The name of a mount: a path, as of what a host owns.
pub(super) fn mount_name(host: &str, part: &str) -> String {
    format!("{host}/{}", part.rsplit('/').next().unwrap_or(part))
}

impl<'s, 'c, 'i> CheckSite<'s, 'c, 'i> {
    pub(crate) fn new(
        linux: &'s Linux,
        checker: &'s mut Checker<'c, 'i>,
        (hosts, with_guests): (Directory, Directory),
        networks: &'s [Vec<usize>],
    ) -> Self {
        let file_systems = linux.fs.keys().map(|name| (name.as_str(), name.as_str()));
        let file_systems = Directory::of(file_systems, checker.places.copies());
        let mounted_as = linux.fs.keys().map(|name| (name.clone(), format!("the file system \"{name}\"")));
        let mounted_as = mounted_as.collect();
        let guests =
            checker.guest_file_systems.iter().map(|guest| (guest.name.as_str(), guest.name.as_str()));
        let all = linux.fs.keys().map(|name| (name.as_str(), name.as_str())).chain(guests);
        let file_systems_of_all = Directory::of(all, checker.places.copies());
        let (mounted, busy, joined) = Default::default();
        Self {
            linux,
            checker,
            hosts,
            with_guests,
            networks,
            file_systems,
            file_systems_of_all,
            mounted,
            mounted_as,
            busy,
            joined,
        }
    }

    /// The name of a host.
    pub(crate) fn host(&self, number: usize) -> String {
        self.linux.host_name(&self.checker.guests, number)
    }

    /// The hosts that `key` of the part at `path` names, of which some may be of other families.
    pub(crate) fn hosts_and_guests(&mut self, path: &str, key: &str, names: &Names) -> Vec<usize> {
        let found = self.checker.find(&format!("{path}.{key}"), names, &self.with_guests, HOSTS);
        found.into_iter().map(|number| number as usize).collect()
    }

    /// Whether a host is of another family.
    pub(crate) fn is_guest(&self, number: usize) -> bool {
        number >= self.linux.host.len()
    }

    /// The hosts that `key` of the part at `path` names.
    pub(crate) fn hosts(&mut self, path: &str, key: &str, names: &Names) -> Vec<usize> {
        let found = self.checker.find(&format!("{path}.{key}"), names, &self.hosts, HOSTS);
        found.into_iter().map(|number| number as usize).collect()
    }

    /// The file systems of hosts that `key` of the part at `path` names.
    pub(crate) fn file_systems(&mut self, path: &str, key: &str, names: &Names) -> Vec<usize> {
        if self.are_mounts_of_others(&format!("{path}.{key}"), names) {
            return Vec::new();
        }
        let found = self.checker.find(&format!("{path}.{key}"), names, &self.file_systems, FILE_SYSTEMS);
        found.iter().for_each(|&number| self.checker.use_volume(number));
        found.into_iter().map(|number| number as usize).collect()
    }

    /// The same, of which some may be of other families: they are counted after Linux' own.
    pub(crate) fn file_systems_and_guests(&mut self, path: &str, key: &str, names: &Names) -> Vec<usize> {
        let path = format!("{path}.{key}");
        if self.are_mounts_of_others(&path, names) {
            return Vec::new();
        }
        let found = self.checker.find(&path, names, &self.file_systems_of_all, FILE_SYSTEMS);
        let found: Vec<usize> = found.into_iter().map(|number| number as usize).collect();
        for &number in &found {
            match number.checked_sub(self.linux.fs.len()) {
                None => self.checker.use_volume(as_number(number)),
                Some(guest) => {
                    let name = self.checker.guest_file_systems[guest].name.clone();
                    self.checker.exported.insert(name);
                }
            }
        }
        found
    }

    /// The hosts of file systems.
    pub(crate) fn hosts_of(&self, file_systems: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let guest = |there: usize| {
            let there = there.checked_sub(self.linux.fs.len())?;
            let host = &self.checker.guest_file_systems.get(there)?.host;
            let number = self.checker.guests.iter().position(|guest| guest == host)?;
            Some(self.linux.host.len() + number)
        };
        let host = |there: usize| self.mounted.get(there).copied().unwrap_or_else(|| guest(there));
        file_systems.into_iter().filter_map(host).collect()
    }

    /// Notes the mounts of a part by hosts, `found` telling whether all that it names is there.
    pub(crate) fn mounts<K: MountKind>(
        &mut self,
        name: &str,
        what: &'static str,
        clients: &[usize],
        found: bool,
    ) {
        let mut told = false;
        for &host in clients {
            self.busy.insert(host);
            let own = mount_name(&self.host(host), name);
            let this = format!("the {} \"{name}\"", K::WHAT);
            if let Some(other) = self.mounted_as.insert(own.clone(), this.clone()).filter(|_| !told) {
                told = true;
                let message = format!("{this} would be mounted over {other}: both are \"{own}\"");
                let path = format!("{}.{name}", K::KIND.key);
                self.checker.error_at_key(&path, message, "rename one of them, or let another host mount it");
            }
            self.checker.volume(PlannedVolume {
                key: K::KIND.key,
                what,
                name: own,
                part: name.to_owned(),
                on: None,
                found,
                is_beside_others: false,
            });
        }
    }

    /// That no client of the part at `path` is one of its servers.
    pub(crate) fn serve_others(&mut self, path: &str, clients: &[usize], is_server: impl Fn(usize) -> bool) {
        if let Some(&host) = clients.iter().find(|&&host| is_server(host)) {
            let host = self.host(host);
            let message = format!("the host \"{host}\" is one of its servers, and would be its own client");
            self.checker.error(&format!("{path}.clients"), message, "let other hosts mount it");
        }
    }

    /// That file systems which `key` of the part at `path` names are of a kind, with what is to be said of one that isn't, and what to do.
    pub(super) fn are_of(
        &mut self,
        (path, key): (&str, &str),
        file_systems: &[usize],
        fits: impl Fn(&FileSystemKind) -> bool,
        (why, advice): (&str, &str),
    ) {
        let get = |there: usize| self.linux.fs.get_index(there);
        let strange = file_systems.iter().find(|&&there| get(there).is_none_or(|(_, own)| !fits(&own.kind)));
        if let Some(&strange) = strange {
            let message = format!("\"{}\" {why}", get(strange).map_or("", |(own, _)| own));
            self.checker.error(&format!("{path}.{key}"), message, advice);
        }
    }

    /// That none of the file systems which `key` of the part at `path` names is among others of it, with what one can't be then.
    pub(super) fn are_apart(
        &mut self,
        (path, key): (&str, &str),
        file_systems: &[usize],
        others: &[usize],
        both: &str,
    ) {
        if let Some(&there) = others.iter().find(|there| file_systems.contains(there)) {
            let own = self.linux.fs.get_index(there).map_or("", |(own, _)| own);
            let message = format!("\"{own}\" can't {both}");
            self.checker.error(&format!("{path}.{key}"), message, "take another file system for one of them");
        }
    }

    /// The network between the hosts of a part at `path`, which names it unless there is only one.
    pub(crate) fn network_between(&mut self, path: &str, wanted: Option<&str>) -> Option<usize> {
        let names: Vec<&str> = self.linux.network.keys().map(String::as_str).collect();
        // What lies within something that holds blocks is between nobody else.
        let of_hosts: Vec<&str> =
            names.iter().copied().filter(|name| !self.checker.inner_networks.contains_key(*name)).collect();
        match (wanted, of_hosts.as_slice()) {
            (Some(wanted), _) => {
                let found = self.linux.network.get_index_of(wanted);
                if found.is_none() {
                    let help = listed(wanted, &names, "the networks are");
                    let message = format!("no network is called \"{wanted}\"");
                    self.checker.error(&format!("{path}.network"), message, help);
                }
                found
            }
            (None, [only]) => self.linux.network.get_index_of(*only),
            (None, []) => {
                let help = "add a part: [network.lan] and below it link = { rate = \"1 Gbit/s\", latency = \"25 us\" }";
                self.checker.error_at_key(path, "its hosts are on no network", help);
                None
            }
            (None, [first, ..]) => {
                let message = "there are several networks; which of them is between its hosts?";
                self.checker.error_at_key(path, message, format!("write network = \"{first}\""));
                None
            }
        }
    }

    /// The hosts that `key` of the part at `path` names are on its network.
    pub(crate) fn on_network(
        &mut self,
        path: &str,
        network: usize,
        key: &str,
        hosts: impl IntoIterator<Item = usize>,
    ) {
        let on_network: BTreeSet<usize> = self.networks.get(network).into_iter().flatten().copied().collect();
        let Some(away) = hosts.into_iter().find(|host| !on_network.contains(host)) else { return };
        let network = self.linux.network.get_index(network).map_or("", |(name, _)| name);
        let message = format!("the host \"{}\" isn't on the network \"{network}\"", self.host(away));
        let help = format!("name it in the hosts of [{NETWORK}.{network}]");
        self.checker.error(&format!("{path}.{key}"), message, help);
    }

    /// Pages within those of hosts have names, and every host mounts something.
    pub(crate) fn finish(self) {
        let Self { linux, checker, mounted, mut busy, .. } = self;
        let Some(mounted) = mounted.into_iter().collect::<Option<Vec<usize>>>() else { return };
        for (name, host) in linux.fs.keys().zip(mounted) {
            busy.insert(host);
            let Some((host, _)) = linux.host.get_index(host) else { continue };
            let page = format!("{host}/{}", name_in(name, host));
            checker.take_name(&format!("{FILE_SYSTEM}.{name}"), &page, "file system", "rename one of them");
        }
        for (number, name) in linux.host.keys().enumerate() {
            if !busy.contains(&number) {
                let message = format!("no file system is mounted by the host \"{name}\"");
                let help = "give it one, or leave the host out";
                checker.unused(&format!("{}.{name}", crate::host::linux::HOST), message, help);
            }
        }
    }
}
