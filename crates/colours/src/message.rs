//! What hosts exchange through a network.

use crate::parcel::Parcel;

/// A message between two hosts.
///
/// Messages of one connection arrive in the order in which they were sent: a connection is one stream of bytes, as of
/// TCP or of a reliable connection of InfiniBand. Connections share what they pass.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who sends it, as a number of the hosts of its network.
    pub source: u32,
    /// Who receives it, likewise.
    pub destination: u32,
    /// Which of the connections between these two.
    pub connection: u32,
    /// Which of the destination's services it is for, as the network numbers them.
    pub service: u32,
    /// Its service level (InfiniBand's SL), by which networks with several virtual lanes choose one.
    pub service_level: u8,
    /// Bytes of it that cross the network, headers of its own protocol included and those of the network not.
    pub bytes: u64,
    /// What it says.
    pub payload: Parcel,
}
