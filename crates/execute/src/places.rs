//! On which of the simulated hosts an operation is issued, and under which numbers: all that a program does is on the first one, but for
//! what ranks of MPI do.

use crate::supervisor::Supervisor;
use petrio_colours::{FileOp, RequestId};
use petrio_time::Time;

impl Supervisor {
    /// Whether nothing is asked of the simulated storage and network.
    pub(crate) fn engine_is_idle(&self) -> bool {
        self.in_flight.is_empty() && !self.ranks.carried.is_busy()
    }

    /// The number towards the simulated hosts of a thread at a place.
    pub(crate) fn seat_at(&self, place: usize, slot: u32) -> u32 {
        let before = u32::try_from(place).unwrap_or(0).saturating_mul(self.options.threads);
        before.saturating_add(slot)
    }

    /// An operation as the simulated hosts take it from a thread.
    pub(crate) fn placed(&mut self, id: u32, mut op: FileOp, now: Time) -> FileOp {
        let Some(thread) = self.threads.get(&id) else { return op };
        let (slot, process) = (thread.slot, thread.process);
        let place = self.processes.get(&process).map_or(0, |process| process.place);
        op.id = self.next_id();
        (op.process, op.issued) = (self.seat_at(place, slot), now);
        op.file_system = self.options.places.get(place).map_or(0, |place| place.mount);
        op
    }

    pub(crate) fn next_id(&mut self) -> RequestId {
        self.next_id += 1;
        RequestId(self.next_id - 1)
    }
}
