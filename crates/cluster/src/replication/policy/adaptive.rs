//! The number of copies by how often a file is read for each time that it is written.
//!
//! A file with r reads and w writes of late gets 1 + ⌊log₂(1 + r ∕ (1 + w))⌋ copies: each doubling of reads a write is
//! worth a copy, as each copy costs another write. What Ivy (§3, §7) leaves for the future; the rule is petrio's own.

use super::super::history::{FileEvent, History};
use super::{Decision, Home, Policy, Retain};
use petrio_kernel::Time;
use petrio_units::Duration;
use petrio_units::numbers::{as_number, whole_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the number of copies follows the rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdaptiveParameters {
    /// How long after its last update a file may get more copies.
    pub after: Duration,
    /// Whether a file keeps its copies while it is written, as long as its reads are worth them; if not, it is cut back
    /// to one.
    pub write_all: bool,
    /// Whether each file begins on a disk by chance.
    pub scatter: bool,
}

impl Default for AdaptiveParameters {
    fn default() -> Self {
        Self { after: Duration::new(Time::from_millis(60_000)), write_all: false, scatter: true }
    }
}

#[derive(Debug)]
pub(super) struct Adaptive {
    pub(super) parameters: AdaptiveParameters,
}

impl Adaptive {
    fn worth(history: &History, most: u32) -> u32 {
        let reads_a_write = history.reads_of_late / (1.0 + history.writes_of_late);
        let copies = 1.0 + libm::floor(libm::log2(1.0 + reads_a_write));
        as_number(whole_part(copies)).clamp(1, most.max(1))
    }
}

impl Policy for Adaptive {
    fn home(&self) -> Home {
        if self.parameters.scatter { Home::Random } else { Home::First }
    }

    /// Nothing is known of its reads yet.
    fn of_old(&self, _most: u32) -> u32 {
        1
    }

    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision {
        let worth = Self::worth(history, most);
        let is_update = matches!(event, FileEvent::Write | FileEvent::Truncate | FileEvent::DiskWrite);
        if is_update && copies > 1 && (!self.parameters.write_all || worth < copies) {
            return Decision::CutBack(Retain::Random);
        }
        if matches!(event, FileEvent::Read | FileEvent::DiskRead) && worth > copies {
            let updated = history.last_write.max(history.created);
            let due = updated.map_or(now, |updated| updated + self.parameters.after.time());
            return Decision::Copies { number: worth, after: due.saturating_sub(now) };
        }
        Decision::Keep
    }
}
