//! Which requests of a run count: not those that only prepare it, nor those that close it where the workload's own
//! measure leaves them out.

use petrio_colours::{Request, RequestId};
use petrio_kernel::Time;
use petrio_workload::{Phase, SourceItem};

/// Follows the phases of a workload's requests.
#[derive(Default)]
pub(super) struct Phases {
    /// Requests in flight that don't count; few, and mostly none.
    outside: Vec<RequestId>,
    /// Whether all that was issued so far is preparation, and there was some.
    preparing: bool,
    /// Whether something was issued that counts.
    begun: bool,
    /// Whether something was issued after it that closes without counting.
    closing: bool,
    last_counted: Time,
}

impl Phases {
    /// Whether this is the first request that counts, after others that don't: the measure begins here.
    #[inline]
    pub(super) fn begins_to_count<R>(&mut self, item: &SourceItem<R>) -> bool {
        if self.begun || !item.phase.counts() {
            return false;
        }
        self.begun = true;
        std::mem::take(&mut self.preparing)
    }

    /// Notes a request that is being issued; whether it is one that closes the workload without counting.
    #[inline]
    pub(super) fn note<R: Request>(&mut self, item: &SourceItem<R>) -> bool {
        if item.phase.counts() {
            return false;
        }
        self.outside.push(item.request.id());
        if item.phase == Phase::Preparation {
            self.preparing |= !self.begun;
            return false;
        }
        self.closing = true;
        true
    }

    /// Whether only preparation was issued so far.
    pub(super) fn is_preparing(&self) -> bool {
        self.preparing
    }

    /// Whether a request that completes now counts.
    #[inline]
    pub(super) fn counts(&mut self, id: RequestId, now: Time) -> bool {
        if let Some(position) = self.outside.iter().position(|&outside| outside == id) {
            self.outside.swap_remove(position);
            return false;
        }
        self.last_counted = now;
        true
    }

    /// When the last request that counts completed, where others that don't closed the run.
    pub(super) fn counted_until(&self) -> Option<Time> {
        self.closing.then_some(self.last_counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_colours::FileOp;

    fn item(id: u64, phase: Phase) -> SourceItem<FileOp> {
        let request = FileOp { id: RequestId(id), ..FileOp::default() };
        SourceItem { request, measured: None, phase, depth: 0 }
    }

    #[test]
    fn preparation_and_uncounted_closing_stay_outside() {
        let mut phases = Phases::default();
        let sequence = [
            (Phase::Preparation, false),
            (Phase::Preparation, false),
            (Phase::Measured, true),
            (Phase::Measured, true),
            (Phase::Closing { counted: true }, true),
            (Phase::Closing { counted: false }, false),
        ];
        let mut began_at = Vec::new();
        for (id, (phase, counts)) in (0..).zip(sequence) {
            let item = item(id, phase);
            if phases.begins_to_count(&item) {
                began_at.push(id);
            }
            phases.note(&item);
            assert_eq!(phases.counts(RequestId(id), Time::from_millis(id)), counts, "{id}");
        }
        assert_eq!(began_at, [2], "the measure begins with the first that counts");
        assert_eq!(phases.counted_until(), Some(Time::from_millis(4)));
    }

    #[test]
    fn a_workload_without_preparation_is_measured_from_the_beginning() {
        let mut phases = Phases::default();
        assert!(!phases.begins_to_count(&item(0, Phase::Measured)));
        assert!(!phases.note(&item(0, Phase::Measured)));
        assert_eq!(phases.counted_until(), None);
    }
}
