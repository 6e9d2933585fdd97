//! Whether what is under way is still wanted, and how far it has come.
//!
//! Whoever begins something long keeps a [`Watch`] and hands a clone of it on, to every thread that takes part; what it
//! is handed to looks at it every few thousand steps, tells it what was done since, and ends early once it is told to
//! stop. What ended early gives no result: only an error, which somebody who stopped it expects. A watch that nobody
//! keeps (the default) is never told, and costs nothing.

use crate::Time;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far something has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// What was done by all who were handed the watch.
    pub completed: u64,
    /// The model's clock of whoever told it last.
    pub now: Time,
}

/// Whether what is under way is still wanted. Clones are told together.
///
/// ```
/// use petrio_kernel::{Time, Watch};
/// use std::ops::ControlFlow;
///
/// let watch = Watch::new();
/// let lent = watch.clone();
/// assert!(!lent.is_stopped());
/// watch.stop();
/// assert!(lent.is_stopped());
/// assert!(!Watch::default().is_stopped());
///
/// // Told by two, and enough is enough.
/// let most = |far: petrio_kernel::Progress| {
///     if far.completed < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let (one, other) = { let watch = Watch::telling(most); (watch.clone(), watch) };
/// assert!(one.tell(3, Time::from_millis(1)).is_continue());
/// assert!(other.tell(2, Time::from_millis(2)).is_break() && one.is_stopped());
/// ```
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Kept>>);

type Tell = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

#[derive(Default)]
struct Kept {
    stopped: AtomicBool,
    completed: AtomicU64,
    to: Option<Box<Tell>>,
}

impl Watch {
    /// A watch that can be told to stop.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// One that tells somebody how far all who are handed it have come, and stops where the answer is to break off. It
    /// is asked by whichever thread has come further.
    pub fn telling(to: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Kept { to: Some(Box::new(to)), ..Kept::default() })))
    }

    /// Tells all that it was handed to. Of a default watch, nobody.
    pub fn stop(&self) {
        if let Some(kept) = &self.0 {
            kept.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.as_ref().is_some_and(|kept| kept.stopped.load(Ordering::Relaxed))
    }

    /// Whether anybody can tell it.
    pub const fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// So much more was done, and the model's clock shows so much; whether to go on.
    pub fn tell(&self, more: u64, now: Time) -> ControlFlow<()> {
        let Some(kept) = &self.0 else { return ControlFlow::Continue(()) };
        let completed = kept.completed.fetch_add(more, Ordering::Relaxed) + more;
        if kept.to.as_ref().is_some_and(|to| to(Progress { completed, now }).is_break()) {
            self.stop();
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watch").field(&self.is_kept()).field(&self.is_stopped()).finish()
    }
}

/// Things that are the same are so whoever watches them.
impl PartialEq for Watch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Watch {}
