//! A bus that several devices share: one at a time has it.

use super::InstanceAccounts;
use petrio_kernel::{Firing, Place, Probe, Put, Time, TransitionBuilder};
use petrio_persist::Persist;

/// The bus while nobody has it. What is given over it may have begun to pass while it was free, before somebody knew that he
/// would have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct FreeBus {
    /// Since when.
    pub since: Time,
}

/// Where devices find a bus.
#[derive(Clone, Copy, Debug)]
pub struct SharedBus {
    /// There it is while nobody has it.
    pub free: Place<FreeBus>,
    /// Who wants it, first come first served, among those that stand in line: by the number of the place of their requests. Drives that
    /// arbitrate by their address, as on SCSI's and ATA's buses, don't.
    pub line: Place<u32>,
    /// Whoever has had it records for how many seconds.
    pub busy: Probe,
    /// The accounts of what an instance may ask of all its volumes, where it is one's adapter.
    pub limits: Option<InstanceAccounts>,
}

impl SharedBus {
    /// Declares that a transition may give it back.
    pub(super) fn may_be_given_back(self, transition: &mut TransitionBuilder<'_>) -> GivesBack {
        GivesBack { free: transition.may_put(self.free, 1), busy: self.busy }
    }
}

/// How a transition gives a bus back.
#[derive(Clone, Copy)]
pub(super) struct GivesBack {
    free: Put<FreeBus>,
    busy: Probe,
}

impl GivesBack {
    /// It has been had since a time, and is free now: whoever can go on at this instant takes it.
    pub(super) fn now(self, f: &mut Firing<'_>, had: Time) {
        let since = f.now();
        f.record(self.busy, (since - had).as_seconds());
        f.put(self.free, FreeBus { since });
    }

    /// The same, after so long, which no page's speed changes.
    pub(super) fn at_pace(self, f: &mut Firing<'_>, had: Time, span: Time) {
        let since = f.now() + span;
        f.record(self.busy, (since - had).as_seconds());
        f.put_at_pace(self.free, FreeBus { since }, span);
    }

    /// The same, after so long.
    pub(super) fn after(self, f: &mut Firing<'_>, had: Time, span: Time) {
        let since = f.now() + span;
        f.record(self.busy, (since - had).as_seconds());
        f.put_after(self.free, FreeBus { since }, span);
    }
}
