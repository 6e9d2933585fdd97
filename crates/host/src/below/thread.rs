//! A step of a file system's own thread: what its transition works on, and what it leaves.

use super::{AnyFileSystem, Kernel, Leaves, Leavings, MountPlaces};
use crate::state::{Memory, Mounted};
use petrio_kernel::{Firing, TransitionBuilder, Update};

/// The arcs of a transition of a file system's thread.
#[derive(Clone, Copy)]
pub(crate) struct ThreadStep {
    memory: Update<Memory>,
    fs: Update<Mounted>,
    system: Update<AnyFileSystem>,
    leavings: Leavings,
}

impl ThreadStep {
    /// Declares them, with what the step may leave.
    pub(crate) fn declare(
        transition: &mut TransitionBuilder<'_>,
        places: &MountPlaces,
        leaves: Leaves,
    ) -> Self {
        let (memory, fs, system) = (
            transition.update(places.memory),
            transition.update(places.fs),
            transition.update(places.system),
        );
        Self { memory, fs, system, leavings: Leavings::declare(transition, places, fs, leaves) }
    }

    /// Takes the step; what it leaves is still to be sent off.
    pub(crate) fn take<R>(
        &self,
        f: &mut Firing<'_>,
        step: impl FnOnce(&mut AnyFileSystem, &mut Kernel<'_>) -> R,
    ) -> R {
        let now = f.now();
        let (memory, fs, system) = f.update_three(self.memory, self.fs, self.system);
        step(system, &mut Kernel { memory, fs, now })
    }

    /// Sends off what the step has left.
    pub(crate) fn send(&self, f: &mut Firing<'_>) {
        self.leavings.send(f);
    }
}
