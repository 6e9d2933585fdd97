//! Where states are read from.

use crate::Damage;
use crate::known::SharedParts;
use std::any::Any;
use std::sync::Arc;

/// Gives what was written, in the same order.
pub struct Reader<'b> {
    known: &'b SharedParts,
    /// What was pointed to beside the System's parts.
    others: Vec<Option<Box<dyn Any>>>,
    rest: &'b [u8],
    /// From where other random streams begin; left out, they go on.
    reseed: Option<u64>,
}

impl<'b> Reader<'b> {
    /// Of what a state of a System with these parts was written to.
    pub fn new(known: &'b SharedParts, bytes: &'b [u8]) -> Self {
        Self { known, others: Vec::new(), rest: bytes, reseed: None }
    }

    /// Random streams go on otherwise than they would have: each from its own state and this number.
    #[must_use]
    pub const fn reseeding(mut self, number: u64) -> Self {
        self.reseed = Some(number);
        self
    }

    pub(crate) const fn reseeded(&self) -> Option<u64> {
        self.reseed
    }

    pub(crate) fn kinds(&self) -> &'b crate::Kinds {
        &self.known.kinds
    }

    /// That nothing is left.
    ///
    /// # Errors
    /// [`Damage::Left`].
    pub fn end(&self) -> Result<(), Damage> {
        if self.rest.is_empty() { Ok(()) } else { Err(Damage::Left(self.rest.len())) }
    }

    /// So many bytes as they are.
    ///
    /// # Errors
    /// [`Damage::Ends`].
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], Damage> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(Damage::Ends)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// So many, as an array.
    ///
    /// # Errors
    /// [`Damage::Ends`].
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Damage::Ends)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// A number.
    ///
    /// # Errors
    /// [`Damage`].
    #[inline]
    pub fn number(&mut self) -> Result<u64, Damage> {
        let mut number = 0u64;
        for shift in (0..).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || (bits << shift) >> shift != bits {
                return Err(Damage::Value { what: "a number of 64 bits", found: "a larger one".to_owned() });
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(number)
    }

    /// The number that comes next, which stays.
    ///
    /// # Errors
    /// As of [`number`](Self::number).
    pub fn next_number(&mut self) -> Result<u64, Damage> {
        let before = self.rest;
        let number = self.number();
        self.rest = before;
        number
    }

    /// How many there are of something. What takes no bytes is bounded, too, so that damage doesn't let a reader count for ever.
    ///
    /// # Errors
    /// [`Damage::Ends`]: more than can be.
    pub fn count(&mut self) -> Result<usize, Damage> {
        let count = self.number()?;
        u32::try_from(count).map_err(|_| Damage::Ends).map(|count| count as usize)
    }

    /// A pointer to a part of the System.
    ///
    /// # Errors
    /// [`Damage::Part`].
    pub fn shared<T: ?Sized + 'static>(&mut self) -> Result<Arc<T>, Damage> {
        let number = self.number()?;
        let part = usize::try_from(number).ok().and_then(|number| self.known.part(number));
        part.ok_or(Damage::Part { number, what: std::any::type_name::<T>() })
    }

    /// A pointer, with its content where it is the first one to it.
    pub(crate) fn pointer<T: ?Sized + 'static>(
        &mut self,
        content: impl FnOnce(&mut Self) -> Result<Arc<T>, Damage>,
    ) -> Result<Arc<T>, Damage> {
        let number = self.number()?;
        let what = std::any::type_name::<T>();
        let elsewhere = || Damage::Part { number, what };
        let at = usize::try_from(number).map_err(|_| elsewhere())?;
        let Some(other) = at.checked_sub(self.known.len()) else {
            return self.known.part(at).ok_or_else(elsewhere);
        };
        if other < self.others.len() {
            let part = self.others[other].as_ref().and_then(|part| part.downcast_ref::<Arc<T>>());
            return part.map(Arc::clone).ok_or_else(elsewhere);
        }
        if other > self.others.len() {
            return Err(elsewhere());
        }
        // What it contains may point to others, which come after it.
        self.others.push(None);
        let part = content(self)?;
        self.others[other] = Some(Box::new(Arc::clone(&part)));
        Ok(part)
    }

    /// What a type says that can't be made of what was written.
    pub fn not_from_nothing(&self, what: &'static str) -> Damage {
        Damage::FromNothing(what)
    }

    /// What a type says that has no variant of this number.
    pub fn no_such_variant(&self, number: u64, what: &'static str) -> Damage {
        Damage::Value { what, found: format!("variant {number}") }
    }
}
