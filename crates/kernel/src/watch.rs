//! Whether what is under way is still wanted: a flag that long loops look at.
//!
//! Whoever begins something long keeps a [`Watch`] and hands a clone of it on; what it is handed to looks at it every few thousand
//! steps, and ends early once it is told to stop. What ended early gives no result: only an error, which somebody who stopped it
//! expects. A watch that nobody keeps (the default) is never told, and costs nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether what is under way is still wanted. Clones are told together.
///
/// ```
/// use petrio_kernel::Watch;
///
/// let watch = Watch::new();
/// let lent = watch.clone();
/// assert!(!lent.is_stopped());
/// watch.stop();
/// assert!(lent.is_stopped());
/// assert!(!Watch::default().is_stopped());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Watch(Option<Arc<AtomicBool>>);

impl Watch {
    /// A watch that can be told.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Tells all that it was handed to. Of a default watch, nobody.
    pub fn stop(&self) {
        if let Some(stopped) = &self.0 {
            stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.as_ref().is_some_and(|stopped| stopped.load(Ordering::Relaxed))
    }

    /// Whether anybody can tell it.
    pub const fn is_kept(&self) -> bool {
        self.0.is_some()
    }
}

/// Things that are the same are so whoever watches them.
impl PartialEq for Watch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Watch {}
