//! When something is due.

use petrio_persist::Persist;
use petrio_time::Time;

/// When a source wants to be asked for its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Due {
    /// At this point of model time (at once, if it has passed).
    At(Time),
    /// Not before one of its requests completes.
    AfterCompletion,
    /// Never again: everything has been issued.
    Never,
}
