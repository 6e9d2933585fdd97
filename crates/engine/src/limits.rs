//! When a run ends, and how often somebody looks at it.

use petrio_kernel::Time;

/// Firings between two signs of progress where nothing completes.
pub(crate) const STEP: u64 = 1 << 20;

/// When a run under a load ends, if the load doesn't end first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After so many completed requests of storage.
    pub requests: Option<u64>,
    /// At this model time.
    pub time: Option<Time>,
    /// Where it is now, once it is stopped; otherwise what is stopped gives nothing.
    pub so_far: bool,
}
