//! Where somebody hears on a network.

use petrio_network::Port;
use petrio_persist::Persist;

/// A service of a host.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Address {
    pub(super) host: u32,
    pub(super) service: u32,
}

impl Address {
    /// Where what is sent to a port is heard.
    pub(super) const fn of(port: &Port) -> Self {
        Self { host: port.host, service: port.service }
    }
}
