//! How a device is rearranged by use, as it is written.

use crate::CopyTraffic;
use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_units::{Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Most pieces that a device is divided into: they are numbered in 32 bits.
const PIECES_MAX: u64 = u32::MAX as u64;

/// How a device is rearranged by use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RearrangementParameters {
    /// What is moved as a whole, a multiple of 4 KiB. Small pieces bring together just what is used; large ones keep what
    /// is read one after the other together.
    pub piece: Bytes,
    /// How long uses are counted until pieces are moved, and then again and again. A day in the studies, at whose end
    /// disks are idle.
    pub every: Duration,
    /// How much of what was counted stays for the next time; 0 % forgets everything but the last interval.
    pub keep: Fraction,
    /// How many pieces get a place by their use, the most used first; those that were used once stay where they are.
    /// Without it, all that were used more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<NonZeroU32>,
    /// Where the most used pieces go.
    pub order: PieceOrder,
    /// How pieces are moved. Two change places with two reads and two writes.
    pub traffic: CopyTraffic,
}

/// Where the most used pieces go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum PieceOrder {
    /// To where half of all uses lie before and half behind, the others beside it by turns: the arm's way is shortest when
    /// requests come in no order.
    #[default]
    OrganPipe,
    /// To its beginning, one after the other, where the outer tracks of a disk are faster.
    Front,
}

/// Why nothing can be rearranged so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RearrangementError {
    /// Pieces that aren't made of pages.
    #[error("a piece of {0} is no multiple of 4 KiB; 64 KiB and 1 MiB are usual")]
    Piece(Bytes),
    /// No time to count.
    #[error("pieces can't be moved every 0 s; give how long uses are counted, such as 1 d")]
    Every,
    /// Too many pieces.
    #[error("a device of {blocks} blocks has too many pieces of {piece}; take larger ones")]
    TooMany {
        /// Blocks of 512 bytes.
        blocks: u64,
        /// The piece.
        piece: Bytes,
    },
}

impl Default for RearrangementParameters {
    fn default() -> Self {
        Self {
            piece: Bytes(1 << 20),
            every: Duration::new(petrio_kernel::Time::from_millis(24 * 3_600_000)),
            keep: Fraction::ZERO,
            pieces: None,
            order: PieceOrder::OrganPipe,
            traffic: CopyTraffic::Simulated,
        }
    }
}

impl RearrangementParameters {
    /// What makes no sense of it, whatever it lies on.
    ///
    /// # Errors
    /// See [`RearrangementError`].
    pub fn check(&self) -> Result<(), RearrangementError> {
        if self.piece.get() == 0 || !self.piece.get().is_multiple_of(4096) {
            return Err(RearrangementError::Piece(self.piece));
        }
        if self.every.time() == petrio_kernel::Time::ZERO {
            return Err(RearrangementError::Every);
        }
        Ok(())
    }

    /// Device blocks in a piece.
    pub(super) fn piece_blocks(&self) -> u64 {
        (self.piece.get() / SECTOR_BYTES).max(1)
    }

    /// Blocks that are offered of a device's: whole pieces.
    pub fn blocks(&self, device_blocks: u64) -> u64 {
        device_blocks / self.piece_blocks() * self.piece_blocks()
    }

    /// How many pieces a device of so many blocks has.
    pub(super) fn pieces_of(&self, blocks: u64) -> Result<u32, RearrangementError> {
        self.check()?;
        let pieces = blocks / self.piece_blocks();
        match u32::try_from(pieces) {
            Ok(pieces) if u64::from(pieces) < PIECES_MAX => Ok(pieces),
            _ => Err(RearrangementError::TooMany { blocks, piece: self.piece }),
        }
    }
}
