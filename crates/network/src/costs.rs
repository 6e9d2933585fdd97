//! What messages cost the hosts that send and receive them, beside what the network does.
//!
//! Sources of the usual costs: Kaufmann et al. 2019, "TAS: TCP Acceleration as an OS Service" (Linux's TCP, sockets and driver take
//! some 15,000 cycles to receive a small request and to send its answer: 3.7 us for each of the two at 2.1 GHz); Cai et al. 2021,
//! "Understanding Host Network Stack Overheads" (a core of today receives 42 Gbit/s of one connection and sends 89);
//! Kalia, Kaminsky and Andersen 2016, "Design Guidelines for High Performance RDMA Systems" (a core posts some seven
//! million small messages a second). Fibre Channel's adapters need no processor of the host beside what its block layer
//! does. Hosts of other days need more: `petrio calibrate --network` measures it.

use petrio_kernel::Time;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What messages cost the hosts that send and receive them (LogGP's o and G; Alexandrov et al. 1995), as it is written. It is
/// time of the hosts' own processors, which their programs share. What is left out is as the transport has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostCostsParameters {
    /// For each message that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send: Option<Duration>,
    /// For each message that is received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive: Option<Duration>,
    /// For each KiB that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_kib: Option<Duration>,
    /// For each KiB that is received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_kib: Option<Duration>,
}

/// What messages cost the hosts that send and receive them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostCosts {
    /// For each message that is sent.
    pub send: Duration,
    /// For each message that is received.
    pub receive: Duration,
    /// For each KiB that is sent.
    pub send_kib: Duration,
    /// For each KiB that is received.
    pub receive_kib: Duration,
}

impl HostCosts {
    /// As it is written, nothing left out.
    pub const fn as_written(self) -> HostCostsParameters {
        let Self { send, receive, send_kib, receive_kib } = self;
        HostCostsParameters {
            send: Some(send),
            receive: Some(receive),
            send_kib: Some(send_kib),
            receive_kib: Some(receive_kib),
        }
    }

    /// So many nanoseconds of each.
    pub(super) fn of_nanos(send: u64, receive: u64, send_kib: u64, receive_kib: u64) -> Self {
        let of = |nanos| Duration::new(Time::from_nanos(nanos));
        Self { send: of(send), receive: of(receive), send_kib: of(send_kib), receive_kib: of(receive_kib) }
    }

    /// Whether messages cost hosts nothing.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

impl HostCostsParameters {
    /// Messages cost nothing.
    pub const NONE: Self = Self {
        send: Some(Duration::ZERO),
        receive: Some(Duration::ZERO),
        send_kib: Some(Duration::ZERO),
        receive_kib: Some(Duration::ZERO),
    };

    /// Whether all is as the transport has it.
    pub fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// With what is left out as a transport has it.
    pub(super) fn over(self, usual: HostCosts) -> HostCosts {
        HostCosts {
            send: self.send.unwrap_or(usual.send),
            receive: self.receive.unwrap_or(usual.receive),
            send_kib: self.send_kib.unwrap_or(usual.send_kib),
            receive_kib: self.receive_kib.unwrap_or(usual.receive_kib),
        }
    }
}
