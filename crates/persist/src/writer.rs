//! Where states are written to.

use crate::Refusal;
use crate::known::{Address, SharedParts, address};
use std::collections::HashMap;
use std::sync::Arc;

/// Takes a state as bytes.
pub struct Writer<'k> {
    bytes: Vec<u8>,
    what: What<'k>,
    refusal: Option<Refusal>,
}

enum What<'k> {
    /// A state, of a System with these parts; and what has been pointed to beside them.
    State(&'k SharedParts, HashMap<Address, u64>),
    /// The parts of an initial state.
    Parts(SharedParts),
}

impl<'k> Writer<'k> {
    /// Of a state of the System with these parts.
    pub fn new(known: &'k SharedParts) -> Self {
        Self { bytes: Vec::new(), what: What::State(known, HashMap::new()), refusal: None }
    }

    pub(crate) fn walking() -> Self {
        Self { bytes: Vec::new(), what: What::Parts(SharedParts::default()), refusal: None }
    }

    pub(crate) fn walked(self) -> SharedParts {
        match self.what {
            What::Parts(known) => known,
            What::State(..) => SharedParts::default(),
        }
    }

    /// What was written.
    ///
    /// # Errors
    /// [`Refusal`]: there was something that can't be.
    pub fn finish(self) -> Result<Vec<u8>, Refusal> {
        self.refusal.map_or(Ok(self.bytes), Err)
    }

    /// Something can't be written, as in "a state with {what} can't be saved"; the first one said is told.
    pub fn refuse(&mut self, what: impl Into<String>) {
        if matches!(self.what, What::State(..)) && self.refusal.is_none() {
            self.refusal = Some(Refusal(what.into()));
        }
    }

    /// Whether values of a kind can be read again. (Those of an initial state are looked at in any case.)
    pub(crate) fn knows_kind(&self, kind: &str) -> bool {
        match &self.what {
            What::State(known, _) => known.kinds.knows(kind),
            What::Parts(_) => true,
        }
    }

    /// Bytes as they are.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        if matches!(self.what, What::State(..)) {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// A number, in as many bytes as it needs (LEB128).
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        loop {
            bytes[length] = (number & 0x7f) as u8;
            number >>= 7;
            length += 1;
            if number == 0 {
                break;
            }
            bytes[length - 1] |= 0x80;
        }
        self.bytes(&bytes[..length]);
    }

    /// A pointer to a part of the System.
    pub fn shared<T: ?Sized + Send + Sync + 'static>(&mut self, part: &Arc<T>) {
        let number = match &mut self.what {
            What::State(known, _) => known.number(address(part)),
            What::Parts(known) => {
                known.add(part);
                return;
            }
        };
        match number {
            Some(number) => self.number(number),
            None => self.refuse(format!("a {} of its own", std::any::type_name::<T>())),
        }
    }

    /// A pointer to something that may be a part of the System: its number, and its content where it has none yet.
    pub(crate) fn pointer<T: ?Sized + Send + Sync + 'static>(
        &mut self,
        part: &Arc<T>,
        content: impl FnOnce(&T, &mut Self),
    ) {
        let is_new = match &mut self.what {
            What::Parts(known) => known.add(part),
            What::State(known, others) => {
                let next = (known.len() + others.len()) as u64;
                let number = known.number(address(part));
                let number = number.unwrap_or_else(|| *others.entry(address(part)).or_insert(next));
                self.number(number);
                number == next
            }
        };
        if is_new {
            content(part, self);
        }
    }
}
