//! The live side on the machine at hand; what isn't possible here is skipped by name.

mod device_trace;
mod drive;
mod emulated_disk;
mod file_trace;
mod limits;
mod namespace;
mod namespace_crashes;
mod namespace_foreign;
mod namespace_races;
mod network;
mod ops;
mod rig;

/// Whether what a test needs is there; says by name that it is skipped where not.
fn possible(test: &str, needs: &[&petrio_live::rig::Availability]) -> bool {
    let missing = needs.iter().find_map(|need| need.reason());
    if let Some(why) = missing {
        skip(test, why);
    }
    missing.is_none()
}

/// Says by name that a test is skipped.
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn skip(test: &str, why: &str) {
    println!("skipped: {test}: {why}");
}

/// A process has one capture at a time.
fn one_capture_at_a_time() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A process is in one memory group at a time, so those tests that enter one take turns. With them those that empty the
/// machine's caches, and those whose slow disk is served by this very process: short of memory, the server would wait for
/// pages that it is to write itself.
fn memory_to_itself() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
