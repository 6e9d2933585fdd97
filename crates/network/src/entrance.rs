//! Where trains come to a link, and how transitions bring them there.

use super::train::Train;
use super::wire::{OntoWire, Wire};
use petrio_kernel::{Firing, Place, Put, TransitionBuilder};

/// Where trains come to a link, or to what stands in a link's place.
#[derive(Clone, Debug)]
pub(super) enum Entrance {
    /// They wait there, whether the link is idle or not.
    Queue(Place<Box<Train>>),
    /// They pass at once where it is idle.
    Wire(Wire),
}

/// How a transition brings trains to a link.
pub(super) enum Onto {
    Queue(Put<Box<Train>>),
    Wire(OntoWire),
}

impl Entrance {
    /// For a transition that brings up to `most` in one firing.
    pub(super) fn of(&self, transition: &mut TransitionBuilder<'_>, most: u32) -> Onto {
        match self {
            Self::Queue(place) => Onto::Queue(transition.may_put(*place, most)),
            Self::Wire(wire) => Onto::Wire(OntoWire::declare(transition, wire, most)),
        }
    }

    /// Where trains come that are still on their way there.
    pub(super) fn place(&self) -> Place<Box<Train>> {
        match self {
            Self::Queue(place) => *place,
            Self::Wire(wire) => wire.places.trains,
        }
    }

    /// How a transition that brings trains `onto` the link has them come there later.
    pub(super) fn late(&self, transition: &mut TransitionBuilder<'_>, onto: &Onto) -> Put<Box<Train>> {
        match onto {
            Onto::Queue(queue) => *queue,
            Onto::Wire(_) => transition.may_put(self.place(), 1),
        }
    }
}

impl Onto {
    /// A train comes to the link.
    pub(super) fn put(&self, f: &mut Firing<'_>, train: Box<Train>) {
        match self {
            Self::Queue(queue) => f.put(*queue, train),
            Self::Wire(wire) => wire.put(f, train),
        }
    }
}
