//! Names that records have in the place of numbers: each goes by its place among them, in the order in which they show up.

use crate::error::Problem;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::borrow::Borrow;

/// They are looked up one by one; a trace of more is no trace of one site.
const MOST: usize = 4_096;

/// The names so far.
#[derive(Persist)]
pub(super) struct Numbered<N>(Vec<N>);

impl<N> Default for Numbered<N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<N> Numbered<N> {
    /// The number of a name, which is kept if it is new; `too_many` says what is wrong where there are no more numbers.
    pub(super) fn number<Q>(&mut self, name: &Q, too_many: impl FnOnce() -> Problem) -> Result<u32, Problem>
    where
        N: Borrow<Q>,
        Q: PartialEq + ToOwned<Owned = N> + ?Sized,
    {
        let number = match self.position(name) {
            Some(known) => known,
            None if self.0.len() < MOST => {
                self.0.push(name.to_owned());
                self.0.len() - 1
            }
            None => return Err(too_many()),
        };
        // At most `MOST`.
        Ok(as_number(number))
    }

    /// The number of a name that has shown up.
    pub(super) fn known<Q>(&self, name: &Q) -> Option<u32>
    where
        N: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.position(name).and_then(|number| u32::try_from(number).ok())
    }

    fn position<Q>(&self, name: &Q) -> Option<usize>
    where
        N: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.0.iter().position(|known| known.borrow() == name)
    }

    /// The name that has a number.
    pub(super) fn name(&self, number: u32) -> Option<&N> {
        self.0.get(usize::try_from(number).ok()?)
    }
}
