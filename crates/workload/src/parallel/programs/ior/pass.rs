//! What IOR does with its file in a repetition: writes it, reads it to compare it with what was written, reads it.

use crate::parallel::act::Direction;
use petrio_persist::Persist;

/// One of these, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Pass {
    Write,
    /// -W. Nothing of it is compared here, which costs no access.
    Check,
    Read,
}

impl Pass {
    pub(super) const fn direction(self) -> Direction {
        match self {
            Self::Write => Direction::Write,
            Self::Check | Self::Read => Direction::Read,
        }
    }

    pub(super) const fn is_read(self) -> bool {
        !matches!(self, Self::Write)
    }
}
