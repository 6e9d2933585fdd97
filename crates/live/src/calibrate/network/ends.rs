//! What an end knows of itself and of its connection.
//!
//! Sources: ip(7) for IP_MTU, tcp(7) for TCP_CONGESTION and `tcp_timestamps`, random(4) for `boot_id`.

use super::super::here::Here;
use super::protocol::About;
use petrio_models::network::Framing;
use petrio_units::Bytes;
use rustix::net::sockopt::{ip_mtu, ipv6_mtu, tcp_congestion};
use std::fs;
use std::net::{SocketAddr, TcpStream};

/// Bytes of a TCP header, and of its time stamps with their padding (RFC 9293, RFC 7323).
const TCP: u64 = 20;
const TIME_STAMPS: u64 = 12;
/// Bytes of IP headers (RFC 791, RFC 8200).
const IPV4: u64 = 20;
const IPV6: u64 = 40;
/// Bytes of an Ethernet header: all that there is beside a packet where there is no wire, and what tbf counts.
pub(super) const NO_WIRE: Bytes = Bytes(14);

/// This end of a connection.
pub(super) fn about(stream: &TcpStream) -> About {
    let here = Here::look();
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    About {
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        kernel: here.kernel,
        processor: here.processor,
        processors: here.processors,
        time_stamps: text("/proc/sys/net/ipv4/tcp_timestamps") != "0",
        congestion: tcp_congestion(stream).unwrap_or_default(),
        boot: text("/proc/sys/kernel/random/boot_id"),
    }
}

/// How a connection's data are cut into frames: its path's MTU, its headers, and what frames carry on Ethernet, or
/// where there is no wire.
pub(super) fn framing(stream: &TcpStream, time_stamps: bool, has_wire: bool) -> Framing {
    let usual = Framing::default();
    let is_ipv6 =
        matches!(stream.peer_addr(), Ok(SocketAddr::V6(peer)) if peer.ip().to_ipv4_mapped().is_none());
    let mtu = if is_ipv6 { ipv6_mtu(stream) } else { ip_mtu(stream) };
    let ip = if is_ipv6 { IPV6 } else { IPV4 };
    let headers = ip + TCP + if time_stamps { TIME_STAMPS } else { 0 };
    Framing {
        mtu: mtu.ok().map(|mtu| Bytes(mtu.into())).filter(|mtu| mtu.get() > headers).unwrap_or(usual.mtu),
        packet_headers: Bytes(headers),
        frame_overhead: if has_wire { usual.frame_overhead } else { NO_WIRE },
    }
}
