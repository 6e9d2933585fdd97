//! When an emulation ends: its time is over, its command has ended, or somebody interrupts it.

use crate::failure::Failure;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why it ends.
#[derive(Debug)]
pub(super) enum End {
    Interrupted,
    /// Its command has.
    Command(std::io::Result<ExitStatus>),
    /// Its guest has, with the code of its job.
    Guest(Result<u8, Failure>),
    TimeOver,
}

/// To the emulation that is under way, until somebody has told it.
static UNDER_WAY: Mutex<Option<Sender<End>>> = Mutex::new(None);

fn under_way() -> MutexGuard<'static, Option<Sender<End>>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the emulation that is under way to end; whether there is one that wasn't told yet. Told a second time, everything is taken
/// down at once.
pub(crate) fn interrupt() -> bool {
    under_way().take().is_some_and(|emulation| emulation.send(End::Interrupted).is_ok())
}

/// What is waited for.
pub(super) struct Ending {
    tell: Sender<End>,
    told: Receiver<End>,
}

impl Ending {
    /// From now on an interrupt is told here.
    pub(super) fn begin() -> Self {
        let (tell, told) = channel();
        *under_way() = Some(tell.clone());
        Self { tell, told }
    }

    /// For whoever else may end it.
    pub(super) fn teller(&self) -> Sender<End> {
        self.tell.clone()
    }

    /// Waits.
    pub(super) fn wait(&self, until: Option<Duration>) -> End {
        let Some(until) = until.and_then(|until| Instant::now().checked_add(until)) else {
            return self.told.recv().unwrap_or(End::Interrupted);
        };
        match self.told.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(end) => end,
            Err(RecvTimeoutError::Timeout) => End::TimeOver,
            Err(RecvTimeoutError::Disconnected) => End::Interrupted,
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        *under_way() = None;
    }
}
