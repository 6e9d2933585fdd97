//! What several paths have counted.

use crate::raid::Moved;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// What all paths together have counted.
#[derive(Clone, Debug, Default, Persist)]
pub struct Tally {
    /// By path.
    pub paths: Vec<PathTally>,
    /// How often requests went over to another group of paths.
    pub switches: u64,
    /// Requests that waited while there was no path.
    pub waited: u64,
    /// How long there were such, all times together.
    pub waiting: Time,
    /// Since when there are such.
    pub waits_since: Option<Time>,
    /// Requests that failed since there was no path.
    pub failed: u64,
    /// Requests that were sent again though the device had them: it has done them twice.
    pub delivered_twice: u64,
    /// Answers that were lost on a path that had failed.
    pub answers_lost: u64,
}

impl Tally {
    pub(super) fn end_wait(&mut self, now: Time) {
        if let Some(since) = self.waits_since.take() {
            self.waiting = self.waiting.saturating_add(now.saturating_sub(since));
        }
    }
}

/// What a path has counted.
#[derive(Clone, Debug, Default, Persist)]
pub struct PathTally {
    /// Reads that were answered over it.
    pub reads: Moved,
    /// Writes.
    pub writes: Moved,
    /// Flushes.
    pub flushes: u64,
    /// Discards.
    pub discards: u64,
    /// Requests on it that had to be sent again.
    pub again: u64,
    /// When it failed.
    pub failures: Vec<PathFailed>,
}

/// A failure of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct PathFailed {
    /// When it began.
    pub at: Time,
    /// When the path was given up; never, where it was back before.
    pub found: Option<Time>,
    /// When it was over.
    pub restored: Option<Time>,
    /// When requests took the path again.
    pub used_again: Option<Time>,
}

impl PathTally {
    pub(super) fn fail(&mut self, now: Time) {
        self.failures.push(PathFailed { at: now, ..PathFailed::default() });
    }

    pub(super) fn found(&mut self, now: Time) {
        self.change(|failed| failed.found = Some(now));
    }

    pub(super) fn restore(&mut self, now: Time) {
        self.change(|failed| failed.restored = Some(now));
    }

    pub(super) fn used_again(&mut self, now: Time) {
        self.change(|failed| failed.used_again = Some(now));
    }

    fn change(&mut self, change: impl FnOnce(&mut PathFailed)) {
        if let Some(latest) = self.failures.last_mut() {
            change(latest);
        }
    }
}
