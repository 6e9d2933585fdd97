//! Waits for the next call in one call of our own: the kernel knows no end of such a wait, so another thread of petrio's looks whether it
//! takes long, and ends it by a signal.

use crate::kernel;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

/// A wait ends when it was found under way twice, this long apart.
const LOOK: Duration = Duration::from_micros(700);
/// Where nobody has waited for so many looks, they become rarer.
const IDLE: u32 = 64;

/// Ends waits of one thread that take longer than a look or two.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Whose waits.
    of: ThreadId,
    /// The number of waits so far, twice, and one more while one is under way; all ones at the end.
    count: Arc<AtomicU64>,
    looks: Option<JoinHandle<()>>,
}

const OVER: u64 = u64::MAX;

impl Patience {
    /// For waits of this thread.
    pub(crate) fn here() -> io::Result<Self> {
        let number = kernel::hear_nudges()?;
        let count = Arc::new(AtomicU64::new(0));
        let seen = count.clone();
        let looks = thread::Builder::new().name("petrio-patience".to_owned()).spawn(move || {
            let (mut last, mut idle) = (0, 0);
            loop {
                thread::park_timeout(if idle < IDLE { LOOK } else { 8 * LOOK });
                let now = seen.load(Ordering::Acquire);
                match now {
                    OVER => return,
                    now if now % 2 == 1 && now == last => kernel::nudge(number),
                    _ => {}
                }
                idle = if now == last { idle + 1 } else { 0 };
                last = now;
            }
        })?;
        Ok(Self { of: thread::current().id(), count, looks: Some(looks) })
    }

    /// Whether it is for this thread's waits.
    pub(crate) fn is_of_this_thread(&self) -> bool {
        self.of == thread::current().id()
    }

    /// Does what may wait for long.
    pub(crate) fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.count.fetch_add(1, Ordering::AcqRel);
        let done = wait();
        self.count.fetch_add(1, Ordering::AcqRel);
        done
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.count.store(OVER, Ordering::Release);
        if let Some(looks) = self.looks.take() {
            looks.thread().unpark();
            let _ = looks.join();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_wait_without_end_is_ended_and_a_short_one_is_left_alone() {
        let patience = Patience::here().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let began = Instant::now();
        let mut byte = [0];
        let told = patience.during(|| rustix::io::read(&reader, &mut byte));
        assert_eq!(told, Err(rustix::io::Errno::INTR));
        assert!(began.elapsed() >= LOOK / 2);
        io::Write::write_all(&mut &writer, b"x").unwrap();
        assert_eq!(patience.during(|| rustix::io::read(&reader, &mut byte)), Ok(1));
        assert!(patience.is_of_this_thread());
    }
}
