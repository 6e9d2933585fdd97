//! The bus between a host's memory and its adapter: what a message takes before it is on the wire, and after.
//!
//! An adapter fetches what it sends by a read over the bus, which goes there and back; what is small comes with the order
//! to send it. Each frame passes the bus, the wires and the other host's bus one after the other, and the next one
//! follows it (Alexandrov et al. 1995 have all of it in LogGP's L and G).

use super::parameters::no_time;
use super::train::Train;
use petrio_kernel::Time;
use petrio_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What adapters do between memory and wire, which takes time but no processor's: what is sent is fetched over a bus,
/// and what is received is stored over it, frame by frame while others pass the wire.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterParameters {
    /// The rate of the bus in each direction, after what its own protocol takes (PCI, PCI-X, PCI Express).
    pub bus: Rate,
    /// From memory or processor to the adapter, or back: an order to send, or data that are stored.
    #[serde(default = "no_time")]
    pub latency: Duration,
    /// A read of memory, there and back, before the first of a message's data can be sent.
    #[serde(default = "no_time")]
    pub fetch: Duration,
    /// Messages up to so many bytes come with the order to send them, and needn't be fetched.
    #[serde(default = "no_bytes")]
    pub inline: Bytes,
    /// An atomic operation on the host's memory (fetch and add, compare and swap), of which the adapter does one after the other.
    /// Left out, 0.4 us: two reads and writes over the bus, which is assumed.
    #[serde(default = "usual_atomic")]
    pub atomic: Duration,
}

/// What an atomic operation takes where nobody says it; assumed.
pub(super) fn usual_atomic() -> Duration {
    Duration::new(Time::from_nanos(400))
}

fn no_bytes() -> Bytes {
    Bytes(0)
}

impl AdapterParameters {
    /// The read of memory.
    pub(super) fn fetching(&self) -> Fetch {
        Fetch { takes: self.fetch.time(), inline: self.inline.get() }
    }

    /// What it adds at both ends to a message that is one train, but for its bytes' time on the bus.
    pub(super) fn latencies(&self, train: &Train) -> Time {
        self.latency.time() + self.latency.time() + self.fetching().takes_for(train)
    }
}

/// A read of a host's memory by its adapter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fetch {
    /// There and back.
    takes: Time,
    /// Messages up to so many bytes come with the order to send them.
    inline: u64,
}

impl Fetch {
    /// What it takes for a train.
    pub(super) fn takes_for(&self, train: &Train) -> Time {
        // A message in several trains isn't small, and its last one has the message.
        let is_inline = train.message.as_ref().is_some_and(|message| message.bytes <= self.inline);
        if is_inline { Time::ZERO } else { self.takes }
    }
}
