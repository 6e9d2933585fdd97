//! What is known by what it does only, and is written and restored where it is.

use crate::{Damage, Persist, Reader, Writer};

/// [`Persist`] of a trait object: it can't be made anew, only restored.
///
/// ```
/// use petrio_persist::{Kept, SharedParts, Persist, Reader, Writer};
/// trait Steps: Kept {
///     fn next(&mut self) -> u64;
/// }
/// #[derive(Persist)]
/// struct By(#[persist(keep)] u64, u64);
/// impl Steps for By {
///     fn next(&mut self) -> u64 {
///         self.1 += self.0;
///         self.1
///     }
/// }
/// let mut steps: Box<dyn Steps> = Box::new(By(3, 0));
/// steps.next();
/// let known = SharedParts::default();
/// let mut to = Writer::new(&known);
/// steps.save_kept(&mut to);
/// let bytes = to.finish()?;
/// let mut again: Box<dyn Steps> = Box::new(By(3, 0));
/// again.restore_kept(&mut Reader::new(&known, &bytes))?;
/// assert_eq!(again.next(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Kept {
    /// Writes it.
    fn save_kept(&self, to: &mut Writer<'_>);

    /// Becomes what was written.
    ///
    /// # Errors
    /// [`Damage`].
    fn restore_kept(&mut self, from: &mut Reader<'_>) -> Result<(), Damage>;
}

impl<T: Persist> Kept for T {
    fn save_kept(&self, to: &mut Writer<'_>) {
        self.save(to);
    }

    fn restore_kept(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.restore(from)
    }
}

/// Lets boxes of a trait whose objects are [`Kept`] be fields of what is [`Persist`]: `persist_boxed!(dyn Steps, "steps")`, or of a
/// generic one `persist_boxed!([T: Bound] dyn Steps<T>, "steps")`.
#[macro_export]
macro_rules! persist_boxed {
    ([$($generic:ident: $bound:tt),*] $object:ty, $what:literal) => {
        impl<$($generic: $bound),*> $crate::Persist for Box<$object> {
            fn save(&self, to: &mut $crate::Writer<'_>) {
                $crate::Kept::save_kept(&**self, to);
            }

            fn load(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::Damage> {
                Err(from.not_from_nothing($what))
            }

            fn restore(&mut self, from: &mut $crate::Reader<'_>) -> Result<(), $crate::Damage> {
                $crate::Kept::restore_kept(&mut **self, from)
            }
        }
    };
    ($object:ty, $what:literal) => {
        $crate::persist_boxed!([] $object, $what);
    };
}
