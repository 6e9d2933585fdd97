//! When a file gets (more) copies, for the policies that wait: Ivy's parameters (§4.4.1).

use super::super::history::{FileEvent, History};
use super::{Decision, Retain};
use petrio_kernel::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a file gets (more) copies. The defaults are those of Ivy's runs: all at once, 60 seconds after the file was
/// made or last written, whatever it is (§6.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trigger {
    /// How long after the file was made or last written.
    pub after: Duration,
    /// Only when it has been opened for reading so often.
    pub reads: u64,
    /// Only when it has been opened for reading and read from a disk so often.
    pub misses: u64,
    /// Only as long as it has been opened for writing no more often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_writes: Option<u64>,
    /// Only when it is so old; a file that was there before the run is.
    pub age: Duration,
    /// Only up to this size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<Bytes>,
    /// So many more at a time, each at its own event; left out, all at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

impl Default for Trigger {
    fn default() -> Self {
        let after = Duration::new(Time::from_millis(60_000));
        Self { after, reads: 0, misses: 0, most_writes: None, age: Duration::ZERO, largest: None, step: None }
    }
}

impl Trigger {
    /// Cut back with each update; more copies when it is time.
    pub(super) fn decide(
        &self,
        event: FileEvent,
        history: &History,
        (copies, most): (u32, u32),
        retain: Retain,
        now: Time,
    ) -> Decision {
        let is_update = matches!(
            event,
            FileEvent::OpenForWrite | FileEvent::Write | FileEvent::Truncate | FileEvent::DiskWrite
        );
        if is_update && copies > 1 {
            return Decision::CutBack(retain);
        }
        let may_grow = matches!(
            event,
            FileEvent::Create
                | FileEvent::Write
                | FileEvent::Truncate
                | FileEvent::OpenForRead
                | FileEvent::Read
        );
        // With the read that misses, its opening counts as one that missed.
        let may_grow = may_grow || (self.misses > 0 && event == FileEvent::DiskRead);
        if !may_grow || copies >= most {
            return Decision::Keep;
        }
        let too_large = self.largest.is_some_and(|largest| history.size > largest.get());
        if too_large || self.most_writes.is_some_and(|most| history.opened_for_write > most) {
            // A plan that was made while it was smaller, or written less often, no longer holds.
            return Decision::Copies { number: copies, after: Time::ZERO };
        }
        let number = self.step.map_or(most, |step| most.min(copies + step.max(1)));
        let waited = history.opened_for_read >= self.reads && history.opened_with_miss >= self.misses;
        let old_enough = history.created.map_or(Time::ZERO, |created| created + self.age.time());
        if !waited {
            return Decision::Keep;
        }
        // From the last update on; a read doesn't put it off.
        let updated = history.last_write.max(history.created).unwrap_or(Time::ZERO);
        let due = (updated + self.after.time()).max(old_enough);
        Decision::Copies { number, after: due.saturating_sub(now) }
    }
}
