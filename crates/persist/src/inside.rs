//! Cells that several point to: what is in them is restored where they are, so that all see it.

use crate::{Damage, Persist, Reader, Writer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What changes behind a pointer.
pub trait Inside {
    /// Writes what is in it.
    fn save(&self, to: &mut Writer<'_>);

    /// Puts in what was written.
    ///
    /// # Errors
    /// [`Damage`].
    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage>;
}

impl Inside for AtomicU64 {
    fn save(&self, to: &mut Writer<'_>) {
        self.load(Ordering::Relaxed).save(to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.store(u64::load(from)?, Ordering::Relaxed);
        Ok(())
    }
}

impl<T: Inside> Inside for Arc<T> {
    fn save(&self, to: &mut Writer<'_>) {
        (**self).save(to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        (**self).restore(from)
    }
}

/// How many there are is part of the System.
impl<T: Inside> Inside for Vec<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.iter().for_each(|cell| cell.save(to));
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.iter().try_for_each(|cell| cell.restore(from))
    }
}

/// Which there are is part of the System.
impl<K, T: Inside> Inside for BTreeMap<K, T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.values().for_each(|cell| cell.save(to));
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.values().try_for_each(|cell| cell.restore(from))
    }
}

/// Whether there is one is part of the System.
impl<T: Inside> Inside for Option<Arc<T>> {
    fn save(&self, to: &mut Writer<'_>) {
        if let Some(cell) = self {
            (**cell).save(to);
        }
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.as_ref().map_or(Ok(()), |cell| (**cell).restore(from))
    }
}

impl<T: Persist> Inside for Mutex<T> {
    fn save(&self, to: &mut Writer<'_>) {
        self.lock().unwrap_or_else(PoisonError::into_inner).save(to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.lock().unwrap_or_else(PoisonError::into_inner).restore(from)
    }
}
