//! What a rank's time went into, counted.

use crate::supervisor::Supervisor;
use petrio_colours::{FileOp, Operation};
use petrio_time::Time;

impl Supervisor {
    /// A process has computed.
    pub(crate) fn computed(&mut self, process: u32, span: Time) {
        self.computed = self.computed.saturating_add(span);
        if let Some(name) = self.ranks.name(process) {
            self.tell(|told| {
                let rank = told.ranks.entry(name).or_default();
                rank.computed = rank.computed.saturating_add(span);
            });
        }
    }

    /// A thread asks something of storage.
    pub(crate) fn stores(&mut self, id: u32, op: &FileOp) {
        let Some(name) = self.threads.get(&id).and_then(|thread| self.ranks.name(thread.process)) else {
            return;
        };
        let bytes = op.length;
        let reads = matches!(op.operation, Operation::Read);
        let writes = matches!(op.operation, Operation::Write);
        self.tell(|told| {
            let rank = told.ranks.entry(name).or_default();
            rank.read_bytes += if reads { bytes } else { 0 };
            rank.written_bytes += if writes { bytes } else { 0 };
        });
    }

    /// It has it now.
    pub(crate) fn stored(&mut self, id: u32, now: Time) {
        let Some(thread) = self.threads.get(&id) else { return };
        let span = now.saturating_sub(thread.clock);
        if let Some(name) = self.ranks.name(thread.process) {
            self.tell(|told| {
                let rank = told.ranks.entry(name).or_default();
                rank.storage = rank.storage.saturating_add(span);
            });
        }
    }
}
