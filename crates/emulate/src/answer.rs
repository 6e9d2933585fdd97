//! What a request comes back with.

use petrio_colours::{Failure, Status};

/// What was read, and nothing of the others; or why not.
pub type Answer = Result<Vec<u8>, Refusal>;

/// Why a request wasn't carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The medium, or there is no power.
    Io,
    /// It makes no sense: a length of zero, a place that isn't there.
    Invalid,
    /// It would go beyond the end.
    NoSpace,
    /// The device has no such command.
    NotSupported,
}

impl Refusal {
    /// The number of errno(3).
    pub const fn errno(self) -> u16 {
        match self {
            Self::Io => 5,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::NotSupported => 95,
        }
    }

    /// Of how the model ended it, if that failed.
    pub(crate) const fn of(status: Status) -> Option<Self> {
        match status.failure() {
            None => None,
            Some(Failure::BeyondEnd | Failure::NoSpace) => Some(Self::NoSpace),
            Some(Failure::Empty) => Some(Self::Invalid),
            Some(Failure::NotSupported | Failure::NotImplemented) => Some(Self::NotSupported),
            Some(_) => Some(Self::Io),
        }
    }
}
