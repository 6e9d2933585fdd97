//! Names that stand for nothing, hosts that mount nothing, figures that Linux doesn't take.

use super::mpi::PlacedMpi;
use super::network::PlacedTraffic;
use super::profiles::{Profile, profiles};
use super::pvfs::PlannedPvfs;
use super::san::PlannedSan;
use super::share::PlannedShare;
use super::{FILE_SYSTEM, HOST, Linux};
use crate::build::name_in;
use crate::check::{Checker, PlannedVolume, listed};
use crate::parts::Directory;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// MAX_SWAPPINESS (include/linux/swap.h).
const MOST_SWAPPINESS: u32 = 200;

/// Linux hosts of which names are found.
#[derive(Debug, Default)]
pub(crate) struct CheckedLinux {
    /// The machine and the kernel of each host.
    pub(super) profiles: IndexMap<String, Profile>,
    /// Where each file system belongs, in the order of the file.
    pub(super) mounts: Vec<PlannedMount>,
    /// The hosts of each network.
    pub(super) networks: Vec<Vec<usize>>,
    /// The ends of those that are within holders.
    pub(super) inner: BTreeMap<String, Vec<String>>,
    /// The background traffic of each.
    pub(super) traffic: Vec<Vec<PlacedTraffic>>,
    /// The parallel file systems.
    pub(super) pvfs: Vec<Option<PlannedPvfs>>,
    /// What carries messages between processes.
    pub(super) mpi: Vec<PlacedMpi>,
    /// The file services.
    pub(super) shares: Vec<Option<PlannedShare>>,
    /// The file systems on storage networks.
    pub(super) san: Vec<Option<PlannedSan>>,
}

/// Where a file system belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedMount {
    /// The host's number, in the order of the file.
    pub(super) host: usize,
    /// The holder that it lies on, if it lies on any.
    pub(super) on: Option<u32>,
    /// The holder that is its journal, where that is one of its own.
    pub(super) log: Option<u32>,
}

impl Linux {
    pub(super) fn checked(&self, checker: &mut Checker<'_, '_>) -> CheckedLinux {
        let found = profiles(&self.host, checker.root, checker.places, checker.sources, checker.inputs);
        let profiles = found.unwrap_or_else(|mut more| {
            checker.problems.append(&mut more);
            IndexMap::new()
        });
        self.check_hosts(checker);
        let planned: Vec<Option<PlannedMount>> = (self.fs.keys())
            .map(|name| {
                let (host, on) = self.check_file_system(checker, name);
                let log = self.check_log(checker, name);
                checker.volume(PlannedVolume {
                    key: FILE_SYSTEM,
                    what: "file system",
                    name: name.clone(),
                    part: name.clone(),
                    on: on.flatten(),
                    found: on.is_some(),
                    is_beside_others: false,
                });
                Some(PlannedMount { host: host?, on: on?, log: log.ok()? })
            })
            .collect();
        let all: Option<Vec<PlannedMount>> = planned.into_iter().collect();
        let hosts: Vec<(&str, &str)> = self.host.keys().map(|name| (name.as_str(), name.as_str())).collect();
        let hosts = Directory::of(hosts, checker.places.copies());
        let networks = self.check_networks(checker, &hosts);
        let traffic = self.check_traffic(checker, &hosts, &networks);
        let mpi = self.check_mpi(checker, (&hosts, &networks));
        let (mut pvfs, mut shares, mut san) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(mounts) = &all {
            let mounted: Vec<usize> = mounts.iter().map(|mount| mount.host).collect();
            pvfs = self.check_pvfs(checker, (&hosts, &networks, &mounted));
            shares = self.check_shares(checker, (&hosts, &networks, &mounted));
            san = self.check_san(checker, (&hosts, &networks));
            let clients = pvfs.iter().flatten().flat_map(PlannedPvfs::clients);
            let clients = clients.chain(shares.iter().flatten().flat_map(PlannedShare::clients));
            let on_disks = san.iter().flatten().flat_map(PlannedSan::hosts);
            self.check_mounts(checker, mounts, clients.chain(on_disks).collect());
        }
        let inner = std::mem::take(&mut checker.inner_networks);
        let inner = inner.into_iter().map(|(network, (_, ends))| (network, ends)).collect();
        let mounts = all.unwrap_or_default();
        CheckedLinux { profiles, mounts, networks, inner, traffic, pvfs, shares, san, mpi }
    }

