//! Handles on places, and what a place's tokens must be able to do.

use petrio_persist::{Damage, Persist, Reader, Writer};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A colour set: any type whose values can be cloned (a marking is forked by cloning), written down and read again (a run is put aside
/// and resumed), and sent between threads.
pub trait Colour: Clone + Persist + Send + Sync + 'static {}
impl<T: Clone + Persist + Send + Sync + 'static> Colour for T {}

/// The key of a token in an `ordered`, `priority`, `keyed` or `in turn` place.
///
/// 128 bits hold two 64-bit parts, so that "of this owner, from this offset on" is one range: `owner << 64 | offset`.
pub type Key = u128;

/// How a token's key is found.
pub(crate) type KeyOf<T> = Arc<dyn Fn(&T) -> Key + Send + Sync>;

/// A handle on a place that holds tokens of colour `T`. It belongs to the net whose builder made it.
pub struct Place<T> {
    pub(crate) index: u32,
    colour: PhantomData<fn() -> T>,
}

impl<T> Place<T> {
    pub(crate) fn new(index: u32) -> Self {
        Self { index, colour: PhantomData }
    }

    /// The place's number in its net, for looking it up in drawings and statistics.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Persist for Place<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.index.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        u32::load(from).map(Self::new)
    }
}

// Derived implementations would demand the same of `T`.
impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Place<T> {}
impl<T> PartialEq for Place<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Place<T> {}
impl<T> fmt::Debug for Place<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({})", self.index)
    }
}

/// The kinds of place, as drawn and listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// First in, first out.
    Fifo,
    /// Any token may be taken; a guard searches all of them.
    Bag,
    /// The token with the least key first, equal keys in order of arrival.
    Priority,
    /// As `Priority`, and ranges of keys can be asked for.
    Ordered,
    /// Found by key in constant time.
    Keyed,
    /// The keys take turns; of each, first in, first out.
    InTurn,
    /// One resident token that transitions update in place.
    State,
    /// A queueing place: tokens are served before they are ready.
    Station,
}
