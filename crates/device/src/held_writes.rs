//! Where a run tells how much a device holds of what it has reported as written.

use petrio_kernel::Simulation;
use std::fmt;
use std::sync::Arc;

/// Looks at a run: bytes that a cache holds, and for how many there is room.
type Look = Arc<dyn Fn(&Simulation) -> (u64, u64) + Send + Sync>;

/// A cache of a device, in a net.
#[derive(Clone)]
pub struct HeldWrites {
    /// What the cache is called: "the write cache".
    pub cache: &'static str,
    look: Look,
}

impl HeldWrites {
    /// A cache at which `look` looks.
    pub(super) fn new(
        cache: &'static str,
        look: impl Fn(&Simulation) -> (u64, u64) + Send + Sync + 'static,
    ) -> Self {
        Self { cache, look: Arc::new(look) }
    }

    /// Bytes that have been reported and aren't where they are to stay, and for how many there is room.
    pub fn bytes(&self, run: &Simulation) -> (u64, u64) {
        (self.look)(run)
    }
}

impl fmt::Debug for HeldWrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldWrites").field("cache", &self.cache).finish_non_exhaustive()
    }
}
