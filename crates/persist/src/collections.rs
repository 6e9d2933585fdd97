//! What holds others: restored in place as far as both go, so that parts of the System keep what isn't written.

use crate::{Damage, Persist, Reader, Writer};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

impl<T: Persist> Persist for Option<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.is_some().save(to);
        if let Some(value) = self {
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        bool::load(from)?.then(|| T::load(from)).transpose()
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        match (bool::load(from)?, &mut *self) {
            (false, _) => *self = None,
            (true, Some(value)) => value.restore(from)?,
            (true, None) => *self = Some(T::load(from)?),
        }
        Ok(())
    }
}

impl<T: Persist, E: Persist> Persist for Result<T, E> {
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
    fn save(&self, to: &mut Writer<'_>) {
        (**self).save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        T::load(from).map(Self::new)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        (**self).restore(from)
    }
}

/// Writes how many there are, and each.
fn save_all<'t, T: Persist + 't>(values: impl ExactSizeIterator<Item = &'t T>, to: &mut Writer<'_>) {
    values.len().save(to);
    values.for_each(|value| value.save(to));
}

/// Reads so many.
fn load_all<T: Persist, C: FromIterator<T>>(from: &mut Reader<'_>) -> Result<C, Damage> {
    let count = from.count()?;
    (0..count).map(|_| T::load(from)).collect()
}

impl<T: Persist> Persist for Vec<T> {
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        let count = from.count()?;
        self.truncate(count);
        self.iter_mut().try_for_each(|value| value.restore(from))?;
        for _ in self.len()..count {
            self.push(T::load(from)?);
        }
        Ok(())
    }
}

impl<T: Persist> Persist for Box<[T]> {
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        let mut values = std::mem::take(self).into_vec();
        let restored = values.restore(from);
        *self = values.into();
        restored
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn save(&self, to: &mut Writer<'_>) {
        self.iter().for_each(|value| value.save(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let values: Vec<T> = (0..N).map(|_| T::load(from)).collect::<Result<_, _>>()?;
        Self::try_from(values).map_err(|_| Damage::Ends)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.iter_mut().try_for_each(|value| value.restore(from))
    }
}

impl<A: smallvec::Array> Persist for SmallVec<A>
where
    A::Item: Persist,
{
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }
}

impl<T: Persist> Persist for VecDeque<T> {
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }
}

impl<T: Persist + Ord> Persist for BinaryHeap<T> {
    fn save(&self, to: &mut Writer<'_>) {
        // As it lies there: a heap made of a heap's own order is the same one.
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Vec::load(from).map(Self::from)
    }
}

impl<K: Persist + Ord, V: Persist> Persist for BTreeMap<K, V> {
    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        for (key, value) in self {
            key.save(to);
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all::<(K, V), _>(from)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
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
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }
}

impl<K: Persist + Eq + Hash, V: Persist, S: BuildHasher + Default> Persist for HashMap<K, V, S> {
    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        for (key, value) in self {
            key.save(to);
            value.save(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all::<(K, V), _>(from)
    }
}

impl<T: Persist + Eq + Hash, S: BuildHasher + Default> Persist for HashSet<T, S> {
    fn save(&self, to: &mut Writer<'_>) {
        save_all(self.iter(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        load_all(from)
    }
}

impl<T: Persist> Persist for Range<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.start.save(to);
        self.end.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(T::load(from)?..T::load(from)?)
    }
}

impl<T: Persist> Persist for RangeInclusive<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.start().save(to);
        self.end().save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(T::load(from)?..=T::load(from)?)
    }
}

impl<T: Persist + Send + Sync + 'static> Persist for Arc<T> {
    fn save(&self, to: &mut Writer<'_>) {
        to.pointer(self, |value, to| value.save(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.pointer(|from| T::load(from).map(Self::new))
    }
}

impl<T: Persist + Send + Sync + 'static> Persist for Arc<[T]> {
    fn save(&self, to: &mut Writer<'_>) {
        to.pointer(self, |values, to| save_all(values.iter(), to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.pointer(load_all)
    }
}

impl Persist for Arc<str> {
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
