//! File services that can't be, and their sizes.

use super::profile::read_profile;
use super::{PlacedShare, PlannedShare, SHARE, Share, SharePlacement};
use crate::check::{Checker, FILE_SYSTEMS, HOSTS, PlannedVolume};
use crate::host::linux::Linux;
use crate::host::linux::mounts::mount_name;
use crate::host::linux::pvfs::PvfsMount;
use crate::parts::Directory;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Linux {
    /// The file services, where all that they name is there. `mounted` is the host of each file system.
    pub(in crate::host::linux) fn check_shares(
        &self,
        checker: &mut Checker<'_, '_>,
        (hosts, networks, mounted): (&Directory, &[Vec<usize>], &[usize]),
    ) -> Vec<Option<PlannedShare>> {
        let file_systems: Vec<(&str, &str)> =
            self.fs.keys().map(|name| (name.as_str(), name.as_str())).collect();
        let file_systems = Directory::of(file_systems, checker.places.copies());
        let mut planned = Vec::new();
        for (name, share) in &self.share {
            let path = format!("{SHARE}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "file service", "rename one of them");
            let network = self.network_between(checker, &path, share.place.network.as_deref());
            let numbers =
                |found: Vec<u32>| -> Vec<usize> { found.into_iter().map(|number| number as usize).collect() };
            let clients =
                numbers(checker.find(&format!("{path}.clients"), &share.place.clients, hosts, HOSTS));
            let at = format!("{path}.servers");
            let servers = numbers(checker.find(&at, &share.place.servers, &file_systems, FILE_SYSTEMS));
            servers.iter().for_each(|&server| checker.use_volume(server as u32));
            for &host in &clients {
                let host = self.host.get_index(host).map_or("", |(host, _)| host);
                checker.volume(PlannedVolume {
                    key: SHARE,
                    what: "mount of a file service",
                    name: mount_name(host, name),
                    part: name.clone(),
                    on: None,
                    found: network.is_some() && !servers.is_empty(),
                    is_beside_others: false,
                });
            }
            if let Err(error) = share.parameters.check() {
                checker.error(&format!("{path}.{}", error.parameter()), error.to_string(), "");
            }
            if let Some(network) = network {
                let of_servers: BTreeSet<usize> =
                    servers.iter().filter_map(|&server| mounted.get(server).copied()).collect();
                let of_clients = clients.iter().copied();
                self.check_on_network(checker, &path, (network, networks), ("clients", of_clients));
                let of_servers = of_servers.into_iter();
                self.check_on_network(checker, &path, (network, networks), ("servers", of_servers));
            }
            let profile = self.profile_of(checker, &path, share, &servers);
            let whole = network.filter(|_| !servers.is_empty());
            planned.push(whole.map(|network| PlannedShare { network, clients, servers, profile }));
        }
        planned
    }

    fn profile_of(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        share: &Share,
        servers: &[usize],
    ) -> Arc<[super::ProfileLine]> {
        let SharePlacement::Profile(file) = &share.place.placement else { return Arc::default() };
        let names: Vec<&str> =
            servers.iter().filter_map(|&server| Some(self.fs.get_index(server)?.0.as_str())).collect();
        read_profile(checker.inputs, file, &names).unwrap_or_else(|wrong| {
            checker.error(&format!("{path}.placement.profile"), wrong.message, wrong.help);
            Arc::default()
        })
    }

    /// The file services with their sizes. `mounts` is how many file systems each host has so far.
    pub(in crate::host::linux) fn place_shares(
        &self,
        planned: Vec<Option<PlannedShare>>,
        sizes: &[u64],
        mounts: &mut [u32],
    ) -> Vec<PlacedShare> {
        let mut placed = Vec::new();
        for ((name, share), planned) in self.share.iter().zip(planned) {
            let Some(PlannedShare { network, clients, servers, profile }) = planned else { continue };
            let mount = |host: usize| {
                let number = mounts.get_mut(host).map_or(0, |next| {
                    *next += 1;
                    *next - 1
                });
                let own = self.host.get_index(host).map_or("", |(host, _)| host);
                PvfsMount { name: mount_name(own, name), host, mount: number }
            };
            let sizes = || servers.iter().filter_map(|&server| sizes.get(server)).copied();
            let blocks = match share.place.placement {
                // In turns each server holds as much as the smallest.
                SharePlacement::RoundRobin | SharePlacement::Hashed => {
                    sizes().min().unwrap_or(0).saturating_mul(servers.len() as u64)
                }
                SharePlacement::ByFile | SharePlacement::Profile(_) => sizes().fold(0, u64::saturating_add),
            };
            placed.push(PlacedShare {
                name: name.clone(),
                parameters: share.parameters.clone(),
                placement: share.place.placement.clone(),
                profile,
                network,
                clients: clients.into_iter().map(mount).collect(),
                servers,
                blocks,
            });
        }
        placed
    }
}
