//! Arcs: what a transition declares about the places around it, and the handles by which its action speaks of them.

use crate::store::Slot;
use petrio_persist::{Damage, Persist, Reader, Writer};
use serde::Serialize;
use std::marker::PhantomData;

/// The most input arcs of one transition: as many as their numbers tell apart. A page that looks at a state of each
/// of hundreds of others has so many.
pub(crate) const ARC_LIMIT: usize = ArcNumber::MAX as usize;

/// An arc's number; building fails where there are more than [`ARC_LIMIT`].
pub(crate) fn arc_number(arc: usize) -> ArcNumber {
    ArcNumber::try_from(arc).unwrap_or(ArcNumber::MAX)
}
/// An input arc's number in its transition.
pub(crate) type ArcNumber = u16;
/// "No token was selected": the discipline's first is meant.
pub(crate) const UNBOUND: u32 = u32::MAX;

/// The kinds of arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArcKind {
    /// Consumes tokens, which the action takes.
    Take,
    /// Consumes tokens unseen.
    Consume,
    /// Needs a token and leaves it; the transition is tested again when the place changes (*notify*).
    Read,
    /// Looks at a token without being tested again when it changes (*peek*).
    Peek,
    /// Changes a token in place.
    Update,
    /// Allows firing only while the place holds fewer than the weight.
    Inhibit,
    /// Puts exactly the weight.
    Put,
    /// Puts any number of tokens up to the weight.
    MayPut,
    /// May cancel a delayed token.
    Cancel,
    /// May remove tokens: all, a key, or a range.
    Reset,
}

impl ArcKind {
    /// Whether firing removes the arc's tokens.
    pub fn consumes(self) -> bool {
        matches!(self, Self::Take | Self::Consume)
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T> {
            pub(crate) arc: ArcNumber,
            pub(crate) place: u32,
            colour: PhantomData<fn() -> T>,
        }
        impl<T> $name<T> {
            pub(crate) fn new(arc: ArcNumber, place: u32) -> Self {
                Self { arc, place, colour: PhantomData }
            }
        }
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    };
}

handle!(
    /// An input arc that consumes.
    Take
);
handle!(
    /// An arc that reads a token and leaves it (a read or a peek arc).
    Read
);
handle!(
    /// An arc that changes a token in place.
    Update
);
/// An output arc.
pub struct Put<T> {
    /// What a token counts towards the number that the action must put: 1 on an exact arc, 0 where it may put any.
    pub(crate) counts: u32,
    pub(crate) place: u32,
    colour: PhantomData<fn() -> T>,
}

impl<T> Put<T> {
    pub(crate) fn new(counts: u32, place: u32) -> Self {
        Self { counts, place, colour: PhantomData }
    }
}
impl<T> Clone for Put<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Put<T> {}

macro_rules! place_handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T> {
            pub(crate) place: u32,
            colour: PhantomData<fn() -> T>,
        }
        impl<T> $name<T> {
            pub(crate) fn new(place: u32) -> Self {
                Self { place, colour: PhantomData }
            }
        }
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    };
}

place_handle!(
    /// An arc that cancels delayed tokens.
    Cancel
);
place_handle!(
    /// A reset arc.
    Reset
);

/// A handle whose token can be looked at before firing.
pub trait Bound<T>: Copy {
    /// The arc's number and its place's.
    #[doc(hidden)]
    fn position(self) -> (u16, u32);
}

impl<T> Bound<T> for Take<T> {
    fn position(self) -> (u16, u32) {
        (self.arc, self.place)
    }
}
impl<T> Bound<T> for Read<T> {
    fn position(self) -> (u16, u32) {
        (self.arc, self.place)
    }
}
impl<T> Bound<T> for Update<T> {
    fn position(self) -> (u16, u32) {
        (self.arc, self.place)
    }
}

/// A delayed token's handle: it can be cancelled until it matures. Stale handles are harmless.
pub struct Timer<T> {
    pub(crate) place: u32,
    pub(crate) slot: Slot,
    pub(crate) generation: u32,
    colour: PhantomData<fn() -> T>,
}

impl<T> Timer<T> {
    pub(crate) fn new(place: u32, slot: u32, generation: u32) -> Self {
        Self { place, slot: Slot(slot), generation, colour: PhantomData }
    }
}

impl<T> Persist for Timer<T> {
    fn save(&self, to: &mut Writer<'_>) {
        (self.place, self.slot.0, self.generation).save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let (place, slot, generation) = Persist::load(from)?;
        Ok(Self::new(place, slot, generation))
    }
}

impl<T> Clone for Timer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Timer<T> {}
impl<T> std::fmt::Debug for Timer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Timer({}:{:?})", self.place, self.slot)
    }
}
impl<T> PartialEq for Timer<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.place, self.slot, self.generation) == (other.place, other.slot, other.generation)
    }
}
impl<T> Eq for Timer<T> {}
