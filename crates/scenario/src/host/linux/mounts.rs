//! What all that hosts share through a network has in common: which network that is, who is on it, and what mounts are
//! called.

use super::Linux;
use super::network::NETWORK;
use crate::check::{Checker, listed};

/// The name of a mount: a path, as of what a host owns.
pub(super) fn mount_name(host: &str, part: &str) -> String {
    format!("{host}/{}", part.rsplit('/').next().unwrap_or(part))
}

impl Linux {
    /// The network between the hosts of a part at `path`, which names it unless there is only one.
    pub(super) fn network_between(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        wanted: Option<&str>,
    ) -> Option<usize> {
        let names: Vec<&str> = self.network.keys().map(String::as_str).collect();
        match (wanted, names.as_slice()) {
            (Some(wanted), _) => {
                let found = self.network.get_index_of(wanted);
                if found.is_none() {
                    let help = listed(wanted, &names, "the networks are");
                    checker.error(
                        &format!("{path}.network"),
                        format!("no network is called \"{wanted}\""),
                        help,
                    );
                }
                found
            }
            (None, [_]) => Some(0),
            (None, []) => {
                let help = "add a part: [network.lan] and below it link = { rate = \"1 Gbit/s\", latency = \"25 us\" }";
                checker.error_at_key(path, "its hosts are on no network", help);
                None
            }
            (None, [first, ..]) => {
                let message = "there are several networks; which of them is between its hosts?";
                checker.error_at_key(path, message, format!("write network = \"{first}\""));
                None
            }
        }
    }

    /// The hosts that `key` of the part at `path` names are on its network.
    pub(super) fn check_on_network(
        &self,
        checker: &mut Checker<'_, '_>,
        path: &str,
        (network, networks): (usize, &[Vec<usize>]),
        (key, mut hosts): (&str, impl Iterator<Item = usize>),
    ) {
        let on_network: std::collections::BTreeSet<usize> =
            networks.get(network).into_iter().flatten().copied().collect();
        let Some(away) = hosts.find(|host| !on_network.contains(host)) else { return };
        let network = self.network.get_index(network).map_or("", |(name, _)| name);
        let host = self.host.get_index(away).map_or("", |(name, _)| name.as_str());
        let message = format!("the host \"{host}\" isn't on the network \"{network}\"");
        let help = format!("name it in the hosts of [{NETWORK}.{network}]");
        checker.error(&format!("{path}.{key}"), message, help);
    }
}
