//! What holds others: restored in place as far as both go, so that parts of the System keep what isn't written.

use crate::{Damage, Persist, Reader, Writer};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

impl<T: Persist> Persist for Option<T> {
    const PLAIN: bool = T::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        self.is_some().save(to);
        if let Some(value) = self {
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(if bool::load(from)? { Some(T::load(from)?) } else { None })
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if T::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        match (bool::load(from)?, &mut *self) {
            (false, _) => *self = None,
            (true, Some(value)) => value.restore(from)?,
            (true, None) => *self = Some(T::load(from)?),
        }
        Ok(())
    }
}

impl<T: Persist, E: Persist> Persist for Result<T, E> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.is_ok().save(to);
        match self {
            Ok(value) => value.save(to),
            Err(error) => error.save(to),
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(if bool::load(from)? { Ok(T::load(from)?) } else { Err(E::load(from)?) })
    }
}

impl<T: Persist> Persist for Box<T> {
    const PLAIN: bool = T::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        (**self).save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        T::load(from).map(Self::new)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if T::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        (**self).restore(from)
    }
}

/// Writes how many there are, and each. Here and below loops stand where adapters of iterators could: all of this is compiled for each
/// type of which there are several in any state.
fn save_all<'t, T: Persist + 't>(values: impl ExactSizeIterator<Item = &'t T>, to: &mut Writer<'_>) {
    values.len().save(to);
    for value in values {
        value.save(to);
    }
}

impl<T: Persist> Persist for Vec<T> {
    const PLAIN: bool = T::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::new();
        for _ in 0..from.count()? {
            values.push(T::load(from)?);
        }
        Ok(values)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if T::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        let count = from.count()?;
        self.truncate(count);
        for value in &mut *self {
            value.restore(from)?;
        }
        for _ in self.len()..count {
            self.push(T::load(from)?);
        }
        Ok(())
    }
}

impl<T: Persist> Persist for Box<[T]> {
    const PLAIN: bool = T::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Vec::load(from).map(Self::from)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if T::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        let mut values = std::mem::take(self).into_vec();
        let restored = values.restore(from);
        *self = values.into();
        restored
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    const PLAIN: bool = T::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        for value in self {
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Vec::with_capacity(N);
        for _ in 0..N {
            values.push(T::load(from)?);
        }
        Self::try_from(values).map_err(|_| Damage::Ends)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if T::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        for value in self {
            value.restore(from)?;
        }
        Ok(())
    }
}

impl<A: smallvec::Array> Persist for SmallVec<A>
where
    A::Item: Persist,
{
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::new();
        for _ in 0..from.count()? {
            values.push(A::Item::load(from)?);
        }
        Ok(values)
    }
}

impl<T: Persist> Persist for VecDeque<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Vec::load(from).map(Self::from)
    }
}

impl<T: Persist + Ord> Persist for BinaryHeap<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        // As it lies there: a heap made of a heap's own order is the same one.
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Vec::load(from).map(Self::from)
    }
}

impl<K: Persist + Ord, V: Persist> Persist for BTreeMap<K, V> {
    const PLAIN: bool = V::PLAIN;

    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        for (key, value) in self {
            key.save(to);
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::new();
        for _ in 0..from.count()? {
            values.insert(K::load(from)?, V::load(from)?);
        }
        Ok(values)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        if V::PLAIN {
            *self = Self::load(from)?;
            return Ok(());
        }
        let mut before = std::mem::take(self);
        for _ in 0..from.count()? {
            let key = K::load(from)?;
            let value = match before.remove(&key) {
                Some(mut value) => {
                    value.restore(from)?;
                    value
                }
                None => V::load(from)?,
            };
            self.insert(key, value);
        }
        Ok(())
    }
}

impl<T: Persist + Ord> Persist for BTreeSet<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::new();
        for _ in 0..from.count()? {
            values.insert(T::load(from)?);
        }
        Ok(values)
    }
}

impl<K: Persist + Eq + Hash, V: Persist, S: BuildHasher + Default> Persist for HashMap<K, V, S> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        for (key, value) in self {
            key.save(to);
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::default();
        for _ in 0..from.count()? {
            values.insert(K::load(from)?, V::load(from)?);
        }
        Ok(values)
    }
}

impl<T: Persist + Eq + Hash, S: BuildHasher + Default> Persist for HashSet<T, S> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut values = Self::default();
        for _ in 0..from.count()? {
            values.insert(T::load(from)?);
        }
        Ok(values)
    }
}

impl<T: Persist> Persist for Reverse<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.0.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        T::load(from).map(Self)
    }
}

impl<T: Persist> Persist for Range<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.start.save(to);
        self.end.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(T::load(from)?..T::load(from)?)
    }
}

impl<T: Persist> Persist for RangeInclusive<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.start().save(to);
        self.end().save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(T::load(from)?..=T::load(from)?)
    }
}

impl<T: Persist + Send + Sync + 'static> Persist for Arc<T> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        to.pointer(self, |value, to| value.save(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.pointer(|from| T::load(from).map(Self::new))
    }
}

impl<T: Persist + Send + Sync + 'static> Persist for Arc<[T]> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        to.pointer(self, |values, to| save_all(values.iter(), to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.pointer(|from| Vec::load(from).map(Self::from))
    }
}

impl Persist for Arc<str> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        to.pointer(self, |text, to| {
            text.len().save(to);
            to.bytes(text.as_bytes());
        });
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.pointer(|from| String::load(from).map(Self::from))
    }
}
