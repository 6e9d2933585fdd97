//! A bus that several devices share: one at a time has it.

use petrio_kernel::{Place, Probe, Time};

/// The bus while nobody has it. What is given over it may have begun to pass while it was free, before somebody knew that he
/// would have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreeBus {
    /// Since when.
    pub since: Time,
}

/// Where devices find a bus.
#[derive(Clone, Copy, Debug)]
pub struct SharedBus {
    /// There it is while nobody has it.
    pub free: Place<FreeBus>,
    /// Whoever has had it records for how many seconds.
    pub busy: Probe,
}
