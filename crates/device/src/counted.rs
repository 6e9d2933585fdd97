//! What a device counts of itself: its own file says what and where, the report tells it, and nobody between knows what it is.

use petrio_kernel::Simulation;
use std::fmt;
use std::sync::Arc;

/// One of the things that a device counts.
#[derive(Clone)]
pub struct Counted {
    what: &'static str,
    look: Arc<dyn Fn(&Simulation) -> u64 + Send + Sync>,
}

impl Counted {
    /// So many of `what`, as `look` sees in a run; `what` goes on a sentence that begins with the number.
    pub(super) fn new(what: &'static str, look: impl Fn(&Simulation) -> u64 + Send + Sync + 'static) -> Self {
        Self { what, look: Arc::new(look) }
    }

    /// What is counted: "pages read first, for writes of parts of them".
    pub const fn what(&self) -> &'static str {
        self.what
    }

    /// How many there were from the run's beginning on.
    pub fn count(&self, run: &Simulation) -> u64 {
        (self.look)(run)
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counted({})", self.what)
    }
}
