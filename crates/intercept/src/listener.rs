//! Held calls, told one by one, and answered.

use crate::kernel;
use crate::patience::Patience;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A call that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What it is answered by.
    pub id: u64,
    /// The thread that has made it, by its number where the listener lives.
    pub thread: u32,
    /// Which call (`libc::SYS_…` of this machine).
    pub call: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
}

impl From<kernel::Told> for Held {
    fn from(told: kernel::Told) -> Self {
        Self { id: told.id, thread: told.pid, call: i64::from(told.data.nr), arguments: told.data.args }
    }
}

/// What becomes of a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The kernel carries it out.
    GoOn,
    /// It returns this, and the kernel knows nothing of it.
    Value(i64),
    /// It fails with this error number.
    Error(i32),
}

/// Where held calls are told.
#[derive(Debug)]
pub struct Listener {
    descriptor: OwnedFd,
    /// Made when it is first waited for calls alone.
    patience: Option<Patience>,
    holds_firmly: bool,
}

impl Listener {
    /// Of a descriptor that came from a filter.
    pub fn new(descriptor: OwnedFd) -> Self {
        kernel::wake_at_once(descriptor.as_fd());
        Self { descriptor, patience: None, holds_firmly: kernel::holds_firmly() }
    }

    /// Whether a call that was told stays held whatever signals come but those that kill (Linux 5.19 on). Whoever holds one that waits has to
    /// see then whether a signal ends it: let go on, it returns as the kernel would have it.
    pub const fn holds_firmly(&self) -> bool {
        self.holds_firmly
    }

    /// The next call, waited for about a millisecond, with a single call of our own.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn next_soon(&mut self) -> io::Result<Next> {
        let patience = match self.patience.take() {
            Some(patience) if patience.is_of_this_thread() => patience,
            _ => Patience::here()?,
        };
        let told = patience.during(|| kernel::receive(self.descriptor.as_fd()));
        self.patience = Some(patience);
        match told? {
            Some(told) => Ok(Next::Call(told.into())),
            // Whether there will be one at all this doesn't say.
            None => self.next(Some(Timespec { tv_sec: 0, tv_nsec: 0 })),
        }
    }

    /// The next call, if there is one now.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn next(&self, wait: Option<Timespec>) -> io::Result<Next> {
        let mut ready = [PollFd::new(&self.descriptor, PollFlags::IN)];
        match poll(&mut ready, wait.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Next::Nothing),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = ready[0].revents();
        if flags.contains(PollFlags::IN) {
            let told = kernel::receive(self.descriptor.as_fd())?;
            return Ok(told.map_or(Next::Nothing, |told| Next::Call(told.into())));
        }
        Ok(if flags.contains(PollFlags::HUP) { Next::End } else { Next::Nothing })
    }

    /// Answers a call; whether it was still there.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn answer(&self, id: u64, answer: Answer) -> io::Result<bool> {
        let answer = match answer {
            Answer::GoOn => Ok(None),
            Answer::Value(value) => Ok(Some(value)),
            Answer::Error(number) => Err(number),
        };
        kernel::answer(self.descriptor.as_fd(), id, answer)
    }

    /// Whether a call still waits for its answer.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn is_waiting(&self, id: u64) -> io::Result<bool> {
        kernel::is_waiting(self.descriptor.as_fd(), id)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// What a listener has to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A call is held.
    Call(Held),
    /// There is none now.
    Nothing,
    /// Nobody is left who could make one.
    End,
}
