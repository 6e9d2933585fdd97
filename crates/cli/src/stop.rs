//! Work that ends by itself when somebody interrupts the program.

use petrio_kernel::Watch;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long work may take to end once it is told: what reads a pipe that nobody fills never looks.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is under way.
static UNDER_WAY: Mutex<Option<Watch>> = Mutex::new(None);
/// Told when it is over.
static OVER: Condvar = Condvar::new();

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
        OVER.notify_all();
    }
}

/// Tells what is under way to stop; whether there was such, and it has ended soon.
pub(crate) fn interrupt() -> bool {
    let there = under_way();
    let Some(watch) = &*there else { return false };
    watch.stop();
    let waited = OVER.wait_timeout_while(there, PATIENCE, |there| there.is_some());
    waited.is_ok_and(|(there, _)| there.is_none())
}
