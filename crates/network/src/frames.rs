//! What a message becomes on a wire: packets in frames, each with its headers.

use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How data are cut into frames, as it is written; what is left out is as the transport has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FramingParameters {
    /// Bytes of the largest packet, its headers included (MTU).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// Bytes of headers in each packet: 52 for IPv4 and TCP with time stamps (RFC 791, RFC 9293, RFC 7323), 40 without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_headers: Option<Bytes>,
    /// Bytes that a frame takes beside its packet: on Ethernet 38, which are header 14, checksum 4, preamble 8 and gap
    /// 12 (IEEE 802.3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_overhead: Option<Bytes>,
}

impl From<Framing> for FramingParameters {
    fn from(framing: Framing) -> Self {
        let Framing { mtu, packet_headers, frame_overhead } = framing;
        Self { mtu: Some(mtu), packet_headers: Some(packet_headers), frame_overhead: Some(frame_overhead) }
    }
}

impl FramingParameters {
    /// Whether nothing is written.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// With the rest as a transport has it.
    pub fn over(&self, usual: Framing) -> Framing {
        Framing {
            mtu: self.mtu.unwrap_or(usual.mtu),
            packet_headers: self.packet_headers.unwrap_or(usual.packet_headers),
            frame_overhead: self.frame_overhead.unwrap_or(usual.frame_overhead),
        }
    }
}

/// How data are cut into frames, and what each frame carries beside them.
///
/// On Ethernet with an MTU of 1500 bytes and TCP with time stamps, 1448 bytes of data take 1538 of the wire: 941.5 of
/// 1000 Mbit/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Bytes of the largest packet, its headers included (MTU).
    pub mtu: Bytes,
    /// Bytes of headers in each packet: 52 for IPv4 and TCP with time stamps (RFC 791, RFC 9293, RFC 7323), 40 without.
    pub packet_headers: Bytes,
    /// Bytes that a frame takes beside its packet: on Ethernet 38, which are header 14, checksum 4, preamble 8 and gap
    /// 12 (IEEE 802.3).
    pub frame_overhead: Bytes,
}

impl Framing {
    /// Bytes of data in a full frame.
    pub const fn data(&self) -> u64 {
        let data = self.mtu.get().saturating_sub(self.packet_headers.get());
        if data == 0 { 1 } else { data }
    }

    /// Bytes that a full frame takes of the wire.
    pub const fn full_frame(&self) -> u64 {
        self.mtu.get() + self.frame_overhead.get()
    }

    /// Bytes that so many of data take of the wire. What has no data still is a frame.
    pub const fn on_wire(&self, bytes: u64) -> u64 {
        let frames = if bytes == 0 { 1 } else { bytes.div_ceil(self.data()) };
        bytes + frames * (self.packet_headers.get() + self.frame_overhead.get())
    }

    /// Bytes of the wire that the first frame of so many of data takes.
    pub const fn first_frame(&self, bytes: u64) -> u64 {
        let data = self.data();
        self.on_wire(if bytes < data { bytes } else { data })
    }

    /// The share of a wire's rate that data have.
    pub fn efficiency(&self) -> f64 {
        self.data() as f64 / self.full_frame() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_of_gigabit_ethernet_is_what_is_measured() {
        let with_time_stamps = Framing::default();
        assert!((1000.0 * with_time_stamps.efficiency() - 941.5).abs() < 0.05);
        let without = Framing { packet_headers: Bytes(40), ..with_time_stamps };
        assert!((1000.0 * without.efficiency() - 949.3).abs() < 0.05);
        let jumbo = Framing { mtu: Bytes(9000), ..with_time_stamps };
        assert!((jumbo.efficiency() - 0.99).abs() < 0.001);
    }

    #[test]
    fn a_message_of_nothing_is_a_frame() {
        let framing = Framing::default();
        assert_eq!(framing.on_wire(0), 90);
        assert_eq!(framing.on_wire(1448), 1538);
        assert_eq!(framing.on_wire(1449), 1538 + 91);
        assert_eq!(framing.first_frame(10_000), 1538);
    }
}
