//! What all states of a System share.

use crate::{Kinds, Persist, Writer};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// Where something is, and as what it is pointed at.
pub(crate) type Address = (usize, TypeId);

/// The address of what an `Arc` points to.
pub(crate) fn address<T: ?Sized + 'static>(part: &Arc<T>) -> Address {
    (Arc::as_ptr(part).cast::<()>() as usize, TypeId::of::<T>())
}

/// What the initial state of a System points to, numbered: of a System that is built again the numbers are the same.
#[derive(Default)]
pub struct SharedParts {
    parts: Vec<Box<dyn Any + Send + Sync>>,
    numbers: HashMap<Address, u64>,
    pub(crate) kinds: Kinds,
}

impl SharedParts {
    /// Of an initial state.
    pub fn of(initial: &impl Persist) -> Self {
        Self::of_all(|to| initial.save(to))
    }

    /// Of all that is written initially.
    pub fn of_all(save: impl FnOnce(&mut Writer<'_>)) -> Self {
        let mut walk = Writer::walking();
        save(&mut walk);
        walk.walked()
    }

    /// And values of these kinds may be passed on in it.
    #[must_use]
    pub fn with(mut self, kinds: &Kinds) -> Self {
        self.kinds = kinds.clone();
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn number(&self, address: Address) -> Option<u64> {
        self.numbers.get(&address).copied()
    }

    /// Takes one in, and whether it is new.
    pub(crate) fn add<T: ?Sized + Send + Sync + 'static>(&mut self, part: &Arc<T>) -> bool {
        let number = self.parts.len() as u64;
        let is_new = !self.numbers.contains_key(&address(part));
        if is_new {
            self.numbers.insert(address(part), number);
            self.parts.push(Box::new(Arc::clone(part)));
        }
        is_new
    }

    pub(crate) fn part<T: ?Sized + 'static>(&self, number: usize) -> Option<Arc<T>> {
        self.parts.get(number)?.downcast_ref::<Arc<T>>().map(Arc::clone)
    }
}

impl std::fmt::Debug for SharedParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SharedParts({})", self.parts.len())
    }
}
