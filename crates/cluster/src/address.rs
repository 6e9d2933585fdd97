//! Where a service is heard on a network, and what is sent there.

use petrio_colours::Message;
use petrio_network::Port;
use petrio_persist::Persist;

/// A service of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub(super) struct Address {
    pub(super) host: u32,
    pub(super) service: u32,
}

impl Address {
    /// Where what is sent to a port is heard.
    pub(super) const fn of(port: &Port) -> Self {
        Self { host: port.host, service: port.service }
    }

    /// A message from here to another: so many bytes that say `payload`.
    pub(super) fn message<T: Clone + Persist + Send + Sync + 'static>(
        self,
        to: Self,
        connection: u32,
        (bytes, payload): (u64, T),
    ) -> Message {
        Message::send(self.host, (to.host, to.service), connection, (bytes, payload))
    }
}
