//! What a timer does when its time has come, as one of the kernel's own does it: its descriptor tells how often, or it sends its signal.

use crate::kernel;
use std::io;
use std::os::fd::BorrowedFd;

/// Lets a descriptor that tells of time (timerfd) tell that it went off so often since it was last read.
///
/// # Errors
/// It is no such descriptor, or the kernel can't be told (one without `CONFIG_CHECKPOINT_RESTORE`).
pub fn tell(timer: BorrowedFd<'_>, times: u64) -> io::Result<()> {
    kernel::set_ticks(timer, times)
}

/// Sends a process, or one thread of it, the signal of a timer with the value that the timer was given (`SI_TIMER`).
///
/// # Errors
/// It is gone, or as many signals wait for it as may.
pub fn send(process: u32, thread: Option<u32>, (signal, value): (i32, u64)) -> io::Result<()> {
    let number = |of: u32| i32::try_from(of).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput));
    kernel::send_of_timer(number(process)?, thread.map(number).transpose()?, (signal, value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn whoever_is_gone_gets_no_signal() {
        // Numbers of processes end at 2²².
        assert!(send((1 << 22) + 1, None, (libc::SIGALRM, 0)).is_err());
        assert!(send(u32::MAX, None, (libc::SIGALRM, 0)).is_err());
    }
}
