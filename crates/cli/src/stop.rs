//! Work that ends by itself when somebody interrupts the program.

use petrio_kernel::Watch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is under way, until it was told to stop.
static UNDER_WAY: Mutex<Option<Watch>> = Mutex::new(None);

fn under_way() -> MutexGuard<'static, Option<Watch>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work that an interrupt stops, as long as this is kept.
pub(crate) struct Stoppable(());

/// Lets an interrupt stop the work of a watch.
pub(crate) fn by_interrupt(watch: &Watch) -> Stoppable {
    *under_way() = Some(watch.clone());
    Stoppable(())
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        *under_way() = None;
    }
}

/// Tells what is under way to stop; whether there is such. What was told before doesn't count: a second interrupt ends the program.
pub(crate) fn interrupt() -> bool {
    let watch = under_way().take();
    watch.inspect(Watch::stop).is_some()
}
