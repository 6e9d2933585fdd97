//! Numbers of the protocol, and how they are read and written: big-endian, all of them.

use std::io::{self, Read};

pub(super) const GREETING: u64 = 0x4e42_444d_4147_4943;
pub(super) const OPTION: u64 = 0x4948_4156_454f_5054;
pub(super) const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
pub(super) const REQUEST: u32 = 0x2560_9513;
pub(super) const REPLY: u32 = 0x6744_6698;

/// Fixed newstyle, and no zeros behind an export's name.
pub(super) const HANDSHAKE_FLAGS: u16 = 1 | 2;
pub(super) const NO_ZEROES: u32 = 2;

/// What a client may ask for in the negotiation.
pub(super) mod option {
    pub(in crate::nbd) const EXPORT_NAME: u32 = 1;
    pub(in crate::nbd) const ABORT: u32 = 2;
    pub(in crate::nbd) const LIST: u32 = 3;
    pub(in crate::nbd) const INFO: u32 = 6;
    pub(in crate::nbd) const GO: u32 = 7;
}

/// What it is answered.
pub(super) mod reply {
    pub(in crate::nbd) const ACK: u32 = 1;
    pub(in crate::nbd) const SERVER: u32 = 2;
    pub(in crate::nbd) const INFO: u32 = 3;
    pub(in crate::nbd) const UNSUPPORTED: u32 = (1 << 31) | 1;
    pub(in crate::nbd) const INVALID: u32 = (1 << 31) | 3;
    pub(in crate::nbd) const UNKNOWN: u32 = (1 << 31) | 6;
    pub(in crate::nbd) const TOO_BIG: u32 = (1 << 31) | 9;
}

/// Of an export: its size and flags, and which blocks it wants.
pub(super) const INFO_EXPORT: u16 = 0;
pub(super) const INFO_BLOCK_SIZE: u16 = 3;

/// What an export can do.
pub(super) mod flag {
    pub(in crate::nbd) const HAS_FLAGS: u16 = 1;
    pub(in crate::nbd) const SEND_FLUSH: u16 = 1 << 2;
    pub(in crate::nbd) const SEND_FUA: u16 = 1 << 3;
    pub(in crate::nbd) const ROTATIONAL: u16 = 1 << 4;
    pub(in crate::nbd) const SEND_TRIM: u16 = 1 << 5;
    pub(in crate::nbd) const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub(in crate::nbd) const CAN_MULTI_CONN: u16 = 1 << 8;
}

/// What it is asked for then.
pub(super) mod command {
    pub(in crate::nbd) const READ: u16 = 0;
    pub(in crate::nbd) const WRITE: u16 = 1;
    pub(in crate::nbd) const DISCONNECT: u16 = 2;
    pub(in crate::nbd) const FLUSH: u16 = 3;
    pub(in crate::nbd) const TRIM: u16 = 4;
    pub(in crate::nbd) const WRITE_ZEROES: u16 = 6;
}

/// A write that is to be on the medium before it is reported.
pub(super) const THROUGH: u16 = 1;

/// Blocks that a client may ask for: no part of 512 bytes, 4 KiB at best, no more than 32 MiB at once.
pub(super) const LEAST: u32 = 512;
pub(super) const BEST: u32 = 4_096;
pub(super) const MOST: u32 = 32 << 20;

pub(super) fn u16_of(from: &mut impl Read) -> io::Result<u16> {
    let mut bytes = [0; 2];
    from.read_exact(&mut bytes)?;
    Ok(u16::from_be_bytes(bytes))
}

pub(super) fn u32_of(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

pub(super) fn u64_of(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_be_bytes(bytes))
}

/// That a client doesn't keep to the protocol.
pub(super) fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
