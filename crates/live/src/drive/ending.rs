//! How a run that fails or is broken off ends at once and leaves nothing: nobody begins another call, nobody goes on
//! thinking, and from a moment on nobody makes files any more.

use super::error::DriveError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Whether a run is to end. Whoever removes what a run has made says so first: then all files that were being made are
/// there, and none follows.
#[derive(Debug, Default)]
pub struct Ending {
    is_ended: AtomicBool,
    /// Held for reading while a file is made.
    making: RwLock<()>,
    /// All who may be resting.
    threads: Mutex<Vec<Thread>>,
}

impl Ending {
    /// Ends the run: waits until nobody makes a file, and lets nobody make another.
    pub fn end(&self) {
        self.ask();
        drop(self.making.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Lets everybody end at the next call, and those who rest now.
    pub(super) fn ask(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            thread.unpark();
        }
    }

    /// This thread wants to be woken at the end.
    pub(super) fn enter(&self) {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(std::thread::current());
    }

    /// Goes on unless the run is to end.
    pub(super) fn go_on(&self) -> Result<(), DriveError> {
        if self.is_ended.load(Ordering::SeqCst) { Err(DriveError::Ended) } else { Ok(()) }
    }

    /// Makes a file, unless the run is to end.
    pub(super) fn unless_ended<T>(
        &self,
        make: impl FnOnce() -> Result<T, DriveError>,
    ) -> Result<T, DriveError> {
        let _making = self.making.read().unwrap_or_else(PoisonError::into_inner);
        self.go_on()?;
        make()
    }

    /// Rests for so long, or until the run is to end.
    pub(super) fn rest(&self, time: Duration) -> Result<(), DriveError> {
        let began = Instant::now();
        loop {
            self.go_on()?;
            match time.checked_sub(began.elapsed()) {
                Some(left) if !left.is_zero() => std::thread::park_timeout(left),
                _ => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn after_the_end_nothing_is_made_and_nobody_rests() {
        let ending = Ending::default();
        assert_eq!(ending.unless_ended(|| Ok(1)).unwrap(), 1);
        ending.rest(Duration::from_micros(10)).unwrap();
        std::thread::scope(|scope| {
            let resting = scope.spawn(|| {
                ending.enter();
                ending.rest(Duration::from_secs(3_600))
            });
            ending.end();
            assert!(matches!(resting.join().unwrap(), Err(DriveError::Ended)));
        });
        assert!(matches!(ending.unless_ended(|| Ok(1)), Err(DriveError::Ended)));
    }
}
