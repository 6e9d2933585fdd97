//! What is known of a host's TCP, as it is written.

use super::Rules;
use petrio_kernel::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the hosts' TCP behaves at the level of packets. The defaults are those of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpParameters {
    /// Segments that a new connection sends before it has heard of any: 10 (RFC 6928; Linux's TCP_INIT_CWND).
    pub initial_window: u32,
    /// The shortest retransmission time-out: 200 ms (Linux's TCP_RTO_MIN; RFC 6298 would have 1 s). It is also the
    /// first
    /// one, for the handshake has measured the round trip.
    pub rto_min: Duration,
    /// The longest retransmission time-out: 120 s (Linux's TCP_RTO_MAX).
    pub rto_max: Duration,
    /// How long a receiver waits for another segment before it acknowledges one: 40 ms (Linux's TCP_DELACK_MIN; RFC
    /// 5681
    /// allows 500 ms).
    pub delayed_ack: Duration,
    /// Segments that are acknowledged together: 2 (RFC 5681, section 4.2); 1 delays no acknowledgement.
    pub segments_per_ack: u32,
    /// Repeated acknowledgements after which a segment is taken for lost: 3 (RFC 5681, section 3.2).
    pub duplicate_acks: u32,
    /// Whether a connection that has been idle for longer than its time-out begins with the initial window again: yes
    /// (RFC 5681, section 4.1; Linux's net.ipv4.tcp_slow_start_after_idle).
    pub slow_start_after_idle: bool,
}

impl Default for TcpParameters {
    fn default() -> Self {
        Self {
            initial_window: 10,
            rto_min: Duration::new(Time::from_millis(200)),
            rto_max: Duration::new(Time::from_whole_seconds(120)),
            delayed_ack: Duration::new(Time::from_millis(40)),
            segments_per_ack: 2,
            duplicate_acks: 3,
            slow_start_after_idle: true,
        }
    }
}

impl TcpParameters {
    /// The field that would keep connections from sending, if there is one.
    pub(in super::super) fn mistake(&self) -> Option<&'static str> {
        [
            ("initial_window", self.initial_window == 0),
            ("rto_min", self.rto_min == Duration::ZERO),
            ("rto_max", self.rto_max < self.rto_min),
            ("segments_per_ack", self.segments_per_ack == 0),
            ("duplicate_acks", self.duplicate_acks == 0),
        ]
        .into_iter()
        .find_map(|(field, is_wrong)| is_wrong.then_some(field))
    }

    /// Whether they are the usual ones.
    pub(in super::super) fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// With segments of so many bytes, and the receiver's window.
    pub(super) fn rules(&self, segment: u64, window: Option<Bytes>) -> Rules {
        Rules {
            segment,
            window: window.map_or(u64::MAX, Bytes::get),
            initial_window: segment.saturating_mul(u64::from(self.initial_window)),
            time_out_min: self.rto_min.time(),
            time_out_max: self.rto_max.time(),
            delayed_acknowledgement: self.delayed_ack.time(),
            segments_per_acknowledgement: self.segments_per_ack,
            duplicates: self.duplicate_acks,
            restarts_after_idle: self.slow_start_after_idle,
        }
    }
}