    fn check_hosts(&self, checker: &mut Checker<'_, '_>) {
        for (name, host) in &self.host {
            let path = format!("{HOST}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "host", "rename one of them");
            checker.take_name(&path, &format!("{name}/processor"), "host's processor", "rename one of them");
            if host.swappiness > MOST_SWAPPINESS {
                let message = format!(
                    "swappiness lies between 0 and {MOST_SWAPPINESS}, and not at {}",
                    host.swappiness
                );
                checker.error(&format!("{path}.swappiness"), message, "60 is usual");
            }
        }
    }

    /// The host of a file system, and the holder that it lies on, if it lies on one: both where they make sense.
    fn check_file_system(
        &self,
        checker: &mut Checker<'_, '_>,
        name: &str,
    ) -> (Option<usize>, Option<Option<u32>>) {
        let path = format!("{FILE_SYSTEM}.{name}");
        checker.name(&path, name);
        let place = &self.fs[name].place;
        for (key, count) in [("queue_requests", place.queue_requests), ("queue_depth", place.queue_depth)] {
            if count == Some(0) {
                let message = format!("with {key} = 0 nothing ever reaches the device");
                checker.error(&format!("{path}.{key}"), message, "write 1 or more, or leave it out");
            }
        }
        let host = self.host_of(checker, &path, name);
        let Some(on) = &place.on else { return (host, Some(None)) };
        let on = checker.only(&format!("{path}.on"), on, "file system");
        if let Some(on) = on {
            checker.claim(on, &format!("the file system \"{name}\""), &format!("{path}.on"));
        }
        (host, on.map(Some))
    }

    /// The holder that is a file system's journal, if it has one of its own; an error has been told.
    fn check_log(&self, checker: &mut Checker<'_, '_>, name: &str) -> Result<Option<u32>, ()> {
        let kind = &self.fs[name].kind;
        let Some((on, _)) = kind.log_apart() else { return Ok(None) };
        let key = if kind.ext().is_some() { "journal.on" } else { "log" };
        let path = format!("{FILE_SYSTEM}.{name}.{key}");
        if kind.ext().is_some_and(|parameters| parameters.journal_place.is_some()) {
            let message = "the journal is a device of its own, and so lies nowhere in the file system";
            let place = format!("{FILE_SYSTEM}.{name}.journal_place");
            checker.error(&place, message.to_owned(), "leave it out");
        }
        let found = checker.only(&path, on, "journal").ok_or(())?;
        checker.claim(found, &format!("the journal of \"{name}\""), &path);
        Ok(Some(found))
    }

    fn host_of(&self, checker: &mut Checker<'_, '_>, path: &str, name: &str) -> Option<usize> {
        let host = self.fs[name].place.host.as_deref();
        if let Some(found) = host.and_then(|host| self.host.get_index_of(host)) {
            return Some(found);
        }
        let hosts: Vec<&str> = self.host.keys().map(String::as_str).collect();
        match (host, hosts.as_slice()) {
            (Some(host), _) => {
                let help = listed(host, &hosts, "the hosts are");
                checker.error(&format!("{path}.host"), format!("no host is called \"{host}\""), help);
                None
            }
            (None, [_]) => Some(0),
            (None, []) => {
                let message = format!("no host mounts the file system \"{name}\"");
                let help = "add a part: [host.h] and below it machine = \"…\" and kernel = \"…\"";
                checker.error_at_key(path, message, help);
                None
            }
            (None, _) => {
                let message = format!("there are several hosts; which of them mounts \"{name}\"?");
                checker.error_at_key(path, message, format!("write host = \"{}\"", hosts[0]));
                None
            }
        }
    }

    /// Pages within those of hosts have names, and every host mounts something.
    fn check_mounts(
        &self,
        checker: &mut Checker<'_, '_>,
        mounts: &[PlannedMount],
        mut busy: BTreeSet<usize>,
    ) {
        for (name, mount) in self.fs.keys().zip(mounts) {
            let Some((host, _)) = self.host.get_index(mount.host) else { continue };
            let page = format!("{host}/{}", name_in(name, host));
            checker.take_name(&format!("{FILE_SYSTEM}.{name}"), &page, "file system", "rename one of them");
        }
        busy.extend(mounts.iter().map(|mount| mount.host));
        for (number, name) in self.host.keys().enumerate() {
            if !busy.contains(&number) {
                let message = format!("no file system is mounted by the host \"{name}\"");
                let help = "give it one, or leave the host out";
                checker.unused(&format!("{HOST}.{name}"), message, help);
            }
        }
    }
}
