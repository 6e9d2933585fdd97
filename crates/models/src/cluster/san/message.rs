//! What nodes and the lock manager tell each other.

use super::tokens::{Ask, Given, Told};

/// Bytes of a message: the header of 16 and the 72 of figures of Linux' distributed lock manager, and a lock's name of 24
/// (struct dlm_message, fs/dlm/dlm_internal.h, Linux 2.6.24; GFS2's names are a type and a number of 16 digits).
pub(super) const MESSAGE: u64 = 16 + 72 + 24;

/// What a message says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// To the manager.
    Ask(Ask),
    Given(Given),
    /// To a node.
    Told(Told),
}
