//! Names that stand for nothing, hosts that mount nothing, figures that Linux doesn't take.

use super::mount::{CheckSite, CheckedMounts};
use super::profiles::{Profile, profiles};
use super::{HOST, Linux};
use crate::checker::{Checker, GuestFileSystem};
use crate::network::PlacedTraffic;
use crate::parts::Directory;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// MAX_SWAPPINESS (include/linux/swap.h).
const MOST_SWAPPINESS: u32 = 200;

/// Linux hosts of which names are found.
#[derive(Debug, Default)]
pub(crate) struct CheckedLinux {
    /// The machine and the kernel of each host.
    pub(super) profiles: IndexMap<String, Profile>,
    /// Hosts of other families.
    pub(super) guests: Vec<String>,
    /// Their file systems.
    pub(super) guest_file_systems: Vec<GuestFileSystem>,
    /// The hosts of each network: those of other families are counted after Linux'.
    pub(super) networks: Vec<Vec<usize>>,
    /// The ends of those that are within holders.
    pub(super) inner: BTreeMap<String, Vec<String>>,
    /// The background traffic of each.
    pub(super) traffic: Vec<Vec<PlacedTraffic>>,
    /// What hosts mount.
    pub(super) mounts: CheckedMounts,
}

impl Linux {
    pub(super) fn checked(&self, checker: &mut Checker<'_, '_>) -> CheckedLinux {
        let found = profiles(&self.host, checker.root, checker.places, checker.sources, checker.inputs);
        let profiles = found.unwrap_or_else(|mut more| {
            checker.problems.append(&mut more);
            IndexMap::new()
        });
        self.check_hosts(checker);
        let hosts = self.host.keys().map(|name| (name.as_str(), name.as_str()));
        let hosts = Directory::of(hosts, checker.places.copies());
        let guests = checker.guests.clone();
        let all = self.host.keys().chain(&guests).map(|name| (name.as_str(), name.as_str()));
        let all = Directory::of(all, checker.places.copies());
        let networks = self.check_networks(checker, &all);
        let traffic = self.check_traffic(checker, &all, &networks);
        let mut site = CheckSite::new(self, checker, (hosts, all), &networks);
        let mounts = self.checked_mounts(&mut site);
        site.finish();
        let inner = std::mem::take(&mut checker.inner_networks);
        let inner = inner.into_iter().map(|(network, within)| (network, within.ends)).collect();
        let guest_file_systems = checker.guest_file_systems.clone();
        CheckedLinux { profiles, guests, guest_file_systems, networks, inner, traffic, mounts }
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
}
