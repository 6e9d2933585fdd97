//! A number of device blocks of 512 bytes: `"8 blocks"`, `"64 sectors"`, or a size that is a multiple of it.

use crate::bytes::whole;
use crate::error::UnitError;
use crate::parse::shortened;
use crate::quantity::{Quantity, text_quantity};
use crate::unit::Kind;
use std::fmt;
use std::str::FromStr;

/// A number of 512-byte device blocks. Units: blocks, sectors; or any unit of size, if it comes to whole blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Blocks(pub u64);

/// Bytes in a device block, the unit of addresses and lengths on the wire to a device.
pub(crate) const BLOCK_BYTES: u64 = 512;

impl Blocks {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// In bytes; saturates.
    pub const fn bytes(self) -> u64 {
        self.0.saturating_mul(BLOCK_BYTES)
    }
}

impl Quantity for Blocks {
    const KIND: Kind = Kind::Blocks;
    const ALSO: Option<Kind> = Some(Kind::Size);
}

impl FromStr for Blocks {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match whole(text, &[Kind::Blocks, Kind::Size], "blocks", "18446744073709551615 blocks")? {
            (bytes, Kind::Size) if bytes % BLOCK_BYTES == 0 => Ok(Self(bytes / BLOCK_BYTES)),
            (_, Kind::Size) => {
                Err(UnitError::NotWhole { text: shortened(text.trim()), parts: "blocks of 512 bytes" })
            }
            (count, _) => Ok(Self(count)),
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "block" } else { "blocks" })
    }
}

text_quantity!(Blocks);
