//! What a person could change about Linux hosts, what they mount, and networks.

use super::HOST;
use super::network::NETWORK;
use super::{PlacedHost, PlacedLinux};
use crate::host::family::TellLevers;
use crate::text::Copies;

impl PlacedLinux {
    pub(super) fn tell_levers(&self, copies: &Copies, tell: TellLevers<'_>) {
        let written = |flat: &str| copies.written(flat).to_owned();
        for (number, PlacedHost { name, parameters }) in self.hosts.iter().enumerate() {
            let own = self.file_systems.iter().filter(|placed| placed.host == number);
            let read_ahead =
                own.map(|placed| placed.read_ahead).fold(parameters.kernel.read_ahead.max, Ord::max);
            tell(name, parameters.levers(&written(&format!("{HOST}.{name}")), read_ahead));
        }
        for network in &self.networks {
            let path = written(&format!("{NETWORK}.{}", network.name));
            tell(&network.name, network.parameters.levers(&path));
        }
        for (key, mount) in self.mounts() {
            mount.levers(&written(&format!("{key}.{}", mount.name())), self, tell);
        }
    }
}
