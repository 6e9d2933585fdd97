//! What carries messages: how it cuts them into frames, what headers of its own they get, and whether switches wait for
//! whole frames.
//!
//! Sources: RFC 9293, RFC 7323 and IEEE 802.3 (TCP over Ethernet); RFC 4391 (IP over InfiniBand, datagrams); InfiniBand
//! Architecture Specification 1 (LRH 8, BTH 12, ICRC 4, VCRC 2 bytes; MTU 4096); FC-FS (SOF, CRC and EOF 4 each, header
//! 24, six words between frames); RFC 7143 (iSCSI: a header of 48 bytes, segments of 8 KiB). What SCSI says on top of
//! them is those of `block::scsi`. Leaves out how connections begin.

use super::costs::HostCosts;
use super::frames::Framing;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What carries messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP over Ethernet: frames of 1500 bytes, 52 of headers in each.
    #[default]
    Tcp,
    /// TCP over InfiniBand's datagrams: frames of 2044 bytes.
    IpOverInfiniband,
    /// Reliable connections of InfiniBand: frames of 4096 bytes of data, nothing copied, nothing acknowledged that costs.
    Rdma,
    /// Fibre Channel: frames of 2112 bytes of data.
    FibreChannel,
    /// iSCSI: TCP over Ethernet, and 48 bytes before every 8 KiB.
    Iscsi,
    /// GM over Myrinet: frames of 4096 bytes of data.
    Gm,
}

/// Data behind a header of iSCSI (MaxRecvDataSegmentLength).
const ISCSI_SEGMENT: u64 = 8 << 10;
/// The header (basic header segment).
const ISCSI_HEADER: u64 = 48;

impl Transport {
    /// How it cuts data into frames.
    pub const fn framing(self) -> Framing {
        let (mtu, packet_headers, frame_overhead) = match self {
            Self::Tcp | Self::Iscsi => (1500, 52, 38),
            Self::IpOverInfiniband => (2044, 52, 38),
            Self::Rdma => (4096 + 20, 20, 6),
            Self::FibreChannel => (2112 + 24, 24, 36),
            // A route of a byte a switch, type and length.
            Self::Gm => (4096 + 16, 16, 8),
        };
        Framing {
            mtu: Bytes(mtu),
            packet_headers: Bytes(packet_headers),
            frame_overhead: Bytes(frame_overhead),
        }
    }

    /// What messages usually cost hosts with it.
    pub(super) fn host_costs(self) -> HostCosts {
        match self {
            Self::Tcp | Self::Iscsi | Self::IpOverInfiniband => HostCosts::of_nanos(3_700, 3_700, 92, 195),
            Self::Rdma => HostCosts::of_nanos(140, 140, 0, 0),
            Self::FibreChannel => HostCosts::default(),
            // Assumed, as in the catalogue: the rest of a message's 7 us is the adapters' own processors'.
            Self::Gm => HostCosts::of_nanos(1_000, 1_000, 0, 0),
        }
    }

    /// Whether its switches pass a frame on before they have all of it.
    pub const fn cuts_through(self) -> bool {
        !matches!(self, Self::Tcp | Self::Iscsi)
    }

    /// Whether its data are TCP's, which acknowledges them and sends again what is lost.
    pub const fn is_tcp(self) -> bool {
        matches!(self, Self::Tcp | Self::Iscsi | Self::IpOverInfiniband)
    }

    /// Whether adapters access their hosts' memory for each other (one-sided and atomic operations).
    pub const fn is_one_sided(self) -> bool {
        matches!(self, Self::Rdma)
    }

    /// Bytes of a message with the headers that the transport puts into it.
    pub const fn with_headers(self, bytes: u64) -> u64 {
        match self {
            Self::Iscsi => {
                let segments = if bytes == 0 { 1 } else { bytes.div_ceil(ISCSI_SEGMENT) };
                bytes + segments * ISCSI_HEADER
            }
            _ => bytes,
        }
    }
}

/// That of TCP over Ethernet.
impl Default for Framing {
    fn default() -> Self {
        Transport::default().framing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_have_the_share_of_the_wire_that_standards_leave_them() {
        let percent = |transport: Transport| (1e4 * transport.framing().efficiency()).round() / 1e2;
        assert_eq!(percent(Transport::Tcp), 94.15);
        // 4096 of 4122, 2112 of 2172.
        assert_eq!(percent(Transport::Rdma), 99.37);
        assert_eq!(percent(Transport::FibreChannel), 97.24);
        assert!(percent(Transport::IpOverInfiniband) < percent(Transport::Rdma));
    }

    #[test]
    fn iscsi_has_a_header_before_every_8_kib() {
        assert_eq!(Transport::Iscsi.with_headers(0), 48);
        assert_eq!(Transport::Iscsi.with_headers(8 << 10), (8 << 10) + 48);
        assert_eq!(Transport::Iscsi.with_headers((8 << 10) + 1), (8 << 10) + 1 + 96);
        assert_eq!(Transport::Rdma.with_headers(5), 5);
    }
}
