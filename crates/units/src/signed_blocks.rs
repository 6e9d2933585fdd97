//! A distance in device blocks, which may lead backward: `"40000 blocks"`, `"-20 MB"`.

use crate::blocks::Blocks;
use crate::error::UnitError;
use crate::parse::shortened;
use crate::quantity::{Quantity, text_quantity};
use crate::unit::Kind;
use std::fmt;
use std::str::FromStr;

/// A distance in 512-byte blocks, forward or backward: `"40000 blocks"`, `"-20 MB"`. Units as of [`Blocks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SignedBlocks(pub i64);

impl Quantity for SignedBlocks {
    const KIND: Kind = Kind::Blocks;
    const SIGNED: bool = true;
    const ALSO: Option<Kind> = Some(Kind::Size);
}

impl FromStr for SignedBlocks {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (sign, size) = match text.trim_start().strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, text),
        };
        let blocks = size.parse::<Blocks>()?.get();
        match i64::try_from(blocks) {
            Ok(blocks) => Ok(Self(sign * blocks)),
            Err(_) => Err(UnitError::TooLarge {
                text: shortened(text.trim()),
                needed: "a distance",
                limit: "9223372036854775807 blocks",
            }),
        }
    }
}

impl fmt::Display for SignedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Blocks(self.0.unsigned_abs()))
    }
}

text_quantity!(SignedBlocks);
