//! Room before a link: how many bytes of frames may wait for it, and what happens to those for which there is none.

use super::train::{Passage, Train};
use petrio_kernel::{Firing, Place, Probe, TransitionBuilder, Update};
use petrio_persist::Persist;

/// Bytes that wait before each of a switch's links.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Waiting(Vec<u64>);

impl Waiting {
    /// Those before a link.
    fn at(&mut self, link: u32) -> &mut u64 {
        let link = link as usize;
        if self.0.len() <= link {
            self.0.resize(link + 1, 0);
        }
        &mut self.0[link]
    }
}

/// The room before a link that leaves a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// What waits before the switch's links.
    pub(super) waiting: Place<Waiting>,
    /// The link's number among these.
    pub(super) link: u32,
    /// Bytes that fit, as frames take them of the wire.
    pub(super) limit: u64,
    /// Where bytes of each frame are recorded that was dropped.
    pub(super) dropped: Probe,
}

impl Room {
    /// A frame comes to wait, or is dropped as the last one that came (drop-tail, Linux's bfifo). Whether it waits.
    pub(super) fn enter(
        &self,
        f: &mut Firing<'_>,
        waiting: Update<Waiting>,
        passage: &Passage,
        frame: &Train,
    ) -> bool {
        let bytes = passage.framing.on_wire(u64::from(frame.bytes));
        let taken = f.update(waiting).at(self.link);
        let fits = *taken + bytes <= self.limit;
        if fits {
            *taken += bytes;
        } else {
            f.record(self.dropped, bytes as f64);
        }
        fits
    }

    /// The transition by which frames leave.
    pub(super) fn left_by(self, transition: &mut TransitionBuilder<'_>) -> Leaving {
        Leaving { waiting: transition.update(self.waiting), link: self.link }
    }
}

/// How frames leave the room before a link.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    waiting: Update<Waiting>,
    link: u32,
}

impl Leaving {
    /// A frame goes on to the link.
    pub(super) fn leave(self, f: &mut Firing<'_>, passage: &Passage, frame: &Train) {
        let bytes = passage.framing.on_wire(u64::from(frame.bytes));
        let taken = f.update(self.waiting).at(self.link);
        *taken = taken.saturating_sub(bytes);
    }
}
