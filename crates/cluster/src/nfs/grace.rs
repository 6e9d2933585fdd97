//! The time after its start in which a server of version 4 lets clients reclaim what they had open, and nobody open anything new: 90 s
//! (`nfsv4gracetime`), or until all that it knew have said that they have everything (`nfsd4_end_grace`, since Linux 4.18; clients of
//! version 4.0 don't say so).

use super::message::Call;
use petrio_host::nfs::Procedure;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeSet;

/// Who has reclaimed what he had, of how many.
#[derive(Clone, Debug, Persist)]
pub(super) struct Grace {
    lasts: Time,
    clients: u32,
    since: Option<Time>,
    complete: BTreeSet<u32>,
}

impl Grace {
    /// For so long at most, of so many clients.
    pub(super) const fn new(lasts: Time, clients: u32) -> Self {
        Self { lasts, clients, since: None, complete: BTreeSet::new() }
    }

    /// The server has been started anew.
    pub(super) fn begin(&mut self, now: Time) {
        self.since = Some(now);
        self.complete.clear();
    }

    /// A call comes from a client.
    pub(super) fn hears(&mut self, call: &Call) {
        if call.procedure == Procedure::ReclaimComplete {
            self.complete.insert(call.reply_to);
        }
    }

    /// Whether nobody may open anything new.
    pub(super) fn lasts(&self, now: Time) -> bool {
        let is_waited_for = self.complete.len() < self.clients as usize;
        self.since.is_some_and(|since| is_waited_for && now < since.saturating_add(self.lasts))
    }
}
